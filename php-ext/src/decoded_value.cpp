#include "decoded_value.h"

#include <cstdlib>

#include "array_parts.h"

namespace coppice::php {

static_assert(IS_NULL < IS_FALSE && IS_TRUE < IS_LONG && IS_LONG < IS_DOUBLE && IS_DOUBLE < IS_STRING);

namespace {

// Null, a boolean or a number: the zval is all of it.
bool is_scalar(const zval* v) { return Z_TYPE_P(v) >= IS_NULL && Z_TYPE_P(v) <= IS_DOUBLE; }

// ---- counted --------------------------------------------------------------------------------------------------------

bool is_one_of_phps(const zend_string* s) { return ZSTR_LEN(s) <= 1; }

class CountedMeasure {
 public:
  bool value(const zval* v, const zend_array* sibling) {
    if (is_scalar(v)) return true;
    switch (Z_TYPE_P(v)) {
      case IS_STRING:
        return string(Z_STR_P(v));
      case IS_ARRAY:
        return array(Z_ARR_P(v), sibling);
      default:  // references, objects, resources; and holes, which a decoding would not have
        return false;
    }
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  bool string(const zend_string* s) {
    if (ZSTR_IS_INTERNED(s)) return true;  // whoever made it holds it for the request
    if ((GC_FLAGS(s) & IS_STR_PERSISTENT) != 0) return false;
    bytes_ += ZEND_MM_ALIGNED_SIZE(_ZSTR_STRUCT_SIZE(ZSTR_LEN(s)));
    return true;
  }

  // `sibling`: the array before in the same list, whose rows are alike and share their keys.
  bool array(const zend_array* a, const zend_array* sibling) {
    if ((GC_FLAGS(a) & GC_IMMUTABLE) != 0) {
      if (a->nNumOfElements == 0) return true;
    } else {
      if ((GC_FLAGS(a) & (GC_PERSISTENT | GC_PROTECTED)) != 0 || HT_HAS_ITERATORS(a)) return false;
      bytes_ += sizeof(zend_array) + (is_made(a) ? data_size(a) : 0);
    }
    // What a decoding would not give: holes, a moved position, a next index above what the keys ask for.
    if (a->nNumUsed != a->nNumOfElements || a->nInternalPointer != 0) return false;
    zend_long next = ZEND_LONG_MIN;
    const zend_array* last = nullptr;
    if (is_packed(a)) {
      next = static_cast<zend_long>(a->nNumUsed);
      for (std::uint32_t i = 0; i < a->nNumUsed; ++i) {
        const zval* v = packed_element(a, i);
        if (!value(v, last)) return false;
        last = Z_TYPE_P(v) == IS_ARRAY ? Z_ARR_P(v) : nullptr;
      }
    } else {
      const bool has_sibling = sibling != nullptr && !is_packed(sibling) && sibling->nNumUsed == a->nNumUsed;
      for (std::uint32_t i = 0; i < a->nNumUsed; ++i) {
        const Bucket& b = a->arData[i];
        if (b.key == nullptr) {
          const auto h = static_cast<zend_long>(b.h);
          if (h >= next) next = h < ZEND_LONG_MAX ? h + 1 : ZEND_LONG_MAX;
        } else if (!has_sibling || sibling->arData[i].key != b.key) {
          if (!string(b.key)) return false;
        }
        if (!value(&b.val, last)) return false;
        last = Z_TYPE(b.val) == IS_ARRAY ? Z_ARR(b.val) : nullptr;
      }
    }
    // Without a number among the keys 0 and the least one come to the same.
    return a->nNextFreeElement == next || (next == ZEND_LONG_MIN && a->nNextFreeElement == 0);
  }

  std::uint64_t bytes_ = 0;
};

template <class F>
void for_each_counted_array(zend_array* a, F&& f) {
  if ((GC_FLAGS(a) & GC_IMMUTABLE) != 0) return;
  f(a);
  for_each_value(a, [&f](const zval* v) {
    if (Z_TYPE_P(v) == IS_ARRAY) for_each_counted_array(Z_ARR_P(v), f);
  });
}

}  // namespace

bool measure_counted(const zval* value, std::uint64_t* bytes) {
  CountedMeasure measure;
  if (!measure.value(value, nullptr)) return false;
  *bytes = measure.bytes();
  return true;
}

void hold_counted(const zval* value) {
  if (Z_TYPE_P(value) == IS_ARRAY)
    for_each_counted_array(Z_ARR_P(value), [](zend_array* a) { GC_ADD_FLAGS(a, GC_NOT_COLLECTABLE); });
  Z_TRY_ADDREF_P(const_cast<zval*>(value));
}

void release_counted(zval* value) {
  // First the flag, everywhere: a row that somebody holds lives on, and with the flag it would leak the cycles that it
  // becomes a part of.
  if (Z_TYPE_P(value) == IS_ARRAY)
    for_each_counted_array(Z_ARR_P(value), [](zend_array* a) { GC_DEL_FLAGS(a, GC_NOT_COLLECTABLE); });
  zval_ptr_dtor_nogc(value);
}

// ---- persistent -----------------------------------------------------------------------------------------------------

namespace {

constexpr std::uint64_t aligned(std::uint64_t n) { return (n + 7) & ~7ull; }

}  // namespace

void PersistentCopier::measure_string(const zend_string* s) {
  if (is_one_of_phps(s)) return;
  // A string with one owner stands in one place. Others are copied once for all places.
  if (ZSTR_IS_INTERNED(s) || GC_REFCOUNT(s) > 1) {
    if (strings_.contains(s)) return;
    strings_[s] = nullptr;
  }
  size_ += aligned(_ZSTR_STRUCT_SIZE(ZSTR_LEN(s)));
}

bool PersistentCopier::measure_array(const zend_array* a) {
  if (a->nNumOfElements == 0) return true;
  if (a->nNumUsed != a->nNumOfElements) return false;
  size_ += aligned(sizeof(zend_array)) + aligned(used_size(a));
  if (!is_packed(a))
    for (std::uint32_t i = 0; i < a->nNumUsed; ++i)
      if (a->arData[i].key != nullptr) measure_string(a->arData[i].key);
  for (std::uint32_t i = 0; i < a->nNumUsed; ++i)
    if (!measure_value(element(a, i))) return false;
  return true;
}

bool PersistentCopier::measure_value(const zval* v) {
  if (is_scalar(v)) return true;
  switch (Z_TYPE_P(v)) {
    case IS_STRING:
      measure_string(Z_STR_P(v));
      return true;
    case IS_ARRAY:
      return measure_array(Z_ARR_P(v));
    default:
      return false;
  }
}

bool PersistentCopier::measure(const zval* value, std::uint64_t* bytes) {
  strings_.begin();
  size_ = aligned(sizeof(PersistentBlock));
  if (!measure_value(value)) return false;
  *bytes = size_;
  return true;
}

char* PersistentCopier::take(std::size_t n) {
  char* const taken = at_;
  at_ += aligned(n);
  return taken;
}

zend_string* PersistentCopier::copy_string(zend_string* s) {
  if (ZSTR_LEN(s) == 0) return ZSTR_EMPTY_ALLOC();
  if (ZSTR_LEN(s) == 1) return ZSTR_CHAR(static_cast<zend_uchar>(*ZSTR_VAL(s)));
  void** known = nullptr;
  if (ZSTR_IS_INTERNED(s) || GC_REFCOUNT(s) > 1) {
    known = &strings_[s];
    if (*known != nullptr) return static_cast<zend_string*>(*known);
  }
  const std::size_t size = _ZSTR_STRUCT_SIZE(ZSTR_LEN(s));
  auto* copy = reinterpret_cast<zend_string*>(take(size));
  // As PHP's strings that are interned for one request: whoever keeps one for longer copies it. Not IS_STR_PERMANENT,
  // by which the cache of regular expressions would keep the pointer.
  GC_SET_REFCOUNT(copy, 1);
  GC_TYPE_INFO(copy) = GC_STRING | (IS_STR_INTERNED << GC_FLAGS_SHIFT);
  ZSTR_H(copy) = ZSTR_HASH(s);
  ZSTR_LEN(copy) = ZSTR_LEN(s);
  std::memcpy(ZSTR_VAL(copy), ZSTR_VAL(s), ZSTR_LEN(s) + 1);
  if (known != nullptr) *known = copy;
  return copy;
}

zend_array* PersistentCopier::copy_array(const zend_array* from) {
  auto* to = reinterpret_cast<zend_array*>(take(sizeof(zend_array)));
  *to = *from;
  // As the arrays of OPcache: nobody counts references to it, and everybody who writes makes a copy first.
  GC_SET_REFCOUNT(to, 2);
  GC_TYPE_INFO(to) = GC_ARRAY | ((GC_IMMUTABLE | GC_PERSISTENT | GC_NOT_COLLECTABLE) << GC_FLAGS_SHIFT);
  HT_FLAGS(to) |= HASH_FLAG_STATIC_KEYS;
  HT_SET_ITERATORS_COUNT(to, 0);
  to->nInternalPointer = 0;
  char* const data = take(used_size(from));
  std::memcpy(data, HT_GET_DATA_ADDR(from), used_size(from));
  HT_SET_DATA_ADDR(to, data);
  if (!is_packed(to))
    for (std::uint32_t i = 0; i < to->nNumUsed; ++i)
      if (to->arData[i].key != nullptr) to->arData[i].key = copy_string(to->arData[i].key);
  for (std::uint32_t i = 0; i < to->nNumUsed; ++i) copy_value(element(from, i), element(to, i));
  return to;
}

// What links a bucket to the next of its chain lies in the zval and stays.
void PersistentCopier::copy_value(const zval* from, zval* to) {
  switch (Z_TYPE_P(from)) {
    case IS_STRING:
      ZVAL_INTERNED_STR(to, copy_string(Z_STR_P(from)));
      break;
    case IS_ARRAY:
      if (Z_ARRVAL_P(from)->nNumOfElements == 0) {
        ZVAL_EMPTY_ARRAY(to);
      } else {
        Z_ARR_P(to) = copy_array(Z_ARR_P(from));
        Z_TYPE_INFO_P(to) = IS_ARRAY;  // plain: not counted, not collectable
      }
      break;
    default:
      ZVAL_COPY_VALUE(to, from);
      break;
  }
}

PersistentBlock* PersistentCopier::copy(const zval* value, zval* out) {
  auto* block = static_cast<PersistentBlock*>(std::malloc(size_));
  if (block == nullptr) return nullptr;
  block->next = nullptr;
  block->bytes = size_;
  at_ = reinterpret_cast<char*>(block) + aligned(sizeof(PersistentBlock));
  copy_value(value, out);
  ZEND_ASSERT(at_ == reinterpret_cast<char*>(block) + size_);
  return block;
}

}  // namespace coppice::php
