// What the tests of the indexes share: pages for a JudyPool, and entries whose keys the order index can read.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/layout.h"
#include "judy_pool.h"
#include "order_index.h"

namespace coppice::test {

// Gives a pool pages, and takes them back.
class Pages {
 public:
  explicit Pages(JudyPool& pool) : pool_(pool) {}
  void make_ready() {
    while (!pool_.ready()) add();
  }
  void add() {
    void* page = std::aligned_alloc(JudyPool::kPageBytes, JudyPool::kPageBytes);
    std::memset(page, 0xa5, JudyPool::kPageBytes);
    pages_.emplace_back(page);
    pool_.add_page(page);
  }
  // What surplus_page() offers is overwritten and freed. The number of pages.
  std::size_t take_surplus() {
    std::size_t n = 0;
    while (void* page = pool_.surplus_page()) {
      std::memset(page, 0x5a, JudyPool::kPageBytes);
      const auto at = std::find_if(pages_.begin(), pages_.end(), [&](const auto& p) { return p.get() == page; });
      if (at == pages_.end()) std::abort();  // not one of ours
      std::swap(*at, pages_.back());
      pages_.pop_back();
      ++n;
    }
    return n;
  }

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  JudyPool& pool_;
  std::vector<std::unique_ptr<void, Free>> pages_;
};

// A pool with its pages, which outlive it.
class PagedPool {
 public:
  JudyPool& operator*() { return *pool_; }
  JudyPool* operator->() { return pool_.get(); }
  Pages& pages() { return pages_; }
  ~PagedPool() { pool_.reset(); }
  PagedPool() = default;
  PagedPool(const PagedPool&) = delete;
  PagedPool& operator=(const PagedPool&) = delete;

 private:
  std::unique_ptr<JudyPool> pool_ = std::make_unique<JudyPool>();
  Pages pages_{*pool_};
};

// Blocks with keys and no values, in one arena. Freed ones are filled with garbage.
class Entries {
 public:
  explicit Entries(std::size_t bytes) : bytes_(bytes), arena_(new char[bytes]) { std::memset(arena_.get(), 0, 64); }
  KeySource keys() const { return {arena_.get()}; }

  // A block for this key. `deadline`: with room for one before the key.
  EntryRef add(std::string_view key, bool deadline = false) {
    const std::size_t head = 16 + (deadline ? 8 : 0);
    if (used_ + head + key.size() + 8 > bytes_) std::abort();  // the test asked for too small an arena
    char* block = arena_.get() + used_;
    std::memset(block, 0x77, head);
    auto* header = reinterpret_cast<layout::BlockHeader*>(block);
    header->value_length = 0;
    header->key_length_and_flags =
        static_cast<std::uint16_t>(key.size() | (deadline ? std::size_t{layout::kHasDeadline} : 0));
    std::memcpy(block + head, key.data(), key.size());
    const EntryRef ref = used_ / 8;
    used_ += (head + key.size() + 7) / 8 * 8;
    return ref;
  }
  std::string key(EntryRef ref) const { return std::string(keys().key_of(ref)); }
  void spoil(EntryRef ref) {
    const std::string_view key = keys().key_of(ref);
    std::memset(const_cast<char*>(key.data()), 0xee, key.size());
  }

 private:
  std::size_t bytes_;
  std::unique_ptr<char[]> arena_;
  std::size_t used_ = 64;
};

// A seed that differs from run to run, or COPPICE_SEED; tests print it when they fail.
inline std::uint64_t seed() {
  static const std::uint64_t value = [] {
    if (const char* given = std::getenv("COPPICE_SEED")) return std::strtoull(given, nullptr, 10);
    return static_cast<unsigned long long>(std::random_device{}());
  }();
  return value;
}

}  // namespace coppice::test
