// What the order index is made of: words of keys, the ends of prefixes, and buckets. For order_index*.cpp only.
#pragma once

#include <algorithm>
#include <cstring>
#include <string_view>

#include "coppice/types.h"
#include "order_index.h"

namespace coppice {
namespace order {

inline constexpr std::uint32_t kMaxCount = 64;  // references in a bucket
inline constexpr std::uint32_t kRefBytes = 5;
inline constexpr std::uint32_t kGrowBy = 8;       // references of room that a growing bucket gets at least
inline constexpr std::uint32_t kPoor = 20;        // a bucket with fewer looks for a neighbour to merge with,
inline constexpr std::uint32_t kMergedMost = 44;  // if together they have no more than this
// A longer separator has a block of its own, so that the largest block is a granule of the pool.
inline constexpr std::uint32_t kInlineSeparator = 255;
// A full bucket and one more are cut in the middle quarter, where the separator is shortest: so groups stay together.
inline constexpr std::uint32_t kSplitLow = kMaxCount * 3 / 8;
inline constexpr std::uint32_t kSplitHigh = kMaxCount * 5 / 8 + 1;

inline constexpr std::uint32_t kWalkAhead = 8;  // entries that a walk fetches ahead

inline constexpr std::size_t kWordBytes = 7;
inline constexpr std::size_t kMaxDepth = kMaxKeyLength / kWordBytes + 1;
inline constexpr unsigned kGoesOn = 8;

// Word `depth` of a key: seven bytes, big-endian, and how many of them are valid.
inline std::uint64_t word_at(std::string_view key, std::size_t depth) {
  const std::size_t offset = depth * kWordBytes;
  const std::size_t left = key.size() - offset;
  std::uint64_t bytes = 0;
  if (left > kWordBytes) {
    std::memcpy(&bytes, key.data() + offset, 8);
    return (__builtin_bswap64(bytes) & ~0xffull) | kGoesOn;
  }
  if (left != 0) std::memcpy(&bytes, key.data() + offset, left);
  return __builtin_bswap64(bytes) | left;
}
inline bool goes_on(std::uint64_t word) { return (word & 0xff) == kGoesOn; }

inline std::size_t common_length(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t n = 0;
  for (std::uint64_t x, y; n + 8 <= most; n += 8) {
    std::memcpy(&x, a.data() + n, 8);
    std::memcpy(&y, b.data() + n, 8);
    if (x != y) break;
  }
  while (n < most && a[n] == b[n]) ++n;
  return n;
}

// a < b: below 0. Keys are short, and words decide sooner than a call; the last two overlap.
inline int compare_keys(std::string_view a, std::string_view b) {
  const std::size_t n = std::min(a.size(), b.size());
  if (n < 8) return a.compare(b);
  for (std::size_t i = 0;; i = std::min(i + 8, n - 8)) {
    std::uint64_t x, y;
    std::memcpy(&x, a.data() + i, 8);
    std::memcpy(&y, b.data() + i, 8);
    if (x != y) return __builtin_bswap64(x) < __builtin_bswap64(y) ? -1 : 1;
    if (i == n - 8) break;
  }
  return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}

// The shortest string above every key that begins with a prefix; none if the prefix is empty or all 0xff.
class PrefixEnd {
 public:
  explicit PrefixEnd(std::string_view prefix) {
    std::size_t n = prefix.size();
    while (n > 0 && static_cast<unsigned char>(prefix[n - 1]) == 0xff) --n;
    if (n > sizeof bytes_) {
      // No key is that long: any string above the prefix, and not above keys beyond it, does.
      n = sizeof bytes_;
      while (n > 0 && static_cast<unsigned char>(prefix[n - 1]) == 0xff) --n;
    }
    if (n == 0) return;
    std::memcpy(bytes_, prefix.data(), n);
    bytes_[n - 1] = static_cast<char>(static_cast<unsigned char>(bytes_[n - 1]) + 1);
    size_ = n;
  }
  explicit operator bool() const { return size_ != 0; }
  std::string_view view() const { return {bytes_, size_}; }

 private:
  std::size_t size_ = 0;
  char bytes_[kMaxKeyLength];
};

}  // namespace order

using namespace order;

// | header 20 | references, 5 bytes each, `capacity` of them | separator, or where it is if it is long |
// A bucket has at least one reference, but for the first, which stays while there are others and keeps the separator
// "", so that every key has a bucket to go to.
struct OrderIndex::Bucket {
  Bucket* before;
  Bucket* after;
  std::uint16_t separator_length;
  std::uint8_t count;
  std::uint8_t capacity;

  static constexpr std::size_t kHeader = 20;

  char* data() { return reinterpret_cast<char*>(this) + kHeader; }
  const char* data() const { return reinterpret_cast<const char*>(this) + kHeader; }

  EntryRef ref(std::uint32_t i) const {
    const char* at = data() + i * kRefBytes;
    std::uint32_t low;
    std::memcpy(&low, at, 4);
    return static_cast<EntryRef>(static_cast<unsigned char>(at[4])) << 32 | low;
  }
  void set(std::uint32_t i, EntryRef ref) {
    char* at = data() + i * kRefBytes;
    const auto low = static_cast<std::uint32_t>(ref);
    std::memcpy(at, &low, 4);
    at[4] = static_cast<char>(ref >> 32);
  }
  // Copies `n` references of another bucket, from its `from`, to here at `to`.
  void copy(std::uint32_t to, const Bucket& other, std::uint32_t from, std::uint32_t n) {
    std::memcpy(data() + to * kRefBytes, other.data() + from * kRefBytes, std::size_t{n} * kRefBytes);
  }
  // Takes over `n` references, from number `from` on, of what `other` would hold with `ref` put in at `at`.
  // REQUIRES: this bucket is empty and has room.
  void copy_with(const Bucket& other, std::uint32_t from, std::uint32_t n, std::uint32_t at, EntryRef ref) {
    const std::uint32_t before = at <= from ? 0 : std::min(at - from, n);
    copy(0, other, from, before);
    count = static_cast<std::uint8_t>(n);
    if (before == n) return;
    if (at < from) return copy(0, other, from - 1, n);
    set(before, ref);
    copy(before + 1, other, at, n - before - 1);
  }
  void move(std::uint32_t to, std::uint32_t from, std::uint32_t n) {
    std::memmove(data() + to * kRefBytes, data() + from * kRefBytes, std::size_t{n} * kRefBytes);
  }

  bool is_separator_apart() const { return separator_length > kInlineSeparator; }
  std::size_t tail_bytes() const { return is_separator_apart() ? sizeof(char*) : separator_length; }
  const char* tail() const { return data() + capacity * kRefBytes; }
  char* tail() { return data() + capacity * kRefBytes; }
  std::string_view separator() const {
    const char* at = tail();
    if (is_separator_apart()) std::memcpy(&at, tail(), sizeof at);
    return {at, separator_length};
  }
  std::size_t bytes() const { return kHeader + std::size_t{capacity} * kRefBytes + tail_bytes(); }
};

}  // namespace coppice
