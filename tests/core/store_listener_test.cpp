// What a store's listener is told, and what not.
#include <string>
#include <vector>

#include "store_fixture.h"

using namespace coppice;

namespace {

using Told = std::vector<std::string>;

struct Listener final : StoreListener {
  void on_change(Database db, std::string_view key) override { add("change", db, key); }
  void on_erase_prefix(Database db, std::string_view prefix) override { add("prefix", db, prefix); }
  void on_invalidate_tags(Database db, std::span<const std::string_view> tags, Version v) override {
    for (const std::string_view tag : tags) add("tag", db, tag);
    version = v;
  }
  void on_flush(Database db) override { add("flush", db, ""); }
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
  CHECK(f.listener.take() == Told{"change 0 new", "change 0 new", "change 0 tagged", "change 0 late", "change 1 n"});
  REQUIRE(*f.store->set_deadline(0, "new", f.in(10)));
  REQUIRE(*f.store->set_deadline(0, "new", f.clock.monotonic_ms() - 1));
  CHECK(f.listener.take() == Told{"change 0 new", "change 0 new"});
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
        Told{"change 0 absent", "prefix 1 absent.", "tag 2 red", "tag 2 round", "flush 3 ", "flush 4 ", "flush 5 "});
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
