// What the processes of the torture test share outside Coppice: counters, and for each key what its writer was told.
//
// A plain memfd, mapped writable by all. A key has one writer, which numbers its operations on it; `acknowledged` is
// the newest one that the owner has answered. A read that begins after it was loaded must not show an older one.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "coppice/layout.h"

namespace torture {

inline constexpr std::uint32_t kMaxProcesses = 64;
inline constexpr std::uint32_t kMaxKeys = 16384;

enum Fault : std::uint32_t { kTorn, kForeign, kStale, kExpired, kLost, kCrashed, kStuck, kFaultKinds };
inline constexpr std::array<const char*, kFaultKinds> kFaultNames{"torn",    "foreign", "stale", "expired",
                                                                  "missing", "crashed", "stuck"};

struct alignas(64) KeyState {
  std::atomic<std::uint64_t> issued;        // number of the newest operation that was sent
  std::atomic<std::uint64_t> acknowledged;  // of the newest that was answered; a removal counts as one
  std::atomic<std::uint64_t> generation;    // of the segment that surely has the key; 0: none
};

struct alignas(64) ReaderState {
  std::atomic<std::uint64_t> reads, hits, misses, asked;
  std::atomic<std::uint64_t> generation;  // of the segment it read last
};

struct alignas(64) WriterState {
  std::atomic<std::uint64_t> writes, refused, failed;
  std::array<std::atomic<std::uint64_t>, 256> round_trips;  // histogram, see bucket_of
};

struct Board {
  std::atomic<std::uint32_t> stop;
  std::uint32_t reader_count, writer_count;
  std::uint32_t groups, group_size;  // keys that come and go
  std::uint32_t pinned;              // keys that are never removed: a miss is a fault
  std::uint32_t flushed;             // keys of database 1, which FLUSHDB empties
  std::uint32_t timeout_ms;
  std::uint64_t seed;
  char socket[128];
  std::array<std::atomic<std::uint64_t>, kFaultKinds> faults;
  std::array<ReaderState, kMaxProcesses> readers;
  std::array<WriterState, kMaxProcesses> writers;
  std::array<KeyState, kMaxKeys> keys;

  std::uint32_t first_pinned() const { return groups * group_size; }
  std::uint32_t first_flushed() const { return first_pinned() + pinned; }
  std::uint32_t key_count() const { return first_flushed() + flushed; }
  bool is_pinned(std::uint32_t key) const { return key >= first_pinned() && key < first_flushed(); }
  bool is_flushed(std::uint32_t key) const { return key >= first_flushed(); }

  std::string prefix_of(std::uint32_t group) const { return "torture." + std::to_string(group) + "."; }
  std::string name_of(std::uint32_t key) const {
    if (is_pinned(key)) return "pinned." + std::to_string(key);
    if (is_flushed(key)) return "flushed." + std::to_string(key);
    std::string name = prefix_of(key / group_size) + std::to_string(key % group_size);
    if (key % 7 == 0) name.append(key % 300, '/');
    return name;
  }
};

// Nanoseconds to one of 256 buckets, eight to each doubling.
inline std::uint32_t bucket_of(std::uint64_t ns) {
  if (ns < 8) return static_cast<std::uint32_t>(ns);
  const auto exponent = static_cast<std::uint32_t>(std::bit_width(ns)) - 1;
  const auto bucket = (exponent - 2) * 8 + static_cast<std::uint32_t>(ns >> (exponent - 3) & 7);
  return bucket < 256 ? bucket : 255;
}
inline std::uint64_t lower_end_of(std::uint32_t bucket) {
  if (bucket < 8) return bucket;
  const std::uint32_t exponent = bucket / 8 + 2;
  return (8ull + bucket % 8) << (exponent - 3);
}

inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

struct Random {
  std::uint64_t state;
  std::uint64_t next() { return mix(state += 0x9e3779b97f4a7c15ull); }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(next() % n); }
  bool chance(std::uint32_t percent) { return below(100) < percent; }
};

// ---- values that say what they are ---------------------------------------------------------------------------------
struct ValueHead {
  std::uint64_t number;
  std::uint32_t key;
  std::uint32_t length;
  std::int64_t ttl;   // ms; -1: for ever
  std::int64_t sent;  // CLOCK_MONOTONIC, ms
  std::uint64_t sum;  // of the above
};
static_assert(sizeof(ValueHead) == 40);
inline constexpr std::uint32_t kSmallestValue = sizeof(ValueHead);

inline std::uint64_t sum_of(ValueHead head) {
  head.sum = 0;
  return XXH3_64bits(&head, sizeof head);
}

inline std::uint64_t filler(const ValueHead& head, std::uint64_t word) { return mix(head.sum + word * 0x9e37ull); }

// REQUIRES: length >= kSmallestValue.
inline void make_value(std::string* to, std::uint32_t key, std::uint64_t number, std::uint32_t length, std::int64_t ttl,
                       std::int64_t sent) {
  ValueHead head{number, key, length, ttl, sent, 0};
  head.sum = sum_of(head);
  to->resize(length);
  std::memcpy(to->data(), &head, sizeof head);
  for (std::uint32_t at = sizeof head; at < length; at += 8) {
    const std::uint64_t word = filler(head, at / 8);
    std::memcpy(to->data() + at, &word, std::min(8u, length - at));
  }
}

enum class Verdict { kFine, kTorn, kForeign };
inline Verdict check_value(std::string_view bytes, std::uint32_t key, ValueHead* head) {
  if (bytes.size() < sizeof *head) return Verdict::kTorn;
  std::memcpy(head, bytes.data(), sizeof *head);
  if (head->sum != sum_of(*head) || head->length != bytes.size()) return Verdict::kTorn;
  for (std::uint32_t at = sizeof *head; at < head->length; at += 8) {
    const std::uint64_t word = filler(*head, at / 8);
    if (std::memcmp(bytes.data() + at, &word, std::min(8u, head->length - at)) != 0) return Verdict::kTorn;
  }
  return head->key == key ? Verdict::kFine : Verdict::kForeign;
}

// The roles that a process can have; return its exit status.
int run_reader(Board& board, std::uint32_t number);
int run_writer(Board& board, std::uint32_t number);

std::int64_t now_ms();  // CLOCK_MONOTONIC
std::uint64_t now_ns();
// Counts a fault and says what it was on stderr.
void report(Board& board, Fault fault, const std::string& what);

}  // namespace torture
