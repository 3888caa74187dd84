#include "deadline_index.h"

#include <set>

#include "index_fixture.h"
#include "support/catch.h"

using namespace coppice;
using test::PagedPool;

TEST_CASE("DeadlineIndex: the earliest pair is first, negative deadlines included", "[deadline_index]") {
  PagedPool pool;
  pool.pages().make_ready();
  DeadlineIndex index(*pool);
  REQUIRE_FALSE(index.first());
  index.insert(500, 1);
  index.insert(-3, 2);
  index.insert(std::numeric_limits<Millis>::min(), 3);
  index.insert(kNoDeadline - 1, 4);
  index.insert(0, 5);
  REQUIRE(index.first()->deadline == std::numeric_limits<Millis>::min());
  REQUIRE(index.erase(std::numeric_limits<Millis>::min(), 3));
  REQUIRE(index.first()->deadline == -3);
  REQUIRE(index.first()->ref == 2);
  REQUIRE(index.size() == 4);
}

TEST_CASE("DeadlineIndex: only the very pair is erased", "[deadline_index]") {
  PagedPool pool;
  pool.pages().make_ready();
  DeadlineIndex index(*pool);
  index.insert(10, 7);
  REQUIRE_FALSE(index.erase(10, 8));
  REQUIRE_FALSE(index.erase(11, 7));
  index.insert(10, 8);
  REQUIRE_FALSE(index.erase(10, 9));
  REQUIRE(index.erase(10, 7));
  REQUIRE_FALSE(index.erase(10, 7));
  REQUIRE(index.first()->ref == 8);
  REQUIRE(index.erase(10, 8));
  REQUIRE(index.size() == 0);
  REQUIRE(pool->bytes_in_use() == 0);
}

TEST_CASE("DeadlineIndex: random operations agree with a set of pairs", "[deadline_index]") {
  INFO("seed " << test::seed());
  std::mt19937_64 random(test::seed());
  // Few deadlines (large sets), some, and mostly different ones.
  for (const std::uint64_t deadlines : {3u, 1000u, 1000000u}) {
    PagedPool pool;
    {
      DeadlineIndex index(*pool);
      std::set<std::pair<Millis, EntryRef>> model;
      const auto pick = [&] {
        return std::pair<Millis, EntryRef>(static_cast<Millis>(random() % deadlines) - 1, 1 + random() % 20000);
      };
      for (int i = 0; i < 100000; ++i) {
        const bool grow = (i / 20000) % 2 == 0;
        const auto [deadline, ref] = pick();
        if (random() % 100 < (grow ? 75u : 25u)) {
          if (!model.emplace(deadline, ref).second) continue;
          pool.pages().make_ready();
          index.insert(deadline, ref);
        } else {
          auto at = model.lower_bound({deadline, ref});
          if (at == model.end() || random() % 4 == 0) {
            if (index.erase(deadline, ref) != (model.erase({deadline, ref}) == 1)) FAIL("an erasure went wrong");
          } else {
            const auto [old_deadline, old] = *at;
            model.erase(at);
            if (random() % 3 == 0 && model.emplace(old_deadline, ref).second) {
              if (!index.replace(old_deadline, old, ref)) FAIL("a pair to replace is not there");
              if (old != ref && index.replace(old_deadline, old, ref)) FAIL("replaced what was not there");
            } else if (!index.erase(old_deadline, old)) {
              FAIL("a pair is not there");
            }
          }
        }
        if (index.size() != model.size()) FAIL("size");
        const auto first = index.first();
        if (first.has_value() == model.empty()) FAIL("first");
        if (first && (first->deadline != model.begin()->first || first->ref != model.begin()->second))
          FAIL("first is wrong");
        const auto probe = pick();
        const auto next = index.next({probe.first, probe.second});
        const auto expected = model.upper_bound(probe);
        if (next.has_value() != (expected != model.end())) FAIL("next");
        if (next && (next->deadline != expected->first || next->ref != expected->second)) FAIL("next is wrong");
      }
      auto due = index.first();
      for (const auto& [deadline, ref] : model) {
        if (!due || due->deadline != deadline || due->ref != ref) FAIL("the walk went astray");
        due = index.next(*due);
      }
      REQUIRE_FALSE(due);
    }
    REQUIRE(pool->bytes_in_use() == 0);
    REQUIRE(pool->emergencies() == 0);
  }
}

TEST_CASE("DeadlineIndex: removals need no more memory than was there when the pool ran short", "[deadline_index]") {
  INFO("seed " << test::seed());
  std::mt19937_64 random(test::seed());
  for (const std::uint64_t deadlines : {1u, 300u, 5000u, 100000000u}) {
    PagedPool pool;
    for (int i = 0; i < 4; ++i) pool.pages().add();
    DeadlineIndex index(*pool);
    std::set<std::pair<Millis, EntryRef>> model;
    for (int round = 0; round < 4; ++round) {
      for (int tries = 0; pool->ready() && tries < 400000; ++tries) {
        const auto deadline = static_cast<Millis>(random() % deadlines * (round + 1));
        const EntryRef ref = deadlines == 1 ? random() % (1ull << 35) : 1 + random() % 100000;
        if (!model.emplace(deadline, ref).second) continue;
        const std::size_t before = pool->free_granules();
        pool->reset_least_free();
        index.insert(deadline, ref);
        if (before - std::min(before, pool->least_free()) > JudyPool::kReserve / 2) FAIL("took too much");
      }
      if (round == 0) REQUIRE_FALSE(pool->ready());
      pool->reset_least_free();
      std::vector<std::pair<Millis, EntryRef>> going(model.begin(), model.end());
      if (round % 2 == 0) std::shuffle(going.begin(), going.end(), random);
      if (round < 3) going.resize(going.size() * 2 / 3);
      for (const auto& [deadline, ref] : going) {
        if (!index.erase(deadline, ref)) FAIL("a pair is not there");
        model.erase({deadline, ref});
      }
      REQUIRE(pool->emergencies() == 0);
      CHECK(pool->least_free() >= JudyPool::kReserve / 4);
    }
    REQUIRE(index.size() == 0);
    REQUIRE(pool->bytes_in_use() == 0);
  }
}
