// Reads entries straight from a shared segment that this process cannot write.
//
//   auto reader = Reader::map(fd, &error);
//   std::string value;
//   auto status = reader->read(0, "user.42.name", [&](const ReadInfo& e) { value.resize(e.value_size); return
//   value.data(); }, &info);
//
// read_stale() also shows an entry behind its deadline while its stale window lasts.
//
// Protocol and invariants: docs/shared-memory.md. Nothing that the segment says is trusted: every offset and length is
// checked before it is used.
//
// Thread safety: read() is const and may run in many threads at once. The Reader itself is immutable after map().
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "coppice/layout.h"
#include "coppice/types.h"

namespace coppice {

enum class ReadStatus : std::uint8_t {
  kHit,
  kMiss,
  kAskOwner,  // the entry kept moving, or the segment contradicts itself: only the owner knows
};

// What a hit is, before its bytes are copied; a guess until read() returned kHit.
struct ReadInfo {
  Version version = 0;
  Millis deadline = kNoDeadline;
  ValueType type = ValueType::kString;
  std::uint32_t value_size = 0;
  std::uint64_t block = 0;  // offset, for the hint page
};

// The same for read_stale(). What it adds is not cleared beforehand: only a hit sets it.
struct RefreshInfo : ReadInfo {
  bool is_stale;  // the deadline has passed, the stale window has not
  bool has_tags;
  std::uint32_t stale;       // the window's length, ms
  std::uint32_t compute_us;  // 0: not known
};

// A key made ready for reading: hashed once. Without initializers, since a batch of them would be cleared for nothing.
struct ReadKey {
  std::string_view key;
  Database db;
  std::uint64_t map_word;
  layout::KeyHash hash;
};

class Reader {
 public:
  // Checks seals, size and header, maps read-only. Null: `error` says what was wrong. Does not own `fd`.
  static std::unique_ptr<Reader> map(int fd, std::string* error);
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // dest(const ReadInfo&) -> char*: room for value_size bytes, or null for "do not copy" (the caller holds this version
  // already). It may be called several times, each call making the one before void. `now` is CLOCK_MONOTONIC_COARSE.
  // REQUIRES: key has 1 … kMaxKeyLength bytes; db < databases().
  template <class Dest>
  ReadStatus read(Database db, std::string_view key, Millis now, Dest&& dest, ReadInfo* info) const {
    ReadKey k;
    prepare(&k, db, key);
    return read(k, now, dest, info);
  }

  // The same for who can recompute the entry: it is a hit until its stale window is over, too.
  template <class Dest>
  ReadStatus read_stale(Database db, std::string_view key, Millis now, Dest&& dest, RefreshInfo* info) const {
    ReadKey k;
    prepare(&k, db, key);
    return read(k, now, dest, info);
  }

  // The same for up to kBatch keys at once, so that their cache misses overlap: dest(position, const ReadInfo&) ->
  // char*, then done(position, ReadStatus) for each key, in order. `info` is the key's own during done().
  static constexpr std::size_t kBatch = 16;
  template <class Dest, class Done>
  void read_batch(Database db, std::span<const std::string_view> keys, Millis now, Dest&& dest, ReadInfo* info,
                  Done&& done) const;

  // false once the lease ran out at `now` (CLOCK_MONOTONIC_COARSE): see whether the owner still lives.
  bool lease_valid(Millis now) const {
    return header().lease_until.load(std::memory_order_acquire) > now;  // (9)
  }
  std::uint32_t databases() const { return databases_; }
  // The segment's 128 random bits, as they were at map().
  std::pair<std::uint64_t, std::uint64_t> generation() const { return generation_; }
  const layout::SegmentHeader& header() const { return *reinterpret_cast<const layout::SegmentHeader*>(base_); }
  std::uint64_t resident_high_water() const;  // bytes of the mapping that may be touched
  // Faults in everything below the high-water marks.
  void prefault() const;

 private:
  Reader() = default;
  // What one attempt came to.
  enum class Attempt : std::uint8_t { kHit, kMiss, kAgain, kOtherKey };
  // Member by member: a copy of the whole would wait for the stores that it overlaps.
  void prepare(ReadKey* k, Database db, std::string_view key) const {
    k->key = key;
    k->db = db;
    k->map_word = header().database_map[db].load(std::memory_order_acquire);  // (6)
    const layout::KeyHash hash = layout::hash_key(secret_, layout::branch_of(k->map_word), key);
    k->hash.tag = hash.tag;
    k->hash.home = hash.home;
  }
  // Info: ReadInfo or RefreshInfo.
  template <class Dest, class Info>
  ReadStatus read(ReadKey& key, Millis now, Dest&& dest, Info* info) const;
  template <class Dest, class Info>
  Attempt attempt(ReadKey& key, Millis now, Dest& dest, Info* info) const;
  // A block as read_block() found it, for read_chained().
  struct Found {
    std::uint64_t offset;
    std::uint32_t size;
    const std::atomic<std::uint64_t>* page_word;
    std::uint64_t word;
    std::uint64_t version;
    std::uint64_t rest;
  };
  // The entry that `slot` refers to, if it is the key's.
  template <class Dest, class Info>
  Attempt read_block(std::uint64_t slot, std::uint64_t limit, const ReadKey& key, Millis now, Dest& dest,
                     Info* info) const;
  template <class Dest, class Info>
  Attempt read_chained(const Found& found, std::uint64_t limit, const ReadKey& key, Millis now, Dest& dest,
                       Info* info) const;
  // Whether the entry is over: past its deadline, or for a RefreshInfo, which is filled, past its stale window.
  // `end` is the block's end, `rest` its second word. A guess until the block is seen unchanged.
  template <class Info>
  static bool is_over(const char* end, std::uint64_t rest, Millis deadline, Millis now, Info* info);
  // Whether what was read, if it was `unchanged` so far, is of the branch that the database still has.
  bool is_current(const ReadKey& key, bool unchanged) const {
    return unchanged && header().database_map[key.db].load(std::memory_order_relaxed) == key.map_word;  // (6)
  }
  const std::atomic<std::uint64_t>* slots_of(std::uint64_t page) const {
    return reinterpret_cast<const std::atomic<std::uint64_t>*>(base_ + (page << layout::kPageShift));
  }
  std::uint64_t page_limit() const {
    const std::uint64_t high = header().high_water.load(std::memory_order_acquire);  // (5)
    return high < page_count_ ? high : page_count_;
  }

  const char* base_ = nullptr;
  std::uint64_t size_ = 0;
  // Taken from the header at map() and checked then: the header's own copies are not believed again.
  std::uint64_t page_count_ = 0;
  std::uint64_t first_page_ = 0;
  const layout::PageEntry* page_table_ = nullptr;
  const std::atomic<std::uint32_t>* directory_ = nullptr;
  std::uint64_t directory_capacity_ = 0;
  std::uint32_t databases_ = 0;
  std::pair<std::uint64_t, std::uint64_t> generation_;
  std::uint8_t secret_[layout::kSecretSize] = {};
};

}  // namespace coppice

#include "coppice/reader_inl.h"
