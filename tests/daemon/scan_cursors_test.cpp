#include "scan_cursors.h"

#include "support/catch.h"

using coppice::daemon::ScanCursors;

TEST_CASE("a cursor leads back to its key, as often as it is used") {
  ScanCursors cursors;
  const auto a = cursors.add(0, "a");
  const auto b = cursors.add(0, std::string_view("b\0c", 3));
  CHECK(a != 0);
  CHECK(a != b);
  CHECK(cursors.find(0, a) == "a");
  CHECK(cursors.find(0, b) == std::string("b\0c", 3));
  CHECK(cursors.find(0, a) == "a");
}

TEST_CASE("a cursor is unknown in another database, and so is one never given") {
  ScanCursors cursors;
  const auto a = cursors.add(1, "a");
  CHECK_FALSE(cursors.find(0, a));
  CHECK_FALSE(cursors.find(1, a + 1));
  CHECK_FALSE(cursors.find(1, 0));
}

TEST_CASE("the least recently used cursors make room") {
  ScanCursors cursors(3, 1 << 20);
  const auto a = cursors.add(0, "a");
  const auto b = cursors.add(0, "b");
  const auto c = cursors.add(0, "c");
  CHECK(cursors.find(0, a));
  const auto d = cursors.add(0, "d");
  CHECK(cursors.size() == 3);
  CHECK(cursors.find(0, a));
  CHECK_FALSE(cursors.find(0, b));
  CHECK(cursors.find(0, c));
  CHECK(cursors.find(0, d));
}

TEST_CASE("the table is bounded in bytes, whatever the keys' lengths") {
  ScanCursors cursors(1000, 10000);
  for (int i = 0; i < 1000; ++i) {
    const auto cursor = cursors.add(0, std::string(4096, 'k'));
    CHECK(cursor <= ScanCursors::kLargestCursor);
    REQUIRE(cursors.find(0, cursor));
  }
  CHECK(cursors.bytes() <= 10000);
}
