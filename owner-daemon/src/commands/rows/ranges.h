// Ranges of keys: rows of the command table, in the order of the document.
#pragma once

#include "commands/handlers.h"
#include "commands/row.h"

namespace coppice::daemon::rows {

inline constexpr auto kRangesRows = std::to_array<CommandSpec>({
    {"countprefix", 2, kReadOnly | kPrefixKey, kOneKey, "range", "0.1.0", "COUNTPREFIX prefix",
     "Counts the live entries whose key begins with the prefix", countprefix},
    {"delprefix", 2, kWrite | kPrefixKey, kOneKey, "range", "0.1.0", "DELPREFIX prefix",
     "Removes all entries whose key begins with the prefix; costs what they are, and is done in slices", delprefix},
    {"scanprefix", -2, kReadOnly | kPrefixKey, kOneKey, "range", "0.1.0",
     "SCANPREFIX prefix [AFTER key] [LIMIT n] [REV]", "Keys that begin with the prefix, in order", scanprefix},
});

}  // namespace coppice::daemon::rows
