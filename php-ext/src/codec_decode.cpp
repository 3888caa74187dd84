
#include "codec.h"
#include "codec_tags.h"

namespace coppice::php {

namespace {

using Bytes = const std::uint8_t*;

// A packed array's elements were buckets before PHP 8.2.
#if PHP_VERSION_ID >= 80200
using PackedElement = zval;
PackedElement* packed_data(zend_array* a) { return a->arPacked; }
zval* begin_element(PackedElement* element, std::uint32_t) { return element; }
#else
using PackedElement = Bucket;
PackedElement* packed_data(zend_array* a) { return a->arData; }
zval* begin_element(PackedElement* element, std::uint32_t i) {
  element->h = i;
  element->key = nullptr;
  return &element->val;
}
#endif

class Decoder {
 public:
  Decoder(CodecState& codec, std::string_view bytes)
      : codec_(codec), at_(reinterpret_cast<Bytes>(bytes.data())), end_(at_ + bytes.size()) {}

  // Leaves in `out` whatever was built, whole or not: it can always be destroyed.
  bool run(zval* out) {
    ZVAL_NULL(out);
    codec_.strings.clear();
    codec_.shapes.clear();
    codec_.references.clear();
    if (left() < 2 || *at_++ != tag::kVersion) return false;
    if (!value(out, 0) || at_ != end_ || Z_TYPE_P(out) != IS_ARRAY) return false;
    // A reference that nothing else in the value shares is a plain value, as unserialize() makes it.
    for (const CodecState::Reference& r : codec_.references)
      if (GC_REFCOUNT(r.reference) == 1) {
        ZVAL_COPY_VALUE(r.slot, &r.reference->val);
        efree_size(r.reference, sizeof(zend_reference));
      }
    return true;
  }

 private:
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  // A little-endian number of `n` bytes, 1 … 8. What lies behind the end is padding, read but never used.
  bool number(std::size_t n, std::uint64_t* out) {
    std::uint64_t word;
    std::memcpy(&word, at_, 8);
    const std::size_t unused = 64 - 8 * n;
    *out = word << unused >> unused;
    if (UNEXPECTED(n > left())) return false;
    at_ += n;
    return true;
  }
  bool varint(std::uint32_t* out) {
    std::uint64_t v = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
      if (at_ == end_) return false;
      const std::uint8_t byte = *at_++;
      v |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte >= 0x80) continue;
      *out = static_cast<std::uint32_t>(v);
      return v <= UINT32_MAX;
    }
    return false;
  }

  // The length of a literal string behind its tag byte; false: the tag is none of a literal string, or cut short.
  bool literal_length(std::uint8_t t, std::size_t* length) {
    std::uint64_t n = 0;
    if (t >= tag::kShortString && t < tag::kPositive)
      n = t - tag::kShortString;
    else if (t == tag::kString8) {
      if (!number(1, &n)) return false;
      n += 32;
    } else if (t == tag::kString16) {
      if (!number(2, &n)) return false;
    } else if (t == tag::kString32) {
      if (!number(4, &n)) return false;
    } else
      return false;
    *length = n;
    return n <= left();
  }
  // The string that a use names.
  bool use(std::uint8_t t, zend_string** out) {
    std::uint64_t n = 0;
    if (t >= tag::kShortStringUse)
      n = t - tag::kShortStringUse;
    else if (t == tag::kStringUse8) {
      if (!number(1, &n)) return false;
      n += 24;
    } else if (t == tag::kStringUse16) {
      if (!number(2, &n)) return false;
    } else if (t == tag::kStringUse32) {
      if (!number(4, &n)) return false;
    } else
      return false;
    if (n >= codec_.strings.size()) return false;
    *out = codec_.strings[n];
    return true;
  }

  // A key that is a string, owned by somebody else; `literal` says whether it stood here.
  bool string_key(std::uint8_t t, zend_string** key, bool* literal) {
    if (use(t, key)) {
      *literal = false;
    } else {
      std::size_t length;
      if (!literal_length(t, &length)) return false;
      *key = codec_.key(reinterpret_cast<const char*>(at_), length);
      at_ += length;
      if (length >= tag::kShortestShared) codec_.strings.push(*key);
      *literal = true;
    }
    zend_ulong index;
    return !ZEND_HANDLE_NUMERIC(*key, index);
  }

  bool value(zval* out, std::uint32_t depth) {
    if (UNEXPECTED(at_ == end_)) return false;
    const std::uint8_t t = *at_++;
    if (t < 0x80) {
      ZVAL_LONG(out, t);
      return true;
    }
    switch (t >> 4) {
      case 0x8:
      case 0x9:
        return literal(t, out);
      case 0xa: {
        std::uint64_t n;
        if (!number((t & 7) + 1u, &n)) return false;
        if (UNEXPECTED(n > static_cast<std::uint64_t>(ZEND_LONG_MAX))) return false;
        ZVAL_LONG(out, t < tag::kNegative ? static_cast<zend_long>(n) : -1 - static_cast<zend_long>(n));
        return true;
      }
      case 0xb:
        return other(t, out, depth);
      case 0xc:
        return list(t - tag::kShortList, out, depth + 1);
      case 0xd:
        return shape(t - tag::kShortShape + 1u, out, depth + 1);
      default:
        break;
    }
    if (t < tag::kShortStringUse) return shape_use(t - tag::kShortShapeUse, out, depth + 1);
    zend_string* s;
    if (!use(t, &s)) return false;
    ZVAL_STR_COPY(out, s);
    return true;
  }

  bool other(std::uint8_t t, zval* out, std::uint32_t depth) {
    std::uint32_t n;
    switch (t) {
      case tag::kNull:
        ZVAL_NULL(out);
        return true;
      case tag::kFalse:
        ZVAL_FALSE(out);
        return true;
      case tag::kTrue:
        ZVAL_TRUE(out);
        return true;
      case tag::kDouble: {
        if (left() < 8) return false;
        double d;
        std::memcpy(&d, at_, 8);
        at_ += 8;
        ZVAL_DOUBLE(out, d);
        return true;
      }
      case tag::kString8:
      case tag::kString16:
      case tag::kString32:
        return literal(t, out);
      case tag::kStringUse8:
      case tag::kStringUse16:
      case tag::kStringUse32: {
        zend_string* s;
        if (!use(t, &s)) return false;
        ZVAL_STR_COPY(out, s);
        return true;
      }
      case tag::kList:
        return varint(&n) && list(n, out, depth + 1);
      case tag::kMap:
        return varint(&n) && map(n, out, depth + 1);
      case tag::kShape:
        return varint(&n) && shape(n, out, depth + 1);
      case tag::kShapeUse:
        return varint(&n) && shape_use(n, out, depth + 1);
      case tag::kReference:
        return reference(out, depth);
      case tag::kReferenceUse: {
        if (!varint(&n) || n >= codec_.references.size()) return false;
        zend_reference* r = codec_.references[n].reference;
        if (r == nullptr) return false;  // inside of itself
        GC_ADDREF(r);
        ZVAL_REF(out, r);
        return true;
      }
      default:
        return false;
    }
  }

  bool literal(std::uint8_t t, zval* out) {
    std::size_t length;
    if (!literal_length(t, &length)) return false;
    const char* bytes = reinterpret_cast<const char*>(at_);
    at_ += length;
    if (length < tag::kShortestShared) {
      ZVAL_INTERNED_STR(out, length == 0 ? ZSTR_EMPTY_ALLOC() : ZSTR_CHAR(static_cast<zend_uchar>(*bytes)));
      return true;
    }
    zend_string* s = zend_string_init(bytes, length, false);
    ZVAL_NEW_STR(out, s);
    codec_.strings.push(s);
    return true;
  }

  bool reference(zval* out, std::uint32_t depth) {
    if (left() == 0 || *at_ == tag::kReference || *at_ == tag::kReferenceUse) return false;
    const std::size_t place = codec_.references.size();
    codec_.references.push({nullptr, out});
    ZVAL_NULL(out);
    zval inner;
    ZVAL_NULL(&inner);
    const bool whole = value(&inner, depth);
    ZVAL_NEW_REF(out, &inner);
    codec_.references[place].reference = Z_REF_P(out);
    return whole;
  }

  bool list(std::uint32_t count, zval* out, std::uint32_t depth) {
    if (UNEXPECTED(depth > kMaxDepth || count > left())) return false;
    if (count == 0) {
      ZVAL_EMPTY_ARRAY(out);
      return true;
    }
    zend_array* array = zend_new_array(count);
    ZVAL_ARR(out, array);
    zend_hash_real_init_packed(array);
    PackedElement* element = packed_data(array);
    std::uint32_t i = 0;
    bool whole = true;
    for (; i < count && whole; ++i, ++element) {
      zval* slot = begin_element(element, i);
      ZVAL_NULL(slot);
      whole = integer(slot) || value(slot, depth);
    }
    array->nNumUsed = array->nNumOfElements = i;
    array->nNextFreeElement = i;
    return whole;
  }

  bool map(std::uint32_t count, zval* out, std::uint32_t depth) {
    if (depth > kMaxDepth || count > left() / 2 || count == 0) return false;
    zend_array* array = zend_new_array(count);
    ZVAL_ARR(out, array);
    // Made for all keys at once, so that slots stay where they are.
    zend_hash_real_init_mixed(array);
    zval null;
    ZVAL_NULL(&null);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (at_ == end_) return false;
      const std::uint8_t t = *at_;
      zval* slot;
      if (t < 0x80 || t >> 4 == 0xa) {
        zval index;
        if (!value(&index, depth)) return false;
        slot = zend_hash_index_add(array, static_cast<zend_ulong>(Z_LVAL(index)), &null);
      } else {
        ++at_;
        zend_string* key;
        bool is_literal;
        if (!string_key(t, &key, &is_literal)) return false;
        slot = append_key(array, key);
      }
      if (slot == nullptr || !value(slot, depth)) return false;  // a key that was there before
    }
    return true;
  }

  // The end of a shape's `count` keys if they are all literals, else null.
  Bytes end_of_literal_keys(std::uint32_t count) const {
    Bytes p = at_;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (p >= end_ || *p < tag::kShortString || *p >= tag::kPositive) return nullptr;
      p += 1 + (*p - tag::kShortString);
    }
    return p <= end_ ? p : nullptr;
  }

  bool shape(std::uint32_t count, zval* out, std::uint32_t depth) {
    if (UNEXPECTED(depth > kMaxDepth || count > left() / 2 || count == 0 || count > kMaxShapeKeys)) return false;
    const Bytes keys_end = end_of_literal_keys(count);
    if (keys_end == nullptr) {
      zend_array* array = shape_from_keys(count, out);
      return array != nullptr && values(array, depth);
    }
    const auto length = static_cast<std::uint32_t>(keys_end - at_);
    const std::uint64_t hash = CodecState::quick_hash(reinterpret_cast<const char*>(at_), length) + count;
    CodecState::Template& known = codec_.template_for(hash);
    if (known.array != nullptr && known.hash == hash && known.length == length &&
        std::memcmp(known.bytes, at_, length) == 0) {
      const zend_array* source = known.array;
      for (std::uint32_t i = 0; i < count; ++i)
        if (ZSTR_LEN(source->arData[i].key) >= tag::kShortestShared) codec_.strings.push(source->arData[i].key);
      at_ = keys_end;
      zend_array* array = copy_shape(source, out);
      codec_.shapes.push(array);
      return values(array, depth);
    }
    const Bytes keys = at_;
    zend_array* array = shape_from_keys(count, out);
    if (array == nullptr) return false;
    // The second sight of a shape makes its template.
    if (known.hash == hash && known.length == length && known.array == nullptr)
      remember(known, keys, length, array);
    else if (known.array == nullptr || known.hash != hash)
      forget(known, hash, length);
    return values(array, depth);
  }

  bool shape_use(std::uint32_t number, zval* out, std::uint32_t depth) {
    if (UNEXPECTED(depth > kMaxDepth || number >= codec_.shapes.size())) return false;
    const zend_array* source = codec_.shapes[number];
    if (source->nNumUsed > left()) return false;
    return values(copy_shape(source, out), depth);
  }

  // Appends a key with null for its value; null: it is there already. What zend_hash_add() does, in a third of its
  // instructions. REQUIRES: `array` is no packed one, and was made for this many keys.
  static zval* append_key(zend_array* array, zend_string* key) {
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

  // Reads `count` keys into a new array with null for each value; null: they are not a shape's keys.
  zend_array* shape_from_keys(std::uint32_t count, zval* out) {
    zend_array* array = zend_new_array(count);
    ZVAL_ARR(out, array);
    zend_hash_real_init_mixed(array);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (at_ == end_) return nullptr;
      const std::uint8_t t = *at_++;
      zend_string* key;
      bool is_literal;
      if (!string_key(t, &key, &is_literal) || append_key(array, key) == nullptr) return nullptr;
    }
    codec_.shapes.push(array);
    return array;
  }

  // An array with the keys of `source` and null for each value. REQUIRES: `source` has no holes.
  static zend_array* copy_shape(const zend_array* source, zval* out) {
    auto* array = static_cast<zend_array*>(emalloc(sizeof(zend_array)));
    *array = *source;
    GC_SET_REFCOUNT(array, 1);
    GC_TYPE_INFO(array) = GC_ARRAY;
    HT_SET_DATA_ADDR(array, emalloc(HT_SIZE(source)));
    std::memcpy(HT_GET_DATA_ADDR(array), HT_GET_DATA_ADDR(source), HT_USED_SIZE(source));
    const bool static_keys = (HT_FLAGS(array) & HASH_FLAG_STATIC_KEYS) != 0;
    Bucket* b = array->arData;
    for (Bucket* const end = b + array->nNumUsed; b != end; ++b) {
      ZVAL_NULL(&b->val);
      if (!static_keys && !ZSTR_IS_INTERNED(b->key)) GC_ADDREF(b->key);
    }
    ZVAL_ARR(out, array);
    return array;
  }

  bool values(zend_array* array, std::uint32_t depth) {
    Bucket* b = array->arData;
    for (Bucket* const end = b + array->nNumUsed; b != end; ++b)
      if (!integer(&b->val) && UNEXPECTED(!value(&b->val, depth))) return false;
    return true;
  }

  // The most frequent element; false: it is another, or cut short.
  bool integer(zval* out) {
    const std::uint8_t t = *at_;
    if (t < 0x80) {
      if (UNEXPECTED(at_ == end_)) return false;
      ZVAL_LONG(out, t);
      ++at_;
      return true;
    }
    if (t >> 4 != 0xa) return false;
    const unsigned bytes = (t & 7u) + 1;
    if (UNEXPECTED(left() <= bytes)) return false;
    std::uint64_t n;
    std::memcpy(&n, at_ + 1, 8);
    const unsigned unused = 64 - 8 * bytes;
    n = n << unused >> unused;
    if (UNEXPECTED(n > static_cast<std::uint64_t>(ZEND_LONG_MAX))) return false;
    // For a negative one -1 - n, which is the complement.
    ZVAL_LONG(out, static_cast<zend_long>(n ^ -static_cast<std::uint64_t>(t >> 3 & 1)));
    at_ += 1 + bytes;
    return true;
  }

  static void remember(CodecState::Template& known, Bytes keys, std::uint32_t length, const zend_array* array) {
    char* bytes = static_cast<char*>(std::realloc(known.bytes, length));
    if (bytes == nullptr) return;
    known.bytes = bytes;
    std::memcpy(bytes, keys, length);
    zval copy;
    known.array = copy_shape(array, &copy);
  }
  // Another shape takes the place, from its second sight on.
  static void forget(CodecState::Template& known, std::uint64_t hash, std::uint32_t length) {
    if (known.array != nullptr) zend_array_destroy(known.array);
    known.array = nullptr;
    known.hash = hash;
    known.length = length;
  }

  CodecState& codec_;
  Bytes at_;
  const Bytes end_;
};

}  // namespace

bool decode_array(CodecState& codec, std::string_view bytes, zval* out) {
  if (Decoder(codec, bytes).run(out)) return true;
  zval broken;
  ZVAL_COPY_VALUE(&broken, out);
  ZVAL_NULL(out);
  zval_ptr_dtor(&broken);
  return false;
}

}  // namespace coppice::php
