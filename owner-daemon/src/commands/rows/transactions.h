// Transactions: rows of the command table, in the order of the document.
#pragma once

#include "commands/handlers.h"
#include "commands/row.h"

namespace coppice::daemon::rows {

inline constexpr auto kTransactionsRows = std::to_array<CommandSpec>({
    {"discard", 1, kConnection | kNotQueued, kNoKeys, "transactions", "0.2.0", "DISCARD",
     "Forgets what was queued and watched", discard},
    {"exec", 1, kWhileLoading | kNotQueued, kNoKeys, "transactions", "0.2.0", "EXEC",
     "Runs what was queued in one piece, range removals too, unless a watched key changed", exec},
    {"multi", 1, kConnection | kNotQueued, kNoKeys, "transactions", "0.2.0", "MULTI",
     "Begins a transaction: what follows is queued until EXEC", multi},
    {"unwatch", 1, kConnection, kNoKeys, "transactions", "0.2.0", "UNWATCH", "Forgets what was watched", unwatch},
    {"watch", -2, kConnection | kNotQueued | kKeyItself, kAllKeys, "transactions", "0.2.0", "WATCH key [key …]",
     "EXEC will run nothing if one of the keys was changed by then, by whatever cause", watch},
});

}  // namespace coppice::daemon::rows
