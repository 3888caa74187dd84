// Hashes, sets and sorted sets of the store, small and large.
#include "coppice/collections.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "store_fixture.h"

using namespace coppice;

namespace {

using Order = Collection::Order;

struct CollectionsFixture : StoreFixture {
  explicit CollectionsFixture(StoreOptions options = {}) : StoreFixture(options) {}

  Written put(std::string_view key, ValueType type, std::vector<Element> elements, Database db = 0) {
    const auto done = store->put_elements(db, key, type, elements);
    REQUIRE(done);
    return *done;
  }
  std::uint64_t erase(std::string_view key, ValueType type, std::vector<std::string_view> names) {
    const auto done = store->erase_elements(0, key, type, names);
    REQUIRE(done);
    return *done;
  }
  // Fields "f0" … in a hash, members with scores 0 … in a sorted set.
  void fill(std::string_view key, ValueType type, int n, Database db = 0) {
    std::vector<std::string> names;
    for (int i = 0; i < n; ++i) names.push_back("f" + std::to_string(i));
    std::vector<Element> elements;
    for (int i = 0; i < n; ++i) {
      const auto& name = names[static_cast<std::size_t>(i)];
      elements.push_back({name, type == ValueType::kHash ? std::string_view(name) : "", double(i)});
    }
    put(key, type, elements, db);
  }
  std::optional<Collection> open(std::string_view key, ValueType type, Database db = 0) {
    auto found = store->open(db, key, type);
    REQUIRE(found);
    return *found;
  }
  std::string value(std::string_view key, std::string_view field) {
    const auto hash = open(key, ValueType::kHash);
    if (!hash) return "(no hash)";
    const auto e = hash->find(field);
    return e ? e->value.value() : "(none)";
  }
  std::vector<std::string> names(std::string_view key, ValueType type, Order order = Order::kByName) {
    std::vector<std::string> all;
    if (const auto c = open(key, type))
      for (auto p = c->first(order); p; p = c->next(p)) all.emplace_back(c->at(p).name);
    return all;
  }
  void purge_all() {
    while (store->purge(100)) {
    }
  }
};

constexpr ValueType kHash = ValueType::kHash, kSet = ValueType::kSet, kSortedSet = ValueType::kSortedSet;
using Names = std::vector<std::string>;

}  // namespace

TEST_CASE_METHOD(CollectionsFixture, "a small hash holds its fields in the order of their names", "[collections]") {
  const Written first = put("h", kHash, {{"b", "2"}, {"a", "1"}, {"b", "3"}, {"", "empty"}});
  CHECK(first.added == 3);
  CHECK(first.changed == 0);
  CHECK(names("h", kHash) == Names{"", "a", "b"});
  CHECK(value("h", "b") == "3");
  CHECK(value("h", "") == "empty");
  CHECK(value("h", "c") == "(none)");
  const Written second = put("h", kHash, {{"a", "9"}, {"c", ""}});
  CHECK(second.added == 1);
  CHECK(second.changed == 1);
  CHECK(value("h", "a") == "9");
  CHECK(open("h", kHash)->is_packed());
  CHECK(open("h", kHash)->size() == 4);
  CHECK(store->count(0) == 1);
}

TEST_CASE_METHOD(CollectionsFixture, "a collection goes with its last element", "[collections]") {
  for (const int n : {3, 300}) {
    fill("h", kHash, n);
    Names all = names("h", kHash);
    REQUIRE(all.size() == static_cast<std::size_t>(n));
    for (const std::string& name : all) CHECK(erase("h", kHash, {name, "no such field"}) == 1);
    CHECK(!store->peek(0, "h"));
    purge_all();
    CHECK(store->stats().elements == 0);
  }
}

TEST_CASE_METHOD(CollectionsFixture, "a hash grows beyond what is packed and keeps what it holds", "[collections]") {
  fill("h", kHash, 128);
  CHECK(open("h", kHash)->is_packed());
  put("h", kHash, {{"one more", "x"}});
  CHECK(!open("h", kHash)->is_packed());
  CHECK(open("h", kHash)->size() == 129);
  CHECK(value("h", "f127") == "f127");
  CHECK(value("h", "one more") == "x");
  CHECK(store->stats().elements == 129);
  CHECK(store->stats().entries == 1);
  CHECK(store->count(0) == 1);
  put("h", kHash, {{"f5", std::string_view("new")}, {"f999", "added"}});
  CHECK(value("h", "f5") == "new");
  CHECK(open("h", kHash)->size() == 130);
}

TEST_CASE_METHOD(CollectionsFixture, "one long name or value makes a large collection, which it stays",
                 "[collections]") {
  const std::string fits(64, 'x'), longer(65, 'x'), huge(300'000, 'v');
  put("h", kHash, {{fits, fits}});
  CHECK(open("h", kHash)->is_packed());
  put("h", kHash, {{"a", longer}});
  CHECK(!open("h", kHash)->is_packed());
  put("s", kSet, {{longer}});
  CHECK(!open("s", kSet)->is_packed());
  erase("h", kHash, {"a"});
  CHECK(!open("h", kHash)->is_packed());
  put("h", kHash, {{"huge", huge}});
  CHECK(value("h", "huge") == huge);
  CHECK(value("h", fits) == fits);
}

TEST_CASE_METHOD(CollectionsFixture, "names have a limit, and a refusal changes nothing", "[collections]") {
  const std::string longest(kMaxElementName, 'n'), too_long(kMaxElementName + 1, 'n');
  put("h", kHash, {{longest, "v"}});
  put("z", kSortedSet, {{longest, "", 1.5}});
  CHECK(value("h", longest) == "v");
  CHECK(open("z", kSortedSet)->find(longest)->score == 1.5);
  const Element both[] = {{"a", "1"}, {too_long, "2"}};
  CHECK(store->put_elements(0, "h", kHash, both).error() == Error::kElementTooLong);
  CHECK(value("h", "a") == "(none)");
  CHECK(!open("h", kHash)->find(too_long));
  CHECK(erase("h", kHash, {too_long}) == 0);
}

TEST_CASE_METHOD(CollectionsFixture, "a key of another type is refused and left alone", "[collections]") {
  REQUIRE(store->set(0, "s", {ValueType::kString, "text"}));
  put("h", kHash, {{"a", "1"}});
  const Element e[] = {{"x"}};
  CHECK(store->put_elements(0, "s", kHash, e).error() == Error::kWrongType);
  CHECK(store->put_elements(0, "h", kSet, e).error() == Error::kWrongType);
  CHECK(store->open(0, "h", kSortedSet).error() == Error::kWrongType);
  CHECK(store->increment(0, "h", 1).error() == Error::kWrongType);
  CHECK(value("h", "a") == "1");
}

TEST_CASE_METHOD(CollectionsFixture, "a sorted set is in the order of scores, then names", "[collections]") {
  for (const int more : {0, 200}) {
    const std::string key = "z" + std::to_string(more);
    const double inf = std::numeric_limits<double>::infinity();
    put(key, kSortedSet, {{"b", "", 1}, {"a", "", 1}, {"z", "", -inf}, {"y", "", inf}, {"m", "", -2.5}, {"n", "", 0}});
    std::vector<std::string> extra;
    for (int i = 0; i < more; ++i) extra.push_back("x" + std::to_string(1000 + i));
    std::vector<Element> elements;
    for (const std::string& name : extra) elements.push_back({name, "", 100});
    if (more > 0) put(key, kSortedSet, elements);
    CHECK(open(key, kSortedSet)->is_packed() == (more == 0));
    Names expected{"z", "m", "n", "a", "b"};
    expected.insert(expected.end(), extra.begin(), extra.end());
    expected.push_back("y");
    CHECK(names(key, kSortedSet, Order::kByScore) == expected);
    const auto c = open(key, kSortedSet);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto p = c->nth(i, Order::kByScore);
      REQUIRE(p);
      CHECK(c->at(p).name == expected[i]);
      CHECK(c->rank(p) == i);
      const auto score = c->find(expected[i])->score;
      CHECK(c->rank(c->seek(score, expected[i])) == i);
    }
    CHECK(c->at(c->seek_above(0)).name == "a");
    CHECK(c->at(c->seek(1, "")).name == "a");
    CHECK(c->at(c->seek(1, "a", true)).name == "b");
    CHECK(c->at(c->last(Order::kByScore)).name == "y");
    CHECK(!c->seek_above(inf));
    CHECK(!c->nth(expected.size(), Order::kByScore));
    const Written changed = put(key, kSortedSet, {{"a", "", 7}, {"b", "", 1}, {"n", "", -3}});
    CHECK(changed.added == 0);
    CHECK(changed.changed == 2);
    CHECK(names(key, kSortedSet, Order::kByScore)[1] == "n");
  }
}

TEST_CASE_METHOD(CollectionsFixture, "whatever removes a large collection's key removes its elements",
                 "[collections]") {
  const auto gone = [&] {
    CHECK(store->count_prefix(0, "") == 0);
    CHECK(store->check().empty());
    purge_all();
    CHECK(store->stats().elements == 0);
    CHECK(store->stats().pending_purge == 0);
  };
  fill("h", kHash, 500);
  fill("z", kSortedSet, 500);
  CHECK(store->stats().elements == 1500);
  SECTION("erase") {
    CHECK(store->erase(0, "h"));
    CHECK(store->erase(0, "z"));
    CHECK(store->stats().pending_purge == 1500);
    gone();
  }
  SECTION("a prefix") {
    CHECK(store->erase_prefix(0, "") == 2);
    gone();
  }
  SECTION("a flush") {
    store->flush(0);
    gone();
  }
  SECTION("expiry") {
    REQUIRE(*store->set_deadline(0, "h", in(10)));
    REQUIRE(*store->set_deadline(0, "z", in(10)));
    CHECK(value("h", "f7") == "f7");
    clock.advance(11);
    CHECK(!store->peek(0, "h"));
    store->prune();
    gone();
  }
  SECTION("a string in its place") {
    REQUIRE(store->set(0, "h", {ValueType::kString, "x"}));
    REQUIRE(store->set(0, "z", {ValueType::kString, "x"}));
    store->erase_prefix(0, "");
    gone();
  }
  SECTION("a deadline that has passed") {
    REQUIRE(*store->set_deadline(0, "h", in(-1)));
    REQUIRE(*store->set_deadline(0, "z", in(-1)));
    gone();
  }
}

TEST_CASE_METHOD(CollectionsFixture, "a collection keeps its deadline while it grows", "[collections]") {
  fill("h", kHash, 2);
  REQUIRE(*store->set_deadline(0, "h", in(1000)));
  fill("h", kHash, 100);
  CHECK(store->peek(0, "h")->deadline == in(1000));
  fill("h", kHash, 400);
  CHECK(store->peek(0, "h")->deadline == in(1000));
  clock.advance(1001);
  CHECK(!open("h", kHash));
  put("h", kHash, {{"fresh", "1"}});
  CHECK(open("h", kHash)->size() == 1);
  CHECK(store->peek(0, "h")->deadline == kNoDeadline);
}

TEST_CASE_METHOD(CollectionsFixture, "each change of a collection gives its key another version", "[collections]") {
  for (const int n : {3, 300}) {
    fill("h", kHash, n);
    const Version first = store->peek(0, "h")->version;
    put("h", kHash, {{"f1", "again"}});
    const Version second = store->peek(0, "h")->version;
    CHECK(second > first);
    erase("h", kHash, {"f1"});
    CHECK(store->peek(0, "h")->version > second);
    const Version third = store->peek(0, "h")->version;
    erase("h", kHash, {"f1"});
    CHECK(store->peek(0, "h")->version == third);
    store->erase(0, "h");
  }
}

TEST_CASE_METHOD(CollectionsFixture, "a large collection moves to another key with its elements", "[collections]") {
  fill("h", kHash, 500);
  fill("other", kSet, 500);
  REQUIRE(*store->set_deadline(0, "h", in(1000)));
  REQUIRE(*store->move(0, "h", 1, "other"));
  CHECK(!store->peek(0, "h"));
  CHECK(open("other", kSet)->size() == 500);
  REQUIRE(*store->move(1, "other", 0, "other"));
  purge_all();
  CHECK(store->stats().elements == 500);
  CHECK(value("other", "f321") == "f321");
  CHECK(store->peek(0, "other")->deadline == in(1000));
  CHECK(!*store->move(0, "nothing", 0, "other"));
  store->swap(0, 1);
  CHECK(!open("other", kHash));
  CHECK(open("other", kHash, 1)->size() == 500);
}

TEST_CASE_METHOD(CollectionsFixture, "what is being built is seen by nobody and goes if it is given up",
                 "[collections]") {
  fill("h", kHash, 3);
  {
    CollectionBuilder builder(*store, kSet);
    std::vector<std::string> text;
    for (int i = 0; i < 1000; ++i) text.push_back("member" + std::to_string(i % 700));
    for (const std::string& name : text) {
      const Element one[] = {{name}};
      REQUIRE(builder.add(one) == Error::kNone);
    }
    CHECK(builder.size() == 700);
    CHECK(store->count(0) == 1);
    CHECK(store->stats().elements == 700);
    SECTION("committed") {
      REQUIRE(builder.commit(0, "h"));
      CHECK(open("h", kSet)->size() == 700);
      CHECK(builder.size() == 0);
    }
    SECTION("given up") {}
  }
  purge_all();
  const bool committed = store->peek(0, "h")->type == kSet;
  CHECK(store->stats().elements == (committed ? 700 : 0));
}

namespace {

// A store so full that nothing more goes in.
struct FullFixture : CollectionsFixture {
  explicit FullFixture(Policy policy) : CollectionsFixture({.max_memory = 3 << 20, .policy = policy}) {}
};
struct FullWithoutEviction : FullFixture {
  FullWithoutEviction() : FullFixture(Policy::kNoEviction) {}
};

}  // namespace

TEST_CASE_METHOD(FullWithoutEviction, "a refused write to a collection changes nothing", "[collections]") {
  fill("h", kHash, 500);
  fill("small", kHash, 100);
  fill("z", kSortedSet, 300);
  for (int i = 0; store->set(0, "fill" + std::to_string(i), {ValueType::kString, std::string(200, 'x')}); ++i) {
  }
  for (int i = 0; store->set(0, "tiny" + std::to_string(i), {ValueType::kString, "x"}); ++i) {
  }
  const auto before = store->stats();
  std::vector<std::string> text;
  for (int i = 0; i < 3000; ++i) text.push_back("new" + std::to_string(i) + std::string(30, '.'));
  std::vector<Element> elements{{"f3", "overwritten", 77}};
  for (const std::string& name : text) elements.push_back({name, name, 5});
  for (const std::string_view key : {"h", "small", "absent"}) {
    CHECK(store->put_elements(0, key, kHash, elements).error() == Error::kOutOfMemory);
    CHECK(store->check().empty());
  }
  CHECK(store->put_elements(0, "z", kSortedSet, elements).error() == Error::kOutOfMemory);
  CHECK(value("h", "f3") == "f3");
  CHECK(value("small", "f3") == "f3");
  CHECK(open("z", kSortedSet)->find("f3")->score == 3);
  CHECK(!store->peek(0, "absent"));
  purge_all();
  CHECK(store->stats().elements == before.elements);
  // To remove never takes room.
  CHECK(erase("small", kHash, {"f3", "f4"}) == 2);
  CHECK(erase("h", kHash, {"f3", "f4"}) == 2);
  CHECK(erase("z", kSortedSet, {"f3", "f4"}) == 2);
}

TEST_CASE("eviction takes whole collections, and not those that are in use", "[collections]") {
  for (const Policy policy :
       {Policy::kAllKeysLru, Policy::kAllKeysRandom, Policy::kVolatileLru, Policy::kVolatileTtl}) {
    FullFixture f(policy);
    const bool is_volatile = policy == Policy::kVolatileLru || policy == Policy::kVolatileTtl;
    for (int i = 0; i < 100; ++i) {
      const std::string key = "h" + std::to_string(i);
      f.fill(key, kHash, 1000);
      if (is_volatile) REQUIRE(f.store->set_deadline(0, key, f.in(1'000'000 + i)));
    }
    CHECK(f.store->stats().evicted > 10);
    CHECK(f.store->stats().used_memory <= f.store->stats().max_memory);
    std::size_t there = 0;
    for (int i = 0; i < 100; ++i) {
      const auto hash = f.open("h" + std::to_string(i), kHash);
      if (!hash) continue;
      ++there;
      CHECK(hash->size() == 1000);
      CHECK(f.names("h" + std::to_string(i), kHash).size() == 1000);
    }
    CHECK(there > 5);
    // One that is larger than the store is refused, whatever else there is.
    std::vector<Element> elements;
    const std::string value(10'000, 'v');
    std::vector<std::string> text;
    for (int i = 0; i < 1000; ++i) text.push_back(std::to_string(i));
    for (const std::string& name : text) elements.push_back({name, value});
    CHECK(f.store->put_elements(0, "huge", kHash, elements).error() == Error::kOutOfMemory);
    CHECK(!f.store->peek(0, "huge"));
  }
}

TEST_CASE("a hash that is read keeps its place among others that are not", "[collections]") {
  FullFixture f(Policy::kAllKeysLru);
  f.fill("read", kHash, 1000);
  for (int i = 0; i < 200; ++i) {
    f.fill("h" + std::to_string(i), kHash, 300);
    REQUIRE(f.value("read", "f7") == "f7");
  }
  CHECK(f.store->stats().evicted > 40);
}
