// Stale windows and compute times: what is kept beyond its deadline, and who sees it.
#include <string>

#include "store_fixture.h"

using namespace coppice;

namespace {

struct Fixture : SharedStoreFixture {
  using SharedStoreFixture::SharedStoreFixture;
  void set(std::string_view key, std::string_view value, Millis ttl, Millis stale, std::uint32_t compute_us = 0) {
    REQUIRE(
        store->set(0, key, {ValueType::kString, value},
                   {.deadline = deadline_after(clock.monotonic_ms(), ttl), .compute_us = compute_us, .stale = stale}));
  }
  void pass(Millis ms, bool sweep) {
    clock.advance(ms);
    if (sweep) store->expire(1000);
  }
  std::string read_stale(std::string_view key, RefreshInfo* info) {
    std::string value;
    const auto dest = [&value](const ReadInfo& e) {
      value.resize(e.value_size);
      return value.data();
    };
    const ReadStatus status = reader->read_stale(0, key, clock.monotonic_ms(), dest, info);
    return status == ReadStatus::kHit ? value : status == ReadStatus::kMiss ? "(miss)" : "(ask)";
  }
  std::string read_stale(std::string_view key) {
    RefreshInfo info;
    return read_stale(key, &info);
  }
};

const std::string kLarge(150'000, 'v');

}  // namespace

TEST_CASE("in its stale window an entry is a miss for all but those who refresh", "[stale]") {
  const bool swept = GENERATE(false, true);
  const std::string value = GENERATE(std::string("v"), kLarge);
  Fixture f;
  f.set("k", value, 100, 1000, 7);
  f.pass(150, swept);
  CHECK_FALSE(f.store->find(0, "k").has_value());
  CHECK(f.store->count_prefix(0, "") == 0);
  CHECK(f.store->count_prefix(0, "k") == 0);
  std::size_t seen = 0;
  f.store->scan(0, {}, [&seen](const EntryView&) { return ++seen > 0; });
  CHECK(seen == 0);
  const auto stale = f.store->find_stale(0, "k");
  REQUIRE(stale);
  CHECK(stale->is_stale);
  CHECK(stale->entry.value() == value);
  CHECK(stale->stale == 1000);
  CHECK(stale->compute_us == 7);
}

TEST_CASE("behind its stale window an entry is gone for everybody", "[stale]") {
  const bool swept = GENERATE(false, true);
  Fixture f;
  f.set("k", "v", 100, 1000);
  f.pass(150, swept);
  f.pass(1000, swept);
  CHECK_FALSE(f.store->find_stale(0, "k").has_value());
  CHECK(f.read_stale("k") == "(miss)");
  CHECK(f.store->prune() == (swept ? 0 : 1));
  CHECK(f.store->stats().entries == 0);
}

TEST_CASE("a reader sees the stale window as the store does", "[stale][reader]") {
  const bool swept = GENERATE(false, true);
  const std::string value = GENERATE(std::string("v"), kLarge);
  Fixture f;
  f.set("k", value, 1000, 5000, 1234);
  RefreshInfo info;
  CHECK(f.read_stale("k", &info) == value);
  CHECK_FALSE(info.is_stale);
  CHECK(info.compute_us == 1234);
  f.pass(1500, swept);
  CHECK(f.read_stale("k", &info) == value);
  CHECK(info.is_stale);
  CHECK(info.stale == 5000);
  ReadInfo plain;
  std::string copy(value.size(), '\0');
  CHECK(f.reader->read(
            0, "k", f.clock.monotonic_ms(), [&](const ReadInfo&) { return copy.data(); }, &plain) == ReadStatus::kMiss);
  f.pass(5000, swept);
  CHECK(f.read_stale("k") == "(miss)");
}

TEST_CASE("a reader finds nothing to refresh in an entry without a window", "[stale][reader]") {
  Fixture f;
  f.set("timed", "v", 1000, 0);
  const std::string_view tags[] = {"a", "b"};
  REQUIRE(f.store->set(0, "tagged", {ValueType::kString, "w"}, {.tags = tags}));
  RefreshInfo info;
  CHECK(f.read_stale("tagged", &info) == "w");
  CHECK(info.stale == 0);
  CHECK(info.compute_us == 0);
  CHECK(f.read_stale("timed") == "v");
  f.pass(1500, false);
  CHECK(f.read_stale("timed") == "(miss)");
}

TEST_CASE("whatever removes a key removes it in its stale window too", "[stale]") {
  const bool swept = GENERATE(false, true);
  Fixture f;
  const std::string_view tags[] = {"red"};
  REQUIRE(f.store->set(0, "k", {ValueType::kString, "v"},
                       {.deadline = deadline_after(f.clock.monotonic_ms(), 100), .stale = 1000, .tags = tags}));
  f.pass(150, swept);
  SECTION("erase, which found nothing live") { CHECK_FALSE(f.store->erase(0, "k")); }
  SECTION("a prefix") { CHECK(f.store->erase_prefix(0, "k") == 0); }
  SECTION("a tag") { CHECK(f.store->invalidate_tags(0, tags) == 0); }
  SECTION("a flush") {
    f.store->flush(0);
    f.store->purge(10);
  }
  CHECK_FALSE(f.store->find_stale(0, "k").has_value());
  CHECK(f.store->stats().entries == 0);
  CHECK(f.store->stats().tags == 0);
}

TEST_CASE("a stale entry is absent for conditions, and a new one takes its place", "[stale]") {
  const bool swept = GENERATE(false, true);
  Fixture f;
  f.set("k", "old", 100, 1000);
  f.pass(150, swept);
  CHECK_FALSE(f.store->set(0, "k", {ValueType::kString, "x"}, {.when = When::kIfPresent})->stored);
  CHECK_FALSE(*f.store->set_deadline(0, "k", kNoDeadline));
  CHECK(f.store->set(0, "k", {ValueType::kString, "new"}, {.when = When::kIfAbsent})->stored);
  CHECK(f.store->find(0, "k")->value() == "new");
  CHECK(f.store->stats().stale == 0);
}

TEST_CASE("a new deadline keeps window and compute time", "[stale]") {
  Fixture f;
  f.set("k", "v", 100, 1000, 5);
  REQUIRE(*f.store->set_deadline(0, "k", deadline_after(f.clock.monotonic_ms(), 500)));
  f.pass(600, true);
  const auto stale = f.store->find_stale(0, "k");
  REQUIRE(stale);
  CHECK(stale->is_stale);
  CHECK(stale->compute_us == 5);
}

TEST_CASE("a window longer than its field is cut to it", "[stale]") {
  Fixture f;
  f.set("k", "v", 100, kNoDeadline);
  CHECK(f.store->find_stale(0, "k")->stale == 0xffff'ffff);
}

TEST_CASE("entries in their windows make way when room is wanted", "[stale]") {
  const auto policy = GENERATE(Policy::kAllKeysLru, Policy::kVolatileTtl, Policy::kVolatileLru);
  Fixture f({.max_memory = 2 << 20, .policy = policy});
  for (int i = 0; i < 30'000; ++i) {
    f.set("key" + std::to_string(i), std::string(100, 'v'), 10, 100'000);
    f.clock.advance(1);
    f.store->expire(2);
  }
  CHECK(f.store->stats().evicted + f.store->stats().expired > 0);
  CHECK(f.store->stats().stale > 0);
}

TEST_CASE("the next deadline is that of whichever index is first", "[stale]") {
  Fixture f;
  f.set("k", "v", 100, 50);
  f.set("later", "v", 1000, 0);
  const Millis start = f.clock.monotonic_ms();
  CHECK(f.store->next_deadline() == start + 100);
  f.pass(120, true);
  CHECK(f.store->next_deadline() == start + 150);
}
