#include "codec.h"
#include "codec_tags.h"
#include "coppice/types.h"

namespace coppice::php {

template <class Same>
CodecState::Known& CodecState::Table::find(std::uint64_t hash, Same&& same) {
  std::size_t i = hash & (known_.size() - 1);
  while (known_[i].epoch == epoch_ && !(known_[i].hash == hash && same(known_[i].what)))
    i = (i + 1) & (known_.size() - 1);
  return known_[i];
}

namespace {

std::uint64_t mix(std::uint64_t h) {
  h *= 0xd6e8feb86659fd93ull;
  return h ^ h >> 32;
}

zval* plain_slot(zval* v) { return Z_TYPE_P(v) == IS_INDIRECT ? Z_INDIRECT_P(v) : v; }

// Writes as it walks; a refusal is kept and the walk goes on only where a graver one may follow.
class Encoder {
 public:
  Encoder(CodecState& codec, Scratch& out) : codec_(codec), out_(out) {}

  EncodeStatus run(zend_array* array) {
    codec_.known_strings.begin();
    codec_.known_shapes.begin();
    codec_.known_references.begin();
    codec_.open_references.clear();
    if (!put(tag::kVersion)) return EncodeStatus::kTooLarge;
    if (!encode_array(array, 0)) return failure_;
    return has_object_ ? EncodeStatus::kHasObject : EncodeStatus::kDone;
  }

 private:
  bool fail(EncodeStatus why) {
    failure_ = why;
    return false;
  }
  bool room(std::size_t n) {
    if (out_.size() + n > kLargestMaxValue || !out_.reserve(n)) return fail(EncodeStatus::kTooLarge);
    return true;
  }
  bool put(std::uint8_t byte) {
    if (!room(1)) return false;
    *out_.end() = static_cast<char>(byte);
    out_.advance(1);
    return true;
  }
  // A tag and the low `n` bytes of a number.
  bool put(std::uint8_t byte, std::uint64_t number, std::size_t n) {
    if (!room(9)) return false;
    *out_.end() = static_cast<char>(byte);
    std::memcpy(out_.end() + 1, &number, 8);
    out_.advance(1 + n);
    return true;
  }
  bool put_count(std::uint8_t byte, std::uint32_t count) {
    if (!put(byte)) return false;
    while (count >= 0x80) {
      if (!put(static_cast<std::uint8_t>(count | 0x80))) return false;
      count >>= 7;
    }
    return put(static_cast<std::uint8_t>(count));
  }

  bool encode_integer(zend_long number) {
    if (number >= 0 && number < 0x80) return put(static_cast<std::uint8_t>(number));
    const bool negative = number < 0;
    const auto n = static_cast<std::uint64_t>(negative ? -1 - number : number);
    const std::size_t bytes = n == 0 ? 1 : (71 - static_cast<std::size_t>(__builtin_clzll(n))) / 8;
    return put(static_cast<std::uint8_t>((negative ? tag::kNegative : tag::kPositive) + bytes - 1), n, bytes);
  }

  bool encode_string(zend_string* s) {
    const std::size_t length = ZSTR_LEN(s);
    if (length >= tag::kShortestShared) {
      const std::uint64_t hash = mix(ZSTR_HASH(s));
      CodecState::Known& known = codec_.known_strings.find(hash, [s](const void* other) {
        return zend_string_equals(s, static_cast<zend_string*>(const_cast<void*>(other)));
      });
      if (!codec_.known_strings.is_empty(known)) return encode_string_use(known.index);
      codec_.known_strings.add(known, hash, s);
    }
    if (length < 32) {
      if (!put(static_cast<std::uint8_t>(tag::kShortString + length))) return false;
    } else if (length < 32 + 256) {
      if (!put(tag::kString8, length - 32, 1)) return false;
    } else if (length <= 0xffff) {
      if (!put(tag::kString16, length, 2)) return false;
    } else {
      if (length > kLargestMaxValue) return fail(EncodeStatus::kTooLarge);
      if (!put(tag::kString32, length, 4)) return false;
    }
    if (!room(length)) return false;
    std::memcpy(out_.end(), ZSTR_VAL(s), length);
    out_.advance(length);
    return true;
  }
  bool encode_string_use(std::uint32_t number) {
    if (number < 24) return put(static_cast<std::uint8_t>(tag::kShortStringUse + number));
    if (number < 24 + 256) return put(tag::kStringUse8, number - 24, 1);
    if (number <= 0xffff) return put(tag::kStringUse16, number, 2);
    return put(tag::kStringUse32, number, 4);
  }

  bool encode_value(zval* v, std::uint32_t depth) {
    switch (Z_TYPE_P(v)) {
      case IS_UNDEF:
      case IS_NULL:
        return put(tag::kNull);
      case IS_FALSE:
        return put(tag::kFalse);
      case IS_TRUE:
        return put(tag::kTrue);
      case IS_LONG:
        return encode_integer(Z_LVAL_P(v));
      case IS_DOUBLE: {
        std::uint64_t bits;
        std::memcpy(&bits, &Z_DVAL_P(v), 8);
        return put(tag::kDouble, bits, 8);
      }
      case IS_STRING:
        return encode_string(Z_STR_P(v));
      case IS_ARRAY:
        return encode_array(Z_ARRVAL_P(v), depth + 1);
      case IS_REFERENCE:
        return encode_reference(v, depth);
      case IS_OBJECT:
        has_object_ = true;
        return put(tag::kNull);
      default:
        return fail(EncodeStatus::kResource);
    }
  }

  bool encode_reference(zval* v, std::uint32_t depth) {
    if (Z_REFCOUNT_P(v) == 1) return encode_value(Z_REFVAL_P(v), depth);
    const zend_reference* reference = Z_REF_P(v);
    const std::uint64_t hash = mix(reinterpret_cast<std::uintptr_t>(reference));
    CodecState::Known& known =
        codec_.known_references.find(hash, [reference](const void* other) { return other == reference; });
    if (!codec_.known_references.is_empty(known)) {
      if (codec_.open_references[known.index]) return fail(EncodeStatus::kRecursive);
      return put_count(tag::kReferenceUse, known.index);
    }
    const std::uint32_t number = codec_.known_references.add(known, hash, reference);
    codec_.open_references.push_back(true);
    if (!put(tag::kReference) || !encode_value(Z_REFVAL_P(v), depth)) return false;
    codec_.open_references[number] = false;
    return true;
  }

  bool encode_array(zend_array* array, std::uint32_t depth) {
    if (depth >= kMaxDepth) return fail(EncodeStatus::kTooDeep);
    const std::uint32_t count = zend_array_count(array);
    if (zend_array_is_list(array)) {
      if (count < 16 ? !put(static_cast<std::uint8_t>(tag::kShortList + count)) : !put_count(tag::kList, count))
        return false;
      zval* v;
      ZEND_HASH_FOREACH_VAL_IND(array, v) {
        if (!encode_value(v, depth)) return false;
      }
      ZEND_HASH_FOREACH_END();
      return true;
    }
    if (count <= kMaxShapeKeys) {
      std::uint64_t hash = count;
      if (hash_of_keys(array, &hash)) return encode_shaped(array, count, hash, depth);
    }
    if (!put_count(tag::kMap, count)) return false;
    zend_ulong index;
    zend_string* key;
    zval* v;
    ZEND_HASH_FOREACH_KEY_VAL_IND(array, index, key, v) {
      if (key != nullptr ? !encode_string(key) : !encode_integer(static_cast<zend_long>(index))) return false;
      if (!encode_value(v, depth)) return false;
    }
    ZEND_HASH_FOREACH_END();
    return true;
  }

  // false: not all keys are strings.
  static bool hash_of_keys(zend_array* array, std::uint64_t* hash) {
    zend_string* key;
    zval* v;
    ZEND_HASH_FOREACH_STR_KEY_VAL_IND(array, key, v) {
      (void)v;
      if (key == nullptr) return false;
      *hash = mix(*hash ^ ZSTR_HASH(key));
    }
    ZEND_HASH_FOREACH_END();
    return true;
  }

  // The position of the first live bucket at or after `i`; nNumUsed if there is none.
  static std::uint32_t live(const zend_array* array, std::uint32_t i) {
    while (i < array->nNumUsed && Z_TYPE_P(plain_slot(&array->arData[i].val)) == IS_UNDEF) ++i;
    return i;
  }
  static bool same_keys(const zend_array* a, const zend_array* b) {
    std::uint32_t i = live(a, 0), j = live(b, 0);
    for (; i < a->nNumUsed && j < b->nNumUsed; i = live(a, i + 1), j = live(b, j + 1))
      if (a->arData[i].key != b->arData[j].key && !zend_string_equals(a->arData[i].key, b->arData[j].key)) return false;
    return i >= a->nNumUsed && j >= b->nNumUsed;
  }

  bool encode_shaped(zend_array* array, std::uint32_t count, std::uint64_t hash, std::uint32_t depth) {
    CodecState::Known& known = codec_.known_shapes.find(
        hash, [array](const void* other) { return same_keys(array, static_cast<const zend_array*>(other)); });
    zval* v;
    if (!codec_.known_shapes.is_empty(known)) {
      const std::uint32_t number = known.index;
      if (number < 8 ? !put(static_cast<std::uint8_t>(tag::kShortShapeUse + number))
                     : !put_count(tag::kShapeUse, number))
        return false;
    } else {
      codec_.known_shapes.add(known, hash, array);
      if (count <= 16 ? !put(static_cast<std::uint8_t>(tag::kShortShape + count - 1)) : !put_count(tag::kShape, count))
        return false;
      zend_string* key;
      ZEND_HASH_FOREACH_STR_KEY_VAL_IND(array, key, v) {
        if (!encode_string(key)) return false;
      }
      ZEND_HASH_FOREACH_END();
    }
    ZEND_HASH_FOREACH_VAL_IND(array, v) {
      if (!encode_value(v, depth)) return false;
    }
    ZEND_HASH_FOREACH_END();
    return true;
  }

  CodecState& codec_;
  Scratch& out_;
  EncodeStatus failure_ = EncodeStatus::kDone;
  bool has_object_ = false;
};

}  // namespace

EncodeStatus encode_array(CodecState& codec, zend_array* array, Scratch& out) { return Encoder(codec, out).run(array); }

}  // namespace coppice::php
