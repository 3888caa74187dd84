// What a store's listener is told, and what not.
#include <algorithm>
#include <string>
#include <vector>

#include "store_fixture.h"

using namespace coppice;

namespace {

using Told = std::vector<std::string>;

struct Listener final : StoreListener {
  void on_change(Database db, std::string_view key, Change change) override {
    constexpr const char* kNames[] = {"created", "written", "deadline", "erased", "nothing"};
    add(kNames[static_cast<int>(change)], db, key);
  }
  void on_erase_prefix(Database db, std::string_view prefix) override { add("prefix", db, prefix); }
  void on_invalidate_tags(Database db, std::span<const std::string_view> tags, Version v) override {
    for (const std::string_view tag : tags) add("tag", db, tag);
    version = v;
  }
  void on_flush(Database db) override { add("flush", db, ""); }
  void on_expire(Database db, std::string_view key) override { add("expired", db, key); }
  void on_evict(Database db, std::string_view key) override { add("evicted", db, key); }
  void add(std::string what, Database db, std::string_view name) {
    told.push_back(what + " " + std::to_string(db) + " " + std::string(name));
  }
  Told take() { return std::exchange(told, {}); }

  Told told;
  Version version = 0;
};

struct Fixture : StoreFixture {
  explicit Fixture(StoreOptions options = {}) : StoreFixture(options) { store->set_listener(&listener); }
  void set(std::string_view key, const SetOptions& options = {}) {
    (void)store->set(0, key, {ValueType::kString, "v"}, options);
  }

  Listener listener;
};

}  // namespace

TEST_CASE("a listener is told of each write", "[listener]") {
  const bool shared = GENERATE(false, true);
  Fixture f({.shared = shared});
  const std::string_view tags[] = {"red"};
  f.set("new");
  f.set("new");
  f.set("tagged", {.tags = tags});
  f.set("late", {.deadline = f.clock.monotonic_ms() - 1});
  REQUIRE(f.store->increment(1, "n", 1));
  CHECK(f.listener.take() ==
        Told{"created 0 new", "written 0 new", "created 0 tagged", "nothing 0 late", "created 1 n"});
  REQUIRE(*f.store->set_deadline(0, "new", f.in(10)));
  REQUIRE(*f.store->set_deadline(0, "new", f.clock.monotonic_ms() - 1));
  CHECK(f.listener.take() == Told{"deadline 0 new", "erased 0 new"});
  f.set("tagged", {.tags = tags});
  f.set("tagged", {.deadline = f.clock.monotonic_ms() - 1});
  CHECK(f.listener.take() == Told{"written 0 tagged", "erased 0 tagged"});
}

TEST_CASE("a listener is told of removals, also of what is not there", "[listener]") {
  Fixture f;
  f.store->erase(0, "absent");
  f.store->erase_prefix(1, "absent.");
  const std::string_view tags[] = {"red", "round"};
  f.store->invalidate_tags(2, tags);
  f.store->flush(3);
  f.store->swap(4, 5);
  CHECK(f.listener.take() ==
        Told{"nothing 0 absent", "prefix 1 absent.", "tag 2 red", "tag 2 round", "flush 3 ", "flush 4 ", "flush 5 "});
}

TEST_CASE("a listener is not told of what changes nothing", "[listener]") {
  Fixture f;
  f.set("k", {.when = When::kIfPresent});
  f.set("");
  const std::string_view bad[] = {""};
  f.set("k", {.tags = bad});
  REQUIRE_FALSE(*f.store->set_deadline(0, "k", kNoDeadline));
  f.store->find(0, "k");
  f.store->swap(1, 1);
  CHECK(f.listener.take().empty());
}

TEST_CASE("a listener is not told of expiry, eviction, purges and moves", "[listener]") {
  Fixture f({.max_memory = 2 << 20});
  for (int i = 0; i < 60'000; ++i) f.set("key" + std::to_string(i), {.deadline = f.in(1 + i % 50)});
  f.store->flush(0);
  f.set("timed", {.deadline = f.in(10)});
  f.listener.take();
  f.clock.advance(100);
  f.store->prune();
  while (f.store->purge(1000)) {
  }
  CHECK(f.listener.take().empty());
  CHECK(f.store->stats().evicted > 0);
}

TEST_CASE("nobody is told once the listener is taken back", "[listener]") {
  Fixture f;
  f.store->set_listener(nullptr);
  f.set("k");
  f.store->erase(0, "k");
  CHECK(f.listener.take().empty());
}

TEST_CASE("an invalidation's version lies between those before and those behind it", "[listener]") {
  Fixture f;
  const Version grant = f.store->take_version();
  const std::string_view tags[] = {"red"};
  f.store->invalidate_tags(0, tags);
  CHECK(f.listener.version > grant);
  CHECK(f.store->take_version() > f.listener.version);
  CHECK(f.store->set(0, "k", {ValueType::kString, "v"})->version > f.listener.version);
}

TEST_CASE("an observer is told once of each entry that expires, a listener beside it of none", "[listener]") {
  Fixture f;
  Listener observer;
  f.store->set_observer(&observer);
  const std::string_view tags[] = {"red"};
  f.set("swept", {.deadline = f.in(10)});
  f.set("stale", {.deadline = f.in(10), .stale = 20});
  f.set("overwritten", {.deadline = f.in(10)});
  f.set("tagged", {.deadline = f.in(10), .tags = tags});
  f.set("erased", {.deadline = f.in(10)});
  f.set("branch.erased", {.deadline = f.in(10)});
  CHECK(observer.take() == f.listener.take());
  f.clock.advance(15);
  f.set("overwritten");
  f.set("tagged", {.tags = tags});
  f.store->erase(0, "erased");
  f.store->erase_prefix(0, "branch.");
  CHECK(observer.take() == Told{"expired 0 overwritten", "created 0 overwritten", "expired 0 tagged",
                                "created 0 tagged", "expired 0 erased", "nothing 0 erased", "prefix 0 branch.",
                                "expired 0 branch.erased"});
  CHECK(f.listener.take() == Told{"created 0 overwritten", "created 0 tagged", "nothing 0 erased", "prefix 0 branch."});
  f.store->prune();
  auto told = observer.take();
  std::sort(told.begin(), told.end());
  CHECK(told == Told{"expired 0 stale", "expired 0 swept"});
  f.set("stale");
  f.clock.advance(100);
  f.store->prune();
  CHECK(observer.take() == Told{"created 0 stale"});
  f.store->set_observer(nullptr);
  f.set("stale");
  CHECK(observer.take().empty());
  CHECK(f.listener.take() == Told{"created 0 stale", "written 0 stale"});
}

TEST_CASE("an observer is told of evictions, but not of what a flush had removed", "[listener]") {
  StoreFixture f({.max_memory = 2 << 20});
  Listener observer;
  for (int i = 0; i < 1'000; ++i) (void)f.store->set(0, "old" + std::to_string(i), {ValueType::kString, "v"});
  f.store->flush(0);
  f.store->set_observer(&observer);
  for (int i = 0; i < 40'000; ++i) (void)f.store->set(0, "key" + std::to_string(i), {ValueType::kString, "v"});
  std::uint64_t evicted = 0;
  for (const std::string& what : observer.take()) {
    if (what.starts_with("evicted")) ++evicted;
    CHECK_FALSE(what.starts_with("evicted 0 old"));
  }
  CHECK(evicted > 0);
  CHECK(evicted == f.store->stats().evicted);
  f.store->set_observer(nullptr);
}
