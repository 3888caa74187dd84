// The inside of PHP's arrays, whose packed form changed with PHP 8.2. All of it inline.
#pragma once

#include <cstdint>

#include "bridge.h"

namespace coppice::php {

inline bool is_packed(const zend_array* a) { return (HT_FLAGS(a) & HASH_FLAG_PACKED) != 0; }
// Whether it has data of its own; one that nothing was ever put into has not.
inline bool is_made(const zend_array* a) { return (HT_FLAGS(a) & HASH_FLAG_UNINITIALIZED) == 0; }

#if PHP_VERSION_ID >= 80200
inline zval* packed_element(const zend_array* a, std::uint32_t i) { return a->arPacked + i; }
// Bytes of the data, and those of them that are in use, the hash part included.
inline std::size_t data_size(const zend_array* a) { return is_packed(a) ? HT_PACKED_SIZE(a) : HT_SIZE(a); }
inline std::size_t used_size(const zend_array* a) { return is_packed(a) ? HT_PACKED_USED_SIZE(a) : HT_USED_SIZE(a); }
#else
inline zval* packed_element(const zend_array* a, std::uint32_t i) { return &a->arData[i].val; }
inline std::size_t data_size(const zend_array* a) { return HT_SIZE(a); }
inline std::size_t used_size(const zend_array* a) { return HT_USED_SIZE(a); }
#endif

inline zval* element(const zend_array* a, std::uint32_t i) {
  return is_packed(a) ? packed_element(a, i) : &a->arData[i].val;
}

// f(const zval*) for each slot, holes included.
template <class F>
void for_each_value(const zend_array* a, F&& f) {
  for (std::uint32_t i = 0; i < a->nNumUsed; ++i) f(element(a, i));
}

// Appends a key with null for its value; null: it is there already. What zend_hash_add() does, in a third of its
// instructions. REQUIRES: `array` is no packed one, and was made for this many keys.
inline zval* append_key(zend_array* array, zend_string* key) {
  const zend_ulong h = ZSTR_HASH(key);
  Bucket* const data = array->arData;
  const std::uint32_t index = static_cast<std::uint32_t>(h) | array->nTableMask;
  const std::uint32_t first = HT_HASH_EX(data, index);
  for (std::uint32_t i = first; i != HT_INVALID_IDX;) {
    const Bucket* const other = HT_HASH_TO_BUCKET_EX(data, i);
    if (UNEXPECTED(other->h == h) && other->key != nullptr && zend_string_equals(other->key, key)) return nullptr;
    i = Z_NEXT(other->val);
  }
  if (!ZSTR_IS_INTERNED(key)) {
    GC_ADDREF(key);
    HT_FLAGS(array) &= ~HASH_FLAG_STATIC_KEYS;
  }
  const std::uint32_t place = array->nNumUsed++;
  ++array->nNumOfElements;
  Bucket* const bucket = data + place;
  bucket->key = key;
  bucket->h = h;
  ZVAL_NULL(&bucket->val);
  Z_NEXT(bucket->val) = first;
  HT_HASH_EX(data, index) = HT_IDX_TO_HASH(place);
  return &bucket->val;
}

}  // namespace coppice::php
