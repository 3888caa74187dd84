#include <utility>

#include "codec.h"

namespace coppice::php {

namespace {
std::uint64_t load(const char* p, std::size_t n) {
  std::uint64_t v = 0;
  std::memcpy(&v, p, n);
  return v;
}
}  // namespace

std::uint64_t CodecState::quick_hash(const char* bytes, std::size_t length) {
  std::uint64_t head, tail = 0, middle = 0;
  if (length >= 8) {
    std::memcpy(&head, bytes, 8);
    std::memcpy(&tail, bytes + length - 8, 8);
    if (length > 16) std::memcpy(&middle, bytes + length / 2 - 4, 8);
  } else {
    head = load(bytes, length);
  }
  std::uint64_t h = (head ^ length * 0x9e3779b97f4a7c15ull) * 0xd6e8feb86659fd93ull;
  h = (h ^ h >> 32 ^ tail ^ middle << 1) * 0xd6e8feb86659fd93ull;
  return h ^ h >> 29;
}

CodecState::~CodecState() {
  for (Template& t : templates_) std::free(t.bytes);
}

void CodecState::end_request() {
  for (zend_string*& s : keys_) {
    if (s != nullptr) zend_string_release(s);
    s = nullptr;
  }
  for (Template& t : templates_) {
    if (t.array != nullptr) zend_array_destroy(t.array);
    t.array = nullptr;
    t.hash = 0;
    t.length = 0;
  }
  strings.clear();
  shapes.clear();
  references.clear();
}

zend_string* CodecState::key(const char* bytes, std::size_t length) {
  if (length <= 1) return length == 0 ? ZSTR_EMPTY_ALLOC() : ZSTR_CHAR(static_cast<zend_uchar>(*bytes));
  const auto is_it = [&](const zend_string* s) {
    return s != nullptr && ZSTR_LEN(s) == length && std::memcmp(ZSTR_VAL(s), bytes, length) == 0;
  };
  // Two places for each key, the one used last in front.
  zend_string** const places = &keys_[quick_hash(bytes, length) % (kKeys / 2) * 2];
  if (is_it(places[0])) return places[0];
  if (is_it(places[1])) {
    std::swap(places[0], places[1]);
    return places[0];
  }
  zend_string* made = zend_string_init_existing_interned(bytes, length, false);
  zend_string_hash_val(made);
  // The string that goes may still stand in a table of a decoding in progress: the arrays there hold it as well.
  if (places[1] != nullptr) zend_string_release(places[1]);
  places[1] = places[0];
  places[0] = made;
  return made;
}

void CodecState::Table::begin() {
  // A rare large value does not stay in the process for ever.
  if (known_.size() > 65536) known_ = {};
  if (known_.empty()) known_.resize(64);
  count_ = 0;
  if (++epoch_ != 0) return;
  for (Known& k : known_) k.epoch = 0;
  epoch_ = 1;
}

std::uint32_t CodecState::Table::add(Known& place, std::uint64_t hash, const void* what) {
  place = {hash, what, static_cast<std::uint32_t>(count_), epoch_};
  if (++count_ * 2 > known_.size()) grow();
  return static_cast<std::uint32_t>(count_ - 1);
}

void CodecState::Table::grow() {
  std::vector<Known> old(known_.size() * 2);
  old.swap(known_);
  for (const Known& k : old) {
    if (k.epoch != epoch_) continue;
    std::size_t i = k.hash & (known_.size() - 1);
    while (known_[i].epoch == epoch_) i = (i + 1) & (known_.size() - 1);
    known_[i] = k;
  }
}

}  // namespace coppice::php
