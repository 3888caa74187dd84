// Comparing and copying of short byte strings by overlapping words, against what the library does.
#include <cstring>
#include <string>

#include "coppice/layout.h"
#include "order_bucket.h"
#include "support/catch.h"

using namespace coppice;

namespace {

constexpr std::size_t kLongest = 80;

std::string text_of(std::size_t n) {
  std::string s(n, '\0');
  for (std::size_t i = 0; i < n; ++i) s[i] = static_cast<char>('a' + i % 23);
  return s;
}
int sign(int n) { return n < 0 ? -1 : n > 0 ? 1 : 0; }

}  // namespace

TEST_CASE("a difference at any place of a key of any length is seen, and which is greater") {
  int wrong = 0;
  for (std::size_t n = 1; n <= kLongest; ++n) {
    const std::string a = text_of(n);
    wrong += !layout::equal_shared(a.data(), std::string(a).data(), n) || compare_keys(a, a) != 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (const char other : {'\0', 'A', '\x7f', '\xff'}) {
        std::string b = a;
        b[i] = other;
        wrong += layout::equal_shared(a.data(), b.data(), n);
        wrong += sign(compare_keys(a, b)) != sign(a.compare(b)) || sign(compare_keys(b, a)) != sign(b.compare(a));
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("of a key and one that goes on, the longer is the greater") {
  int wrong = 0;
  for (std::size_t n = 0; n <= kLongest; ++n)
    for (std::size_t m = 0; m <= kLongest; ++m)
      wrong += sign(compare_keys(text_of(n), text_of(m))) != (n < m ? -1 : n > m ? 1 : 0);
  CHECK(wrong == 0);
}

TEST_CASE("a copy of any length is whole and writes nothing beside it") {
  for (std::size_t n = 0; n <= kLongest; ++n) {
    const std::string from = text_of(n);
    std::string to(n + 16, '#');
    layout::copy_short(to.data() + 8, from.data(), n);
    CAPTURE(n);
    CHECK(to == "########" + from + "########");
  }
}
