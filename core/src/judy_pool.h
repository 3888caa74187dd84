// Memory for libJudy's nodes and the order index's buckets, out of the arena's 64 KiB pages.
//
// libJudy 1.0.5 does not survive a refused allocation (JudyLDel from 32 to 31 keys allocates; a failed JudyLIns leaks),
// so the pool never refuses: the store gives it pages *before* an operation until ready(), which promises room for the
// worst case of one operation. JudyMalloc and JudyFree are defined in judy_pool.cpp, with hidden visibility, and serve
// from the pool that a PoolScope on this thread names.
//
// Thread safety: one thread at a time for a pool; the scope is per thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace coppice {

class JudyPool {
 public:
  JudyPool() = default;
  ~JudyPool();
  JudyPool(const JudyPool&) = delete;
  JudyPool& operator=(const JudyPool&) = delete;

  static constexpr std::size_t kPageBytes = 65536;

  // Whether the largest single operation of the indexes is sure to find room.
  bool ready() const;
  // Takes over a page. REQUIRES: 64 KiB, aligned to 64 KiB; the pool writes all over it.
  void add_page(void* page);
  // A page with nothing in it that ready() does not need, or null. The caller has it back. Hysteresis inside, so that
  // a store at the edge does not pass one page back and forth.
  void* surplus_page();

  // Never null. REQUIRES: bytes >= 1 and at most 32 KiB. Aligned to 8.
  void* allocate(std::size_t bytes);
  // REQUIRES: p came from allocate(bytes) of this pool.
  void free(void* p, std::size_t bytes);

  std::size_t pages() const;        // pages held
  std::size_t bytes_in_use() const; // handed out
  // Times that allocate() had to go beyond the pages it was given; the tests want 0.
  std::size_t emergencies() const;

 private:
  // The implementation's own.
  struct Impl;
  Impl* impl_ = nullptr;
};

// While it lives, libJudy on this thread allocates from `pool`.
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
