#include "array_parts.h"
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

// Parts of a hash's data are multiples of 32 bytes, most often few.
inline void copy_data(char* to, const char* from, std::size_t n) {
  if (UNEXPECTED(n > 512)) {
    std::memcpy(to, from, n);
    return;
  }
  for (const char* const end = from + n; from != end; from += 32, to += 32) std::memcpy(to, from, 32);
}
static_assert(sizeof(Bucket) % 32 == 0 && HT_MIN_SIZE * 2 * sizeof(std::uint32_t) % 32 == 0);

// Each function that reads takes where it starts and answers where it ended; null: these bytes are no encoding.
class Decoder {
 public:
  Decoder(CodecState& codec, std::string_view bytes)
      : codec_(codec), end_(reinterpret_cast<Bytes>(bytes.data()) + bytes.size()) {}

  // Leaves in `out` whatever was built, whole or not: it can always be destroyed.
  bool run(Bytes at, zval* out) {
    ZVAL_NULL(out);
    codec_.strings.clear();
    codec_.references.clear();
    if (left(at) < 2) return false;
    const std::uint8_t form = *at++;
    if (form == tag::kPlain) return array(at, out);
    if (form != tag::kWithShapes) return false;
    std::uint32_t length;
    at = varint(at, &length);
    if (at == nullptr || length > left(at)) return false;
    const char* const piece = reinterpret_cast<const char*>(at);
    const std::uint64_t hash = Schemas::hash_of(piece, length);
    schema_ = codec_.schemas.find(hash, piece, length);
    if (EXPECTED(schema_ != nullptr)) {
      keys_ = schema_->strings;
      key_count_ = schema_->string_count;
      return array(at + length, out);
    }
    const bool whole = shapes(at, at + length, hash) && array(at + length, out);
    for (std::uint32_t i = 0; i < codec_.shapes.size(); ++i)
      if (!codec_.shape_taken[i]) zend_array_destroy(codec_.shapes[i]);
    codec_.shapes.clear();
    return whole;
  }

 private:
  std::size_t left(Bytes at) const { return static_cast<std::size_t>(end_ - at); }

  bool array(Bytes at, zval* out) {
    if (value(at, out, 0) != end_ || Z_TYPE_P(out) != IS_ARRAY) return false;
    // A reference that nothing else in the value shares is a plain value, as unserialize() makes it.
    for (const CodecState::Reference& r : codec_.references)
      if (GC_REFCOUNT(r.reference) == 1) {
        ZVAL_COPY_VALUE(r.slot, &r.reference->val);
        efree_size(r.reference, sizeof(zend_reference));
      }
    return true;
  }

  // A little-endian number of `n` bytes, 1 … 8. What lies behind the end is padding, read but never used.
  Bytes number(Bytes at, std::size_t n, std::uint64_t* out) const {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    const std::size_t unused = 64 - 8 * n;
    *out = word << unused >> unused;
    return EXPECTED(n <= left(at)) ? at + n : nullptr;
  }
  Bytes varint(Bytes at, std::uint32_t* out) const {
    std::uint64_t v = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
      if (at == end_) return nullptr;
      const std::uint8_t byte = *at++;
      v |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte >= 0x80) continue;
      *out = static_cast<std::uint32_t>(v);
      return v <= UINT32_MAX ? at : nullptr;
    }
    return nullptr;
  }

  // ---- strings

  // The length of a literal behind its tag byte `t`; null also where `t` is no literal's.
  Bytes literal_length(Bytes at, std::uint8_t t, std::size_t* length) const {
    std::uint64_t n = t - tag::kShortString;
    if (t >= tag::kPositive || t < tag::kShortString) {
      if (t < tag::kString8 || t > tag::kString32) return nullptr;
      at = number(at, std::size_t{1} << (t - tag::kString8), &n);
      if (at == nullptr) return nullptr;
      if (t == tag::kString8) n += 32;
    }
    *length = n;
    return n <= left(at) ? at : nullptr;
  }
  // The string that a use names.
  Bytes use(Bytes at, std::uint8_t t, zend_string** out) const {
    std::uint64_t n = 0;
    if (t >= tag::kShortKeyUse || t == tag::kKeyUse) {
      n = t - tag::kShortKeyUse;
      if (t == tag::kKeyUse) {
        std::uint32_t more = 0;
        at = varint(at, &more);
        n = std::uint64_t{more} + 16;
      }
      if (at == nullptr || n >= key_count_) return nullptr;
      *out = keys_[n];
      return at;
    }
    if (t >= tag::kShortStringUse) {
      n = t - tag::kShortStringUse;
    } else {
      if (t < tag::kStringUse8 || t > tag::kStringUse32) return nullptr;
      at = number(at, std::size_t{1} << (t - tag::kStringUse8), &n);
      if (t == tag::kStringUse8) n += 16;
    }
    if (at == nullptr || n >= codec_.strings.size()) return nullptr;
    *out = codec_.strings[n];
    return at;
  }
  static bool is_use(std::uint8_t t) {
    return t >= tag::kShortStringUse || t == tag::kKeyUse || (t >= tag::kStringUse8 && t <= tag::kStringUse32);
  }
  Bytes string_use(Bytes at, std::uint8_t t, zval* out) const {
    zend_string* s;
    at = use(at, t, &s);
    if (EXPECTED(at != nullptr)) ZVAL_STR_COPY(out, s);
    return at;
  }
  // A key that is a string, owned by somebody else; a literal gets its number in `numbered`.
  Bytes string_key(Bytes at, std::uint8_t t, zend_string** key, Stack<zend_string*>& numbered) {
    if (is_use(t)) {
      at = use(at, t, key);
    } else {
      std::size_t length;
      at = literal_length(at, t, &length);
      if (at == nullptr) return nullptr;
      *key = codec_.keys.get(reinterpret_cast<const char*>(at), length);
      at += length;
      if (length >= tag::kShortestShared) numbered.push(*key);
    }
    zend_ulong index;
    return at != nullptr && !ZEND_HANDLE_NUMERIC(*key, index) ? at : nullptr;
  }
  Bytes literal(Bytes at, std::size_t length, zval* out) {
    if (UNEXPECTED(length < tag::kShortestShared)) {
      ZVAL_INTERNED_STR(out, length == 0 ? ZSTR_EMPTY_ALLOC() : ZSTR_CHAR(*at));
      return at + length;
    }
    zend_string* s = zend_string_alloc(length, false);
    char* to = ZSTR_VAL(s);
    if (length < 64) {
      // By words: a string's memory ends with a word, and behind the bytes there is padding.
      static_assert(_ZSTR_HEADER_SIZE % 8 == 0 && Scratch::kPadding >= 8);
      const std::uint8_t* from = at;
      for (std::size_t words = (length + 8) / 8; words != 0; --words, from += 8, to += 8) std::memcpy(to, from, 8);
    } else {
      std::memcpy(to, at, length);
    }
    ZSTR_VAL(s)[length] = '\0';
    ZVAL_NEW_STR(out, s);
    codec_.strings.push(s);
    return at + length;
  }

  // ---- values

  [[gnu::always_inline]] Bytes value(Bytes at, zval* out, std::uint32_t depth) {
    if (UNEXPECTED(at == end_)) return nullptr;
    const std::uint8_t t = *at++;
    if (t < 0x80) {
      ZVAL_LONG(out, t);
      return at;
    }
    if (t < tag::kPositive) {
      const std::size_t length = t - tag::kShortString;
      if (UNEXPECTED(length > left(at))) return nullptr;
      return literal(at, length, out);
    }
    if (t < tag::kNull) {
      const unsigned bytes = (t & 7u) + 1;
      std::uint64_t n;
      std::memcpy(&n, at, 8);
      const unsigned unused = 64 - 8 * bytes;
      n = n << unused >> unused;
      if (UNEXPECTED(bytes > left(at) || n > static_cast<std::uint64_t>(ZEND_LONG_MAX))) return nullptr;
      // For a negative one -1 - n, which is the complement.
      ZVAL_LONG(out, static_cast<zend_long>(n ^ -static_cast<std::uint64_t>(t >> 3 & 1)));
      return at + bytes;
    }
    return other(at, t, out, depth);
  }

  [[gnu::noinline]] Bytes other(Bytes at, std::uint8_t t, zval* out, std::uint32_t depth) {
    std::uint32_t n;
    switch (t) {
      case tag::kNull:
        ZVAL_NULL(out);
        return at;
      case tag::kFalse:
        ZVAL_FALSE(out);
        return at;
      case tag::kTrue:
        ZVAL_TRUE(out);
        return at;
      case tag::kDouble: {
        if (left(at) < 8) return nullptr;
        double d;
        std::memcpy(&d, at, 8);
        ZVAL_DOUBLE(out, d);
        return at + 8;
      }
      case tag::kString8:
      case tag::kString16:
      case tag::kString32: {
        std::size_t length;
        at = literal_length(at, t, &length);
        return at == nullptr ? nullptr : literal(at, length, out);
      }
      case tag::kStringUse8:
      case tag::kStringUse16:
      case tag::kStringUse32:
      case tag::kKeyUse:
        return string_use(at, t, out);
      case tag::kList:
        at = varint(at, &n);
        return at == nullptr ? nullptr : list(at, n, out, depth + 1);
      case tag::kMap:
        at = varint(at, &n);
        return at == nullptr ? nullptr : map(at, n, out, depth + 1);
      case tag::kShapeUse:
        at = varint(at, &n);
        return at == nullptr ? nullptr : shape_use(at, n, out, depth + 1);
      case tag::kReference:
        return reference(at, out, depth);
      case tag::kReferenceUse: {
        at = varint(at, &n);
        if (at == nullptr || n >= codec_.references.size()) return nullptr;
        zend_reference* r = codec_.references[n].reference;
        if (r == nullptr) return nullptr;  // inside of itself
        GC_ADDREF(r);
        ZVAL_REF(out, r);
        return at;
      }
      default:
        break;
    }
    if (t >= tag::kShortStringUse) return string_use(at, t, out);
    if (t >= tag::kShortShapeUse) return shape_use(at, t - tag::kShortShapeUse, out, depth + 1);
    return list(at, t - tag::kShortList, out, depth + 1);
  }

  Bytes reference(Bytes at, zval* out, std::uint32_t depth) {
    if (left(at) == 0 || *at == tag::kReference || *at == tag::kReferenceUse) return nullptr;
    const std::size_t place = codec_.references.size();
    codec_.references.push({nullptr, out});
    ZVAL_NULL(out);
    zval inner;
    ZVAL_NULL(&inner);
    at = value(at, &inner, depth);
    ZVAL_NEW_REF(out, &inner);
    codec_.references[place].reference = Z_REF_P(out);
    return at;
  }

  // ---- arrays

  Bytes list(Bytes at, std::uint32_t count, zval* out, std::uint32_t depth) {
    if (UNEXPECTED(depth > kMaxDepth || count > left(at))) return nullptr;
    if (count == 0) {
      ZVAL_EMPTY_ARRAY(out);
      return at;
    }
    zend_array* array = zend_new_array(count);
    ZVAL_ARR(out, array);
    zend_hash_real_init_packed(array);
    PackedElement* element = packed_data(array);
    std::uint32_t i = 0;
    for (; i < count && at != nullptr; ++i, ++element) {
      zval* slot = begin_element(element, i);
      ZVAL_NULL(slot);
      at = value(at, slot, depth);
    }
    array->nNumUsed = array->nNumOfElements = i;
    array->nNextFreeElement = i;
    return at;
  }

  Bytes map(Bytes at, std::uint32_t count, zval* out, std::uint32_t depth) {
    if (depth > kMaxDepth || count > left(at) / 2 || count == 0) return nullptr;
    zend_array* array = zend_new_array(count);
    ZVAL_ARR(out, array);
    // Made for all keys at once, so that slots stay where they are.
    zend_hash_real_init_mixed(array);
    zval null;
    ZVAL_NULL(&null);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (at == end_) return nullptr;
      const std::uint8_t t = *at;
      zval* slot;
      if (t < 0x80 || t >> 4 == 0xa) {
        zval index;
        at = value(at, &index, depth);
        if (at == nullptr) return nullptr;
        slot = zend_hash_index_add(array, static_cast<zend_ulong>(Z_LVAL(index)), &null);
      } else {
        zend_string* key;
        at = string_key(at + 1, t, &key, codec_.strings);
        if (at == nullptr) return nullptr;
        slot = append_key(array, key);
      }
      if (slot == nullptr) return nullptr;  // a key that was there before
      at = value(at, slot, depth);
      if (at == nullptr) return nullptr;
    }
    return at;
  }

  // The shapes of a document without schema, which end at `end`.
  bool shapes(Bytes at, Bytes end, std::uint64_t hash) {
    codec_.key_strings.clear();
    codec_.shapes.clear();
    codec_.shape_taken.clear();
    const Bytes begin = at;
    std::uint32_t keys = 0;
    while (at < end) {
      std::uint32_t count;
      at = varint(at, &count);
      if (at == nullptr || count == 0 || count > kMaxShapeKeys || count > left(at)) return false;
      keys += count;
      zend_array* array = zend_new_array(count);
      zend_hash_real_init_mixed(array);
      codec_.shapes.push(array);
      codec_.shape_taken.push(false);
      for (std::uint32_t i = 0; i < count; ++i) {
        if (at >= end) return false;
        keys_ = codec_.key_strings.begin();
        key_count_ = codec_.key_strings.size();
        zend_string* key;
        const std::uint8_t t = *at;
        // No string of a value has been read yet that could be named here.
        at = string_key(at + 1, t, &key, codec_.key_strings);
        if (at == nullptr || append_key(array, key) == nullptr) return false;
      }
    }
    if (at != end) return false;
    keys_ = codec_.key_strings.begin();
    key_count_ = codec_.key_strings.size();
    if (codec_.schemas.seen(hash, keys))
      codec_.schemas.add(hash, reinterpret_cast<const char*>(begin), static_cast<std::size_t>(end - begin), codec_.keys,
                         codec_.shapes.begin(), codec_.shapes.size(), keys_, key_count_);
    return true;
  }

  Bytes shape_use(Bytes at, std::uint32_t number, zval* out, std::uint32_t depth) {
    if (UNEXPECTED(depth > kMaxDepth)) return nullptr;
    zend_array* array;
    if (EXPECTED(schema_ != nullptr)) {
      if (UNEXPECTED(number >= schema_->shape_count)) return nullptr;
      const ShapeTemplate& shape = schema_->shapes[number];
      if (UNEXPECTED(shape.head.nNumUsed > left(at))) return nullptr;
      array = copy_template(shape);
    } else {
      if (number >= codec_.shapes.size()) return nullptr;
      array = codec_.shapes[number];
      if (UNEXPECTED(array->nNumUsed > left(at))) return nullptr;
      if (codec_.shape_taken[number]) array = copy_first(array);
      codec_.shape_taken[number] = true;
    }
    ZVAL_ARR(out, array);
    Bucket* b = array->arData;
    for (Bucket* const last = b + array->nNumUsed; b != last; ++b) {
      at = value(at, &b->val, depth);
      if (UNEXPECTED(at == nullptr)) return nullptr;
    }
    return at;
  }

  static zend_array* copy_template(const ShapeTemplate& shape) {
    auto* array = static_cast<zend_array*>(emalloc(sizeof(zend_array)));
    *array = shape.head;
    constexpr std::size_t kSmallest = HT_SIZE_EX(HT_MIN_SIZE, HT_SIZE_TO_MASK(HT_MIN_SIZE));
    char* data = static_cast<char*>(EXPECTED(shape.size == kSmallest) ? emalloc(kSmallest) : emalloc(shape.size));
    copy_data(data, shape.data, shape.used);
    HT_SET_DATA_ADDR(array, data);
    return array;
  }

  // An array with the keys of `source` and null for each value. REQUIRES: `source` has no holes.
  static zend_array* copy_first(const zend_array* source) {
    auto* array = static_cast<zend_array*>(emalloc(sizeof(zend_array)));
    *array = *source;
    GC_SET_REFCOUNT(array, 1);
    GC_TYPE_INFO(array) = GC_ARRAY;
    char* data = static_cast<char*>(emalloc(HT_SIZE(source)));
    copy_data(data, static_cast<const char*>(HT_GET_DATA_ADDR(source)), HT_USED_SIZE(source));
    HT_SET_DATA_ADDR(array, data);
    const bool static_keys = (HT_FLAGS(array) & HASH_FLAG_STATIC_KEYS) != 0;
    Bucket* b = array->arData;
    for (Bucket* const end = b + array->nNumUsed; b != end; ++b) {
      ZVAL_NULL(&b->val);
      if (!static_keys && !ZSTR_IS_INTERNED(b->key)) GC_ADDREF(b->key);
    }
    return array;
  }

  CodecState& codec_;
  const Bytes end_;
  const Schema* schema_ = nullptr;
  zend_string** keys_ = nullptr;  // the strings of the shapes, by number
  std::uint32_t key_count_ = 0;
};

}  // namespace

bool decode_array(CodecState& codec, std::string_view bytes, zval* out) {
  if (Decoder(codec, bytes).run(reinterpret_cast<Bytes>(bytes.data()), out)) return true;
  zval broken;
  ZVAL_COPY_VALUE(&broken, out);
  ZVAL_NULL(out);
  zval_ptr_dtor(&broken);
  return false;
}

}  // namespace coppice::php
