#include "codec_row.h"

#include <cstring>

#include "codec_scalars.h"
#include "codec_tags.h"

namespace coppice::php {

namespace {

bool is_whole_map(const zend_array* array, std::uint32_t count) {
  return array->nNumUsed == count && array->nNumOfElements == count && (HT_FLAGS(array) & HASH_FLAG_PACKED) == 0;
}

}  // namespace

void RowShape::learn(const zend_array* array, std::string_view front) {
  const std::uint32_t count = array->nNumOfElements;
  count_ = 0;
  if (count == 0 || count > kMostKeys || !is_whole_map(array, count) || front.size() > kLongestFront) return;
  key_lengths_ = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const zend_string* const key = array->arData[i].key;
    if (key == nullptr || !ZSTR_IS_INTERNED(key)) return;
    keys_[i] = key;
    if (ZSTR_LEN(key) <= kLongestString) key_lengths_ |= 1ull << ZSTR_LEN(key);
  }
  std::memcpy(front_, front.data(), front.size());
  front_size_ = static_cast<std::uint32_t>(front.size());
  count_ = count;
}

[[gnu::hot]] bool RowShape::encode(const zend_array* array, Scratch& out) const {
  const std::uint32_t count = count_;
  if (count == 0 || !is_whole_map(array, count)) return false;
  const Bucket* const buckets = array->arData;
  for (std::uint32_t i = 0; i < count; ++i)
    if (buckets[i].key != keys_[i]) return false;
  // Each value writes whole words.
  if (!out.reserve(kLongestFront + kMostKeys * (kLongestString + 2 + 8))) return false;
  char* const start = out.end();
  std::memcpy(start, front_, kLongestFront);
  char* at = start + front_size_;
  std::uint64_t lengths = key_lengths_;
  for (std::uint32_t i = 0; i < count; ++i) {
    const zval* const v = &buckets[i].val;
    switch (Z_TYPE_P(v)) {
      case IS_NULL:
        *at++ = static_cast<char>(tag::kNull);
        break;
      case IS_FALSE:
        *at++ = static_cast<char>(tag::kFalse);
        break;
      case IS_TRUE:
        *at++ = static_cast<char>(tag::kTrue);
        break;
      case IS_LONG:
        at = put_integer(at, Z_LVAL_P(v));
        break;
      case IS_DOUBLE:
        *at++ = static_cast<char>(tag::kDouble);
        std::memcpy(at, &Z_DVAL_P(v), 8);
        at += 8;
        break;
      case IS_STRING: {
        // Strings of different lengths are different, and the first of its kind stands as it is.
        const std::size_t length = Z_STRLEN_P(v);
        if (length > kLongestString) return false;
        if (length >= tag::kShortestShared && (lengths >> length & 1) != 0) return false;
        lengths |= 1ull << length;
        if (length < 32) {
          *at++ = static_cast<char>(tag::kShortString + length);
        } else {
          *at++ = static_cast<char>(tag::kString8);
          *at++ = static_cast<char>(length - 32);
        }
        std::memcpy(at, Z_STRVAL_P(v), length);
        at += length;
        break;
      }
      default:
        return false;
    }
  }
  out.advance(static_cast<std::size_t>(at - start));
  return true;
}

}  // namespace coppice::php
