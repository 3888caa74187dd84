#include "resp/glob.h"

#include <utility>

namespace coppice::resp {

namespace {

unsigned char fold(char c, bool fold_case) {
  if (fold_case && c >= 'A' && c <= 'Z') return static_cast<unsigned char>(c - 'A' + 'a');
  return static_cast<unsigned char>(c);
}

// Whether the pattern element at `p` (not `*`) takes `c`; `p` moves behind the element.
bool match_one(std::string_view pattern, std::size_t* p, char c, bool fold_case) {
  const unsigned char byte = fold(c, fold_case);
  std::size_t i = *p;
  if (pattern[i] == '?') {
    *p = i + 1;
    return true;
  }
  if (pattern[i] == '\\' && i + 1 < pattern.size()) {
    *p = i + 2;
    return fold(pattern[i + 1], fold_case) == byte;
  }
  if (pattern[i] != '[') {
    *p = i + 1;
    return fold(pattern[i], fold_case) == byte;
  }
  ++i;
  const bool negated = i < pattern.size() && pattern[i] == '^';
  if (negated) ++i;
  bool matched = false;
  // As Redis has it: an unclosed class ends with the pattern, and `]` closes it even as the first one.
  while (i < pattern.size() && pattern[i] != ']') {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) {
      matched |= fold(pattern[i + 1], fold_case) == byte;
      i += 2;
    } else if (i + 2 < pattern.size() && pattern[i + 1] == '-') {
      unsigned char low = fold(pattern[i], fold_case);
      unsigned char high = fold(pattern[i + 2], fold_case);
      if (low > high) std::swap(low, high);
      matched |= byte >= low && byte <= high;
      i += 3;
    } else {
      matched |= fold(pattern[i], fold_case) == byte;
      ++i;
    }
  }
  *p = i < pattern.size() ? i + 1 : i;
  return matched != negated;
}

}  // namespace

bool glob_match(std::string_view pattern, std::string_view text, bool fold_case) {
  std::size_t p = 0, t = 0;
  // Where to go back to when an element fails: behind the last `*`, with one more byte taken by it. An earlier `*`
  // never needs to take more.
  std::size_t star = std::string_view::npos, taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      taken = t;
      continue;
    }
    if (p < pattern.size() && match_one(pattern, &p, text[t], fold_case)) {
      ++t;
      continue;
    }
    if (star == std::string_view::npos) return false;
    p = star;
    t = ++taken;
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

GlobRange glob_range(std::string_view pattern) {
  GlobRange range;
  std::size_t i = 0;
  for (; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '*' || c == '?' || c == '[') break;
    if (c == '\\' && i + 1 < pattern.size()) ++i;
    range.prefix += pattern[i];
  }
  range.exact = i == pattern.size();
  range.whole_prefix = i < pattern.size() && pattern.find_first_not_of('*', i) == std::string_view::npos;
  return range;
}

}  // namespace coppice::resp
