// Redis's glob patterns: `*`, `?`, `[abc]`, `[^a-z]`, and `\` before a character that is meant literally. Bytes, not
// characters.
#pragma once

#include <string>
#include <string_view>

namespace coppice::resp {

// Never more than O(pattern × text) steps. `fold_case`: ASCII letters compare without regard to case.
bool glob_match(std::string_view pattern, std::string_view text, bool fold_case = false);

// What a pattern says about where its keys lie.
struct GlobRange {
  std::string prefix;         // every match begins with this
  bool whole_prefix = false;  // the pattern is prefix + `*`: every key with the prefix matches
  bool exact = false;         // the pattern matches `prefix` alone
};
GlobRange glob_range(std::string_view pattern);

}  // namespace coppice::resp
