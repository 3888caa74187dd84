#include "tag_index.h"

#include <map>
#include <set>

#include "index_fixture.h"
#include "support/catch.h"

using namespace coppice;
using test::Entries;
using test::PagedPool;

namespace {

const std::uint8_t kSecret[layout::kSecretSize] = {1, 2, 3};

}  // namespace

TEST_CASE("TagIndex: a tag goes with its last member, and all of its memory", "[tag_index]") {
  PagedPool pool;
  pool.pages().make_ready();
  Entries entries(1 << 20);
  TagIndex index(*pool, entries.keys(), kSecret);
  const int members = GENERATE(1, 64, 65, 5000);
  std::vector<EntryRef> refs;
  for (int i = 0; i < members; ++i) {
    pool.pages().make_ready();
    refs.push_back(entries.add("key" + std::to_string(i * 7919 % 10007)));
    REQUIRE(index.add(3, "tag", entries.key(refs.back()), refs.back()) != 0);
  }
  const TagId id = index.find(3, "tag");
  REQUIRE(index.size(id) == static_cast<std::uint64_t>(members));
  REQUIRE(index.name(id) == "tag");
  REQUIRE(index.branch(id) == 3);
  REQUIRE(index.find(4, "tag") == 0);
  REQUIRE(index.bytes() == pool->bytes_in_use());
  REQUIRE(index.check() == nullptr);
  for (const EntryRef ref : refs) REQUIRE(index.erase(id, entries.key(ref), ref));
  REQUIRE(index.find(3, "tag") == 0);
  REQUIRE(index.tags() == 0);
  REQUIRE(index.bytes() == 0);
  REQUIRE(pool->bytes_in_use() == 0);
}

TEST_CASE("TagIndex: a reference that is no member is neither erased nor replaced", "[tag_index]") {
  PagedPool pool;
  pool.pages().make_ready();
  Entries entries(1 << 16);
  TagIndex index(*pool, entries.keys(), kSecret);
  const EntryRef a = entries.add("a"), again = entries.add("a");
  const TagId id = index.add(0, "tag", "a", a);
  REQUIRE_FALSE(index.erase(id, "a", again));
  REQUIRE_FALSE(index.replace(id, "a", again, a));
  REQUIRE(index.replace(id, "a", a, again));
  REQUIRE(index.has(id, "a", again));
  REQUIRE_FALSE(index.has(id, "a", a));
}

TEST_CASE("TagIndex: random operations agree with a map of sets, few ids and many collisions included", "[tag_index]") {
  INFO("seed " << test::seed());
  const std::uint32_t id_bits = GENERATE(7, 9, TagIndex::kIdBits);
  std::mt19937_64 random(test::seed());
  PagedPool pool;
  Entries entries(1 << 20);
  std::vector<EntryRef> refs;
  for (int i = 0; i < 400; ++i) refs.push_back(entries.add("key" + std::to_string(i)));
  TagIndex index(*pool, entries.keys(), kSecret, id_bits);
  std::map<std::pair<std::uint8_t, std::string>, std::map<std::string, EntryRef>> model;
  for (int i = 0; i < 60'000; ++i) {
    pool.pages().make_ready();
    const auto branch = static_cast<std::uint8_t>(random() % 2);
    // Some tags with many members, many with few.
    const std::string name =
        random() % 2 == 0 ? "big" + std::to_string(random() % 3) : "t" + std::to_string(random() % 40);
    const EntryRef ref = refs[random() % refs.size()];
    const std::string key = entries.key(ref);
    auto& members = model[{branch, name}];
    const TagId id = index.find(branch, name);
    REQUIRE((id == 0) == members.empty());
    const bool grow = i / 10'000 % 2 == 0;
    if (random() % 100 < (grow ? 60u : 30u)) {
      if (members.count(key) == 0) {
        REQUIRE(index.add(branch, name, key, ref) != 0);
        members[key] = ref;
      }
    } else if (random() % 100 == 0 && id != 0) {
      std::string resume;
      std::vector<EntryRef> taken;
      const OrderIndex::RangeVisitor visitor{
          &taken, [](void*, EntryRef r) { return r % 3 == 0; },
          [](void* c, EntryRef r) { static_cast<std::vector<EntryRef>*>(c)->push_back(r); }};
      const std::string from = key;
      const std::size_t budget = 1 + random() % 20;
      const bool done = index.erase_front(id, from, budget, visitor, &resume);
      for (const EntryRef r : taken) {
        REQUIRE(entries.key(r) >= from);
        REQUIRE(r % 3 != 0);
        REQUIRE(members.erase(entries.key(r)) == 1);
      }
      if (done)
        for (auto it = members.lower_bound(from); it != members.end(); ++it) REQUIRE(it->second % 3 == 0);
      else
        REQUIRE(members.lower_bound(resume)->first == resume);
    } else if (id != 0) {
      REQUIRE(index.erase(id, key, ref) == (members.erase(key) == 1));
    }
    if (i % 5'000 == 4'999) {
      const char* bad = index.check();
      INFO((bad != nullptr ? bad : ""));
      REQUIRE(bad == nullptr);
      for (const auto& [tag, expected] : model) {
        const TagId t = index.find(tag.first, tag.second);
        REQUIRE((t == 0) == expected.empty());
        if (t == 0) continue;
        auto it = expected.begin();
        index.walk(t, true, {}, [&](EntryRef r) {
          REQUIRE(it != expected.end());
          REQUIRE(it++->second == r);
          return true;
        });
        REQUIRE(it == expected.end());
      }
    }
  }
  REQUIRE(pool->emergencies() == 0);
}

TEST_CASE("TagIndex: no operation needs more than the reserve", "[tag_index]") {
  PagedPool pool;
  Entries entries(8 << 20);
  TagIndex index(*pool, entries.keys(), kSecret);
  std::size_t most = 0;
  std::mt19937_64 random(test::seed());
  for (int i = 0; i < 1000; ++i) {
    pool.pages().make_ready();
    // Awkward keys: long ones that differ at their ends.
    const EntryRef ref = entries.add(std::string(4080, 'k') + std::to_string(1'000'000 + i * 7919 % 1000));
    const std::size_t free = pool->free_granules();
    pool->reset_least_free();
    REQUIRE(index.add(0, std::string(kMaxTagLength, 't'), entries.key(ref), ref) != 0);
    most = std::max(most, free - pool->least_free());
  }
  REQUIRE(most <= 12);
}
