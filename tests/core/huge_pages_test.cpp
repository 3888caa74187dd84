// A store is the same on huge pages and without; whether the system has any is not for a test to say.
#include "huge_pages.h"

#include <sys/mman.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "coppice/reader.h"
#include "coppice/store.h"
#include "support/catch.h"

using namespace coppice;

namespace {

constexpr int kEntries = 60'000;  // some stretches

std::string key_of(int i) { return "user." + std::to_string(i / 10) + ".item." + std::to_string(i % 10); }
std::string value_of(int i) { return std::string(static_cast<std::size_t>(i % 200), static_cast<char>('a' + i % 26)); }

std::unique_ptr<Store> filled(bool shared, bool huge) {
  Store::CreateError error;
  auto store = Store::create({.max_memory = 64 << 20, .shared = shared, .huge_pages = huge}, &error);
  INFO(error.message);
  REQUIRE(store != nullptr);
  for (int i = 0; i < kEntries; ++i) REQUIRE(store->set(0, key_of(i), {ValueType::kString, value_of(i)}));
  return store;
}

// Which of the system's pages of a range are resident.
std::vector<unsigned char> residency(const char* at, std::uint64_t bytes) {
  std::vector<unsigned char> pages(bytes / 4096);
  REQUIRE(mincore(const_cast<char*>(at), bytes, pages.data()) == 0);
  return pages;
}

}  // namespace

TEST_CASE("entries are the same on huge pages and without") {
  const bool shared = GENERATE(false, true);
  const bool huge = GENERATE(false, true);
  CAPTURE(shared, huge);
  const auto store = filled(shared, huge);
  std::string error;
  const auto reader = shared ? Reader::map(store->descriptor(), &error) : nullptr;
  INFO(error);
  REQUIRE((reader != nullptr) == shared);
  int wrong = 0;
  for (int i = 0; i < kEntries; ++i) {
    std::string value;
    ReadInfo info;
    if (shared) {
      const auto room = [&](const ReadInfo& e) {
        value.resize(e.value_size);
        return value.data();
      };
      if (reader->read(0, key_of(i), 0, room, &info) != ReadStatus::kHit) ++wrong;
    } else if (const auto entry = store->find(0, key_of(i))) {
      value = entry->value();
    }
    if (value != value_of(i)) ++wrong;
  }
  CHECK(wrong == 0);
  CHECK(store->check().empty());
}

TEST_CASE("a mapping begins where huge pages can") {
  const auto store = filled(true, true);
  std::string error;
  const auto reader = Reader::map(store->descriptor(), &error);
  REQUIRE(reader != nullptr);
  CHECK(reinterpret_cast<std::uintptr_t>(&store->header()) % layout::kHugePageSize == 0);
  CHECK(reinterpret_cast<std::uintptr_t>(&reader->header()) % layout::kHugePageSize == 0);
}

TEST_CASE("at most a stretch and a half is resident ahead of use") {
  const bool shared = GENERATE(false, true);
  CAPTURE(shared);
  std::string error;
  const auto segment = Segment::create(32 << 20, 1, shared, &error);
  REQUIRE(segment != nullptr);
  const auto first = static_cast<std::uint32_t>(segment->header().first_page);
  constexpr std::uint32_t kPages = 100;
  {
    HugePages huge(*segment, true);
    for (std::uint32_t page = first; page < first + kPages; ++page) huge.populate(page);
  }  // whoever helped has ended
  const std::uint64_t used = std::uint64_t{first + kPages} << layout::kPageShift;
  const std::uint64_t end = used + HugePages::kStretch * 3 / 2;
  for (const unsigned char page : residency(segment->base() + end, segment->size() - end)) REQUIRE((page & 1) == 0);
}

TEST_CASE("a small segment, or one that must not, asks for no huge page") {
  const bool small = GENERATE(false, true);
  CAPTURE(small);
  std::string error;
  const auto segment = Segment::create(small ? 6 << 20 : 32 << 20, 1, true, &error);
  REQUIRE(segment != nullptr);
  const auto first = static_cast<std::uint32_t>(segment->header().first_page);
  {
    HugePages huge(*segment, small);
    for (std::uint32_t page = first; page < first + 20; ++page) huge.populate(page);
  }
  const std::uint64_t used = std::uint64_t{first + 20} << layout::kPageShift;
  for (const unsigned char page : residency(segment->base() + used, segment->size() - used)) REQUIRE((page & 1) == 0);
}

TEST_CASE("what is written before and while a stretch is collapsed stays") {
  std::string error;
  const auto segment = Segment::create(32 << 20, 1, true, &error);
  REQUIRE(segment != nullptr);
  HugePages huge(*segment, true);
  const auto first = static_cast<std::uint32_t>(segment->header().first_page);
  const auto end = static_cast<std::uint32_t>(segment->header().page_count);
  for (std::uint32_t page = first; page < end; ++page) {
    huge.populate(page);
    std::memset(segment->page(page), static_cast<int>(page % 251 + 1), layout::kPageSize);
  }
  CHECK(segment->header().magic == layout::kMagic);
  bool same = true;
  for (std::uint32_t page = first; page < end; ++page)
    for (std::uint32_t i = 0; i < layout::kPageSize; i += 64)
      same = same && segment->page(page)[i] == static_cast<char>(page % 251 + 1);
  CHECK(same);
}
