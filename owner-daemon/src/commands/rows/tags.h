// Tags: rows of the command table, in the order of the document.
#pragma once

#include "commands/handlers.h"
#include "commands/row.h"

namespace coppice::daemon::rows {

inline constexpr auto kTagsRows = std::to_array<CommandSpec>({
    {"counttag", 2, kReadOnly | kPrefixKey, kNoKeys, "tag", "0.2.0", "COUNTTAG tag",
     "Counts the live entries with the tag", counttag},
    {"deltag", -2, kWrite | kPrefixKey, kNoKeys, "tag", "0.2.0", "DELTAG tag [tag …]",
     "Removes all entries that have one of the tags; costs what they are, and is done in slices", deltag},
    {"scantag", -2, kReadOnly | kPrefixKey, kNoKeys, "tag", "0.2.0", "SCANTAG tag [AFTER key] [LIMIT n]",
     "Keys with the tag, in order", scantag},
    {"tags", 2, kReadOnly | kFast, kOneKey, "tag", "0.2.0", "TAGS key", "The tags of a key, in order", tags},
});

}  // namespace coppice::daemon::rows
