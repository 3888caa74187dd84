#include "codec.h"
#include "codec_scalars.h"
#include "codec_tags.h"
#include "coppice/types.h"

namespace coppice::php {

namespace {

std::uint64_t mix(std::uint64_t h) {
  h *= 0xd6e8feb86659fd93ull;
  return h ^ h >> 32;
}

// A hole, or a variable of a symbol table that is unset.
bool is_dead(const Bucket* b) {
  return Z_TYPE(b->val) == IS_UNDEF || (Z_TYPE(b->val) == IS_INDIRECT && Z_TYPE_P(Z_INDIRECT(b->val)) == IS_UNDEF);
}

std::size_t varint_size(std::uint32_t n) {
  return n < 0x80 ? 1 : n < 0x4000 ? 2 : n < 0x200000 ? 3 : n < 0x10000000 ? 4 : 5;
}

// Appends to a Scratch with its end at hand, and gives it back by finish().
class Writer {
 public:
  explicit Writer(Scratch& out) : out_(out) { take(); }
  std::size_t size() const { return static_cast<std::size_t>(at_ - out_.data()); }
  // false: it would be larger than a value may be, or there is no memory.
  bool room(std::size_t n) { return static_cast<std::size_t>(limit_ - at_) >= n || grow(n); }
  // REQUIRES for those below: room.
  void byte(std::uint8_t b) { *at_++ = static_cast<char>(b); }
  // The low `n` bytes of a number. REQUIRES: room for 8.
  void number(std::uint64_t v, std::size_t n) {
    std::memcpy(at_, &v, 8);
    at_ += n;
  }
  // REQUIRES: room for 9.
  void integer(zend_long v) { at_ = put_integer(at_, v); }
  void varint(std::uint32_t v) {
    for (; v >= 0x80; v >>= 7) byte(static_cast<std::uint8_t>(v | 0x80));
    byte(static_cast<std::uint8_t>(v));
  }
  void bytes(const char* from, std::size_t n) {
    std::memcpy(at_, from, n);
    at_ += n;
  }
  // A literal string of less than 32 bytes, by words. REQUIRES: room for 40; what lies behind the string can be read to
  // the word's end.
  void short_string(const char* from, std::size_t n) {
    char* to = at_;
    at_ += n + 1;
    *to++ = static_cast<char>(tag::kShortString + n);
    for (std::size_t words = (n + 7) / 8; words != 0; --words, from += 8, to += 8) std::memcpy(to, from, 8);
  }
  void skip(std::size_t n) { at_ += n; }
  void finish() { out_.advance(size() - out_.size()); }

  // Begins where the Scratch ends now.
  void take() {
    at_ = out_.end();
    limit_ = at_ + out_.room();
  }

 private:
  [[gnu::noinline]] bool grow(std::size_t n) {
    finish();
    const bool grown = out_.size() + n <= kLargestMaxValue && out_.reserve(n);
    take();
    return grown;
  }
  Scratch& out_;
  char* at_;
  char* limit_;
};

// Writes as it walks; a refusal is kept and the walk goes on only where a graver one may follow.
class Encoder {
 public:
  Encoder(CodecState& codec, Scratch& out) : codec_(codec), out_(out), body_(out), shapes_(codec.shape_bytes) {}

  EncodeStatus run(zend_array* array) {
    codec_.known_strings.begin();
    codec_.known_keys.begin();
    codec_.known_shapes.begin();
    codec_.known_references.begin();
    codec_.open_references.clear();
    const std::size_t start = body_.size();
    if (!body_.room(16)) return EncodeStatus::kTooLarge;
    body_.byte(tag::kPlain);
    if (!encode_array(array, 0)) return failure_;
    if (has_object_) return EncodeStatus::kHasObject;
    if (shape_count_ != 0 && !put_shapes_in_front(start + 1)) return EncodeStatus::kTooLarge;
    body_.finish();
    if (shape_count_ == 1 && lone_shape_ == array) learn_row(array, start);
    return EncodeStatus::kDone;
  }

 private:
  bool fail(EncodeStatus why) {
    failure_ = why;
    return false;
  }
  bool room(Writer& w, std::size_t n) { return EXPECTED(w.room(n)) || fail(EncodeStatus::kTooLarge); }
  bool put(std::uint8_t byte) {
    if (!room(body_, 1)) return false;
    body_.byte(byte);
    return true;
  }
  bool put_varint(std::uint8_t byte, std::uint32_t n) {
    if (!room(body_, 6)) return false;
    body_.byte(byte);
    body_.varint(n);
    return true;
  }
  // A tag and the low `n` bytes of a number.
  bool put_number(std::uint8_t byte, std::uint64_t v, std::size_t n) {
    if (!room(body_, 9)) return false;
    body_.byte(byte);
    body_.number(v, n);
    return true;
  }

  // The document from `start` on is of a map with the only shape: what it begins with serves others of its kind.
  void learn_row(const zend_array* array, std::size_t start) {
    const auto length = static_cast<std::uint32_t>(shapes_.size());
    codec_.row.learn(array, out_.view().substr(start, 1 + varint_size(length) + length + 1));
  }

  bool put_shapes_in_front(std::size_t at) {
    const auto length = static_cast<std::uint32_t>(shapes_.size());
    const std::size_t more = varint_size(length) + length;
    if (!body_.room(more)) return false;
    const std::size_t behind = body_.size() - at;
    // Where it is moved to is room of ours now; what it leaves is written next.
    char* const front = out_.data() + at;
    std::memmove(front + more, front, behind);
    front[-1] = static_cast<char>(tag::kWithShapes);
    char* to = front;
    for (std::uint32_t v = length;; v >>= 7) {
      if (v < 0x80) {
        *to++ = static_cast<char>(v);
        break;
      }
      *to++ = static_cast<char>(v | 0x80);
    }
    std::memcpy(to, codec_.shape_bytes.data(), length);
    body_.skip(more);
    return true;
  }

  // ---- scalars and strings

  [[gnu::always_inline]] bool encode_integer(zend_long number) {
    if (!room(body_, 9)) return false;
    body_.integer(number);
    return true;
  }

  [[gnu::always_inline]] bool put_literal(Writer& w, const zend_string* s) {
    const std::size_t length = ZSTR_LEN(s);
    if (UNEXPECTED(length >= 32)) return put_long_literal(w, s);
    if (!room(w, 32 + 8)) return false;
    w.short_string(ZSTR_VAL(s), length);
    return true;
  }
  [[gnu::noinline]] bool put_long_literal(Writer& w, const zend_string* s) {
    const std::size_t length = ZSTR_LEN(s);
    if (length > kLargestMaxValue || !room(w, length + 9)) return fail(EncodeStatus::kTooLarge);
    if (length < 32 + 256) {
      w.byte(tag::kString8);
      w.number(length - 32, 1);
    } else if (length <= 0xffff) {
      w.byte(tag::kString16);
      w.number(length, 2);
    } else {
      w.byte(tag::kString32);
      w.number(length, 4);
    }
    w.bytes(ZSTR_VAL(s), length);
    return true;
  }

  // A string among the values, or a map's key.
  bool encode_string(const zend_string* s) {
    if (ZSTR_LEN(s) < tag::kShortestShared) return put_literal(body_, s);
    const std::uint32_t hash = quick_hash(s);
    const StringNumbers::Place place = codec_.known_strings.find(s, hash);
    if (place.known != nullptr) return encode_string_use(place.known->number);
    if (shape_count_ != 0) {
      if (unlisted_ != nullptr && !filtered_) list_keys();
      if (codec_.key_filter.may_hold(hash)) {
        const StringNumbers::Known* const key = find_key(const_cast<zend_string*>(s));
        if (key != nullptr) return encode_key_use(body_, key->number);
      }
    }
    codec_.known_strings.add(place, {s, hash, string_count_});
    ++string_count_;
    return put_literal(body_, s);
  }
  bool encode_string_use(std::uint32_t number) {
    if (number < 16) return put(static_cast<std::uint8_t>(tag::kShortStringUse + number));
    if (number < 16 + 256) return put_number(tag::kStringUse8, number - 16, 1);
    if (number <= 0xffff) return put_number(tag::kStringUse16, number, 2);
    return put_number(tag::kStringUse32, number, 4);
  }
  bool encode_key_use(Writer& w, std::uint32_t number) {
    if (!room(w, 6)) return false;
    if (number < 16) {
      w.byte(static_cast<std::uint8_t>(tag::kShortKeyUse + number));
    } else {
      w.byte(tag::kKeyUse);
      w.varint(number - 16);
    }
    return true;
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
        return put_number(tag::kDouble, bits, 8);
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
    CodecState::KnownReference* const known = codec_.known_references.find(
        hash, [reference](const CodecState::KnownReference& k) { return k.reference == reference; },
        codec_.known_references.kUnlimited);
    if (!codec_.known_references.is_empty(*known)) {
      if (codec_.open_references[known->number]) return fail(EncodeStatus::kRecursive);
      return put_varint(tag::kReferenceUse, known->number);
    }
    const auto number = static_cast<std::uint32_t>(codec_.open_references.size());
    codec_.known_references.add(known, {hash, reference, number, 0});
    codec_.open_references.push_back(true);
    if (!put(tag::kReference) || !encode_value(Z_REFVAL_P(v), depth)) return false;
    codec_.open_references[number] = false;
    return true;
  }

  // ---- arrays

  bool encode_array(zend_array* array, std::uint32_t depth) {
    if (depth >= kMaxDepth) return fail(EncodeStatus::kTooDeep);
    const std::uint32_t count = zend_array_count(array);
    if (HT_FLAGS(array) & HASH_FLAG_PACKED ? zend_array_is_list(array) : count == 0 || is_unpacked_list(array)) {
      if (count < 16 ? !put(static_cast<std::uint8_t>(tag::kShortList + count)) : !put_varint(tag::kList, count))
        return false;
      return encode_values(array, depth);
    }
    if (count <= kMaxShapeKeys && !(HT_FLAGS(array) & HASH_FLAG_PACKED)) {
      if (last_shape_ != nullptr && has_keys_of(array, last_shape_)) {
        if (!put_shape_use(last_number_)) return false;
        return encode_values(array, depth);
      }
      // Most documents have one shape, which is looked up nowhere.
      const std::uint64_t hash = shape_count_ == 0 ? has_string_keys(array) : hash_of_keys(array);
      if (hash != 0) return encode_shaped(array, count, hash) && encode_values(array, depth);
    }
    if (!put_varint(tag::kMap, count)) return false;
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

  // A list whose table is a hash: most arrays show by their first key that they are none.
  static bool is_unpacked_list(zend_array* array) {
    const Bucket* const first = array->arData;
    if (Z_TYPE(first->val) != IS_UNDEF && (first->key != nullptr || first->h != 0)) return false;
    return zend_array_is_list(array);
  }

  bool encode_values(zend_array* array, std::uint32_t depth) {
    if ((HT_FLAGS(array) & HASH_FLAG_PACKED) != 0) {
      zval* v;
      ZEND_HASH_FOREACH_VAL(array, v) {
        if (!encode_element(v, depth)) return false;
      }
      ZEND_HASH_FOREACH_END();
      return true;
    }
    Bucket* b = array->arData;
    for (Bucket* const end = b + array->nNumUsed; b != end; ++b) {
      if (UNEXPECTED(Z_TYPE(b->val) == IS_UNDEF)) continue;
      if (UNEXPECTED(Z_TYPE(b->val) == IS_INDIRECT)) {
        if (!is_dead(b) && !encode_value(Z_INDIRECT(b->val), depth)) return false;
      } else if (!encode_element(&b->val, depth)) {
        return false;
      }
    }
    return true;
  }
  // The same as encode_value(), the most frequent first.
  [[gnu::always_inline]] bool encode_element(zval* v, std::uint32_t depth) {
    if (Z_TYPE_P(v) == IS_LONG) return encode_integer(Z_LVAL_P(v));
    return Z_TYPE_P(v) == IS_STRING ? encode_string(Z_STR_P(v)) : encode_value(v, depth);
  }

  // What all keys come to; 0: not all are strings.
  static std::uint64_t hash_of_keys(const zend_array* array) {
    std::uint64_t h = 0;
    for (const Bucket *b = array->arData, *const end = b + array->nNumUsed; b != end; ++b) {
      if (UNEXPECTED(Z_TYPE(b->val) == IS_UNDEF || Z_TYPE(b->val) == IS_INDIRECT) && is_dead(b)) continue;
      if (b->key == nullptr) return 0;
      h = (h ^ b->h) * 0xd6e8feb86659fd93ull;
      h ^= h >> 32;
    }
    return h | 1;
  }
  static bool has_string_keys(const zend_array* array) {
    for (const Bucket *b = array->arData, *const end = b + array->nNumUsed; b != end; ++b)
      if (b->key == nullptr && !is_dead(b)) return false;
    return true;
  }

  // Whether the keys are the very same strings in the same order, without holes; false also where they only may be.
  static bool has_keys_of(const zend_array* a, const zend_array* b) {
    if (a->nNumUsed != b->nNumUsed || a->nNumOfElements != a->nNumUsed || (HT_FLAGS(a) & HASH_FLAG_HAS_EMPTY_IND))
      return false;
    for (std::uint32_t i = 0; i < a->nNumUsed; ++i)
      if (a->arData[i].key != b->arData[i].key) return false;
    return true;
  }
  // The position of the first live bucket at or after `i`; nNumUsed if there is none.
  static std::uint32_t live(const zend_array* array, std::uint32_t i) {
    while (i < array->nNumUsed && is_dead(&array->arData[i])) ++i;
    return i;
  }
  static bool same_keys(const zend_array* a, const zend_array* b) {
    std::uint32_t i = live(a, 0), j = live(b, 0);
    for (; i < a->nNumUsed && j < b->nNumUsed; i = live(a, i + 1), j = live(b, j + 1))
      if (a->arData[i].key != b->arData[j].key && !zend_string_equals(a->arData[i].key, b->arData[j].key)) return false;
    return i >= a->nNumUsed && j >= b->nNumUsed;
  }

  bool put_shape_use(std::uint32_t number) {
    return number < 16 ? put(static_cast<std::uint8_t>(tag::kShortShapeUse + number))
                       : put_varint(tag::kShapeUse, number);
  }

  CodecState::KnownShape* find_shape(const zend_array* array, std::uint64_t hash) {
    return codec_.known_shapes.find(hash,
                                    [array](const CodecState::KnownShape& k) { return same_keys(array, k.array); });
  }
  // The use of an array's shape, which goes to the front if it is a new one.
  bool encode_shaped(zend_array* array, std::uint32_t count, std::uint64_t hash) {
    std::uint32_t number = shape_count_;
    if (number == 0) {
      lone_shape_ = array;
      if (!put_shape(array, count)) return false;
    } else {
      if (lone_shape_ != nullptr) {
        const std::uint64_t lone = hash_of_keys(lone_shape_);
        codec_.known_shapes.add(find_shape(lone_shape_, lone), {lone, lone_shape_, 0, 0});
        lone_shape_ = nullptr;
      }
      CodecState::KnownShape* const known = find_shape(array, hash);
      if (known == nullptr || codec_.known_shapes.is_empty(*known)) {
        if (known != nullptr) codec_.known_shapes.add(known, {hash, array, number, 0});
        if (!put_shape(array, count)) return false;
      } else {
        number = known->number;
      }
    }
    // Only where keys at the same place are keys of the shape.
    if (array->nNumOfElements == array->nNumUsed && !(HT_FLAGS(array) & HASH_FLAG_HAS_EMPTY_IND)) {
      last_shape_ = array;
      last_number_ = number;
    }
    return put_shape_use(number);
  }

  bool put_shape(zend_array* array, std::uint32_t count) {
    if (shape_count_++ == 0) {
      codec_.shape_bytes.clear();
      shapes_.take();
    }
    if (unlisted_ != nullptr) list_keys();
    if (!room(shapes_, 5)) return false;
    shapes_.varint(count);
    // Keys of the first shape are all new, and most documents have no other, nor strings that are keys as well.
    const bool first = shape_count_ == 1;
    if (first) {
      unlisted_ = array;
      filtered_ = count > 16;
      if (filtered_) codec_.key_filter.clear();
    }
    for (const Bucket *b = array->arData, *const end = b + array->nNumUsed; b != end; ++b) {
      if (UNEXPECTED(is_dead(b))) continue;
      const zend_string* const key = b->key;
      const bool numbered = ZSTR_LEN(key) >= tag::kShortestShared;
      if (first || !numbered ? !put_literal(shapes_, key) : !encode_key(b)) return false;
      if (filtered_ && numbered) codec_.key_filter.add(quick_hash(key));
    }
    return true;
  }
  // Keys are found by the hash that PHP has of them already.
  static std::uint32_t hash_of_key(zend_ulong h) { return static_cast<std::uint32_t>(h * 0x9e3779b97f4a7c15ull >> 32); }
  bool encode_key(const Bucket* b) {
    const std::uint32_t hash = hash_of_key(b->h);
    const StringNumbers::Place place = codec_.known_keys.find(b->key, hash);
    if (place.known != nullptr) return encode_key_use(shapes_, place.known->number);
    codec_.known_keys.add(place, {b->key, hash, key_count_++});
    codec_.key_filter.add(quick_hash(b->key));
    return put_literal(shapes_, b->key);
  }
  // A string of the values among the keys; null: it is none.
  const StringNumbers::Known* find_key(zend_string* s) {
    if (unlisted_ != nullptr) {
      if (!zend_hash_exists(unlisted_, s)) return nullptr;
      list_keys();
    }
    return codec_.known_keys.find(s, hash_of_key(ZSTR_HASH(s))).known;
  }
  // Gives the keys of the first shape their numbers.
  [[gnu::noinline]] void list_keys() {
    const zend_array* const array = unlisted_;
    unlisted_ = nullptr;
    if (!filtered_) codec_.key_filter.clear();
    for (const Bucket *b = array->arData, *const end = b + array->nNumUsed; b != end; ++b) {
      if (is_dead(b) || ZSTR_LEN(b->key) < tag::kShortestShared) continue;
      const std::uint32_t hash = hash_of_key(b->h);
      codec_.known_keys.add(codec_.known_keys.find(b->key, hash), {b->key, hash, key_count_++});
      if (!filtered_) codec_.key_filter.add(quick_hash(b->key));
    }
    filtered_ = false;
  }

  CodecState& codec_;
  Scratch& out_;
  Writer body_;
  Writer shapes_;
  zend_array* unlisted_ = nullptr;    // the first shape's, as long as its keys are in no table
  bool filtered_ = false;             // they are in lone_keys
  zend_array* lone_shape_ = nullptr;  // the first shape's, as long as it is in no table
  zend_array* last_shape_ = nullptr;
  std::uint32_t last_number_ = 0;
  std::uint32_t shape_count_ = 0;
  std::uint32_t string_count_ = 0;
  std::uint32_t key_count_ = 0;
  EncodeStatus failure_ = EncodeStatus::kDone;
  bool has_object_ = false;
};

}  // namespace

[[gnu::hot]] EncodeStatus encode_array(CodecState& codec, zend_array* array, Scratch& out) {
  return codec.row.encode(array, out) ? EncodeStatus::kDone : Encoder(codec, out).run(array);
}

}  // namespace coppice::php
