#include "pairs.h"

#include "errors.h"

namespace coppice::php {

namespace {

zend_object_handlers pairs_handlers;

struct PairsObject {
  std::uint32_t count;
  zend_string** keys;
  zval* values;
  zend_object std;
};

PairsObject* pairs_of(zend_object* object) {
  return reinterpret_cast<PairsObject*>(reinterpret_cast<char*>(object) - offsetof(PairsObject, std));
}

zend_object* create_pairs(zend_class_entry* ce) {
  auto* pairs = static_cast<PairsObject*>(zend_object_alloc(sizeof(PairsObject), ce));
  pairs->count = 0;
  pairs->keys = nullptr;
  pairs->values = nullptr;
  zend_object_std_init(&pairs->std, ce);
  object_properties_init(&pairs->std, ce);
  pairs->std.handlers = &pairs_handlers;
  return &pairs->std;
}

void free_pairs(zend_object* object) {
  PairsObject* pairs = pairs_of(object);
  for (std::uint32_t i = 0; i < pairs->count; ++i) {
    zend_string_release(pairs->keys[i]);
    zval_ptr_dtor(&pairs->values[i]);
  }
  if (pairs->keys != nullptr) efree(pairs->keys);
  if (pairs->values != nullptr) efree(pairs->values);
  zend_object_std_dtor(object);
}

HashTable* gc_of_pairs(zend_object* object, zval** table, int* count) {
  PairsObject* pairs = pairs_of(object);
  *table = pairs->values;
  *count = static_cast<int>(pairs->count);
  return zend_std_get_properties(object);
}

// The iterator's `data` is the object.
struct PairsIterator {
  zend_object_iterator base;  // first: Zend knows only this
  std::uint32_t place;
};
PairsObject& object_of(zend_object_iterator* it) { return *pairs_of(Z_OBJ(it->data)); }
std::uint32_t& place_of(zend_object_iterator* it) { return reinterpret_cast<PairsIterator*>(it)->place; }

void free_iterator(zend_object_iterator* it) { zval_ptr_dtor(&it->data); }
IteratorResult is_valid(zend_object_iterator* it) { return place_of(it) < object_of(it).count ? SUCCESS : FAILURE; }
// Behind the end there is null, as with generators: scripts may ask without asking valid() first.
zval* current_value(zend_object_iterator* it) {
  return is_valid(it) == SUCCESS ? &object_of(it).values[place_of(it)] : nullptr;
}
void current_key(zend_object_iterator* it, zval* key) {
  if (is_valid(it) == SUCCESS)
    ZVAL_STR_COPY(key, object_of(it).keys[place_of(it)]);
  else
    ZVAL_NULL(key);
}
void move_forward(zend_object_iterator* it) {
  if (is_valid(it) == SUCCESS) ++place_of(it);
}
void rewind(zend_object_iterator* it) { place_of(it) = 0; }

const zend_object_iterator_funcs iterator_functions = {free_iterator, is_valid, current_value, current_key,
                                                       move_forward,  rewind,   nullptr,       nullptr};

zend_object_iterator* make_iterator(zend_class_entry*, zval* object, int by_reference) {
  if (by_reference) {
    zend_throw_error(nullptr, "An iterator cannot be used with foreach by reference");
    return nullptr;
  }
  auto* it = static_cast<zend_object_iterator*>(emalloc(sizeof(PairsIterator)));
  zend_iterator_init(it);
  place_of(it) = 0;
  it->funcs = &iterator_functions;
  ZVAL_OBJ_COPY(&it->data, Z_OBJ_P(object));
  return it;
}

}  // namespace

void register_pairs_class() {
  classes.pairs->create_object = create_pairs;
  classes.pairs->get_iterator = make_iterator;
  std::memcpy(&pairs_handlers, &std_object_handlers, sizeof pairs_handlers);
  pairs_handlers.offset = offsetof(PairsObject, std);
  pairs_handlers.free_obj = free_pairs;
  pairs_handlers.get_gc = gc_of_pairs;
  pairs_handlers.clone_obj = nullptr;
}

void make_pairs(zval* out, std::uint32_t count) {
  object_init_ex(out, classes.pairs);
  PairsObject* pairs = pairs_of(Z_OBJ_P(out));
  pairs->keys = static_cast<zend_string**>(safe_emalloc(count, sizeof(zend_string*), 1));
  pairs->values = static_cast<zval*>(safe_emalloc(count, sizeof(zval), 1));
}

void set_pair(zval* object, std::uint32_t place, zend_string* key, zval* value) {
  PairsObject* pairs = pairs_of(Z_OBJ_P(object));
  pairs->keys[place] = key;
  ZVAL_COPY_VALUE(&pairs->values[place], value);
  pairs->count = place + 1;
}

extern "C" {

ZEND_METHOD(Coppice_Pairs, __construct) { ZEND_PARSE_PARAMETERS_NONE(); }

ZEND_METHOD(Coppice_Pairs, getIterator) {
  ZEND_PARSE_PARAMETERS_NONE();
  zend_create_internal_iterator_zval(return_value, ZEND_THIS);
}

ZEND_METHOD(Coppice_Pairs, count) {
  ZEND_PARSE_PARAMETERS_NONE();
  RETURN_LONG(pairs_of(Z_OBJ_P(ZEND_THIS))->count);
}

}  // extern "C"

}  // namespace coppice::php
