#include "coppice/store.h"

#include <set>
#include <string>
#include <vector>

#include "store_fixture.h"

using namespace coppice;

namespace {

struct Fixture : StoreFixture {
  using StoreFixture::StoreFixture;
  bool set(std::string_view key, std::string_view value, const SetOptions& o = {}) {
    const auto r = store->set(0, key, {ValueType::kString, value}, o);
    return r && r->stored;
  }
  std::string get(std::string_view key) {
    const auto e = store->find(0, key);
    return e ? e->value() : "(miss)";
  }
  std::vector<std::string> keys(const ScanRange& range = {}) {
    std::vector<std::string> all;
    store->scan(0, range, [&](const EntryView& e) {
      all.emplace_back(e.key);
      return true;
    });
    return all;
  }
};

using Keys = std::vector<std::string>;

}  // namespace

TEST_CASE("a value comes back as it was stored", "[store]") {
  Fixture f;
  const std::string bytes("a\0b\xff", 4);
  CHECK(f.set("k", bytes));
  CHECK(f.get("k") == bytes);
  CHECK(f.set("empty", ""));
  CHECK(f.get("empty").empty());
  CHECK(f.get("other") == "(miss)");
}

TEST_CASE("values of every size around a page come back whole", "[store]") {
  Fixture f({.max_memory = 64 << 20});
  for (const std::size_t size :
       {0u,     1u,     31u,    32u,    33u,    1000u,  21000u,  32768u,  61000u,  65000u,   65500u,
        65511u, 65512u, 65513u, 65535u, 65536u, 65537u, 130000u, 131072u, 126000u, 1000001u, 5000000u}) {
    std::string v(size, '\0');
    for (std::size_t i = 0; i < size; ++i) v[i] = static_cast<char>(i * 31 + i / 4096);
    CAPTURE(size);
    REQUIRE(f.set("k", v));
    CHECK(f.get("k") == v);
    REQUIRE(f.store->set_deadline(0, "k", f.in(1000)));
    CHECK(f.get("k") == v);
    REQUIRE(f.store->set_deadline(0, "k", kNoDeadline));
    CHECK(f.get("k") == v);
  }
}

TEST_CASE("keys are bytes", "[store]") {
  Fixture f;
  const Keys all{std::string("a\0x", 3),
                 std::string("a\0y", 3),
                 "a",
                 "\xfe",
                 "\xff",
                 "e\xcc\x81",
                 "\xc3\xa9",
                 "user name",
                 "user  name",
                 "username",
                 "ユニコード",
                 "0",
                 "123"};
  for (const auto& k : all) CHECK(f.set(k, k));
  for (const auto& k : all) CHECK(f.get(k) == k);
  const std::set<std::string> sorted(all.begin(), all.end());
  CHECK(f.keys() == Keys(sorted.begin(), sorted.end()));
}

TEST_CASE("keys at the limits of length", "[store]") {
  Fixture f;
  const std::string longest(kMaxKeyLength, 'k');
  CHECK(f.set(longest, "v"));
  CHECK(f.get(longest) == "v");
  CHECK(f.store->set(0, "", {}).error() == Error::kEmptyKey);
  CHECK(f.store->set(0, longest + "k", {}).error() == Error::kKeyTooLong);
  CHECK(f.get("") == "(miss)");
  CHECK(f.get(longest + "k") == "(miss)");
  CHECK_FALSE(f.store->erase(0, ""));
  CHECK(f.store->increment(0, "", 1).error() == Error::kEmptyKey);
  CHECK(f.store->set(99, "k", {}).error() == Error::kBadDatabase);
  CHECK(f.store->count(0) == 1);
}

TEST_CASE("every write has a version of its own", "[store]") {
  Fixture f;
  std::set<Version> seen;
  for (int i = 0; i < 100; ++i) {
    const auto r = f.store->set(0, "k", {ValueType::kString, "v"});
    CHECK(seen.insert(r->version).second);
    CHECK(f.store->find(0, "k")->version == r->version);
    if (i % 3 == 0) f.store->erase(0, "k");
  }
}

TEST_CASE("versions go on across a restart, even when the wall clock went back", "[store]") {
  ManualClock clock;
  StoreOptions o;
  o.clock = &clock;
  Version last;
  {
    auto store = Store::create(o);
    last = store->set(0, "k", {})->version;
  }
  clock.set_wall(1000);
  o.version_floor = last;
  auto store = Store::create(o);
  CHECK(store->set(0, "k", {})->version > last);
}

TEST_CASE("an overwrite where the entry lies", "[store]") {
  for (const bool shared : {false, true}) {
    INFO("shared " << shared);
    StoreOptions options;
    options.shared = shared;
    Fixture f(options);
    REQUIRE(f.set("k", "first", {.deadline = f.in(100)}));
    const Version before = f.store->find(0, "k")->version;
    // As long, shorter, empty, with another deadline, a part of itself, longer, without a deadline.
    REQUIRE(f.set("k", "other", {.deadline = f.in(100)}));
    CHECK(f.get("k") == "other");
    CHECK(f.store->find(0, "k")->version > before);
    REQUIRE(f.set("k", "2nd", {.deadline = f.in(50)}));
    CHECK(f.get("k") == "2nd");
    CHECK(f.store->next_deadline() == f.in(50));
    const std::string_view own = f.store->find(0, "k")->contiguous_value();
    REQUIRE(f.set("k", own.substr(1), {.deadline = f.in(50)}));
    CHECK(f.get("k") == "nd");
    REQUIRE(f.set("k", "", {.keep_deadline = true}));
    CHECK(f.get("k").empty());
    CHECK(f.store->next_deadline() == f.in(50));
    REQUIRE(f.store->set(0, "k", {ValueType::kInteger, "7"}, {.deadline = f.in(60)}));
    CHECK(f.store->find(0, "k")->type == ValueType::kInteger);
    REQUIRE(f.set("k", std::string(500, 'x'), {.deadline = f.in(60)}));
    CHECK(f.get("k") == std::string(500, 'x'));
    REQUIRE(f.set("k", "no deadline"));
    CHECK_FALSE(f.store->next_deadline());
    f.clock.advance(1000);
    CHECK(f.get("k") == "no deadline");
    CHECK(f.keys() == Keys{"k"});
  }
}

TEST_CASE("conditions of a write", "[store]") {
  Fixture f;
  CHECK_FALSE(f.set("k", "1", {.when = When::kIfPresent}));
  CHECK(f.set("k", "1", {.when = When::kIfAbsent}));
  CHECK_FALSE(f.set("k", "2", {.when = When::kIfAbsent}));
  CHECK(f.get("k") == "1");
  CHECK(f.set("k", "3", {.when = When::kIfPresent}));
  const Version v = f.store->find(0, "k")->version;
  CHECK(f.set("k", "4", {.when = When::kIfVersion, .version = v}));
  CHECK_FALSE(f.set("k", "5", {.when = When::kIfVersion, .version = v}));
  CHECK_FALSE(f.set("other", "5", {.when = When::kIfVersion, .version = v}));
  CHECK(f.get("k") == "4");
}

TEST_CASE("an expired entry is absent for conditions", "[store]") {
  Fixture f;
  CHECK(f.set("k", "1", {.deadline = f.in(10)}));
  f.clock.advance(10);
  CHECK_FALSE(f.set("k", "2", {.when = When::kIfPresent}));
  CHECK(f.set("k", "2", {.when = When::kIfAbsent}));
  CHECK(f.get("k") == "2");
}

TEST_CASE("an entry is a miss from its deadline on, swept or not", "[store]") {
  Fixture f;
  f.set("k", "v", {.deadline = f.in(10)});
  f.clock.advance(9);
  CHECK(f.get("k") == "v");
  f.clock.advance(1);
  CHECK(f.get("k") == "(miss)");
  CHECK(f.store->count_prefix(0, "k") == 0);
  CHECK(f.keys().empty());
  CHECK_FALSE(f.store->erase(0, "k"));
}

TEST_CASE("a deadline that has passed removes the key", "[store]") {
  Fixture f;
  f.set("k", "v");
  CHECK(f.set("k", "w", {.deadline = f.in(0)}));
  CHECK(f.get("k") == "(miss)");
  f.set("k", "v");
  CHECK(*f.store->set_deadline(0, "k", f.clock.monotonic_ms() - 5));
  CHECK(f.get("k") == "(miss)");
  CHECK(f.store->stats().entries == 0);
}

TEST_CASE("a plain set drops an older deadline, keep_deadline keeps it", "[store]") {
  Fixture f;
  f.set("k", "v", {.deadline = f.in(100)});
  f.set("k", "w", {.keep_deadline = true});
  CHECK(f.store->find(0, "k")->deadline == f.in(100));
  f.set("k", "x");
  CHECK(f.store->find(0, "k")->deadline == kNoDeadline);
}

TEST_CASE("deadlines saturate and never wrap", "[store]") {
  Fixture f;
  CHECK(deadline_after(f.clock.monotonic_ms(), kNoDeadline) == kNoDeadline);
  CHECK(deadline_after(f.clock.monotonic_ms(), kNoDeadline - 1) == kNoDeadline);
  f.set("k", "v", {.deadline = kNoDeadline - 1});
  CHECK(f.get("k") == "v");
  CHECK_FALSE(f.store->expire(10));
}

TEST_CASE("the wall clock may jump", "[store]") {
  Fixture f;
  f.clock.set_wall(1'893'456'000'000'000);
  f.set("k", "v", {.deadline = f.in(10'000)});
  f.clock.set_wall(1'577'836'800'000'000);
  CHECK(f.get("k") == "v");
  f.clock.advance(10'000);
  CHECK(f.get("k") == "(miss)");
}

TEST_CASE("expiry costs what is due and frees memory without a read", "[store]") {
  Fixture f({.max_memory = 128 << 20});
  for (int i = 0; i < 100'000; ++i) f.set("k" + std::to_string(i), std::string(100, 'v'), {.deadline = f.in(1000)});
  const auto held = f.store->stats().used_memory;
  f.clock.advance(1000);
  CHECK(f.store->expire(10));
  while (f.store->expire(1000)) {
  }
  CHECK(f.store->stats().entries == 0);
  CHECK(f.store->stats().expired == 100'000);
  CHECK(f.store->stats().used_memory < held / 10);
}

TEST_CASE("prune removes all that is due and says how many", "[store]") {
  Fixture f;
  f.set("a", "v", {.deadline = f.in(5)});
  f.set("b", "v", {.deadline = f.in(5)});
  f.set("c", "v");
  f.clock.advance(5);
  CHECK(f.store->prune() == 2);
  CHECK(f.store->prune() == 0);
  CHECK(f.keys() == Keys{"c"});
}

TEST_CASE("counters", "[store]") {
  Fixture f;
  CHECK(*f.store->increment(0, "n", -1) == -1);
  CHECK(*f.store->increment(0, "n", 5) == 4);
  CHECK(f.get("n") == "4");
  CHECK(f.store->find(0, "n")->type == ValueType::kInteger);
  CHECK(*f.store->increment(0, "m", 1, {.initial = 41}) == 42);
}

TEST_CASE("a counter keeps its deadline and takes a new one only when it is made", "[store]") {
  Fixture f;
  CHECK(*f.store->increment(0, "n", 1, {.deadline_if_new = f.in(60)}) == 1);
  f.clock.advance(20);
  CHECK(*f.store->increment(0, "n", 1, {.deadline_if_new = f.in(60)}) == 2);
  f.clock.advance(20);
  CHECK(*f.store->increment(0, "n", 1, {.deadline_if_new = f.in(60)}) == 3);
  f.clock.advance(20);
  CHECK(f.get("n") == "(miss)");
}

TEST_CASE("a counter that cannot be counted stays as it was", "[store]") {
  Fixture f;
  for (const std::string text : {"", "abc", "1a", " 1", "+1", "007", "-0", "1.5", "9223372036854775808"}) {
    f.set("k", text);
    CAPTURE(text);
    CHECK(f.store->increment(0, "k", 1).error() == Error::kNotInteger);
    CHECK(f.get("k") == text);
  }
  f.set("k", "9223372036854775807");
  CHECK(f.store->increment(0, "k", 1).error() == Error::kOverflow);
  CHECK(f.get("k") == "9223372036854775807");
  CHECK(f.store->increment(0, "new", INT64_MIN, {.initial = -1}).error() == Error::kOverflow);
  CHECK(f.get("new") == "(miss)");
  CHECK(f.store->set(0, "array", {ValueType::kArray, "1"}));
  CHECK(f.store->increment(0, "array", 1).error() == Error::kWrongType);
}

TEST_CASE("a prefix is a branch, not a neighbour", "[store]") {
  Fixture f;
  for (const auto* k : {"a.1", "a.2", "ab.1", "a", "b"}) f.set(k, "v");
  CHECK(f.store->count_prefix(0, "a.") == 2);
  CHECK(f.store->erase_prefix(0, "a.") == 2);
  CHECK(f.keys() == Keys{"a", "ab.1", "b"});
}

TEST_CASE("expired entries do not count in a prefix removal", "[store]") {
  Fixture f;
  f.set("p.1", "v");
  f.set("p.2", "v", {.deadline = f.in(1)});
  f.clock.advance(1);
  CHECK(f.store->count_prefix(0, "p.") == 1);
  CHECK(f.store->erase_prefix(0, "p.") == 1);
  CHECK(f.store->stats().entries == 0);
}

TEST_CASE("a full walk does not spoil the removal after it", "[store]") {
  Fixture f;
  for (int i = 0; i < 5; ++i) f.set("my_key_" + std::to_string(i), "v");
  CHECK(f.keys({.prefix = "my_key_"}).size() == 5);
  CHECK(f.store->erase_prefix(0, "my_key_") == 5);
  CHECK(f.keys().empty());
}

TEST_CASE("what is written while a range is removed in slices survives", "[store]") {
  Fixture f;
  for (int i = 0; i < 100; ++i) f.set("p." + std::to_string(i), "old");
  RangeErase r = f.store->begin_erase_prefix(0, "p.");
  CHECK_FALSE(f.store->step(r, 10));
  f.set("p.99", "new");
  f.set("p.5x", "new");
  while (!f.store->step(r, 10)) {
  }
  CHECK(f.keys() == Keys{"p.5x", "p.99"});
  CHECK(r.removed() == 99);
}

TEST_CASE("scans go both ways from any key", "[store]") {
  Fixture f;
  for (const auto* k : {"a", "b.1", "b.2", "b.3", "c"}) f.set(k, "v");
  CHECK(f.keys({.prefix = "b."}) == Keys{"b.1", "b.2", "b.3"});
  CHECK(f.keys({.prefix = "b.", .start = "b.1"}) == Keys{"b.2", "b.3"});
  CHECK(f.keys({.prefix = "b.", .start = "b.2", .inclusive = true}) == Keys{"b.2", "b.3"});
  CHECK(f.keys({.prefix = "b.", .start = "b.11"}) == Keys{"b.2", "b.3"});
  CHECK(f.keys({.prefix = "b.", .start = "a"}) == Keys{"b.1", "b.2", "b.3"});
  CHECK(f.keys({.prefix = "b.", .start = "z"}).empty());
  CHECK(f.keys({.prefix = "b.", .reverse = true}) == Keys{"b.3", "b.2", "b.1"});
  CHECK(f.keys({.prefix = "b.", .start = "b.3", .reverse = true}) == Keys{"b.2", "b.1"});
  CHECK(f.keys({.prefix = "b.", .start = "z", .reverse = true}) == Keys{"b.3", "b.2", "b.1"});
  CHECK(f.keys({.prefix = "b.", .start = "a", .reverse = true}).empty());
  CHECK(f.keys({.start = "b.2", .inclusive = true, .reverse = true}) == Keys{"b.2", "b.1", "a"});
}

TEST_CASE("databases are apart; flush and swap are immediate", "[store]") {
  Fixture f;
  CHECK(f.store->set(0, "k", {ValueType::kString, "zero"}));
  CHECK(f.store->set(1, "k", {ValueType::kString, "one"}));
  CHECK(f.store->set(1, "only", {ValueType::kString, "one"}));
  CHECK(f.store->find(0, "k")->value() == "zero");
  CHECK(f.store->find(1, "k")->value() == "one");
  CHECK(f.store->count(1) == 2);
  f.store->swap(0, 1);
  CHECK(f.store->find(0, "k")->value() == "one");
  f.store->flush(0);
  CHECK_FALSE(f.store->find(0, "k"));
  CHECK(f.store->count(0) == 0);
  CHECK(f.store->find(1, "k")->value() == "zero");
  CHECK(f.store->stats().pending_purge == 2);
  CHECK_FALSE(f.store->purge(100));
  CHECK(f.store->stats().entries == 1);
}

TEST_CASE("more flushes than branches", "[store]") {
  Fixture f;
  for (int i = 0; i < 1000; ++i) {
    f.set("k" + std::to_string(i), "v");
    f.store->flush(0);
  }
  CHECK(f.store->count(0) == 0);
}

TEST_CASE("a value above the limit is refused and the old one stays", "[store]") {
  Fixture f({.max_value = 1000});
  f.set("k", "old");
  CHECK(f.store->set(0, "k", {ValueType::kString, std::string(1001, 'v')}).error() == Error::kValueTooLarge);
  CHECK(f.get("k") == "old");
}

TEST_CASE("a value larger than the store is refused and everything stays", "[store]") {
  for (const Policy policy : {Policy::kNoEviction, Policy::kAllKeysLru, Policy::kAllKeysRandom}) {
    Fixture f({.max_memory = 4 << 20, .policy = policy});
    f.set("k", "old");
    f.set("other", "v");
    CHECK(f.store->set(0, "k", {ValueType::kString, std::string(5 << 20, 'v')}).error() == Error::kOutOfMemory);
    CHECK(f.get("k") == "old");
    CHECK(f.get("other") == "v");
  }
}

TEST_CASE("noeviction keeps the old value when there is no room for a new one", "[store]") {
  Fixture f({.max_memory = 2 << 20, .policy = Policy::kNoEviction});
  f.set("k", "old");
  int i = 0;
  while (f.set("fill" + std::to_string(i), std::string(500, 'x'))) ++i;
  CHECK(f.store->set(0, "k", {ValueType::kString, std::string(60'000, 'v')}).error() == Error::kOutOfMemory);
  CHECK(f.get("k") == "old");
  CHECK(f.store->stats().evicted == 0);
  // Deleting always works, and makes room again.
  for (int j = 0; j < i; ++j) CHECK(f.store->erase(0, "fill" + std::to_string(j)));
  CHECK(f.set("k", std::string(60'000, 'v')));
}

TEST_CASE("a large value finds room in a store full of small ones", "[store]") {
  for (const Policy policy : {Policy::kAllKeysLru, Policy::kAllKeysRandom}) {
    Fixture f({.max_memory = 16 << 20, .policy = policy});
    for (int i = 0; i < 600'000; ++i) f.set("k" + std::to_string(i), "small");
    CHECK(f.store->stats().evicted > 0);
    const std::string large(5 << 20, 'L');
    CHECK(f.set("large", large));
    CHECK(f.get("large") == large);
    CHECK(f.store->stats().used_memory <= 16u << 20);
    CHECK(f.store->stats().entries > 10'000);
  }
}

TEST_CASE("a full cache loses the old, not everything", "[store]") {
  Fixture f({.max_memory = 32 << 20});
  for (int i = 0; i < 4000; ++i) CHECK(f.set("k" + std::to_string(i), std::string(10'000, 'v')));
  int alive = 0;
  const int capacity = (32 << 20) / 10'100;
  for (int i = 4000 - capacity; i < 4000; ++i) alive += f.store->peek(0, "k" + std::to_string(i)).has_value();
  CHECK(alive >= capacity * 85 / 100);
}

TEST_CASE("volatile policies leave entries without a deadline alone", "[store]") {
  for (const Policy policy : {Policy::kVolatileLru, Policy::kVolatileTtl}) {
    Fixture f({.max_memory = 2 << 20, .policy = policy});
    for (int i = 0; i < 1000; ++i) REQUIRE(f.set("keep" + std::to_string(i), "v"));
    for (int i = 0; i < 50'000; ++i)
      REQUIRE(f.set("t" + std::to_string(i), std::string(60, 'v'), {.deadline = f.in(100'000 + i)}));
    for (int i = 0; i < 1000; ++i) REQUIRE(f.store->peek(0, "keep" + std::to_string(i)));
    CHECK(f.store->stats().evicted > 0);
  }
}

TEST_CASE("volatile-ttl takes the next to expire first", "[store]") {
  Fixture f({.max_memory = 2 << 20, .policy = Policy::kVolatileTtl});
  for (int i = 0; i < 20'000; ++i)
    REQUIRE(f.set("t" + std::to_string(i), std::string(100, 'v'), {.deadline = f.in(1'000'000 - i)}));
  CHECK(f.store->peek(0, "t0"));
  CHECK_FALSE(f.store->peek(0, "t15000"));
}

TEST_CASE("entries that are read outlive entries that are not", "[store]") {
  Fixture f({.max_memory = 4 << 20});
  for (int i = 0; i < 1000; ++i) f.set("hot" + std::to_string(i), std::string(100, 'h'));
  for (int i = 0; i < 100'000; ++i) {
    f.set("cold" + std::to_string(i), std::string(100, 'c'));
    f.store->find(0, "hot" + std::to_string(i % 1000));
  }
  int alive = 0;
  for (int i = 0; i < 1000; ++i) alive += f.store->peek(0, "hot" + std::to_string(i)).has_value();
  CHECK(alive == 1000);
}

TEST_CASE("bookkeeping does not grow with history", "[store]") {
  Fixture f({.max_memory = 64 << 20});
  std::uint64_t after_first = 0;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 10'000; ++i)
      f.set("r" + std::to_string(round) + "." + std::to_string(i), std::string(50, 'v'), {.deadline = f.in(100)});
    f.clock.advance(100);
    f.store->prune();
    if (round == 0) after_first = f.store->stats().used_memory;
  }
  CHECK(f.store->stats().used_memory <= after_first + 4 * 65536);
}

TEST_CASE("options out of range are refused by name", "[store]") {
  const auto refused = [](StoreOptions o) {
    Store::CreateError error;
    CHECK(Store::create(o, &error) == nullptr);
    return error.message.substr(0, error.message.find(':'));
  };
  CHECK(refused({.max_memory = 100}) == "max_memory");
  CHECK(refused({.max_memory = 1ull << 40}) == "max_memory");
  CHECK(refused({.max_value = 0}) == "max_value");
  CHECK(refused({.max_value = 1u << 30}) == "max_value");
  CHECK(refused({.databases = 0}) == "databases");
  CHECK(refused({.databases = 65}) == "databases");
}

TEST_CASE("a smaller limit takes effect as writes come", "[store]") {
  Fixture f({.max_memory = 16 << 20});
  for (int i = 0; i < 100'000; ++i) f.set("k" + std::to_string(i), std::string(100, 'v'));
  CHECK(f.store->set_max_memory(64 << 20) == Error::kOutOfMemory);
  CHECK(f.store->set_max_memory(8 << 20) == Error::kNone);
  CHECK(f.set("one more", "v"));
  CHECK(f.store->stats().used_memory <= 8u << 20);
}

TEST_CASE("the index grows and shrinks with what it holds", "[store]") {
  Fixture f({.max_memory = 256 << 20});
  for (int i = 0; i < 200'000; ++i) f.set("user." + std::to_string(i / 10) + ".item." + std::to_string(i % 10), "v");
  const auto full = f.store->stats().point_index_bytes;
  CHECK(full >= 200'000 * 8);
  CHECK(f.store->erase_prefix(0, "user.") == 200'000);
  CHECK(f.store->stats().point_index_bytes <= full / 4);
}
