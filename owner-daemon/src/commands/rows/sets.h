// Sets: rows of the command table, in the order of the document.
#pragma once

#include "commands/handlers.h"
#include "commands/row.h"

namespace coppice::daemon::rows {

inline constexpr auto kSetsRows = std::to_array<CommandSpec>({
    {"sadd", -3, kWrite | kDenyOom | kFast, kOneKey, "set", "0.2.0", "SADD key member [member …]",
     "Adds members, all or none; answers how many are new", sadd},
    {"scard", 2, kReadOnly | kFast, kOneKey, "set", "0.2.0", "SCARD key", "How many members there are", scard},
    {"sdiff", -2, kReadOnly, kAllKeys, "set", "0.2.0", "SDIFF key [key …]",
     "The members of the first set that no other has", sdiff},
    {"sdiffstore", -3, kWrite | kDenyOom | kAlsoReads, kAllKeys, "set", "0.2.0", "SDIFFSTORE destination key [key …]",
     "The same, stored; answers how many", sdiffstore},
    {"sinter", -2, kReadOnly, kAllKeys, "set", "0.2.0", "SINTER key [key …]", "The members that all sets have", sinter},
    {"sintercard",
     -3,
     kReadOnly,
     {0, 0, 1, 1},
     "set",
     "0.2.0",
     "SINTERCARD numkeys key [key …] [LIMIT limit]",
     "How many members all sets have",
     sintercard},
    {"sinterstore", -3, kWrite | kDenyOom | kAlsoReads, kAllKeys, "set", "0.2.0", "SINTERSTORE destination key [key …]",
     "The members that all sets have, stored; answers how many", sinterstore},
    {"sismember", 3, kReadOnly | kFast, kOneKey, "set", "0.2.0", "SISMEMBER key member",
     "Whether the set has the member", sismember},
    {"smembers", 2, kReadOnly, kOneKey, "set", "0.2.0", "SMEMBERS key", "All members, in order", smembers},
    {"smismember", -3, kReadOnly | kFast, kOneKey, "set", "0.2.0", "SMISMEMBER key member [member …]",
     "Which of the members the set has", smismember},
    {"smove", 4, kWrite | kDenyOom | kFast | kAlsoReads, kTwoKeys, "set", "0.2.0", "SMOVE source destination member",
     "Takes a member from one set to another", smove},
    {"spop", -2, kWrite | kFast | kAlsoReads, kOneKey, "set", "0.2.0", "SPOP key [count]",
     "Random members, which are removed; costs what the set holds / 64", spop},
    {"srandmember", -2, kReadOnly, kOneKey, "set", "0.2.0", "SRANDMEMBER key [count]",
     "Random members: different ones, or with a negative count any", srandmember},
    {"srem", -3, kWrite | kFast | kAlsoReads, kOneKey, "set", "0.2.0", "SREM key member [member …]",
     "Removes members; the set goes with its last one", srem},
    {"sscan", -3, kReadOnly, kOneKey, "set", "0.2.0", "SSCAN key cursor [MATCH pattern] [COUNT count]",
     "Walks the members in order; nothing that stays is skipped", sscan},
    {"sunion", -2, kReadOnly, kAllKeys, "set", "0.2.0", "SUNION key [key …]", "The members that any of the sets has",
     sunion},
    {"sunionstore", -3, kWrite | kDenyOom | kAlsoReads, kAllKeys, "set", "0.2.0", "SUNIONSTORE destination key [key …]",
     "The same, stored; answers how many", sunionstore},
});

}  // namespace coppice::daemon::rows
