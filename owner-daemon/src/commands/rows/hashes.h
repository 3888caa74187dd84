// Hashes: rows of the command table, in the order of the document.
#pragma once

#include "commands/handlers.h"
#include "commands/row.h"

namespace coppice::daemon::rows {

inline constexpr auto kHashesRows = std::to_array<CommandSpec>({
    {"hdel", -3, kWrite | kFast | kAlsoReads, kOneKey, "hash", "0.2.0", "HDEL key field [field …]",
     "Removes fields; the hash goes with its last one", hdel},
    {"hexists", 3, kReadOnly | kFast, kOneKey, "hash", "0.2.0", "HEXISTS key field", "Whether the hash has the field",
     hexists},
    {"hget", 3, kReadOnly | kFast, kOneKey, "hash", "0.2.0", "HGET key field", "The value of a field", hget},
    {"hgetall", 2, kReadOnly, kOneKey, "hash", "0.2.0", "HGETALL key",
     "All fields and values, in the order of the fields' names", hgetall},
    {"hincrby", 4, kWrite | kDenyOom | kFast | kAlsoReads, kOneKey, "hash", "0.2.0", "HINCRBY key field increment",
     "Adds a number to a field", hincrby},
    {"hincrbyfloat", 4, kWrite | kDenyOom | kFast | kAlsoReads, kOneKey, "hash", "0.2.0",
     "HINCRBYFLOAT key field increment", "Adds a decimal number to a field", hincrbyfloat},
    {"hkeys", 2, kReadOnly, kOneKey, "hash", "0.2.0", "HKEYS key", "All fields, in order", hkeys},
    {"hlen", 2, kReadOnly | kFast, kOneKey, "hash", "0.2.0", "HLEN key", "How many fields there are", hlen},
    {"hmget", -3, kReadOnly | kFast, kOneKey, "hash", "0.2.0", "HMGET key field [field …]",
     "The values of several fields", hmget},
    {"hmset", -4, kWrite | kDenyOom | kFast, kOneKey, "hash", "0.2.0", "HMSET key field value [field value …]",
     "Sets fields; the old form of HSET, answers OK", hmset},
    {"hrandfield", -2, kReadOnly, kOneKey, "hash", "0.2.0", "HRANDFIELD key [count [WITHVALUES]]",
     "Random fields: different ones, or with a negative count any", hrandfield},
    {"hscan", -3, kReadOnly, kOneKey, "hash", "0.2.0", "HSCAN key cursor [MATCH pattern] [COUNT count]",
     "Walks the fields in order; nothing that stays is skipped", hscan},
    {"hset", -4, kWrite | kDenyOom | kFast, kOneKey, "hash", "0.2.0", "HSET key field value [field value …]",
     "Sets fields, all or none; answers how many are new", hset},
    {"hsetnx", 4, kWrite | kDenyOom | kFast, kOneKey, "hash", "0.2.0", "HSETNX key field value",
     "Sets a field that does not exist", hsetnx},
    {"hstrlen", 3, kReadOnly | kFast, kOneKey, "hash", "0.2.0", "HSTRLEN key field", "The length of a field's value",
     hstrlen},
    {"hvals", 2, kReadOnly, kOneKey, "hash", "0.2.0", "HVALS key", "All values, in the order of the fields' names",
     hvals},
});

}  // namespace coppice::daemon::rows
