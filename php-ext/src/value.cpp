#include "value.h"

#include <charconv>

#include "serializer.h"

namespace coppice::php {

namespace {

bool refuse_value(std::string_view key, const char* why) {
  if (EG(exception) && is_exit(EG(exception))) return false;
  // An exception of the serializer becomes the previous one.
  zend_throw_exception_ex(classes.serialization, 0, "the value for key %s can't be stored: %s", ShownKey(key).text(),
                          why);
  return false;
}

bool encode_object(const CacheObject& cache, std::string_view key, zval* value, Encoded* out) {
  // igbinary_unserialize() knows no allowed classes.
  const bool by_igbinary = cache.igbinary && cache.allowed_classes == nullptr;
  out->held = serialize(value, by_igbinary);
  if (out->held == nullptr)
    return refuse_value(key, EG(exception) ? "its serialization threw" : "it can't be serialized");
  out->type = by_igbinary ? ValueType::kIgbinary : ValueType::kSerialized;
  out->bytes = view(out->held);
  return true;
}

bool encode_table(const CacheObject& cache, std::string_view key, zval* value, Encoded* out) {
  ThreadState& state = thread_state();
  state.value.clear();
  switch (encode_array(state.codec, Z_ARRVAL_P(value), state.value)) {
    case EncodeStatus::kDone:
      break;
    case EncodeStatus::kHasObject:
      return encode_object(cache, key, value, out);
    case EncodeStatus::kResource:
      return refuse_value(key, "it contains a resource");
    case EncodeStatus::kRecursive:
      return refuse_value(key, "the array contains itself");
    case EncodeStatus::kTooDeep:
      return refuse_value(key, "arrays are nested more than 1024 deep");
    case EncodeStatus::kTooLarge:
      return refuse_value(key, "it is larger than 511 MB");
  }
  out->type = ValueType::kArray;
  out->bytes = state.value.view();
  return true;
}

}  // namespace

[[gnu::hot]] bool encode_value(const CacheObject& cache, std::string_view key, zval* value, Encoded* out) {
  ZVAL_DEREF(value);
  switch (Z_TYPE_P(value)) {
    case IS_UNDEF:
    case IS_NULL:
      out->type = ValueType::kNull;
      return true;
    case IS_FALSE:
      out->type = ValueType::kFalse;
      return true;
    case IS_TRUE:
      out->type = ValueType::kTrue;
      return true;
    case IS_LONG: {
      out->type = ValueType::kInteger;
      const char* const end = std::to_chars(out->small, out->small + sizeof out->small, Z_LVAL_P(value)).ptr;
      out->bytes = {out->small, static_cast<std::size_t>(end - out->small)};
      return true;
    }
    case IS_DOUBLE:
      out->type = ValueType::kDouble;
      std::memcpy(out->small, &Z_DVAL_P(value), 8);
      out->bytes = {out->small, 8};
      return true;
    case IS_STRING:
      out->type = ValueType::kString;
      out->bytes = view(Z_STR_P(value));
      return true;
    case IS_ARRAY:
      return encode_table(cache, key, value, out);
    case IS_OBJECT:
      return encode_object(cache, key, value, out);
    default:
      return refuse_value(key, "it is a resource");
  }
}

void keep_worthy(const CacheObject& cache, std::string_view key, Version version, const zval* value) {
  ZVAL_DEREF(value);
  KeptPlace place = {cache.backend, {}, key};
  if (cache.is_shared) place.generation = static_cast<const SharedBackend*>(cache.backend)->generation();
  thread_state().decoded.keep_stored(place, version, value);
}

std::string_view encoding_name(ValueType type) {
  switch (type) {
    case ValueType::kString:
      return "string";
    case ValueType::kInteger:
      return "int";
    case ValueType::kNull:
      return "null";
    case ValueType::kFalse:
    case ValueType::kTrue:
      return "bool";
    case ValueType::kDouble:
      return "float";
    case ValueType::kArray:
      return "array";
    case ValueType::kSerialized:
      return "serialized";
    case ValueType::kIgbinary:
      return "igbinary";
    case ValueType::kThrottle:
      return "throttle";
    case ValueType::kHash:
      return "hash";
    case ValueType::kSet:
      return "set";
    case ValueType::kSortedSet:
      return "sorted set";
  }
  return "unknown";
}

}  // namespace coppice::php
