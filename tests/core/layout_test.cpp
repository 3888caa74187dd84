#include "coppice/layout.h"

#include <cstddef>
#include <fstream>
#include <map>
#include <regex>
#include <string>

#include "support/catch.h"

using namespace coppice;

namespace {
struct Place {
  std::size_t offset, bytes;
};
// The rows `| offset | bytes | `name` |` under a heading of docs/shared-memory.md.
std::map<std::string, Place> documented(const std::string& heading) {
  std::ifstream in(COPPICE_DOCS "/shared-memory.md");
  REQUIRE(in);
  std::map<std::string, Place> rows;
  const std::regex row(R"(\| (\d+) \| ([\d,]+) \| `(\w+)` \|.*)");
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#")) inside = line == "### " + heading;
    std::smatch found;
    if (!inside || !std::regex_match(line, found, row)) continue;
    std::string bytes = found[2];
    std::erase(bytes, ',');
    rows[found[3]] = {std::stoul(found[1]), std::stoul(bytes)};
  }
  return rows;
}
}  // namespace

#define SAME(type, field)                                   \
  do {                                                      \
    INFO(#field);                                           \
    REQUIRE(rows.count(#field) == 1);                       \
    CHECK(rows.at(#field).offset == offsetof(type, field)); \
    CHECK(rows.at(#field).bytes == sizeof(type::field));    \
    rows.erase(#field);                                     \
  } while (false)

TEST_CASE("docs/shared-memory.md has the layout that the code has") {
  SECTION("header") {
    using H = layout::SegmentHeader;
    auto rows = documented("Header");
    SAME(H, magic);
    SAME(H, format_version);
    SAME(H, header_size);
    SAME(H, segment_size);
    SAME(H, page_table_offset);
    SAME(H, directory_offset);
    SAME(H, directory_capacity);
    SAME(H, first_page);
    SAME(H, page_count);
    SAME(H, generation);
    SAME(H, hash_secret);
    SAME(H, databases);
    SAME(H, wants_hints);
    SAME(H, lease_until);
    SAME(H, high_water);
    SAME(H, directory_depth);
    SAME(H, database_map);
    SAME(H, entries);
    SAME(H, used_memory);
    SAME(H, max_memory);
    SAME(H, evicted);
    SAME(H, expired);
    CHECK(rows.empty());
  }
  SECTION("page table") {
    auto rows = documented("Page table");
    SAME(layout::PageEntry, word);
    SAME(layout::PageEntry, sequence);
    CHECK(rows.empty());
  }
  SECTION("block") {
    auto rows = documented("Block");
    SAME(layout::BlockHeader, version);
    SAME(layout::BlockHeader, value_length);
    SAME(layout::BlockHeader, key_length_and_flags);
    SAME(layout::BlockHeader, type);
    SAME(layout::BlockHeader, branch);
    CHECK(rows.empty());
  }
  SECTION("hint page") {
    auto rows = documented("Hint page");
    SAME(layout::HintPage, hits);
    SAME(layout::HintPage, misses);
    SAME(layout::HintPage, head);
    SAME(layout::HintPage, marks);
    CHECK(rows.empty());
  }
}

TEST_CASE("every size has the smallest class that holds it") {
  for (std::uint32_t size = 1; size <= layout::kPageSize; ++size) {
    const std::uint32_t c = layout::class_of(size);
    REQUIRE(c < layout::kClassCount);
    REQUIRE(layout::kClassSizes[c] >= size);
    if (c > 0) REQUIRE(layout::kClassSizes[c - 1] < size);
  }
}

TEST_CASE("a chained value's tail, page numbers and longest key fit into a page") {
  for (std::uint64_t length = 1; length <= kLargestMaxValue; length += length < 200'000 ? 1 : 65'521) {
    const auto n = static_cast<std::uint32_t>(length);
    if (!layout::needs_chain(kMaxKeyLength, n)) continue;
    const layout::Chain chain = layout::chain_of(n);
    REQUIRE(std::uint64_t{chain.pages} * layout::kPageSize + chain.tail >= n);
    REQUIRE(layout::block_size(kMaxKeyLength, n, true, true) <= layout::kPageSize);
  }
}
