// Sorted sets: rows of the command table, in the order of the document.
#pragma once

#include "commands/handlers.h"
#include "commands/row.h"

namespace coppice::daemon::rows {

inline constexpr auto kSortedSetsRows = std::to_array<CommandSpec>({
    {"zadd", -4, kWrite | kDenyOom | kFast, kOneKey, "sorted-set", "0.2.0",
     "ZADD key [NX | XX] [GT | LT] [CH] [INCR] score member [score member …]",
     "Adds members or gives them new scores, all or none", zadd},
    {"zcard", 2, kReadOnly | kFast, kOneKey, "sorted-set", "0.2.0", "ZCARD key", "How many members there are", zcard},
    {"zcount", 4, kReadOnly | kFast, kOneKey, "sorted-set", "0.2.0", "ZCOUNT key min max",
     "How many scores are in the range; costs what the set holds / 64", zcount},
    {"zincrby", 4, kWrite | kDenyOom | kFast | kAlsoReads, kOneKey, "sorted-set", "0.2.0",
     "ZINCRBY key increment member", "Adds to a member's score", zincrby},
    {"zlexcount", 4, kReadOnly | kFast, kOneKey, "sorted-set", "0.2.0", "ZLEXCOUNT key min max",
     "How many members are in the range, where all have one score", zlexcount},
    {"zmscore", -3, kReadOnly | kFast, kOneKey, "sorted-set", "0.2.0", "ZMSCORE key member [member …]",
     "The scores of several members", zmscore},
    {"zpopmax", -2, kWrite | kFast | kAlsoReads, kOneKey, "sorted-set", "0.2.0", "ZPOPMAX key [count]",
     "The members with the highest scores, which are removed", zpopmax},
    {"zpopmin", -2, kWrite | kFast | kAlsoReads, kOneKey, "sorted-set", "0.2.0", "ZPOPMIN key [count]",
     "The members with the lowest scores, which are removed", zpopmin},
    {"zrandmember", -2, kReadOnly, kOneKey, "sorted-set", "0.2.0", "ZRANDMEMBER key [count [WITHSCORES]]",
     "Random members: different ones, or with a negative count any", zrandmember},
    {"zrange", -4, kReadOnly, kOneKey, "sorted-set", "0.2.0",
     "ZRANGE key start stop [BYSCORE | BYLEX] [REV] [LIMIT offset count] [WITHSCORES]",
     "Members by rank, score or name; a rank or offset costs its distance from the nearer end / 64", zrange},
    {"zrangebylex", -4, kReadOnly, kOneKey, "sorted-set", "0.2.0", "ZRANGEBYLEX key min max [LIMIT offset count]",
     "Members by name, where all have one score", zrangebylex},
    {"zrangebyscore", -4, kReadOnly, kOneKey, "sorted-set", "0.2.0",
     "ZRANGEBYSCORE key min max [WITHSCORES] [LIMIT offset count]", "Members by score", zrangebyscore},
    {"zrank", 3, kReadOnly | kFast, kOneKey, "sorted-set", "0.2.0", "ZRANK key member",
     "A member's rank from 0; costs its distance from the nearer end / 64", zrank},
    {"zrem", -3, kWrite | kFast | kAlsoReads, kOneKey, "sorted-set", "0.2.0", "ZREM key member [member …]",
     "Removes members; the set goes with its last one", zrem},
    {"zremrangebylex", 4, kWrite | kAlsoReads, kOneKey, "sorted-set", "0.2.0", "ZREMRANGEBYLEX key min max",
     "Removes members by name, where all have one score", zremrangebylex},
    {"zremrangebyrank", 4, kWrite | kAlsoReads, kOneKey, "sorted-set", "0.2.0", "ZREMRANGEBYRANK key start stop",
     "Removes members by rank", zremrangebyrank},
    {"zremrangebyscore", 4, kWrite | kAlsoReads, kOneKey, "sorted-set", "0.2.0", "ZREMRANGEBYSCORE key min max",
     "Removes members by score", zremrangebyscore},
    {"zrevrange", -4, kReadOnly, kOneKey, "sorted-set", "0.2.0", "ZREVRANGE key start stop [WITHSCORES]",
     "Members by rank from the end", zrevrange},
    {"zrevrangebylex", -4, kReadOnly, kOneKey, "sorted-set", "0.2.0", "ZREVRANGEBYLEX key max min [LIMIT offset count]",
     "Members by name in reverse, where all have one score", zrevrangebylex},
    {"zrevrangebyscore", -4, kReadOnly, kOneKey, "sorted-set", "0.2.0",
     "ZREVRANGEBYSCORE key max min [WITHSCORES] [LIMIT offset count]", "Members by score in reverse", zrevrangebyscore},
    {"zrevrank", 3, kReadOnly | kFast, kOneKey, "sorted-set", "0.2.0", "ZREVRANK key member",
     "A member's rank from the end", zrevrank},
    {"zscan", -3, kReadOnly, kOneKey, "sorted-set", "0.2.0", "ZSCAN key cursor [MATCH pattern] [COUNT count]",
     "Walks the members; nothing that stays is skipped", zscan},
    {"zscore", 3, kReadOnly | kFast, kOneKey, "sorted-set", "0.2.0", "ZSCORE key member", "A member's score", zscore},
});

}  // namespace coppice::daemon::rows
