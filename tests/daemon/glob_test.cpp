#include "resp/glob.h"

#include "support/catch.h"

using coppice::resp::glob_match;
using coppice::resp::glob_range;

TEST_CASE("patterns match as Redis's do") {
  struct Case {
    std::string_view pattern, text;
    bool matches;
  };
  const Case cases[] = {
      {"", "", true},
      {"", "a", false},
      {"*", "", true},
      {"*", "abc", true},
      {"a*", "abc", true},
      {"a*", "ba", false},
      {"*c", "abc", true},
      {"a*c", "abbbc", true},
      {"a*b*c", "aXbYc", true},
      {"a*b*c", "acb", false},
      {"h?llo", "hello", true},
      {"h?llo", "hllo", false},
      {"?", "", false},
      {"[ab]c", "bc", true},
      {"[ab]c", "cc", false},
      {"[^ab]c", "cc", true},
      {"[^ab]c", "ac", false},
      {"[a-c]", "b", true},
      {"[c-a]", "b", true},
      {"[a-c]", "d", false},
      {"[\\]]", "]", true},
      {"\\*", "*", true},
      {"\\*", "a", false},
      {"a\\", "a\\", true},
      {"[abc", "b", true},
      {"[abc", "d", false},
      {"**", "x", true},
      {"*a*", "bab", true},
      {"user.*.name", "user.42.name", true},
      {"user.*.name", "user.42.names", false},
      {"[]a]", "a", false},
      {"A", "a", false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.pattern, c.text);
    CHECK(glob_match(c.pattern, c.text) == c.matches);
  }
}

TEST_CASE("case can be folded") {
  CHECK(glob_match("MAX*", "maxmemory", true));
  CHECK(glob_match("[A-C]x", "bX", true));
  CHECK_FALSE(glob_match("MAX*", "maxmemory"));
}

TEST_CASE("bytes are bytes") {
  CHECK(glob_match(std::string_view("a\0?", 3), std::string_view("a\0\xff", 3)));
  CHECK_FALSE(glob_match("\xfe", "\xff"));
}

TEST_CASE("many stars cost no more than pattern times text") {
  // 2^40 steps for a matcher that tries every division.
  std::string pattern;
  for (int i = 0; i < 40; ++i) pattern += "a*";
  CHECK_FALSE(glob_match(pattern + "b", std::string(4000, 'a')));
}

TEST_CASE("a pattern's range is its literal beginning") {
  const auto star = glob_range("user.*");
  CHECK(star.prefix == "user.");
  CHECK(star.whole_prefix);
  CHECK_FALSE(star.exact);
  const auto middle = glob_range("user.*.name");
  CHECK(middle.prefix == "user.");
  CHECK_FALSE(middle.whole_prefix);
  const auto literal = glob_range("a\\*b");
  CHECK(literal.prefix == "a*b");
  CHECK(literal.exact);
  CHECK(glob_range("*").whole_prefix);
  CHECK(glob_range("").exact);
  CHECK_FALSE(glob_range("a[b]").exact);
  CHECK_FALSE(glob_range("a?*").whole_prefix);
  CHECK(glob_range("a**").whole_prefix);
}
