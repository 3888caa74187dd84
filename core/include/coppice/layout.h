// The arena's layout, shared by the store that writes it and the readers that map it. Frozen by kFormatVersion;
// docs/shared-memory.md describes it as a table. Offsets only, never pointers; little-endian, 64-bit hosts.
//
//   | header 4096 | page table 16 B a page | directory 4 B an entry | … | pages of 64 KiB |
//
// Thread safety: one writer (the store), any number of readers. Atomics name the invariant of docs/shared-memory.md
// that they serve where they are used, in store and reader.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "coppice/types.h"

namespace coppice::layout {

static_assert(std::endian::native == std::endian::little && sizeof(void*) == 8);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && sizeof(std::atomic<std::uint64_t>) == 8);

inline constexpr std::uint64_t kMagic = 0x31454349'50504f43;  // "COPPICE1"
inline constexpr std::uint32_t kFormatVersion = 2;
inline constexpr std::uint32_t kHeaderSize = 4096;
inline constexpr std::uint32_t kPageShift = 16;
inline constexpr std::uint32_t kPageSize = 1u << kPageShift;
inline constexpr std::size_t kSecretSize = 192;

// A mapping at a multiple of this can have huge pages, where the same is true of the offset.
inline constexpr std::uint64_t kHugePageSize = 2ull << 20;
constexpr std::uintptr_t huge_aligned(std::uintptr_t address) {
  return (address + kHugePageSize - 1) / kHugePageSize * kHugePageSize;
}

// ---- pages -------------------------------------------------------------------------------------------------------
// A page's word in the page table is generation << 16 | kind. The generation grows whenever the page changes what it
// is used for, and the table is never used for anything else, so a reader that sees the same word before and after
// its copy knows that the page's division into blocks held throughout.
enum PageKind : std::uint16_t {
  kFreePage = 0,
  kIndexPage = 1,        // 8192 slots of the point index
  kOrderPage = 2,        // libJudy's nodes and the order index's buckets: the owner's alone
  kDataPage = 3,         // 64 KiB of a large value
  kFirstBlockPage = 16,  // kFirstBlockPage + c: blocks of size class c
};

struct PageEntry {
  std::atomic<std::uint64_t> word;
  std::atomic<std::uint64_t> sequence;  // of an index page: odd while slots move within it
};
static_assert(sizeof(PageEntry) == 16);

constexpr std::uint16_t page_kind(std::uint64_t word) { return static_cast<std::uint16_t>(word); }

// ---- size classes ------------------------------------------------------------------------------------------------
// Multiples of 8: every 8 bytes to 256, every 16 to 512, then a page divided by a whole number (at most 1/7 apart).
inline constexpr std::uint32_t kSmallestBlock = 32;
inline constexpr std::uint32_t kClassCount = 29 + 16 + 33;

constexpr std::array<std::uint32_t, kClassCount> make_class_sizes() {
  std::array<std::uint32_t, kClassCount> sizes{};
  std::uint32_t n = 0;
  for (std::uint32_t s = kSmallestBlock; s <= 256; s += 8) sizes[n++] = s;
  for (std::uint32_t s = 272; s <= 512; s += 16) sizes[n++] = s;
  for (std::uint32_t parts : {112, 100, 89, 80, 71, 64, 57, 51, 46, 41, 37, 33, 29, 26, 23, 21, 19,
                              17,  15,  14, 13, 12, 11, 10, 9,  8,  7,  6,  5,  4,  3,  2,  1})
    sizes[n++] = kPageSize / parts / 8 * 8;
  return sizes;
}
inline constexpr auto kClassSizes = make_class_sizes();

constexpr std::array<std::uint8_t, kPageSize / 8 + 1> make_class_table() {
  std::array<std::uint8_t, kPageSize / 8 + 1> table{};
  std::uint32_t c = 0;
  for (std::uint32_t units = 0; units <= kPageSize / 8; ++units) {
    while (kClassSizes[c] < units * 8) ++c;
    table[units] = static_cast<std::uint8_t>(c);
  }
  return table;
}
inline constexpr auto kClassTable = make_class_table();

// The smallest class that holds `size` bytes. REQUIRES: size <= kPageSize.
constexpr std::uint32_t class_of(std::uint32_t size) { return kClassTable[(size + 7) / 8]; }

// ---- blocks ------------------------------------------------------------------------------------------------------
// One entry: header, deadline if any, page numbers of a large value if any, key, then the value or its tail; a trailer,
// if any, ends where the block ends.
// The version word is even while the entry lives, odd once it is retired, 0 in a block that was never used.
struct BlockHeader {
  std::atomic<std::uint64_t> version;
  std::uint32_t value_length;
  std::uint16_t key_length_and_flags;
  ValueType type;
  std::uint8_t branch;
};
static_assert(sizeof(BlockHeader) == 16);

inline constexpr std::uint16_t kKeyLengthMask = 0x1fff;
inline constexpr std::uint16_t kHasDeadline = 0x8000;
inline constexpr std::uint16_t kIsChained = 0x4000;  // the value's whole pages lie elsewhere
inline constexpr std::uint16_t kHasTrailer = 0x2000;

// The trailer of an entry with tags, a stale window or a known compute time. It is counted from the end of the block,
// which a block's size class tells, so that whoever has no use for it need not know of it:
//
//   … value │ unused │ tag ids, 4 each (if a list) │ refresh word 8 (if there is one) │ trailer word 4 │ end of the
//   block
//
// trailer word: kTrailerRefresh | kTrailerList | number of tags (with kTrailerList) or the one tag's id (0: none).
// refresh word: stale window in ms << 32 | compute time in µs.
inline constexpr std::uint32_t kTrailerRefresh = 1u << 31;
inline constexpr std::uint32_t kTrailerList = 1u << 30;
inline constexpr std::uint32_t kTagIdMask = kTrailerList - 1;
inline constexpr std::uint32_t kRefreshAt = 12;  // bytes before the block's end
constexpr std::uint32_t trailer_size(std::uint32_t tags, bool refresh) {
  if (tags == 0 && !refresh) return 0;
  return 4 + (tags > 1 ? 4 * tags : 0) + (refresh ? 8 : 0);
}
inline constexpr std::uint32_t kLargestTrailer = 4 + 8 + 4 * static_cast<std::uint32_t>(kMaxTags);

// How a chained value is cut: `pages` whole data pages, then `tail` bytes in the block itself.
struct Chain {
  std::uint32_t pages;
  std::uint32_t tail;
};
constexpr Chain chain_of(std::uint32_t value_length) {
  Chain c{value_length / kPageSize, value_length % kPageSize};
  const std::uint32_t room =
      kPageSize - 24 - static_cast<std::uint32_t>(kMaxKeyLength) - kLargestTrailer - 4 * (c.pages + 1);
  if (c.tail > room) c = {c.pages + 1, 0};
  return c;
}

// Bytes of an entry's block, before rounding to a class.
constexpr std::uint32_t block_size(std::uint32_t key_length, std::uint32_t value_length, bool deadline, bool chained,
                                   std::uint32_t trailer = 0) {
  const std::uint32_t fixed = 16 + (deadline ? 8 : 0) + key_length + trailer;
  if (!chained) return fixed + value_length;
  const Chain c = chain_of(value_length);
  return fixed + 4 * c.pages + c.tail;
}
// Whether a value must be chained. Does not depend on the deadline, so that gaining one never moves the value.
constexpr bool needs_chain(std::uint32_t key_length, std::uint32_t value_length, std::uint32_t trailer = 0) {
  return 24ull + key_length + value_length + trailer > kPageSize;
}

// A class's size as a reciprocal, so that readers check a block's place without a division.
constexpr std::array<std::uint32_t, kClassCount> make_class_reciprocals() {
  std::array<std::uint32_t, kClassCount> r{};
  for (std::uint32_t c = 0; c < kClassCount; ++c) r[c] = static_cast<std::uint32_t>((1ull << 32) / kClassSizes[c]) + 1;
  return r;
}
inline constexpr auto kClassReciprocals = make_class_reciprocals();

// Which block of its page begins at or before `in_page`. Exact, since in_page * size stays below 2^32.
constexpr std::uint32_t block_number(std::uint32_t in_page, std::uint32_t c) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(in_page) * kClassReciprocals[c] >> 32);
}
constexpr std::array<std::uint16_t, kClassCount> make_blocks_per_page() {
  std::array<std::uint16_t, kClassCount> n{};
  for (std::uint32_t c = 0; c < kClassCount; ++c) n[c] = static_cast<std::uint16_t>(kPageSize / kClassSizes[c]);
  return n;
}
inline constexpr auto kBlocksPerPage = make_blocks_per_page();
constexpr std::uint32_t blocks_per_page(std::uint32_t c) { return kBlocksPerPage[c]; }

// ---- bytes that readers may see while they are written -----------------------------------------------------------
// Under ThreadSanitizer both sides go by relaxed atomics: a correct sequence lock copies bytes that may be changing,
// which is a race by the letter.
#if defined(__SANITIZE_THREAD__)
#define COPPICE_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define COPPICE_TSAN 1
#endif
#endif

inline std::uint64_t load_word(const char* at) {
  std::uint64_t word;
  std::memcpy(&word, at, 8);
  return word;
}
// Keys and many values are short, and a call costs more than their few words, of which the last two overlap.
inline void copy_short(char* to, const char* from, std::size_t n) {
  if (n > 32) {
    std::memcpy(to, from, n);
  } else if (n >= 16) {
    const std::uint64_t words[4] = {load_word(from), load_word(from + 8), load_word(from + n - 16),
                                    load_word(from + n - 8)};
    std::memcpy(to, words, 16);
    std::memcpy(to + n - 16, words + 2, 16);
  } else if (n >= 8) {
    const std::uint64_t first = load_word(from), last = load_word(from + n - 8);
    std::memcpy(to, &first, 8);
    std::memcpy(to + n - 8, &last, 8);
  } else if (n >= 4) {
    std::uint32_t first, last;
    std::memcpy(&first, from, 4);
    std::memcpy(&last, from + n - 4, 4);
    std::memcpy(to, &first, 4);
    std::memcpy(to + n - 4, &last, 4);
  } else if (n != 0) {
    const char first = from[0], middle = from[n / 2], last = from[n - 1];
    to[0] = first;
    to[n / 2] = middle;
    to[n - 1] = last;
  }
}
inline void write_shared(char* to, const char* from, std::size_t n) {
#ifdef COPPICE_TSAN
  for (std::size_t i = 0; i < n; ++i) __atomic_store_n(to + i, from[i], __ATOMIC_RELAXED);
#else
  copy_short(to, from, n);
#endif
}
inline void read_shared(char* to, const char* from, std::size_t n) {
#ifdef COPPICE_TSAN
  for (std::size_t i = 0; i < n; ++i) to[i] = __atomic_load_n(from + i, __ATOMIC_RELAXED);
#else
  copy_short(to, from, n);
#endif
}
inline bool equal_shared(const char* shared, const char* own, std::size_t n) {
#ifdef COPPICE_TSAN
  for (std::size_t i = 0; i < n; ++i)
    if (__atomic_load_n(shared + i, __ATOMIC_RELAXED) != own[i]) return false;
  return true;
#else
  if (n < 8 || n > 64) return std::memcmp(shared, own, n) == 0;
  const std::size_t last = n - 8;
  for (std::size_t i = 0; i < last; i += 8)
    if (load_word(shared + i) != load_word(own + i)) return false;
  return load_word(shared + last) == load_word(own + last);
#endif
}
// Asks for the cache lines of a value before it is copied, so that they come all at once: the processor's own
// prefetching needs some lines to see that there is a run. A kilobyte at 50k entries in a prototype: 434 ns a read,
// then 312.
inline void prefetch_value(const char* at, std::size_t n) {
  constexpr std::size_t kLine = 64, kMost = 4096;
  if (n <= 2 * kLine) return;
  for (std::size_t i = kLine; i < n && i < kMost; i += kLine) __builtin_prefetch(at + i);
}
// GCC warns that ThreadSanitizer does not model fences; with the data by atomics it has nothing to model.
#pragma GCC diagnostic push
#ifdef COPPICE_TSAN
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wtsan"
#endif
inline void release_fence() { std::atomic_thread_fence(std::memory_order_release); }
inline void acquire_fence() { std::atomic_thread_fence(std::memory_order_acquire); }
#pragma GCC diagnostic pop

// ---- the point index ---------------------------------------------------------------------------------------------
// Slots of 8 bytes: tag (20 bits of the hash) << 44 | displacement from the home slot (9) << 35 | block offset / 8
// (35). 0 is an empty slot. The directory maps the low bits of the hash to an index page (extendible hashing); within a
// page, linear probing with wrap-around.
inline constexpr std::uint32_t kSlotsPerPage = kPageSize / 8;
inline constexpr std::uint32_t kTagBits = 20;
inline constexpr std::uint32_t kMaxDisplacement = 511;
inline constexpr std::uint64_t kRefMask = (1ull << 35) - 1;

constexpr std::uint64_t make_slot(std::uint32_t tag, std::uint32_t displacement, std::uint64_t offset) {
  return static_cast<std::uint64_t>(tag) << 44 | static_cast<std::uint64_t>(displacement) << 35 | offset >> 3;
}
constexpr std::uint64_t slot_offset(std::uint64_t slot) { return (slot & kRefMask) << 3; }
constexpr std::uint32_t slot_tag(std::uint64_t slot) { return static_cast<std::uint32_t>(slot >> 44); }
constexpr std::uint32_t slot_displacement(std::uint64_t slot) { return static_cast<std::uint32_t>(slot >> 35) & 511; }

struct KeyHash {
  std::uint32_t tag;   // kTagBits bits; its low bits choose the index page
  std::uint32_t home;  // slot within the page
};

// Keys that differ only in the low four bits of their last byte (`item.0` … `item.9`) have homes close together, so
// that a few cache lines answer for a group: 96 ns a key instead of 275 at 1M. Every other slot, since groups without a
// gap make long clusters: at a load of 0.55 a hit then looks at 5.8 slots in the mean instead of 4.3. The rest of the
// last byte is hashed, so that a group is at most 16 keys long. REQUIRES: key is not empty.
inline KeyHash hash_key(const std::uint8_t* secret, std::uint8_t branch, std::string_view key) {
  const auto last = static_cast<std::uint8_t>(key.back());
  std::uint64_t h = XXH3_64bits_withSecret(key.data(), key.size() - 1, secret, kSecretSize);
  h ^= (static_cast<std::uint64_t>(branch) << 4 | last >> 4) * 0x9e3779b97f4a7c15ull;
  h *= 0xd6e8feb86659fd93ull;
  h ^= h >> 32;
  const auto tag = static_cast<std::uint32_t>(h) & ((1u << kTagBits) - 1);
  const auto base = static_cast<std::uint32_t>(h >> kTagBits);
  return {tag, (base + 2 * (last & 15)) & (kSlotsPerPage - 1)};
}

// ---- the header --------------------------------------------------------------------------------------------------
struct SegmentHeader {
  std::uint64_t magic;
  std::uint32_t format_version;
  std::uint32_t header_size;
  std::uint64_t segment_size;
  std::uint64_t page_table_offset;
  std::uint64_t directory_offset;
  std::uint64_t directory_capacity;  // entries, a power of two
  std::uint64_t first_page;          // pages below hold the header, the page table and the directory
  std::uint64_t page_count;          // page p lies at offset p << kPageShift; segment_size == page_count << kPageShift
  std::uint8_t generation[16];       // random; another segment has another
  std::uint8_t hash_secret[kSecretSize];
  std::uint32_t databases;
  std::uint32_t wants_hints;  // whether the policy has a use for visited marks

  alignas(64) std::atomic<std::int64_t> lease_until;  // CLOCK_MONOTONIC_COARSE, ms; 0: the owner has ended
  std::atomic<std::uint64_t> high_water;              // pages below this number may be read
  std::atomic<std::uint64_t> directory_depth;         // 2^depth directory entries are in use

  // change count << 8 | branch, so that a branch that comes back to a database is not taken for the one before
  alignas(64) std::atomic<std::uint64_t> database_map[kMaxDatabases];

  // For people and stats() only: renewed by the owner with the lease.
  alignas(64) std::atomic<std::uint64_t> entries;
  std::atomic<std::uint64_t> used_memory;
  std::atomic<std::uint64_t> max_memory;
  std::atomic<std::uint64_t> evicted;
  std::atomic<std::uint64_t> expired;
};
static_assert(sizeof(SegmentHeader) <= kHeaderSize);

constexpr std::uint8_t branch_of(std::uint64_t map_word) { return static_cast<std::uint8_t>(map_word); }

// ---- the hint page -----------------------------------------------------------------------------------------------
// One for each attached worker, writable by it and read by the owner, lossy, and carrying nothing else: a broken
// worker spoils its own hints and counts, and no data.
inline constexpr std::uint32_t kHintSize = 16384;
struct HintPage {
  std::atomic<std::uint64_t> hits;
  std::atomic<std::uint64_t> misses;
  std::atomic<std::uint64_t> head;  // number of marks ever written; the ring holds the last kMarks of them
  std::uint64_t reserved[5];
  static constexpr std::uint32_t kMarks = (kHintSize - 64) / 8;
  std::atomic<std::uint64_t> marks[kMarks];  // block offsets
};
static_assert(sizeof(HintPage) == kHintSize);

// The lease of property 9.
inline constexpr Millis kLease = 250;
inline constexpr Millis kLeaseRenewal = 50;

}  // namespace coppice::layout
