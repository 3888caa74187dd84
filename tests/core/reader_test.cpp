// Readers and the writer in one process, each through a mapping of its own.
#include "coppice/reader.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "coppice/store.h"
#include "store_fixture.h"
#include "support/random.h"

using namespace coppice;

namespace {

struct Fixture : SharedStoreFixture {
  using SharedStoreFixture::SharedStoreFixture;
  void set(std::string_view key, std::string_view value, Millis deadline = kNoDeadline, Database db = 0) {
    REQUIRE(store->set(db, key, {ValueType::kString, value}, {.deadline = deadline}));
  }
  std::string get(std::string_view key, Database db = 0) {
    std::string value;
    ReadInfo info;
    const auto dest = [&](const ReadInfo& e) {
      value.resize(e.value_size);
      return value.data();
    };
    switch (reader->read(db, key, clock.monotonic_ms(), dest, &info)) {
      case ReadStatus::kHit:
        return value;
      case ReadStatus::kMiss:
        return "(miss)";
      case ReadStatus::kAskOwner:
        return "(ask)";
    }
    return "";
  }
};

}  // namespace

TEST_CASE("a reader sees each write at once", "[reader]") {
  Fixture f;
  CHECK(f.get("k") == "(miss)");
  f.set("k", "1");
  CHECK(f.get("k") == "1");
  f.set("k", "22");
  CHECK(f.get("k") == "22");
  f.store->erase(0, "k");
  CHECK(f.get("k") == "(miss)");
}

TEST_CASE("a reader sees what find sees, through growth and removal", "[reader]") {
  Fixture f({.max_memory = 64 << 20});
  for (int i = 0; i < 50'000; ++i) f.set("user." + std::to_string(i), std::to_string(i));
  for (int i = 0; i < 50'000; ++i) REQUIRE(f.get("user." + std::to_string(i)) == std::to_string(i));
  f.store->erase_prefix(0, "user.4");
  for (int i = 0; i < 50'000; ++i) {
    const std::string k = "user." + std::to_string(i);
    REQUIRE(f.get(k) == (k[5] == '4' ? "(miss)" : std::to_string(i)));
  }
}

TEST_CASE("a reader gets large values whole", "[reader]") {
  Fixture f({.max_memory = 64 << 20});
  for (const std::size_t size : {65'000u, 66'000u, 131'072u, 1'000'000u, 5'000'000u}) {
    std::string v(size, 'x');
    for (std::size_t i = 0; i < size; i += 101) v[i] = static_cast<char>(i);
    f.set("large", v);
    CHECK(f.get("large") == v);
  }
}

TEST_CASE("a reader checks deadlines itself", "[reader]") {
  Fixture f;
  f.set("k", "v", f.clock.monotonic_ms() + 1000);
  CHECK(f.get("k") == "v");
  f.clock.advance(1000);
  CHECK(f.get("k") == "(miss)");
  CHECK(f.store->stats().entries == 1);
}

TEST_CASE("a reader follows flush and swap", "[reader]") {
  Fixture f;
  f.set("k", "zero");
  f.set("k", "one", kNoDeadline, 1);
  f.store->swap(0, 1);
  CHECK(f.get("k") == "one");
  CHECK(f.get("k", 1) == "zero");
  f.store->flush(0);
  CHECK(f.get("k") == "(miss)");
  CHECK(f.get("k", 1) == "zero");
}

TEST_CASE("a reader need not copy what it has", "[reader]") {
  Fixture f;
  f.set("k", "v");
  ReadInfo info;
  CHECK(f.reader->read(
            0, "k", f.clock.monotonic_ms(), [](const ReadInfo&) -> char* { return nullptr; }, &info) ==
        ReadStatus::kHit);
  CHECK(info.version == f.store->find(0, "k")->version);
  CHECK(info.value_size == 1);
}

TEST_CASE("reads in batches agree with plain ones", "[reader]") {
  Fixture f;
  for (int i = 0; i < 1000; ++i)
    f.set("k" + std::to_string(i), std::to_string(i), i % 7 == 0 ? f.clock.monotonic_ms() + 50 : kNoDeadline);
  f.clock.advance(60);
  for (std::size_t n = 1, i = 0; i < 1100; i += n, n = n % Reader::kBatch + 1) {
    std::vector<std::string> keys, values(n);
    for (std::size_t j = 0; j < n; ++j) keys.push_back("k" + std::to_string(i + j));
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    ReadInfo info;
    std::size_t answers = 0;
    f.reader->read_batch(
        0, views, f.clock.monotonic_ms(),
        [&](std::size_t j, const ReadInfo& e) {
          values[j].resize(e.value_size);
          return values[j].data();
        },
        &info,
        [&](std::size_t j, ReadStatus status) {
          REQUIRE(j == answers++);
          const std::size_t number = i + j;
          const bool there = number < 1000 && number % 7 != 0;
          REQUIRE(status == (there ? ReadStatus::kHit : ReadStatus::kMiss));
          if (there) {
            REQUIRE(values[j] == std::to_string(number));
            REQUIRE(info.version == f.store->peek(0, views[j])->version);
          }
        });
    REQUIRE(answers == n);
  }
}

TEST_CASE("the lease", "[reader]") {
  Fixture f;
  CHECK_FALSE(f.reader->lease_valid(f.clock.monotonic_ms()));
  f.store->renew_lease();
  CHECK(f.reader->lease_valid(f.clock.monotonic_ms()));
  f.clock.advance(layout::kLease);
  CHECK_FALSE(f.reader->lease_valid(f.clock.monotonic_ms()));
  f.store->renew_lease();
  f.store->end_lease();
  CHECK_FALSE(f.reader->lease_valid(f.clock.monotonic_ms()));
}

TEST_CASE("hints mark entries and never do more", "[reader]") {
  Fixture f({.max_memory = 2 << 20});
  auto page = std::make_unique<layout::HintPage>();
  std::uint64_t seen = 0;
  f.set("hot", "v");
  ReadInfo info;
  f.reader->read(
      0, "hot", f.clock.monotonic_ms(), [](const ReadInfo&) -> char* { return nullptr; }, &info);
  // Among garbage of every kind, one mark that is right.
  std::mt19937_64 random(test::draw_seed());
  for (int round = 0; round < 400; ++round) {
    for (auto& mark : page->marks) mark.store(random(), std::memory_order_relaxed);
    page->marks[0].store(info.block, std::memory_order_relaxed);
    page->head.store(round % 7 == 0 ? random() : layout::HintPage::kMarks * (round + 1u), std::memory_order_relaxed);
    f.store->absorb_hints(*page, &seen);
    for (int i = 0; i < 50; ++i) f.set("cold" + std::to_string(round * 50 + i), std::string(100, 'c'));
  }
  const std::string bad = f.store->check();
  INFO(bad);
  CHECK(bad.empty());
}

TEST_CASE("segments that are not ours are refused", "[reader]") {
  std::string error;
  const int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  REQUIRE(ftruncate(fd, 1 << 20) == 0);
  CHECK(Reader::map(fd, &error) == nullptr);
  CHECK(error == "the segment is not sealed");
  REQUIRE(fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SHRINK | F_SEAL_GROW) == 0);
  CHECK(Reader::map(fd, &error) == nullptr);
  CHECK(error == "the segment cannot be used: it is not a Coppice segment");
  close(fd);
  CHECK(Reader::map(-1, &error) == nullptr);
}

// A segment whose bytes are noise, kept writable by the test: no answer is wrong, and no byte outside is touched
// (AddressSanitizer and the kernel watch).
TEST_CASE("a hostile segment gives misses and refusals, never a fault", "[reader]") {
  const std::uint64_t seed = test::draw_seed();
  INFO("COPPICE_TEST_SEED=" << seed);
  std::mt19937_64 random(seed);
  auto original = Store::create({.max_memory = 4 << 20, .shared = true});
  for (int i = 0; i < 5000; ++i)
    REQUIRE(original->set(0, "k" + std::to_string(i),
                          {ValueType::kString, std::string(static_cast<std::size_t>(i % 300), 'v')}));
  REQUIRE(original->set(0, "large", {ValueType::kString, std::string(200'000, 'v')}));
  const int fd = memfd_create("hostile", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  REQUIRE(ftruncate(fd, 4 << 20) == 0);
  char* mine = static_cast<char*>(mmap(nullptr, 4 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  REQUIRE(fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SHRINK | F_SEAL_GROW) == 0);
  std::string value;
  for (std::uint64_t round = 0; round < test::scaled(60); ++round) {
    REQUIRE(pread(original->descriptor(), mine, 4 << 20, 0) == 4 << 20);
    std::string error;
    auto reader = Reader::map(fd, &error);
    REQUIRE(reader != nullptr);
    const std::size_t until = round % 2 == 0 ? 4u << 20 : 200'000;
    for (int i = 0; i < 3000; ++i) mine[random() % until] = static_cast<char>(random());
    if (round % 3 == 0)
      for (std::size_t i = 4096; i < 100'000; i += 8) {
        const std::uint64_t noise = random();
        std::memcpy(mine + i, &noise, 8);
      }
    for (int i = 0; i < 5001; ++i) {
      ReadInfo info;
      const std::string key = i == 5000 ? "large" : "k" + std::to_string(i);
      const auto dest = [&](const ReadInfo& e) {
        value.resize(e.value_size);
        return value.data();
      };
      reader->read(0, key, 0, dest, &info);
    }
  }
  munmap(mine, 4 << 20);
  close(fd);
  SUCCEED();
}

namespace {

// Value of a key at a sequence number: says what it is, and every byte follows from that.
std::string make_value(std::uint32_t key, std::uint64_t sequence, std::size_t size) {
  std::string v(16 + size, '\0');
  std::memcpy(v.data(), &sequence, 8);
  std::memcpy(v.data() + 8, &key, 4);
  const auto length = static_cast<std::uint32_t>(size);
  std::memcpy(v.data() + 12, &length, 4);
  for (std::size_t i = 0; i < size; ++i) v[16 + i] = static_cast<char>(sequence * 131 + key * 7 + i);
  return v;
}

}  // namespace

TEST_CASE("readers beside a writer: nothing torn, foreign or stale", "[reader][threads]") {
  const std::uint64_t seed = test::draw_seed();
  INFO("COPPICE_TEST_SEED=" << seed);
  constexpr std::uint32_t kKeys = 300;
  auto store = Store::create({.max_memory = 3 << 20, .shared = true});
  REQUIRE(store != nullptr);
  std::vector<std::atomic<std::uint64_t>> acknowledged(kKeys);
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> torn{0}, stale{0}, hits{0}, asks{0};
  std::vector<std::thread> readers;
  for (int r = 0; r < 3; ++r)
    readers.emplace_back([&, r] {
      std::string error;
      auto reader = Reader::map(store->descriptor(), &error);
      std::mt19937_64 random(seed + static_cast<std::uint64_t>(r) + 1);
      std::string value;
      while (!stop.load(std::memory_order_relaxed)) {
        const auto k = static_cast<std::uint32_t>(random() % kKeys);
        const std::string key = "key." + std::to_string(k);
        const std::uint64_t before = acknowledged[k].load(std::memory_order_acquire);
        ReadInfo info;
        const auto dest = [&](const ReadInfo& e) {
          value.resize(e.value_size);
          return value.data();
        };
        const ReadStatus status = reader->read(0, key, 0, dest, &info);
        if (status == ReadStatus::kAskOwner) asks.fetch_add(1);
        if (status != ReadStatus::kHit) continue;
        hits.fetch_add(1, std::memory_order_relaxed);
        std::uint64_t sequence = 0;
        std::uint32_t size = 0;
        if (value.size() >= 16) {
          std::memcpy(&sequence, value.data(), 8);
          std::memcpy(&size, value.data() + 12, 4);
        }
        if (value.size() != 16u + size || value != make_value(k, sequence, size)) torn.fetch_add(1);
        if (sequence < before) stale.fetch_add(1);
      }
    });
  std::mt19937_64 random(seed);
  std::uint64_t sequence = 0;
  for (std::uint64_t i = 0; i < test::scaled(60'000); ++i) {
    const auto k = static_cast<std::uint32_t>(random() % kKeys);
    const std::string key = "key." + std::to_string(k);
    // After each call its effect is acknowledged: a value read from then on must not be older.
    const auto removed = [&](std::uint32_t which) { acknowledged[which].store(++sequence, std::memory_order_release); };
    switch (random() % 12) {
      case 0:
        store->erase(0, key);
        removed(k);
        break;
      case 1:
        if (random() % 50 != 0) break;
        store->erase_prefix(0, key.substr(0, key.size() - 1));
        removed(k);
        break;
      case 2:
        if (random() % 500 != 0) break;
        store->flush(0);
        for (std::uint32_t all = 0; all < kKeys; ++all) removed(all);
        break;
      case 3:
        store->purge(20);
        break;
      case 4:  // others come and go, so that pages change their class
        REQUIRE(store->set(0, "fill." + std::to_string(random() % 5000),
                           {ValueType::kString, std::string(random() % 4000, 'f')}));
        break;
      default: {
        const std::size_t size = random() % 40 == 0 ? random() % 150'000 : random() % (1 + (i / 5000 % 4) * 300);
        ++sequence;
        REQUIRE(store->set(0, key, {ValueType::kString, make_value(k, sequence, size)}));
        acknowledged[k].store(sequence, std::memory_order_release);
      }
    }
  }
  stop = true;
  for (auto& t : readers) t.join();
  CHECK(torn == 0);
  CHECK(stale == 0);
  CHECK(hits > 0);
  const std::string bad = store->check();
  INFO(bad);
  CHECK(bad.empty());
}
