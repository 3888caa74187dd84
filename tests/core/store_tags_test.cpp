// Tags: what they remove, what they cost, and that nothing of them stays.
#include <algorithm>
#include <string>
#include <vector>

#include "store_fixture.h"

using namespace coppice;

namespace {

using Names = std::vector<std::string>;

struct Fixture : StoreFixture {
  using StoreFixture::StoreFixture;
  Error set(std::string_view key, std::string_view value, const std::vector<std::string_view>& tags,
            SetOptions options = {}) {
    options.tags = tags;
    return store->set(0, key, {ValueType::kString, value}, options).error();
  }
  std::uint64_t invalidate(const std::vector<std::string_view>& tags, Database db = 0) {
    return store->invalidate_tags(db, tags);
  }
  Names tagged(std::string_view tag, std::optional<std::string_view> after = std::nullopt) {
    Names keys;
    store->scan_tag(0, tag, after, [&](const EntryView& e) {
      keys.emplace_back(e.key);
      return true;
    });
    return keys;
  }
  Names tags(std::string_view key) { return store->tags_of(0, key); }
  bool has(std::string_view key) { return store->peek(0, key).has_value(); }
};

}  // namespace

TEST_CASE("invalidation removes what has the tag and nothing else", "[tags]") {
  Fixture f;
  f.set("a", "1", {"red"});
  f.set("b", "2", {"red", "round"});
  f.set("c", "3", {"round"});
  f.set("d", "4", {});
  CHECK(f.invalidate({"red"}) == 2);
  CHECK_FALSE(f.has("a"));
  CHECK_FALSE(f.has("b"));
  CHECK(f.has("c"));
  CHECK(f.has("d"));
}

TEST_CASE("an entry with two of the tags is removed once", "[tags]") {
  Fixture f;
  f.set("a", "1", {"red", "round"});
  f.set("b", "2", {"round"});
  CHECK(f.invalidate({"red", "round", "round", "absent"}) == 2);
}

TEST_CASE("a tag without members costs nothing", "[tags]") {
  Fixture f;
  const StoreStats before = f.store->stats();
  f.set("a", "1", {"red", "round"});
  CHECK(f.store->stats().tags == 2);
  CHECK(f.store->stats().tag_memberships == 2);
  CHECK(f.store->stats().tag_index_bytes > 0);
  SECTION("after an invalidation") { f.invalidate({"red"}); }
  SECTION("after a removal") { f.store->erase(0, "a"); }
  SECTION("after a write without tags") { f.set("a", "2", {}); }
  SECTION("after the prefix went") { f.store->erase_prefix(0, "a"); }
  SECTION("after expiry") {
    f.set("a", "1", {"red", "round"}, {.deadline = f.in(10)});
    f.clock.advance(11);
    f.store->prune();
  }
  SECTION("after the database was emptied") {
    f.store->flush(0);
    while (f.store->purge(100)) {
    }
  }
  const StoreStats after = f.store->stats();
  CHECK(after.tags == 0);
  CHECK(after.tag_memberships == 0);
  CHECK(after.tag_index_bytes == 0);
  CHECK(after.order_index_bytes <= before.order_index_bytes);
}

TEST_CASE("a write replaces the tags of the one before", "[tags]") {
  Fixture f;
  f.set("a", "1", {"red", "round"});
  f.set("a", "2", {"round", "soft"});
  CHECK(f.tags("a") == Names{"round", "soft"});
  CHECK(f.tagged("red").empty());
  CHECK(f.invalidate({"red"}) == 0);
  CHECK(f.has("a"));
}

TEST_CASE("tags are any bytes, in bytewise order, doubles once", "[tags]") {
  Fixture f;
  const std::string zero("\0", 1), high("\xff\xfe", 2), longest(kMaxTagLength, 't');
  f.set("a", "1", {high, "b", zero, longest, "b"});
  CHECK(f.tags("a") == Names{zero, "b", longest, high});
  CHECK(f.invalidate({zero}) == 1);
}

TEST_CASE("what cannot be a tag is refused and changes nothing", "[tags]") {
  Fixture f;
  f.set("a", "old", {"red"});
  CHECK(f.set("a", "new", {"red", ""}) == Error::kEmptyTag);
  const std::string too_long(kMaxTagLength + 1, 't');
  CHECK(f.set("a", "new", {too_long}) == Error::kTagTooLong);
  Names names;
  for (std::size_t i = 0; i <= kMaxTags; ++i) names.push_back(std::to_string(i));
  CHECK(f.set("a", "new", {names.begin(), names.end()}) == Error::kTooManyTags);
  CHECK(f.store->peek(0, "a")->value() == "old");
  CHECK(f.tags("a") == Names{"red"});
}

TEST_CASE("a key may have as many tags as the limit says", "[tags]") {
  Fixture f({.max_memory = 16 << 20});
  Names names;
  for (std::size_t i = 0; i < kMaxTags; ++i) names.push_back("tag" + std::to_string(i));
  const std::string value(70'000, 'v');
  REQUIRE(f.set("a", value, {names.begin(), names.end()}) == Error::kNone);
  CHECK(f.store->stats().tags == kMaxTags);
  CHECK(f.store->peek(0, "a")->value() == value);
  std::sort(names.begin(), names.end());
  CHECK(f.tags("a") == names);
  CHECK(f.store->check() == "");
  CHECK(f.invalidate({"tag4095"}) == 1);
  CHECK(f.store->stats().tags == 0);
}

TEST_CASE("a counter and a new deadline keep the tags", "[tags]") {
  const bool shared = GENERATE(false, true);
  Fixture f({.shared = shared});
  f.set("n", "41", {"red", "round"});
  REQUIRE(*f.store->increment(0, "n", 1) == 42);
  REQUIRE(*f.store->set_deadline(0, "n", f.in(1000)));
  CHECK(f.tags("n") == Names{"red", "round"});
  CHECK(f.store->check() == "");
  CHECK(f.invalidate({"round"}) == 1);
  CHECK_FALSE(f.has("n"));
}

TEST_CASE("a set may keep the tags of the entry before", "[tags]") {
  Fixture f;
  f.set("a", "1", {"red"});
  f.set("a", "2", {}, {.keep_tags = true});
  CHECK(f.tags("a") == Names{"red"});
  f.set("new", "1", {}, {.keep_tags = true});
  CHECK(f.tags("new").empty());
}

TEST_CASE("a walk over a tag is in key order and goes on behind a key", "[tags]") {
  Fixture f;
  Names expected;
  for (int i = 0; i < 500; ++i) {
    const std::string k = "key" + std::to_string(i * 7919 % 500);
    f.set(k, "v", {"red"});
    expected.push_back(k);
  }
  std::sort(expected.begin(), expected.end());
  CHECK(f.tagged("red") == expected);
  CHECK(f.tagged("red", expected[99]) == Names(expected.begin() + 100, expected.end()));
  CHECK(f.tagged("blue").empty());
  CHECK(f.store->count_tag(0, "red") == 500);
}

TEST_CASE("an expired member is neither counted nor shown nor removed", "[tags]") {
  Fixture f;
  f.set("a", "1", {"red"}, {.deadline = f.in(10)});
  f.set("b", "1", {"red"});
  f.clock.advance(11);
  CHECK(f.store->count_tag(0, "red") == 1);
  CHECK(f.tagged("red") == Names{"b"});
  CHECK(f.tags("a").empty());
  CHECK(f.invalidate({"red"}) == 1);
}

TEST_CASE("a database has tags of its own", "[tags]") {
  Fixture f;
  const std::string_view tags[] = {"red"};
  f.set("a", "1", {"red"});
  REQUIRE(f.store->set(1, "a", {ValueType::kString, "2"}, {.tags = tags}));
  CHECK(f.invalidate({"red"}, 1) == 1);
  CHECK(f.has("a"));
  f.store->swap(0, 1);
  CHECK(f.invalidate({"red"}) == 0);
  CHECK(f.invalidate({"red"}, 1) == 1);
}

TEST_CASE("what is written while a removal goes on survives it", "[tags]") {
  Fixture f;
  for (int i = 0; i < 1000; ++i) f.set("key" + std::to_string(i), "old", {"red", "round"});
  const std::string_view tags[] = {"red"};
  TagErase erase = f.store->begin_invalidate_tags(0, tags);
  REQUIRE_FALSE(f.store->step(erase, 10));
  for (int i = 0; i < 100; ++i) f.set("key" + std::to_string(i), "new", {"red"});
  while (!f.store->step(erase, 10)) {
  }
  CHECK(f.store->count_tag(0, "red") == 100);
  CHECK(f.store->stats().entries == 100);
  CHECK(f.store->count_tag(0, "round") == 0);
}

TEST_CASE("a step removes no more than its budget", "[tags]") {
  Fixture f;
  for (int i = 0; i < 1000; ++i) f.set("key" + std::to_string(i), "v", {"red"});
  const std::string_view tags[] = {"red"};
  TagErase erase = f.store->begin_invalidate_tags(0, tags);
  f.store->step(erase, 7);
  CHECK(erase.removed() == 7);
  CHECK(f.store->stats().entries == 993);
}

TEST_CASE("eviction and moving keep the tags right", "[tags]") {
  const auto policy = GENERATE(Policy::kAllKeysLru, Policy::kAllKeysRandom, Policy::kVolatileTtl);
  Fixture f({.max_memory = 3 << 20, .policy = policy});
  for (int i = 0; i < 60'000; ++i) {
    const std::string group = "group" + std::to_string(i / 10 % 500), kind = "kind" + std::to_string(i % 3);
    SetOptions options;
    options.deadline = f.in(1'000'000 + i % 100);
    f.set("key" + std::to_string(i), std::string(20 + i / 10'000 * 90, 'v'), {group, kind}, options);
    if (i % 20'000 == 0) CHECK(f.store->check() == "");
  }
  const StoreStats s = f.store->stats();
  CHECK(s.evicted > 0);
  CHECK(s.moved > 0);
  CHECK(s.tag_memberships == 2 * s.entries);
  const std::uint64_t counted = f.store->count_tag(0, "kind0");
  CHECK(counted > 0);
  CHECK(f.invalidate({"kind0"}) == counted);
}

TEST_CASE("a write that finds no room leaves the old value with its tags", "[tags]") {
  Fixture f({.max_memory = 2 << 20, .policy = Policy::kNoEviction});
  f.set("a", "old", {"red", "round"});
  int filled = 0;
  while (f.set("fill" + std::to_string(filled), std::string(500, 'v'), {"fill"}) == Error::kNone) ++filled;
  Names names{"red"};
  for (int i = 0; i < 4000; ++i) names.push_back("tag" + std::to_string(i));
  CHECK(f.set("a", "new", {names.begin(), names.end()}) == Error::kOutOfMemory);
  CHECK(f.store->peek(0, "a")->value() == "old");
  CHECK(f.tags("a") == Names{"red", "round"});
  CHECK(f.store->stats().tags == 3);
  CHECK(f.store->check() == "");
  CHECK(f.invalidate({"fill"}) == static_cast<std::uint64_t>(filled));
}

// ---- as users of other caches reported it

TEST_CASE("a million rounds of set and invalidate leave memory as it was", "[tags][reports]") {
  Fixture f({.max_memory = 8 << 20});
  const auto round = [&f](int i) {
    const std::string name = "unique" + std::to_string(i * 2654435761u);
    f.set(name, name, {"test"});
    REQUIRE(f.invalidate({"test"}) == 1);
  };
  for (int i = 0; i < 1000; ++i) round(i);
  const StoreStats before = f.store->stats();
  for (int i = 1000; i < 1'000'000; ++i) round(i);
  const StoreStats after = f.store->stats();
  CHECK(after.used_memory == before.used_memory);
  CHECK(after.free_bytes == before.free_bytes);
  CHECK(after.tag_index_bytes == 0);
}

TEST_CASE("half a million keys under one tag go", "[tags][reports]") {
  Fixture f({.max_memory = 256 << 20});
  for (int i = 0; i < 500'000; ++i) REQUIRE(f.set("key" + std::to_string(i), "v", {"all"}) == Error::kNone);
  CHECK(f.store->count_tag(0, "all") == 500'000);
  const std::string_view tags[] = {"all"};
  TagErase erase = f.store->begin_invalidate_tags(0, tags);
  while (!f.store->step(erase, 1000)) {
  }
  CHECK(erase.removed() == 500'000);
  CHECK(f.store->stats().entries == 0);
  CHECK(f.store->stats().tags == 0);
}

TEST_CASE("bookkeeping follows what lives, not what has been", "[tags][reports]") {
  Fixture f({.max_memory = 32 << 20});
  const auto churn = [&f](int from, int to) {
    for (int i = from; i < to; ++i) {
      const std::string tag = "session" + std::to_string(i), group = "group" + std::to_string(i % 97);
      f.set("key" + std::to_string(i), "v", {tag, group}, {.deadline = f.in(1000)});
      f.clock.advance(1);
      f.store->expire(4);
    }
  };
  churn(0, 20'000);
  const StoreStats before = f.store->stats();
  churn(20'000, 220'000);
  const StoreStats after = f.store->stats();
  CHECK(after.entries <= before.entries + 10);
  CHECK(after.tag_memberships == 2 * after.entries);
  CHECK(after.tags <= after.entries + 97);
  CHECK(after.tag_index_bytes < before.tag_index_bytes * 11 / 10);
}
