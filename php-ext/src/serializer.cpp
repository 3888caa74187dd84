#include "serializer.h"

#include <ext/standard/basic_functions.h>

namespace coppice::php {

namespace {

// Neither shares the tables of a serialize() or unserialize() that is under way, as from within __serialize.
class OwnTables {
 public:
  OwnTables() { BG(serialize_lock)++; }
  ~OwnTables() { BG(serialize_lock)--; }  // a request that ends in between begins the next with 0
};

bool call(const char* function, zval* argument, zval* result) {
  zval name;
  ZVAL_STRING(&name, function);
  ZVAL_UNDEF(result);
  const bool called = call_user_function(nullptr, nullptr, &name, result, 1, argument) == SUCCESS;
  zval_ptr_dtor(&name);
  return called && !EG(exception);
}

}  // namespace

bool igbinary_is_loaded() {
  return zend_hash_str_exists(CG(function_table), "igbinary_unserialize", sizeof "igbinary_unserialize" - 1);
}

zend_string* serialize(zval* value, bool by_igbinary) {
  if (by_igbinary) {
    zval result;
    if (call("igbinary_serialize", value, &result) && Z_TYPE(result) == IS_STRING) return Z_STR(result);
    zval_ptr_dtor(&result);
    return nullptr;
  }
  smart_str buffer = {nullptr, 0};
  {
    const OwnTables own;
    php_serialize_data_t data;
    PHP_VAR_SERIALIZE_INIT(data);
    php_var_serialize(&buffer, value, &data);
    PHP_VAR_SERIALIZE_DESTROY(data);
  }
  if (EG(exception)) {
    smart_str_free(&buffer);
    return nullptr;
  }
  return smart_str_extract(&buffer);
}

bool unserialize(const char* bytes, std::size_t length, zend_array* allowed, zval* out) {
  ZVAL_UNDEF(out);
  const auto* at = reinterpret_cast<const unsigned char*>(bytes);
  const unsigned char* const end = at + length;
  bool whole;
  {
    const OwnTables own;
    php_unserialize_data_t data;
    PHP_VAR_UNSERIALIZE_INIT(data);
    php_var_unserialize_set_allowed_classes(data, allowed);
    whole = php_var_unserialize(out, &at, end, &data) != 0 && at == end;
    PHP_VAR_UNSERIALIZE_DESTROY(data);  // runs __wakeup and __unserialize
  }
  if (whole && !EG(exception)) return true;
  zval_ptr_dtor(out);
  ZVAL_NULL(out);
  return false;
}

bool igbinary_unserialize(zend_string* bytes, zval* out) {
  zval argument;
  ZVAL_STR(&argument, bytes);
  if (call("igbinary_unserialize", &argument, out) && (Z_TYPE_P(out) == IS_OBJECT || Z_TYPE_P(out) == IS_ARRAY))
    return true;
  zval_ptr_dtor(out);
  ZVAL_NULL(out);
  return false;
}

}  // namespace coppice::php
