#include "order_index.h"

#include <cstdio>
#include <map>
#include <set>

#include "index_fixture.h"
#include "support/catch.h"

using namespace coppice;
using test::Entries;
using test::PagedPool;

namespace {

// An index beside a std::map of what it must hold.
class Checked {
 public:
  explicit Checked(std::size_t arena = 64u << 20) : entries(arena), index(*pool, entries.keys()) {}

  void insert(const std::string& key) {
    pool.pages().make_ready();
    const EntryRef ref = entries.add(key, key.size() % 3 == 0);
    index.insert(key, ref);
    model.emplace(key, ref);
  }
  bool insert_new(const std::string& key) {
    if (model.count(key)) return false;
    insert(key);
    return true;
  }
  void erase(const std::string& key) {
    if (!index.erase(key)) FAIL("a key is not there");
    entries.spoil(model.at(key));
    model.erase(key);
  }
  std::vector<std::string> walk() const {
    std::vector<std::string> keys;
    for (auto p = index.first(); p; p = index.next(p)) keys.push_back(entries.key(index.at(p)));
    return keys;
  }
  std::string at(OrderIndex::Position p) const { return p ? entries.key(index.at(p)) : "(end)"; }
  void require_equal() const {
    const char* wrong = index.check();
    if (wrong) FAIL(wrong);
    if (index.size() != model.size()) FAIL("size");
    auto p = index.first();
    for (const auto& [key, ref] : model) {
      if (!p || index.at(p) != ref) FAIL("the walk went astray");
      p = index.next(p);
    }
    if (p) FAIL("the walk goes on behind the last");
    p = index.last();
    for (auto at = model.rbegin(); at != model.rend(); ++at) {
      if (!p || index.at(p) != at->second) FAIL("the walk back went astray");
      p = index.previous(p);
    }
    if (p) FAIL("the walk back goes on before the first");
  }

  PagedPool pool;
  Entries entries;
  OrderIndex index;
  std::map<std::string, EntryRef> model;
};

bool never_keep(void*, EntryRef) { return false; }

// Removes all of a prefix in slices; the keys taken.
std::vector<std::string> erase_prefix(Checked& c, const std::string& prefix, std::size_t budget,
                                      bool (*keep)(void*, EntryRef) = never_keep, void* keep_context = nullptr) {
  struct Context {
    Checked* c;
    std::vector<std::string> taken;
    std::vector<EntryRef> refs;
    bool (*keep)(void*, EntryRef);
    void* keep_context;
    std::size_t visited = 0;
  } context{&c, {}, {}, keep, keep_context};
  const OrderIndex::RangeVisitor visitor{&context,
                                         [](void* p, EntryRef ref) {
                                           auto& x = *static_cast<Context*>(p);
                                           ++x.visited;
                                           return x.keep(x.keep_context, ref);
                                         },
                                         [](void* p, EntryRef ref) {
                                           auto& x = *static_cast<Context*>(p);
                                           x.taken.push_back(x.c->entries.key(ref));
                                           x.refs.push_back(ref);
                                         }};
  std::string from, resume;
  for (;;) {
    context.visited = 0;
    const bool done = c.index.erase_front(prefix, from, budget, visitor, &resume);
    if (context.visited > budget) FAIL("more than the budget");
    for (const EntryRef ref : context.refs) c.entries.spoil(ref);
    context.refs.clear();
    if (done) break;
    if (context.visited == 0) FAIL("no progress");
    if (!resume.starts_with(prefix) || resume <= from) FAIL("resume leads astray");
    from = resume;
  }
  for (const std::string& key : context.taken)
    if (c.model.erase(key) != 1) FAIL("took what was not there");
  return context.taken;
}

std::string random_bytes(std::mt19937_64& random, std::size_t length, unsigned alphabet) {
  static const char kBytes[] = {'\0', '\xff', 'a', '\x01', '\xfe', 'b', '.', '\x80'};
  std::string s(length, '\0');
  for (char& c : s) c = alphabet > 8 ? static_cast<char>(random()) : kBytes[random() % alphabet];
  return s;
}

// Keys of several kinds, each with its own trouble.
std::string random_key(std::mt19937_64& random, int kind) {
  switch (kind) {
    case 0:
      return "user." + std::to_string(random() % 2000) + ".item." + std::to_string(random() % 20);
    case 1:  // few bytes, many prefixes of one another
      return random_bytes(random, 1 + random() % 16, 2);
    case 2:
      return random_bytes(random, 1 + random() % 24, 256);
    case 3: {  // word boundaries
      const std::size_t lengths[] = {6, 7, 8, 13, 14, 15, 21};
      return random_bytes(random, lengths[random() % 7], 3);
    }
    case 4: {  // long common prefixes
      std::string s(random() % 3 == 0 ? 4090 : random() % 700, 'p');
      s += random_bytes(random, 1 + random() % 6, 4);
      return s;
    }
    default: {
      static const char kHex[] = "0123456789abcdef";
      std::string s = "cache:";
      for (int i = 0; i < 40; ++i) s += kHex[random() % 16];
      return s;
    }
  }
}
constexpr int kKinds = 6;

}  // namespace

TEST_CASE("OrderIndex: empty", "[order_index]") {
  Checked c;
  REQUIRE(c.index.size() == 0);
  REQUIRE_FALSE(c.index.first());
  REQUIRE_FALSE(c.index.last());
  REQUIRE_FALSE(c.index.lower_bound("a"));
  REQUIRE_FALSE(c.index.upper_bound("a"));
  REQUIRE_FALSE(c.index.end_of_prefix("a"));
  REQUIRE_FALSE(c.index.last_of_prefix(""));
  REQUIRE(c.index.count_prefix("") == 0);
  REQUIRE(c.index.find("a") == 0);
  REQUIRE_FALSE(c.index.erase("a"));
  REQUIRE_FALSE(c.index.replace("a", 9));
  REQUIRE(erase_prefix(c, "", 1).empty());
  c.require_equal();
  REQUIRE(c.pool->bytes_in_use() == 0);
}

TEST_CASE("OrderIndex: keys that differ after a NUL are two, bytewise in order", "[order_index]") {
  using namespace std::string_literals;
  Checked c;
  const std::vector<std::string> keys = {"\0"s,    "\0\0"s,  "\0a"s,   "a"s, "a\0"s,  "a\0b"s,    "a\0c"s,
                                         "a\x01"s, "a\xfe"s, "a\xff"s, "b"s, "\xff"s, "\xff\xff"s};
  for (auto at = keys.rbegin(); at != keys.rend(); ++at) c.insert(*at);
  REQUIRE(c.walk() == keys);
  REQUIRE(c.index.count_prefix("a\0"s) == 3);
  REQUIRE(c.index.count_prefix("\xff"s) == 2);
  REQUIRE(c.at(c.index.end_of_prefix("a"s)) == "b");
  REQUIRE_FALSE(c.index.end_of_prefix("\xff"s));
  REQUIRE_FALSE(c.index.end_of_prefix(""s));
  REQUIRE(c.at(c.index.last_of_prefix("\xff"s)) == "\xff\xff"s);
  REQUIRE(c.at(c.index.last_of_prefix("a"s)) == "a\xff"s);
  REQUIRE_FALSE(c.index.last_of_prefix("c"s));
}

TEST_CASE("OrderIndex: a prefix leaves its neighbours alone", "[order_index]") {
  Checked c;
  for (const char* key : {"a.1", "a.2", "ab.1", "a", "a-"}) c.insert(key);
  REQUIRE(erase_prefix(c, "a.", 100) == std::vector<std::string>{"a.1", "a.2"});
  REQUIRE(c.walk() == std::vector<std::string>{"a", "a-", "ab.1"});
}

TEST_CASE("OrderIndex: entries that stay count against the budget of a range erasure", "[order_index]") {
  Checked c;
  for (int i = 0; i < 1000; ++i) c.insert("a." + std::to_string(i));
  struct Count {
    std::size_t visited = 0;
  } count;
  const OrderIndex::RangeVisitor visitor{&count,
                                         [](void* p, EntryRef) {
                                           ++static_cast<Count*>(p)->visited;
                                           return true;
                                         },
                                         [](void*, EntryRef) { FAIL("an entry that stays was taken"); }};
  for (const std::size_t budget : {1u, 7u, 64u, 2000u}) {
    std::string from, resume;
    std::size_t calls = 0, visited = 0;
    for (bool done = false; !done; ++calls, from = resume) {
      count.visited = 0;
      done = c.index.erase_front("a.", from, budget, visitor, &resume);
      REQUIRE(count.visited <= budget);
      visited += count.visited;
    }
    REQUIRE(visited == 1000);
    REQUIRE(calls == (1000 + budget - 1) / budget);
  }
  c.require_equal();
}

TEST_CASE("OrderIndex: removals give most of their memory back", "[order_index]") {
  INFO("seed " << test::seed());
  std::mt19937_64 random(test::seed());
  Checked c;
  while (c.model.size() < 20000)
    c.insert_new("user." + std::to_string(random() % 5000) + ".item." + std::to_string(random() % 20));
  std::vector<std::string> keys;
  for (const auto& [key, ref] : c.model) keys.push_back(key);
  std::shuffle(keys.begin(), keys.end(), random);
  keys.resize(18000);
  for (const std::string& key : keys) c.erase(key);
  c.require_equal();
  CHECK(c.pool->bytes_in_use() < 12 * c.model.size());
}

TEST_CASE("OrderIndex: lower and upper bound at, between and beyond keys", "[order_index]") {
  Checked c;
  for (int i = 100; i < 300; i += 2) c.insert("k" + std::to_string(i));
  REQUIRE(c.at(c.index.lower_bound("k150")) == "k150");
  REQUIRE(c.at(c.index.lower_bound("k150", true)) == "k152");
  REQUIRE(c.at(c.index.lower_bound("k151")) == "k152");
  REQUIRE(c.at(c.index.lower_bound("")) == "k100");
  REQUIRE_FALSE(c.index.lower_bound("k298", true));
  REQUIRE(c.at(c.index.upper_bound("k150")) == "k150");
  REQUIRE(c.at(c.index.upper_bound("k150", true)) == "k148");
  REQUIRE(c.at(c.index.upper_bound("k151")) == "k150");
  REQUIRE(c.at(c.index.upper_bound("zzz")) == "k298");
  REQUIRE_FALSE(c.index.upper_bound("k100", true));
  REQUIRE_FALSE(c.index.upper_bound("a"));
}

TEST_CASE("OrderIndex: the longest keys with all but the last byte in common", "[order_index]") {
  Checked c;
  for (int i = 255; i >= 0; --i) c.insert(std::string(kMaxKeyLength - 1, 'x') + static_cast<char>(i));
  c.insert(std::string(kMaxKeyLength - 1, 'x'));
  c.require_equal();
  REQUIRE(c.index.count_prefix(std::string(kMaxKeyLength - 1, 'x')) == 257);
  REQUIRE(c.index.count_prefix(std::string(kMaxKeyLength, 'x')) == 1);
  REQUIRE(c.index.count_prefix(std::string(kMaxKeyLength + 9, 'x')) == 0);
  REQUIRE(c.index.count_prefix(std::string(kMaxKeyLength + 9, '\xff')) == 0);
  while (!c.model.empty()) c.erase(c.model.begin()->first);
  REQUIRE(c.pool->bytes_in_use() == 0);
}

TEST_CASE("OrderIndex: keys in order fill their buckets, either way", "[order_index]") {
  for (const bool upwards : {true, false}) {
    Checked c;
    for (int i = 0; i < 20000; ++i) {
      char key[32];
      std::snprintf(key, sizeof key, "key.%08d", upwards ? i : 20000 - i);
      c.insert(key);
    }
    c.require_equal();
    CHECK(c.pool->bytes_in_use() < 20000 * 7.5);
  }
}

TEST_CASE("OrderIndex: erase and replace by reference", "[order_index]") {
  Checked c;
  for (int i = 0; i < 500; ++i) c.insert("k" + std::to_string(i));
  const EntryRef old = c.model.at("k77");
  REQUIRE_FALSE(c.index.replace("k77", old + 1000000, 5));
  const EntryRef fresh = c.entries.add("k77");
  c.entries.spoil(old);
  REQUIRE(c.index.replace("k77", old, fresh));
  c.model["k77"] = fresh;
  REQUIRE(c.index.find("k77") == fresh);
  REQUIRE_FALSE(c.index.erase("k77", old));
  REQUIRE(c.index.erase("k77", fresh));
  c.model.erase("k77");
  c.require_equal();
}

TEST_CASE("OrderIndex: random operations agree with std::map", "[order_index]") {
  INFO("seed " << test::seed());
  for (int kind = 0; kind < kKinds; ++kind) {
    INFO("kind of keys " << kind);
    std::mt19937_64 random(test::seed() + static_cast<unsigned>(kind));
    Checked c(128u << 20);
    const auto near = [&](const std::string& key) { return c.model.lower_bound(key); };
    const int steps = kind == 4 ? 12000 : 40000;
    for (int i = 0; i < steps; ++i) {
      const bool grow = (i / (steps / 5)) % 2 == 0;
      const std::string key = random_key(random, kind);
      const unsigned dice = random() % 1000;
      if (dice < (grow ? 600u : 250u)) {
        c.insert_new(key);
      } else if (dice < 850) {
        const auto at = near(key);
        if (at == c.model.end()) {
          if (c.index.erase(key)) FAIL("erased what was not there");
        } else if (dice % 2) {
          c.erase(std::string(at->first));
        } else {
          if (!c.index.erase(at->first, at->second)) FAIL("a reference is not there");
          c.entries.spoil(at->second);
          c.model.erase(at);
        }
      } else if (dice < 900) {
        const auto at = near(key);
        if (at != c.model.end()) {
          const EntryRef ref = c.entries.add(at->first);
          if (!(dice % 2 ? c.index.replace(at->first, ref) : c.index.replace(at->first, at->second, ref)))
            FAIL("replace");
          c.entries.spoil(at->second);
          at->second = ref;
        } else if (c.index.replace(key, 1)) {
          FAIL("replaced what was not there");
        }
      } else if (dice < 995) {
        const auto position = [&](auto at) { return at == c.model.end() ? EntryRef{0} : at->second; };
        const auto before = [&](auto at) { return at == c.model.begin() ? EntryRef{0} : std::prev(at)->second; };
        const auto ref = [&](OrderIndex::Position p) { return p ? c.index.at(p) : EntryRef{0}; };
        if (c.index.find(key) != (c.model.count(key) ? c.model.at(key) : 0)) FAIL("find");
        if (ref(c.index.lower_bound(key)) != position(c.model.lower_bound(key))) FAIL("lower_bound");
        if (ref(c.index.lower_bound(key, true)) != position(c.model.upper_bound(key))) FAIL("lower_bound after");
        if (ref(c.index.upper_bound(key)) != before(c.model.upper_bound(key))) FAIL("upper_bound");
        if (ref(c.index.upper_bound(key, true)) != before(c.model.lower_bound(key))) FAIL("upper_bound before");
        const std::string prefix = key.substr(0, random() % (key.size() + 1));
        auto low = c.model.lower_bound(prefix), high = low;
        std::size_t n = 0;
        while (high != c.model.end() && high->first.starts_with(prefix)) ++high, ++n;
        if (c.index.count_prefix(prefix) != n) FAIL("count_prefix");
        if (ref(c.index.end_of_prefix(prefix)) != position(high)) FAIL("end_of_prefix");
        if (ref(c.index.last_of_prefix(prefix)) != (n ? std::prev(high)->second : 0)) FAIL("last_of_prefix");
      } else {
        std::string prefix = key.substr(0, 1 + random() % key.size());
        if (dice == 999 && random() % 10 == 0) prefix.clear();
        std::vector<std::string> expected;
        for (auto at = c.model.lower_bound(prefix); at != c.model.end() && at->first.starts_with(prefix); ++at)
          expected.push_back(at->first);
        if (random() % 2) {  // every third entry is newer and stays
          std::vector<std::string> kept;
          const auto keep = [](void*, EntryRef r) { return r % 3 == 0; };
          std::vector<std::string> going;
          for (const std::string& k : expected)
            if (c.model.at(k) % 3 != 0) going.push_back(k);
          if (erase_prefix(c, prefix, 1 + random() % 100, keep) != going) FAIL("erase_front with keep");
        } else if (erase_prefix(c, prefix, 1 + random() % 100) != expected) {
          FAIL("erase_front");
        }
      }
      if (i % 997 == 0) c.require_equal();
      if (random() % 500 == 0) c.pool.pages().take_surplus();
    }
    c.require_equal();
    erase_prefix(c, "", 64);
    REQUIRE(c.index.size() == 0);
    REQUIRE(c.pool->bytes_in_use() == 0);
    REQUIRE(c.pool->emergencies() == 0);
  }
}

// The pool gets no page but those of the beginning: entries come until it is not ready, then go.
TEST_CASE("OrderIndex: groups inserted in order between all that may move their bucket", "[order_index]") {
  INFO("seed " << test::seed());
  std::mt19937_64 random(test::seed());
  Checked c(128u << 20);
  for (int i = 0; i < 3000; ++i) {
    const std::string group = "user." + std::to_string(random() % 400) + ".item.";
    const unsigned length = 1 + random() % 20;
    for (unsigned j = 0; j < length; ++j) {
      c.insert_new(group + std::string(1, static_cast<char>('a' + j)));
      if (random() % 8 != 0) continue;
      // What lies beside the run changes, or the run itself does.
      const std::string other = random() % 2 == 0 ? group + std::string(1, static_cast<char>('a' + random() % 20))
                                                  : "user." + std::to_string(random() % 400) + ".item.c";
      switch (random() % 3) {
        case 0:
          c.insert_new(other);
          break;
        case 1:
          if (c.model.count(other)) c.erase(other);
          break;
        default:
          erase_prefix(c, other.substr(0, other.size() - 1), 7);
      }
    }
    if (i % 100 == 0) c.require_equal();
  }
  c.require_equal();
}

TEST_CASE("OrderIndex: removals need no more memory than was there when the pool ran short", "[order_index]") {
  INFO("seed " << test::seed());
  for (int kind = 0; kind < kKinds; ++kind) {
    INFO("kind of keys " << kind);
    std::mt19937_64 random(test::seed() + static_cast<unsigned>(kind));
    PagedPool pool;
    for (int i = 0; i < 3; ++i) pool.pages().add();
    Entries entries(512u << 20);
    OrderIndex index(*pool, entries.keys());
    std::map<std::string, EntryRef> model;
    std::size_t fewest = JudyPool::kReserve;
    for (int round = 0; round < 8; ++round) {
      for (int tries = 0; pool->ready() && tries < 40000; ++tries) {
        const std::string key = random_key(random, round % 3 == 2 ? static_cast<int>(random() % kKinds) : kind);
        if (model.count(key)) continue;
        const EntryRef ref = entries.add(key);
        index.insert(key, ref);
        model.emplace(key, ref);
      }
      if (round == 0) REQUIRE_FALSE(pool->ready());
      pool->reset_least_free();
      // At random, in order, the order reversed, all but every tenth, and whole ranges.
      std::vector<std::string> going;
      for (const auto& [key, ref] : model)
        if (round % 4 != 3 || random() % 10) going.push_back(key);
      if (round % 4 == 0) std::shuffle(going.begin(), going.end(), random);
      if (round % 4 == 2) std::reverse(going.begin(), going.end());
      if (round % 2) going.resize(going.size() / 2);
      for (const std::string& key : going) {
        if (!index.erase(key, model.at(key))) FAIL("a reference is not there");
        model.erase(key);
      }
      if (round == 5) {
        const OrderIndex::RangeVisitor visitor{&entries, [](void*, EntryRef r) { return r % 5 == 0; },
                                               [](void*, EntryRef) {}};
        std::string from, resume;
        while (!index.erase_front("", from, 50, visitor, &resume)) from = resume;
        std::erase_if(model, [](const auto& pair) { return pair.second % 5 != 0; });
      }
      fewest = std::min(fewest, pool->least_free());
      const char* wrong = index.check();
      if (wrong) FAIL(wrong);
      REQUIRE(index.size() == model.size());
      REQUIRE(pool->emergencies() == 0);
    }
    REQUIRE(fewest < JudyPool::kReserve);
    CAPTURE(fewest);
    CHECK(fewest >= JudyPool::kReserve / 4);
  }
}

TEST_CASE("OrderIndex: no insertion takes more than half of the reserve", "[order_index]") {
  INFO("seed " << test::seed());
  std::mt19937_64 random(test::seed());
  std::size_t most = 0;
  for (const unsigned alphabet : {2u, 4u, 256u}) {
    Checked c(128u << 20);
    for (int i = 0; i < 12000; ++i) {
      std::string key(4084, 'p');
      if (random() % 4 == 0) key[random() % key.size()] = 'q';
      key += random_bytes(random, 1 + random() % 12, alphabet);
      if (random() % 3) key = key.substr(4084 - random() % 20);
      c.pool.pages().make_ready();
      const std::size_t before = c.pool->free_granules();
      c.pool->reset_least_free();
      c.insert_new(key);
      most = std::max(most, before - std::min(before, c.pool->least_free()));
    }
    c.require_equal();
  }
  CAPTURE(most);
  CHECK(most >= 3);  // the keys are awkward
  CHECK(most <= JudyPool::kReserve / 2);
}

TEST_CASE("OrderIndex: clear frees all without reading a key", "[order_index]") {
  Checked c;
  std::mt19937_64 random(1);
  for (int kind = 0; kind < kKinds; ++kind)
    for (int i = 0; i < 500; ++i) c.insert_new(random_key(random, kind));
  for (const auto& [key, ref] : c.model) c.entries.spoil(ref);
  c.index.clear();
  REQUIRE(c.index.size() == 0);
  REQUIRE_FALSE(c.index.first());
  REQUIRE(c.pool->bytes_in_use() == 0);
}
