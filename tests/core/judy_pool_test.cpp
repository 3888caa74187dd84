#include "judy_pool.h"

#include <map>
#include <set>

#include "index_fixture.h"
#include "judy.h"
#include "support/catch.h"

using namespace coppice;
using test::PagedPool;

namespace {
// A block filled with a pattern of its own, so that overlap shows.
struct Block {
  unsigned char* p;
  std::size_t bytes;
  unsigned char fill;
  std::size_t usable;
  bool intact() const {
    return std::all_of(p, p + usable, [this](unsigned char c) { return c == fill; });
  }
};
Block take(JudyPool& pool, std::size_t bytes, unsigned char fill) {
  std::size_t usable = 0;
  auto* p = static_cast<unsigned char*>(pool.allocate(bytes, &usable));
  Block b{p, bytes, fill, usable};
  std::memset(b.p, fill, usable);
  return b;
}
}  // namespace

TEST_CASE("JudyPool: every size is aligned, whole and apart from the others", "[judy_pool]") {
  PagedPool pool;
  for (int i = 0; i < 200; ++i) pool.pages().add();
  std::vector<Block> blocks;
  for (std::size_t bytes = 1; bytes <= 4096; bytes += bytes < 600 ? 1 : 61)
    for (int i = 0; i < 3; ++i) blocks.push_back(take(*pool, bytes, static_cast<unsigned char>(blocks.size())));
  for (std::size_t bytes : {4097, 8192, 12000, 32768}) blocks.push_back(take(*pool, bytes, 0xcc));
  for (const Block& b : blocks) {
    REQUIRE(reinterpret_cast<std::uintptr_t>(b.p) % 8 == 0);
    REQUIRE(b.usable >= b.bytes);
    REQUIRE(b.intact());
  }
  REQUIRE(pool->emergencies() == 0);
  for (const Block& b : blocks) pool->free(b.p, b.bytes);
  REQUIRE(pool->bytes_in_use() == 0);
}

TEST_CASE("JudyPool: random allocations keep their bytes, and all pages come back at the end", "[judy_pool]") {
  INFO("seed " << test::seed());
  std::mt19937_64 random(test::seed());
  PagedPool pool;
  std::vector<Block> blocks;
  std::size_t expected = 0;
  for (int i = 0; i < 60000; ++i) {
    const bool grow = (i / 6000) % 2 == 0;
    if (blocks.empty() || random() % 100 < (grow ? 70u : 30u)) {
      pool.pages().make_ready();
      const std::size_t bytes = random() % 50 == 0 ? 1 + random() % JudyPool::kGranuleBytes : 1 + random() % 400;
      blocks.push_back(take(*pool, bytes, static_cast<unsigned char>(random())));
      expected += blocks.back().usable;
    } else {
      const std::size_t at = random() % blocks.size();
      if (!blocks[at].intact()) FAIL("a block was overwritten");
      expected -= blocks[at].usable;
      pool->free(blocks[at].p, blocks[at].bytes);
      blocks[at] = blocks.back();
      blocks.pop_back();
    }
    if (random() % 1000 == 0) pool.pages().take_surplus();
  }
  REQUIRE(pool->bytes_in_use() == expected);
  REQUIRE(pool->emergencies() == 0);
  for (const Block& b : blocks) pool->free(b.p, b.bytes);
  pool.pages().take_surplus();
  REQUIRE(pool->bytes_in_use() == 0);
  REQUIRE(pool->ready());
  REQUIRE(pool->pages() <= 3);
}

TEST_CASE("JudyPool: surplus pages are not passed back and forth at the edge", "[judy_pool]") {
  PagedPool pool;
  for (int i = 0; i < 10; ++i) pool.pages().add();
  pool.pages().take_surplus();
  REQUIRE(pool->ready());
  const std::size_t pages = pool->pages();
  // One granule more or less makes neither a page wanting nor one too many.
  void* block = pool->allocate(4096);
  REQUIRE(pool->ready());
  REQUIRE(pool->surplus_page() == nullptr);
  pool->free(block, 4096);
  REQUIRE(pool->surplus_page() == nullptr);
  REQUIRE(pool->pages() == pages);
}

TEST_CASE("JudyPool: without pages it still serves, and gives back what it took", "[judy_pool]") {
  JudyPool pool;
  REQUIRE_FALSE(pool.ready());
  const Block small = take(pool, 100, 1);
  const Block large = take(pool, 32768, 2);
  REQUIRE(pool.emergencies() >= 1);
  REQUIRE(pool.pages() == 0);
  REQUIRE(small.intact());
  pool.free(small.p, small.bytes);
  pool.free(large.p, large.bytes);
  REQUIRE(pool.free_granules() == 0);
}

TEST_CASE("JudyPool: a larger slot serves when there is no granule left", "[judy_pool]") {
  PagedPool pool;
  pool.pages().add();
  std::vector<void*> blocks;
  while (pool->free_granules() > 0) blocks.push_back(pool->allocate(4096));
  std::vector<void*> large;
  for (int i = 0; i < 3; ++i) large.push_back(pool->allocate(1024));  // granule 0
  pool->free(large.back(), 1024);
  large.pop_back();
  const std::size_t before = pool->bytes_in_use();
  void* p = pool->allocate(40);
  REQUIRE(pool->emergencies() == 0);
  pool->free(p, 40);
  REQUIRE(pool->bytes_in_use() == before);
}

TEST_CASE("JudyPool: scopes nest, and libJudy takes from the innermost", "[judy_pool]") {
  PagedPool outer, inner;
  outer.pages().make_ready();
  inner.pages().make_ready();
  void* a = nullptr;
  void* b = nullptr;
  {
    PoolScope first(*outer);
    judy::map_insert(&a, 1);
    {
      PoolScope second(*inner);
      judy::map_insert(&b, 1);
      REQUIRE(inner->bytes_in_use() > 0);
      judy::map_clear(&b);
      REQUIRE(inner->bytes_in_use() == 0);
    }
    judy::map_insert(&a, 2);
    REQUIRE(inner->bytes_in_use() == 0);
    REQUIRE(outer->bytes_in_use() > 0);
    judy::map_clear(&a);
  }
  REQUIRE(outer->bytes_in_use() == 0);
}

// The library that is linked, against std::map: some compilers were seen to miscompile libJudy 1.0.5.
namespace {
// Words that fill leaves, branches of each kind and long chains of common bytes.
std::uint64_t awkward_word(std::mt19937_64& random, int kind) {
  switch (kind) {
    case 0:
      return random() % 2000;
    case 1:
      return random();
    case 2:
      return (random() % 40) << 56 | (random() % 40) << 24 | random() % 300;
    case 3:
      return 0x0102030405060000ull | random() % 0x10000;
    default:
      return (random() % 64) * 0x0101010101010101ull;
  }
}
}  // namespace

TEST_CASE("libJudy: JudyL agrees with std::map", "[judy_pool][libjudy]") {
  INFO("seed " << test::seed());
  for (int kind = 0; kind < 5; ++kind) {
    std::mt19937_64 random(test::seed() + static_cast<unsigned>(kind));
    PagedPool pool;
    PoolScope scope(*pool);
    void* root = nullptr;
    std::map<std::uint64_t, void*> model;
    for (int i = 0; i < 60000; ++i) {
      const bool grow = (i / 10000) % 2 == 0;
      const std::uint64_t word = awkward_word(random, kind);
      if (random() % 100 < (grow ? 75u : 25u)) {
        pool.pages().make_ready();
        void** slot = judy::map_insert(&root, word);
        auto [at, fresh] = model.try_emplace(word, nullptr);
        if (*slot != at->second) FAIL("a slot lost its value");
        *slot = at->second = reinterpret_cast<void*>(random());
      } else if (judy::map_erase(&root, word) != (model.erase(word) == 1)) {
        FAIL("an erasure went wrong");
      }
      const std::uint64_t probe = awkward_word(random, kind);
      std::uint64_t at = probe;
      void** slot = judy::map_first(root, &at);
      auto expected = model.lower_bound(probe);
      if (!slot != (expected == model.end())) FAIL("first");
      if (slot && (at != expected->first || *slot != expected->second)) FAIL("first is wrong");
      at = probe;
      slot = judy::map_last(root, &at);
      expected = model.upper_bound(probe);
      if (!slot != (expected == model.begin())) FAIL("last");
      if (slot && (at != std::prev(expected)->first || *slot != std::prev(expected)->second)) FAIL("last is wrong");
      slot = judy::map_get(root, probe);
      const auto exact = model.find(probe);
      if (!slot != (exact == model.end()) || (slot && *slot != exact->second)) FAIL("get");
    }
    std::uint64_t word = 0;
    void** slot = judy::map_first(root, &word);
    for (const auto& [key, value] : model) {
      if (!slot || word != key || *slot != value) FAIL("the walk went astray");
      slot = judy::map_next(root, &word);
    }
    REQUIRE(slot == nullptr);
    judy::map_clear(&root);
    REQUIRE(pool->bytes_in_use() == 0);
    REQUIRE(pool->emergencies() == 0);
  }
}

TEST_CASE("libJudy: Judy1 agrees with std::set", "[judy_pool][libjudy]") {
  INFO("seed " << test::seed());
  for (int kind = 0; kind < 5; ++kind) {
    std::mt19937_64 random(test::seed() + static_cast<unsigned>(kind));
    PagedPool pool;
    PoolScope scope(*pool);
    void* root = nullptr;
    std::set<std::uint64_t> model;
    for (int i = 0; i < 60000; ++i) {
      const bool grow = (i / 10000) % 2 == 0;
      const std::uint64_t word = awkward_word(random, kind);
      if (random() % 100 < (grow ? 75u : 25u)) {
        pool.pages().make_ready();
        if (judy::set_insert(&root, word) != model.insert(word).second) FAIL("an insertion went wrong");
      } else if (judy::set_erase(&root, word) != (model.erase(word) == 1)) {
        FAIL("an erasure went wrong");
      }
      const std::uint64_t probe = awkward_word(random, kind);
      std::uint64_t at = probe;
      const auto expected = model.lower_bound(probe);
      const bool found = judy::set_first(root, &at);
      if (found != (expected != model.end()) || (found && at != *expected)) FAIL("first");
      if (judy::set_has(root, probe) != (model.count(probe) == 1)) FAIL("has");
    }
    std::uint64_t word = 0;
    bool found = judy::set_first(root, &word);
    for (const std::uint64_t key : model) {
      if (!found || word != key) FAIL("the walk went astray");
      found = judy::set_next(root, &word);
    }
    REQUIRE_FALSE(found);
    judy::set_clear(&root);
    REQUIRE(pool->bytes_in_use() == 0);
  }
}
