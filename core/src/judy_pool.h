// Memory for libJudy's nodes and the order index's buckets, out of the arena's 64 KiB pages.
//
// libJudy 1.0.5 does not survive a refused allocation (JudyLDel from 32 to 31 keys allocates; a failed JudyLIns leaks),
// so the pool never refuses: the store gives it pages *before* an operation until ready(), which promises room for the
// worst case of one operation. JudyMalloc and JudyFree are defined in judy_pool.cpp, with hidden visibility, and serve
// from the pool that a PoolScope on this thread names; without one they abort, since a block from elsewhere could not
// be told from the pool's own when it is freed.
//
//   page      | header | granule 0 (short) | granule 1 | … | granule 15 |     a granule is 4 KiB, of one size class
//   granule   | slot | slot | slot | …                                        or free
//
// Freed slots make free granules, free granules make free pages, and those can be asked back.
//
// Thread safety: one thread at a time for a pool; the scope is per thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace coppice {

class JudyPool {
 public:
  JudyPool();
  ~JudyPool();
  JudyPool(const JudyPool&) = delete;
  JudyPool& operator=(const JudyPool&) = delete;

  static constexpr std::size_t kPageBytes = 65536;
  static constexpr std::size_t kGranuleBytes = 4096;
  static constexpr std::size_t kLargest = 32768;
  // Free granules that ready() asks for: 96 KiB. With keys made to be awkward, and a new granule counted for each size
  // class that an operation touches, the most that was seen is 8 for an insertion into the order index (a chain of
  // arrays of 18 KB, or a leaf that becomes a branch), 8 for one into the deadline index, 5 for an erasure; the tests
  // hold each to 12.
  static constexpr std::size_t kReserve = 24;

  // Whether the largest single operation of the indexes is sure to find room.
  bool ready() const;
  // Whether there is room for work that may as well be left undone: half of the reserve is more than removals need.
  bool can_spare() const;
  // Takes over a page. REQUIRES: 64 KiB, aligned to 64 KiB; the pool writes all over it.
  void add_page(void* page);
  // A page with nothing in it that ready() does not need, or null. The caller has it back. Hysteresis inside, so that
  // a store at the edge does not pass one page back and forth.
  void* surplus_page();

  // Never null. REQUIRES: 1 <= bytes <= kLargest. Aligned to 8. ready() speaks of blocks up to a granule only.
  // `usable` is set to the size really set aside, all of which may be used.
  void* allocate(std::size_t bytes, std::size_t* usable = nullptr);
  // REQUIRES: p came from allocate(bytes) of this pool.
  void free(void* p, std::size_t bytes);

  std::size_t pages() const;         // given and not taken back
  std::size_t bytes_in_use() const;  // handed out, in usable sizes
  // Times that allocate() had to go beyond the pages it was given; the tests want 0. Such a page is the pool's own and
  // goes back to the system when it runs empty.
  std::size_t emergencies() const;

  // For measurements: whole granules free now, and the fewest since the last call of reset_least_free().
  std::size_t free_granules() const;
  std::size_t least_free() const;
  void reset_least_free();

 private:
  // The implementation's own.
  struct Impl;
  Impl* impl_;
};

// While it lives, libJudy on this thread allocates from `pool`. Scopes nest.
class PoolScope {
 public:
  explicit PoolScope(JudyPool& pool);
  ~PoolScope();
  PoolScope(const PoolScope&) = delete;
  PoolScope& operator=(const PoolScope&) = delete;

 private:
  JudyPool* before_;
};

}  // namespace coppice
