#include "codec_keys.h"

#include <cstdlib>
#include <utility>

namespace coppice::php {

namespace {

zend_ulong hash_of(const char* bytes, std::size_t length) { return zend_inline_hash_func(bytes, length); }

bool is(const zend_string* s, zend_ulong hash, const char* bytes, std::size_t length) {
  return ZSTR_H(s) == hash && ZSTR_LEN(s) == length && std::memcmp(ZSTR_VAL(s), bytes, length) == 0;
}

}  // namespace

KeyStrings::~KeyStrings() {
  release(process_);
  release(retired_);
}

void KeyStrings::release(Strings& strings) {
  for (std::size_t i = 0; i < strings.capacity; ++i) std::free(strings.slots[i]);
  std::free(strings.slots);
  strings = {};
}

void KeyStrings::end_request() {
  for (zend_string*& s : request_) {
    if (s != nullptr) zend_string_release(s);
    s = nullptr;
  }
  release(retired_);
}

void KeyStrings::retire() {
  release(retired_);
  retired_ = std::exchange(process_, {});
  bytes_ = 0;
  full_ = false;
}

// The place of a string, empty or not; null: there are no places, or too many others stand in the way.
zend_string** KeyStrings::find(zend_ulong hash, const char* bytes, std::size_t length) {
  if (process_.capacity == 0) return nullptr;
  const std::size_t mask = process_.capacity - 1;
  std::size_t i = hash * 0x9e3779b97f4a7c15ull >> 32 & mask;
  for (std::size_t probes = 0; probes < kProbes; ++probes, i = (i + 1) & mask) {
    zend_string*& s = process_.slots[i];
    if (s == nullptr || is(s, hash, bytes, length)) return &s;
  }
  return nullptr;
}

bool KeyStrings::grow() {
  Strings grown;
  grown.capacity = process_.capacity == 0 ? 256 : process_.capacity * 2;
  grown.count = process_.count;
  grown.slots = static_cast<zend_string**>(std::calloc(grown.capacity, sizeof(zend_string*)));
  if (grown.slots == nullptr) return false;
  const std::size_t mask = grown.capacity - 1;
  for (std::size_t i = 0; i < process_.capacity; ++i) {
    zend_string* s = process_.slots[i];
    if (s == nullptr) continue;
    std::size_t place = ZSTR_H(s) * 0x9e3779b97f4a7c15ull >> 32 & mask;
    while (grown.slots[place] != nullptr) place = (place + 1) & mask;
    grown.slots[place] = s;
  }
  std::free(process_.slots);
  process_ = grown;
  return true;
}

zend_string* KeyStrings::intern(zend_string* s) {
  if (ZSTR_LEN(s) <= 1) return ZSTR_LEN(s) == 0 ? ZSTR_EMPTY_ALLOC() : ZSTR_CHAR(static_cast<zend_uchar>(*ZSTR_VAL(s)));
  const zend_ulong hash = ZSTR_HASH(s);
  zend_string** place = find(hash, ZSTR_VAL(s), ZSTR_LEN(s));
  if (place != nullptr && *place != nullptr) return *place;
  const std::size_t size = ZEND_MM_ALIGNED_SIZE(_ZSTR_STRUCT_SIZE(ZSTR_LEN(s)));
  const std::size_t cost = size + 3 * sizeof(void*);  // malloc's header, and half a slot is empty
  if (full_ || bytes_ + cost > kMaxBytes) {
    full_ = true;
    return nullptr;
  }
  if (process_.count * 2 >= process_.capacity) {
    if (!grow()) return nullptr;
    place = find(hash, ZSTR_VAL(s), ZSTR_LEN(s));
  }
  if (place == nullptr) return nullptr;
  auto* made = static_cast<zend_string*>(std::malloc(size));
  if (made == nullptr) return nullptr;
  GC_SET_REFCOUNT(made, 1);
  GC_TYPE_INFO(made) = GC_STRING | (IS_STR_INTERNED << GC_FLAGS_SHIFT);
  ZSTR_H(made) = hash;
  ZSTR_LEN(made) = ZSTR_LEN(s);
  std::memcpy(ZSTR_VAL(made), ZSTR_VAL(s), ZSTR_LEN(s) + 1);
  *place = made;
  ++process_.count;
  bytes_ += cost;
  return made;
}

zend_string* KeyStrings::get(const char* bytes, std::size_t length) {
  if (length <= 1) return length == 0 ? ZSTR_EMPTY_ALLOC() : ZSTR_CHAR(static_cast<zend_uchar>(*bytes));
  const zend_ulong hash = hash_of(bytes, length);
  zend_string** const place = find(hash, bytes, length);
  if (place != nullptr && *place != nullptr) return *place;
  // Two places for each key of the request, the one used last in front.
  zend_string** const pair = &request_[(hash * 0x9e3779b97f4a7c15ull >> 32) % (kRequestKeys / 2) * 2];
  if (pair[0] != nullptr && is(pair[0], hash, bytes, length)) return pair[0];
  if (pair[1] != nullptr && is(pair[1], hash, bytes, length)) {
    std::swap(pair[0], pair[1]);
    return pair[0];
  }
  // What the script's own literals are made of compares quicker with them.
  zend_string* made = zend_string_init_existing_interned(bytes, length, false);
  if (ZSTR_H(made) == 0) ZSTR_H(made) = hash;  // one of OPcache's has it, in memory that may be read-only
  // The string that goes may still stand in a table of a decoding in progress: the arrays there hold it as well.
  if (pair[1] != nullptr) zend_string_release(pair[1]);
  pair[1] = pair[0];
  pair[0] = made;
  return made;
}

}  // namespace coppice::php
