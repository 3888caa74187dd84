#include "coppice/snapshot.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "coppice/collections.h"
#include "snapshot_format.h"
#include "support/catch.h"

using namespace coppice;
using State = SnapshotLoader::State;
namespace fs = std::filesystem;

namespace {

struct Directory {
  std::string path;
  Directory() {
    char name[] = "/tmp/coppice-snapshot-XXXXXX";
    path = mkdtemp(name);
  }
  ~Directory() { fs::remove_all(path); }
  std::string file() const { return path + "/cache.snapshot"; }
};

std::unique_ptr<Store> make_store(const Clock& clock, std::uint64_t max_memory = 64 << 20) {
  Store::CreateError error;
  auto store = Store::create({.max_memory = max_memory, .policy = Policy::kNoEviction, .clock = &clock}, &error);
  INFO(error.message);
  REQUIRE(store);
  return store;
}

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void put(const std::string& path, const std::string& bytes) {
  fs::remove(path);
  std::ofstream(path, std::ios::binary) << bytes;
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
}

void write(const Store& store, const std::string& path) {
  std::string error;
  const bool written = write_snapshot(store, path, &error);
  INFO(error);
  REQUIRE(written);
}

void load(SnapshotLoader& loader, Store& store, std::size_t step = 1000) {
  while (loader.step(store, step)) {
  }
}

// A snapshot of some entries of all sizes, in bytes.
std::string sample(const Directory& dir, const Clock& clock) {
  auto store = make_store(clock);
  for (int i = 0; i < 50; ++i)
    REQUIRE(
        store->set(0, "key." + std::to_string(i), {ValueType::kString, std::string(static_cast<std::size_t>(i), 'v')}));
  REQUIRE(store->set(1, "large", {ValueType::kArray, std::string(300'000, 'l')}));
  REQUIRE(store->set(2, "last", {ValueType::kInteger, "7"}));
  write(*store, dir.file());
  return contents(dir.file());
}

struct Chunk {
  std::size_t at;
  snapshot::ChunkHeader header;
};
std::vector<Chunk> chunks_of(const std::string& bytes) {
  std::vector<Chunk> found;
  for (std::size_t at = sizeof(snapshot::FileHeader); at < bytes.size();) {
    Chunk c{at, {}};
    std::memcpy(&c.header, bytes.data() + at, sizeof c.header);
    found.push_back(c);
    at += sizeof c.header + c.header.length;
  }
  return found;
}
// Makes the sums right again after bytes were changed.
void seal(std::string& bytes) {
  const auto chunks = chunks_of(bytes);
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const std::uint64_t sum =
        snapshot::checksum_of_chunk(i, bytes.data() + chunks[i].at + 8, 8 + std::size_t{chunks[i].header.length});
    std::memcpy(bytes.data() + chunks[i].at, &sum, sizeof sum);
  }
  snapshot::FileHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.file_size = bytes.size();
  header.checksum = snapshot::checksum_of(header);
  std::memcpy(bytes.data(), &header, sizeof header);
}

// Loads `bytes` and wants them rejected with a message that has `why`.
void rejected(const Directory& dir, const std::string& bytes, const std::string& why) {
  put(dir.file(), bytes);
  ManualClock clock;
  auto store = make_store(clock);
  SnapshotLoader loader(dir.file());
  load(loader, *store);
  INFO(loader.message());
  CHECK(loader.state() == State::kRejected);
  CHECK(loader.message().find(why) != std::string::npos);
  CHECK(loader.message().find(dir.file()) != std::string::npos);
  CHECK(!fs::exists(dir.file()));
  REQUIRE(!loader.kept_as().empty());
  CHECK(fs::exists(loader.kept_as()));
  for (Database db = 0; db < 16; ++db) CHECK(store->count(db) == 0);
  fs::remove(loader.kept_as());
}

}  // namespace

TEST_CASE("what is written comes back: bytes, types, deadlines, databases") {
  const unsigned seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  Directory dir;
  ManualClock clock;
  auto store = make_store(clock, 256 << 20);
  struct Entry {
    ValueType type;
    std::string value;
    Millis deadline;
  };
  std::map<std::pair<Database, std::string>, Entry> model;
  for (int i = 0; i < 3000; ++i) {
    std::string key(1 + random() % (i % 100 == 0 ? kMaxKeyLength : 40), '\0');
    for (char& c : key) c = static_cast<char>(random());
    std::string value(random() % (i % 200 == 0 ? 400'000 : 300), '\0');
    for (char& c : value) c = static_cast<char>(random());
    const Entry entry{static_cast<ValueType>(random() % (kLastValueType + 1)), value,
                      random() % 2 ? kNoDeadline : clock.monotonic_ms() + 1 + static_cast<Millis>(random() % 100'000)};
    const Database db = random() % 16;
    REQUIRE(store->set(db, key, {entry.type, entry.value}, {.deadline = entry.deadline}));
    model[{db, key}] = entry;
  }
  write(*store, dir.file());

  auto fresh = make_store(clock, 256 << 20);
  SnapshotLoader loader(dir.file());
  REQUIRE(loader.state() == State::kLoading);
  CHECK(loader.newest_version() == store->newest_version());
  load(loader, *fresh, 1 + random() % 500);
  INFO(loader.message());
  REQUIRE(loader.state() == State::kDone);
  CHECK(loader.loaded() == model.size());
  CHECK(loader.skipped() == 0);
  std::size_t there = 0;
  for (Database db = 0; db < 16; ++db) there += fresh->count(db);
  CHECK(there == model.size());
  for (const auto& [key, entry] : model) {
    const auto found = fresh->peek(key.first, key.second);
    REQUIRE(found);
    REQUIRE(found->value() == entry.value);
    REQUIRE(found->type == entry.type);
    REQUIRE(found->deadline == entry.deadline);
  }
  CHECK(fresh->check() == "");
}

TEST_CASE("collections come back, small and large, with deadlines and tags") {
  Directory dir;
  ManualClock clock;
  auto store = make_store(clock, 64 << 20);
  std::vector<std::string> names;
  for (int i = 0; i < 5000; ++i) names.push_back("element " + std::to_string(i));
  const std::string huge(300'000, 'h');
  const ValueType types[] = {ValueType::kHash, ValueType::kSet, ValueType::kSortedSet};
  for (const ValueType type : types)
    for (const std::size_t n : {3, 5000}) {
      std::vector<Element> elements;
      for (std::size_t i = 0; i < n; ++i)
        elements.push_back({names[i],
                            type != ValueType::kHash ? std::string_view() : std::string_view(i == 77 ? huge : names[i]),
                            double(i) / 3});
      const std::string key = std::to_string(n) + "." + std::to_string(static_cast<int>(type));
      REQUIRE(store->put_elements(1, key, type, elements));
      REQUIRE(*store->set_deadline(1, key, clock.monotonic_ms() + 5000));
    }
  write(*store, dir.file());

  auto fresh = make_store(clock, 64 << 20);
  SnapshotLoader loader(dir.file());
  load(loader, *fresh);
  INFO(loader.message());
  REQUIRE(loader.state() == State::kDone);
  CHECK(loader.loaded() == 6);
  CHECK(loader.skipped() == 0);
  CHECK(fresh->stats().elements == store->stats().elements);
  for (const ValueType type : types)
    for (const std::size_t n : {3, 5000}) {
      const auto entry = fresh->peek(1, std::to_string(n) + "." + std::to_string(static_cast<int>(type)));
      REQUIRE(entry);
      CHECK(entry->type == type);
      CHECK(entry->deadline == clock.monotonic_ms() + 5000);
      const auto collection = *fresh->open(*entry);
      REQUIRE(collection.size() == n);
      CHECK(collection.is_packed() == (n == 3));
      for (std::size_t i = 0; i < n; ++i) {
        const auto e = collection.find(names[i]);
        REQUIRE(e);
        if (type == ValueType::kHash) CHECK(e->value.value() == (i == 77 ? huge : names[i]));
        if (type == ValueType::kSortedSet) CHECK(e->score == double(i) / 3);
      }
    }
  CHECK(fresh->check() == "");
}

TEST_CASE("a collection for which there is no room is left out as a whole") {
  Directory dir;
  ManualClock clock;
  auto store = make_store(clock, 64 << 20);
  const std::string value(3000, 'v');
  std::vector<std::string> names;
  for (int i = 0; i < 3000; ++i) names.push_back(std::to_string(i));
  std::vector<Element> elements;
  for (const std::string& name : names) elements.push_back({name, value});
  REQUIRE(store->put_elements(0, "large", ValueType::kHash, elements));
  REQUIRE(store->set(0, "string", {ValueType::kString, "v"}));
  write(*store, dir.file());
  auto fresh = make_store(clock, 4 << 20);
  SnapshotLoader loader(dir.file());
  load(loader, *fresh);
  INFO(loader.message());
  REQUIRE(loader.state() == State::kDone);
  CHECK(loader.skipped() == 1);
  CHECK(!fresh->peek(0, "large"));
  CHECK(fresh->peek(0, "string"));
  CHECK(fresh->check() == "");
}

TEST_CASE("tags, stale windows and compute times come back") {
  Directory dir;
  ManualClock clock;
  auto store = make_store(clock);
  std::vector<std::string> names;
  for (int i = 1000; i < 1300; ++i) names.push_back(std::string(1, static_cast<char>(i)) + std::to_string(i));
  const std::vector<std::string_view> many(names.begin(), names.end()), two{"red", "round"};
  REQUIRE(store->set(0, "many", {ValueType::kString, "v"}, {.tags = many}));
  const Millis deadline = clock.monotonic_ms() + 1000;
  REQUIRE(store->set(1, "both", {ValueType::kString, std::string(100'000, 'v')},
                     {.deadline = deadline, .compute_us = 7, .stale = 500, .tags = two}));
  REQUIRE(store->set(1, "plain", {ValueType::kString, "v"}));
  write(*store, dir.file());

  auto fresh = make_store(clock);
  SnapshotLoader loader(dir.file());
  load(loader, *fresh);
  INFO(loader.message());
  REQUIRE(loader.state() == State::kDone);
  std::sort(names.begin(), names.end());
  CHECK(fresh->tags_of(0, "many") == names);
  CHECK(fresh->tags_of(1, "both") == std::vector<std::string>{"red", "round"});
  CHECK(fresh->tags_of(1, "plain").empty());
  const auto both = fresh->find_stale(1, "both");
  REQUIRE(both);
  CHECK(both->stale == 500);
  CHECK(both->compute_us == 7);
  CHECK(fresh->stats().tag_memberships == names.size() + 2);
  CHECK(fresh->check() == "");
}

TEST_CASE("a file of the format before tags is read") {
  Directory dir;
  ManualClock clock;
  auto store = make_store(clock);
  REQUIRE(store->set(0, "a", {ValueType::kString, "value"}));
  REQUIRE(store->set(3, "b", {ValueType::kInteger, "7"}));
  write(*store, dir.file());
  std::string bytes = contents(dir.file());
  snapshot::FileHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.version = 1;
  std::memcpy(bytes.data(), &header, sizeof header);
  // Of each entry the ten bytes behind its 19 of head are new.
  const std::size_t first = sizeof header + sizeof(snapshot::ChunkHeader) + 1;
  bytes.erase(first + 19, 10);
  bytes.erase(first + 19 + 6 + 19, 10);
  const Chunk chunk = [&] {
    Chunk c{sizeof header, {}};
    std::memcpy(&c.header, bytes.data() + c.at, sizeof c.header);
    return c;
  }();
  const std::uint32_t length = chunk.header.length - 20;
  std::memcpy(bytes.data() + chunk.at + 8, &length, sizeof length);
  seal(bytes);
  put(dir.file(), bytes);
  auto fresh = make_store(clock);
  SnapshotLoader loader(dir.file());
  load(loader, *fresh);
  INFO(loader.message());
  REQUIRE(loader.state() == State::kDone);
  CHECK(fresh->peek(0, "a")->value() == "value");
  CHECK(fresh->peek(3, "b")->value() == "7");
}

TEST_CASE("tags that cannot be reject a snapshot") {
  Directory dir;
  ManualClock clock;
  auto store = make_store(clock);
  const std::string_view tags[] = {"red"};
  REQUIRE(store->set(0, "a", {ValueType::kString, "value"}, {.tags = tags}));
  write(*store, dir.file());
  const std::string good = contents(dir.file());
  const std::size_t tag = good.find("red") - 2;
  std::string bytes = good;
  SECTION("longer than the chunk") {
    bytes[tag] = 100;
    seal(bytes);
    rejected(dir, bytes, "goes beyond the chunk");
  }
  SECTION("empty") {
    bytes[tag] = 0;
    seal(bytes);
    rejected(dir, bytes, "an impossible tag");
  }
  SECTION("too many") {
    bytes[good.find("avalue") - 1] = 0x7f;
    seal(bytes);
    rejected(dir, bytes, "too many tags");
  }
}

TEST_CASE("an empty store makes a snapshot that loads") {
  Directory dir;
  ManualClock clock;
  auto store = make_store(clock);
  write(*store, dir.file());
  SnapshotLoader loader(dir.file());
  load(loader, *store);
  CHECK(loader.state() == State::kDone);
  CHECK(loader.loaded() == 0);
}

TEST_CASE("without a file the start is empty and nothing is said to be wrong") {
  Directory dir;
  SnapshotLoader loader(dir.file());
  CHECK(loader.state() == State::kNone);
  CHECK(loader.kept_as().empty());
}

TEST_CASE("a snapshot loads once: it is marked before the first entry is stored") {
  Directory dir;
  ManualClock clock;
  sample(dir, clock);
  { SnapshotLoader crashed(dir.file()); }  // opened, nothing stored yet
  SnapshotLoader loader(dir.file());
  CHECK(loader.state() == State::kNone);
  CHECK(loader.message().find("used already") != std::string::npos);
  CHECK(loader.newest_version() > 0);
  CHECK(fs::exists(dir.file()));
}

TEST_CASE("deadlines go on by the wall clock") {
  Directory dir;
  ManualClock before(1'000'000, 1'700'000'000'000'000);
  auto store = make_store(before);
  REQUIRE(store->set(0, "short", {ValueType::kString, "s"}, {.deadline = before.monotonic_ms() + 5'000}));
  REQUIRE(store->set(0, "long", {ValueType::kString, "l"}, {.deadline = before.monotonic_ms() + 60'000}));
  REQUIRE(store->set(0, "ever", {ValueType::kString, "e"}));
  write(*store, dir.file());

  // Another boot: the monotonic clock began anew, ten seconds of wall clock went by.
  ManualClock after(50, 1'700'000'010'000'000);
  auto fresh = make_store(after);
  SnapshotLoader loader(dir.file());
  load(loader, *fresh);
  CHECK(loader.loaded() == 2);
  CHECK(loader.skipped() == 1);
  CHECK(!fresh->peek(0, "short"));
  CHECK(fresh->peek(0, "long")->deadline == 50 + 50'000);
  CHECK(fresh->peek(0, "ever")->deadline == kNoDeadline);
}

TEST_CASE("what the new store has no room for is left out and counted") {
  Directory dir;
  ManualClock clock;
  auto store = make_store(clock);
  for (int i = 0; i < 100; ++i)
    REQUIRE(store->set(0, "k" + std::to_string(i), {ValueType::kString, std::string(200'000, 'x')}));
  write(*store, dir.file());
  auto small = make_store(clock, 4 << 20);
  SnapshotLoader loader(dir.file());
  load(loader, *small);
  CHECK(loader.state() == State::kDone);
  CHECK(loader.loaded() > 0);
  CHECK(loader.skipped() > 0);
  CHECK(loader.loaded() + loader.skipped() == 100);
}

TEST_CASE("the file is private and an old temporary file is no obstacle") {
  Directory dir;
  ManualClock clock;
  put(dir.file() + ".tmp", "left by a crash");
  sample(dir, clock);
  CHECK((fs::status(dir.file()).permissions() & fs::perms(0777)) == fs::perms(0600));
  CHECK(!fs::exists(dir.file() + ".tmp"));
}

TEST_CASE("a temporary file that is a link is not written through") {
  Directory dir;
  ManualClock clock;
  put(dir.path + "/victim", "untouched");
  fs::create_symlink(dir.path + "/victim", dir.file() + ".tmp");
  sample(dir, clock);
  CHECK(contents(dir.path + "/victim") == "untouched");
  CHECK(!fs::is_symlink(dir.file()));
}

TEST_CASE("a snapshot that cannot be written says why and leaves the old one") {
  ManualClock clock;
  auto store = make_store(clock);
  std::string error;
  CHECK(!write_snapshot(*store, "/nowhere/at/all/cache.snapshot", &error));
  CHECK(error.find("/nowhere/at/all/cache.snapshot.tmp") != std::string::npos);
  CHECK(error.find("No such file") != std::string::npos);

  Directory dir;
  fs::create_directories(dir.file() + "/occupied");
  CHECK(!write_snapshot(*store, dir.file(), &error));
  CHECK(error.find("rename") != std::string::npos);
  CHECK(fs::exists(dir.file() + "/occupied"));
  CHECK(!fs::exists(dir.file() + ".tmp"));
}

TEST_CASE("a file cut at any place is rejected") {
  Directory dir;
  ManualClock clock;
  const std::string whole = sample(dir, clock);
  for (std::size_t size = 0; size < whole.size(); size += size < 300 ? 1 : 4999)
    rejected(dir, whole.substr(0, size), "truncated");
}

TEST_CASE("a cut file whose header was made to fit is rejected at the chunk") {
  Directory dir;
  ManualClock clock;
  std::string bytes = sample(dir, clock);
  bytes.resize(bytes.size() - 20);
  snapshot::FileHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.file_size = bytes.size();
  header.checksum = snapshot::checksum_of(header);
  std::memcpy(bytes.data(), &header, sizeof header);
  rejected(dir, bytes, "chunk");
}

TEST_CASE("any changed byte is found") {
  Directory dir;
  ManualClock clock;
  const std::string whole = sample(dir, clock);
  for (std::size_t at = 0; at < whole.size(); at += at < 400 ? 1 : 3001) {
    if (at >= 16 && at < 24) continue;  // the state is meant to change
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x20);
    rejected(dir, bytes, "rejected");
  }
}

TEST_CASE("a foreign file, a newer one and one with more behind it are told apart") {
  Directory dir;
  ManualClock clock;
  const std::string whole = sample(dir, clock);
  rejected(dir, std::string(1000, 'x'), "no snapshot of Coppice");
  rejected(dir, "REDIS0011" + std::string(100, 'r'), "no snapshot of Coppice");
  rejected(dir, whole + "x", "behind its end");
  std::string newer = whole;
  newer[8] = static_cast<char>(snapshot::kSnapshotVersion + 1);
  rejected(dir, newer, "newer");
}

TEST_CASE("chunks in another order are rejected though each is whole") {
  Directory dir;
  ManualClock clock;
  std::string bytes = sample(dir, clock);
  const auto chunks = chunks_of(bytes);
  REQUIRE(chunks.size() >= 3);
  const std::string first = bytes.substr(chunks[0].at, chunks[1].at - chunks[0].at);
  const std::string second = bytes.substr(chunks[1].at, chunks[2].at - chunks[1].at);
  bytes = bytes.substr(0, chunks[0].at) + second + first + bytes.substr(chunks[2].at);
  rejected(dir, bytes, "wrong checksum");
}

TEST_CASE("lengths that claim too much are refused before anything is allocated for them") {
  Directory dir;
  ManualClock clock;
  const std::string whole = sample(dir, clock);
  const auto chunks = chunks_of(whole);
  constexpr std::size_t kEntry = sizeof(snapshot::ChunkHeader) + 1;  // behind cereal's byte-order mark
  const auto changed = [&](std::size_t at, auto value) {
    std::string bytes = whole;
    std::memcpy(bytes.data() + at, &value, sizeof value);
    seal(bytes);
    return bytes;
  };
  SECTION("a chunk longer than the file") {
    std::string bytes = whole;
    const std::uint32_t length = 0xfffffff0;
    std::memcpy(bytes.data() + chunks[0].at + 8, &length, sizeof length);
    rejected(dir, bytes, "longer than");
  }
  SECTION("a key of no bytes") { rejected(dir, changed(chunks[0].at + kEntry + 13, std::uint16_t{0}), "key length"); }
  SECTION("a key too long") { rejected(dir, changed(chunks[0].at + kEntry + 13, std::uint16_t{5000}), "key length"); }
  SECTION("a value beyond the chunk") {
    rejected(dir, changed(chunks[0].at + kEntry + 15, std::uint32_t{400u << 20}), "beyond the chunk");
  }
  SECTION("a value beyond all limits") {
    rejected(dir, changed(chunks[0].at + kEntry + 15, std::uint32_t{0xffffffff}), "value length");
  }
  SECTION("an unknown type") { rejected(dir, changed(chunks[0].at + kEntry + 4, std::uint8_t{99}), "type"); }
  SECTION("more entries than the chunk has") {
    rejected(dir, changed(chunks[0].at + 12, chunks[0].header.entries + 1), "chunk 0");
  }
  SECTION("fewer entries than the chunk has") {
    rejected(dir, changed(chunks[0].at + 12, chunks[0].header.entries - 1), "too few");
  }
  SECTION("no entries where some are") { rejected(dir, changed(chunks[0].at + 12, std::uint32_t{0}), "its end"); }
  SECTION("a total that is wrong") { rejected(dir, changed(chunks.back().at + kEntry, std::uint64_t{3}), "its end"); }
}

TEST_CASE("hostile deadlines saturate") {
  Directory dir;
  ManualClock clock;
  const std::string whole = sample(dir, clock);
  const auto chunks = chunks_of(whole);
  for (const std::int64_t deadline : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1}, std::int64_t{0},
                                      std::numeric_limits<std::int64_t>::max() - 1}) {
    std::string bytes = whole;
    std::memcpy(bytes.data() + chunks[0].at + sizeof(snapshot::ChunkHeader) + 1 + 5, &deadline, sizeof deadline);
    seal(bytes);
    put(dir.file(), bytes);
    auto store = make_store(clock);
    SnapshotLoader loader(dir.file());
    load(loader, *store);
    REQUIRE(loader.state() == State::kDone);
    CHECK(loader.skipped() == (deadline <= 0 ? 1 : 0));
  }
}

TEST_CASE("entries of a database that the store lacks are left out") {
  Directory dir;
  ManualClock clock;
  sample(dir, clock);
  auto store = Store::create({.max_memory = 64 << 20, .databases = 1, .clock = &clock});
  REQUIRE(store);
  SnapshotLoader loader(dir.file());
  load(loader, *store);
  CHECK(loader.state() == State::kDone);
  CHECK(loader.loaded() == 50);
  CHECK(loader.skipped() == 2);
}

TEST_CASE("links, directories and files that others may write are not read") {
  Directory dir;
  ManualClock clock;
  sample(dir, clock);
  SECTION("link") {
    fs::rename(dir.file(), dir.path + "/elsewhere");
    fs::create_symlink(dir.path + "/elsewhere", dir.file());
    SnapshotLoader loader(dir.file());
    CHECK(loader.state() == State::kRejected);
    CHECK(loader.message().find("symbolic link") != std::string::npos);
    SnapshotLoader elsewhere(dir.path + "/elsewhere");
    CHECK(elsewhere.state() == State::kLoading);  // it was not marked through the link
  }
  SECTION("directory") {
    fs::remove(dir.file());
    fs::create_directory(dir.file());
    SnapshotLoader loader(dir.file());
    CHECK(loader.state() == State::kRejected);
  }
  SECTION("others may write") {
    fs::permissions(dir.file(), fs::perms(0666));
    SnapshotLoader loader(dir.file());
    CHECK(loader.state() == State::kRejected);
    CHECK(loader.message().find("others may write") != std::string::npos);
  }
}

TEST_CASE("files kept aside do not replace each other") {
  Directory dir;
  for (int n = 1; n <= 3; ++n) {
    put(dir.file(), "foreign " + std::to_string(n) + std::string(100, '.'));
    SnapshotLoader loader(dir.file());
    CHECK(loader.kept_as() == dir.file() + ".rejected-" + std::to_string(n));
    CHECK(contents(loader.kept_as()).substr(0, 9) == "foreign " + std::to_string(n));
  }
}
