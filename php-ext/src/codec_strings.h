// What the encoder knows of the strings of a document: which it has written, and under which number.
//
// Thread safety: none; each thread has its own.
#pragma once

#include <cstdint>

#include "bridge.h"
#include "codec_tables.h"

namespace coppice::php {

// A string's bytes are read and copied by words, without a look at how many they are: its memory ends with a word,
// since that is how Zend aligns what it allocates.
static_assert(_ZSTR_HEADER_SIZE % 8 == 0 && ZEND_MM_ALIGNMENT == 8);

#ifdef WORDS_BIGENDIAN
#error "the codec's words are little-endian"
#endif
inline std::uint64_t word_at(const char* p) {
  std::uint64_t v;
  std::memcpy(&v, p, 8);
  return v;
}

// Quick, and of no use against somebody who looks for collisions: who uses it limits its probing. The first, the last
// and the middle word and the length count. REQUIRES: two bytes or more.
inline std::uint32_t quick_hash(const zend_string* s) {
  const std::size_t length = ZSTR_LEN(s);
  const std::size_t whole = length < 8 ? 8 : length;
  const std::size_t unused = 64 - 8 * (length < 8 ? length : 8);
  const std::uint64_t head = word_at(ZSTR_VAL(s)) << unused;
  const std::uint64_t tail = word_at(ZSTR_VAL(s) + whole - 8) << unused;
  const std::uint64_t middle = word_at(ZSTR_VAL(s) + whole / 2 - 4) << unused;
  // Products of 128 bits: a difference at either end of a word comes to every bit.
  const auto fold = [](std::uint64_t a, std::uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  };
  return static_cast<std::uint32_t>(
      fold(fold(head ^ 0x9e3779b97f4a7c15ull, tail ^ 0xd6e8feb86659fd93ull) ^ middle, length ^ 0xc2b2ae3d27d4eb4full));
}

// Says of most strings that are not in a set that they are not, by their quick_hash().
class StringFilter {
 public:
  void clear() { std::memset(bits_, 0, sizeof bits_); }
  void add(std::uint32_t hash) { bits_[hash >> 22] |= bit(hash); }
  bool may_hold(std::uint32_t hash) const { return (bits_[hash >> 22] & bit(hash)) != 0; }

 private:
  static std::uint8_t bit(std::uint32_t hash) { return static_cast<std::uint8_t>(1u << (hash >> 19 & 7)); }
  std::uint8_t bits_[1024];
};

// Strings and the numbers they were given: 0, 1, 2 …
class StringNumbers {
 public:
  struct Known {
    const zend_string* string;
    std::uint32_t hash;
    std::uint32_t number;
  };
  // What find() came to. Both null: more strings are in the way than chance explains, and this one stays unknown.
  struct Place {
    Known* known;         // the string is known,
    std::uint64_t* slot;  // or this is where it belongs
  };

  StringNumbers() = default;
  ~StringNumbers() { std::free(slots_); }
  StringNumbers(const StringNumbers&) = delete;
  StringNumbers& operator=(const StringNumbers&) = delete;

  void begin() {
    known_.clear();
    // A rare large value does not stay in the process for ever.
    if (capacity_ > 131072) [[unlikely]] {
      std::free(slots_);
      slots_ = nullptr;
      capacity_ = 0;
    }
    room_ = capacity_ / 2;
    epoch_ += kEpoch;
    if (epoch_ == 0) [[unlikely]] {
      if (capacity_ != 0) std::memset(slots_, 0, capacity_ * sizeof *slots_);
      epoch_ = kEpoch;
    }
  }
  // Any hash, as long as equal strings have equal ones and all its bits depend on the string.
  Place find(const zend_string* s, std::uint32_t hash) {
    if (room_ == 0) [[unlikely]]
      grow();
    std::uint64_t& slot = slots_[hash & (capacity_ - 1)];
    if (EXPECTED(slot < epoch_)) return {nullptr, &slot};
    return probe(s, hash);
  }
  // REQUIRES: nothing was added since find() answered `place`, in which nothing is known.
  void add(const Place& place, const Known& known) {
    if (UNEXPECTED(place.slot == nullptr)) return;
    *place.slot = tag_of(known.hash) | known_.size();
    known_.push(known);
    --room_;
  }

 private:
  static constexpr unsigned kProbes = 48;
  static constexpr std::uint64_t kEpoch = std::uint64_t{1} << 48;
  // A slot but for the place: the epoch and 16 bits of the hash. One of an earlier epoch, which is less than this one,
  // is empty, so that begin() has nothing to clear.
  std::uint64_t tag_of(std::uint32_t hash) const { return epoch_ | std::uint64_t{hash >> 16} << 32; }

  Place probe(const zend_string* s, std::uint32_t hash) {
    const std::uint64_t tag = tag_of(hash);
    std::size_t i = hash & (capacity_ - 1);
    for (unsigned probes = 0; probes < kProbes; ++probes, i = (i + 1) & (capacity_ - 1)) {
      const std::uint64_t slot = slots_[i];
      if (slot < epoch_) return {nullptr, &slots_[i]};
      if ((slot ^ tag) >> 32 != 0) continue;
      Known& known = known_[static_cast<std::uint32_t>(slot)];
      if (known.string == s || (known.hash == hash && ZSTR_LEN(known.string) == ZSTR_LEN(s) &&
                                std::memcmp(ZSTR_VAL(known.string), ZSTR_VAL(s), ZSTR_LEN(s)) == 0))
        return {&known, nullptr};
    }
    return {nullptr, nullptr};
  }
  [[gnu::noinline]] void grow() {
    const std::size_t wanted = capacity_ == 0 ? 128 : capacity_ * 2;
    auto* grown = static_cast<std::uint64_t*>(std::calloc(wanted, sizeof(std::uint64_t)));
    if (grown == nullptr) throw std::bad_alloc();
    for (std::uint32_t id = 0; id < known_.size(); ++id) {
      std::size_t i = known_[id].hash & (wanted - 1);
      while (grown[i] != 0) i = (i + 1) & (wanted - 1);
      grown[i] = tag_of(known_[id].hash) | id;
    }
    std::free(slots_);
    slots_ = grown;
    capacity_ = wanted;
    room_ = wanted / 2 - known_.size();
  }

  Stack<Known> known_;
  std::uint64_t* slots_ = nullptr;  // at most half full
  std::size_t capacity_ = 0;
  std::size_t room_ = 0;  // how many more fit
  std::uint64_t epoch_ = 0;
};

}  // namespace coppice::php
