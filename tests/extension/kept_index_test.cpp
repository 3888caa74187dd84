#include "kept_index.h"

#include <map>
#include <string>
#include <vector>

#include "../support/catch.h"
#include "../support/random.h"

using coppice::php::Generation;
using coppice::php::KeptIndex;
using coppice::php::KeptPlace;

namespace {

using Index = KeptIndex<int>;
const int first_store = 0, second_store = 0;

KeptPlace place(std::string_view key) { return {&first_store, {}, key}; }

Index::Entry* visit(Index& index, std::string_view key) {
  Index::Entry* e = index.find(place(key));
  if (e != nullptr) e->visited = true;
  return e;
}

}  // namespace

TEST_CASE("an empty index finds nothing and holds nothing") {
  Index index(1);
  CHECK(index.find(place("a")) == nullptr);
  CHECK(index.bytes() == 0);
  CHECK(index.size() == 0);
}

TEST_CASE("an entry is found by store and key, whatever its generation") {
  Index index(1);
  index.insert({&first_store, {7, 8}, "a"}, 42, 5, 100);
  Index::Entry* e = index.find({&first_store, {9, 9}, "a"});
  REQUIRE(e != nullptr);
  CHECK(e->value == 5);
  CHECK(e->version == 42);
  CHECK(e->generation == Generation{7, 8});
  CHECK(index.find({&second_store, {7, 8}, "a"}) == nullptr);
  CHECK(index.find({&first_store, {7, 8}, "b"}) == nullptr);
}

TEST_CASE("keys may hold any bytes, and are copied") {
  Index index(1);
  std::string key("a\0b", 3);
  index.insert(place(key), 1, 5, 0);
  key[0] = 'x';
  CHECK(index.find(place(std::string_view("a\0b", 3))) != nullptr);
  CHECK(index.find(place(key)) == nullptr);
}

TEST_CASE("the bytes are foretold exactly, and all come back") {
  Index index(1);
  for (int i = 0; i < 100; ++i) {
    const std::string key = "key " + std::to_string(i);
    const auto foretold = index.bytes_with(key.size(), 1000);
    index.insert(place(key), 1, i, 1000);
    CHECK(index.bytes() == foretold);
  }
  CHECK(index.bytes() > 100'000);
  const auto full = index.bytes();
  for (int i = 0; i < 100; ++i) index.remove(index.find(place("key " + std::to_string(i))));
  CHECK(index.size() == 0);
  CHECK(index.bytes() < full - 100'000);
  const auto chains = index.bytes();
  index.insert(place("a"), 1, 1, 10);
  index.clear();
  CHECK(index.bytes() == chains);
}

TEST_CASE("what was not visited goes first, the oldest before the newer") {
  Index index(1);
  for (const char* key : {"a", "b", "c", "d"}) index.insert(place(key), 1, key[0], 0);
  visit(index, "a");
  visit(index, "c");
  std::string gone;
  for (int i = 0; i < 2; ++i) {
    Index::Entry* e = index.victim();
    gone += static_cast<char>(e->value);
    index.remove(e);
  }
  CHECK(gone == "bd");
}

TEST_CASE("a visit spares an entry once") {
  Index index(1);
  for (const char* key : {"a", "b"}) index.insert(place(key), 1, key[0], 0);
  visit(index, "a");
  visit(index, "b");
  CHECK(index.victim()->value == 'a');
}

TEST_CASE("what is read again and again outlives any number of entries that are read once") {
  Index index(1);
  for (int i = 0; i < 10; ++i) index.insert(place("hot " + std::to_string(i)), 1, i, 0);
  for (int i = 0; i < 10'000; ++i) {
    if (index.size() == 20) index.remove(index.victim());
    index.insert(place("once " + std::to_string(i)), 1, i, 0);
    CHECK(visit(index, "hot " + std::to_string(i % 10)) != nullptr);
  }
}

TEST_CASE("an entry that the hand points at can be removed") {
  Index index(1);
  for (const char* key : {"a", "b", "c"}) index.insert(place(key), 1, key[0], 0);
  index.remove(index.victim());
  CHECK(index.victim()->value == 'b');
  index.remove(index.find(place("b")));
  CHECK(index.victim()->value == 'c');
  index.remove(index.find(place("c")));
  index.insert(place("d"), 1, 'd', 0);
  CHECK(index.victim()->value == 'd');
}

TEST_CASE("random operations leave what a model says") {
  const auto seed = coppice::test::draw_seed();
  INFO("seed " << seed);
  std::mt19937_64 generator(seed);
  const auto below = [&](std::uint64_t n) { return generator() % n; };
  Index index(seed);
  std::map<std::string, int> model;
  std::uint64_t behind = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string key(1 + below(3), static_cast<char>('a' + below(26)));
    Index::Entry* e = index.find(place(key));
    const auto known = model.find(key);
    REQUIRE((e != nullptr) == (known != model.end()));
    if (e != nullptr) REQUIRE(e->value == known->second);
    switch (below(4)) {
      case 0:
        if (e == nullptr) {
          REQUIRE(index.insert(place(key), 1, i, 8) != nullptr);
          model[key] = i;
          behind += 8;
        }
        break;
      case 1:
        if (e != nullptr) {
          index.remove(e);
          model.erase(key);
          behind -= 8;
        }
        break;
      case 2:
        if (e != nullptr) e->visited = true;
        break;
      default:
        if (below(20) == 0 && index.size() > 0) {
          Index::Entry* victim = index.victim();
          std::erase_if(model, [victim](const auto& pair) { return pair.second == victim->value; });
          index.remove(victim);
          behind -= 8;
        }
        break;
    }
    REQUIRE(index.size() == model.size());
    REQUIRE(index.bytes() >= behind);
  }
  std::size_t seen = 0;
  index.for_each([&](const Index::Entry&) { ++seen; });
  CHECK(seen == model.size());
}
