// Strings and counters: rows of the command table, in the order of the document.
#pragma once

#include "commands/handlers.h"
#include "commands/row.h"

namespace coppice::daemon::rows {

inline constexpr auto kStringsRows = std::to_array<CommandSpec>({
    {"append", 3, kWrite | kDenyOom | kFast, kOneKey, "string", "0.2.0", "APPEND key value",
     "Adds to the end of a value, which keeps its time to live; costs what the value holds", append},
    {"decr", 2, kWrite | kDenyOom | kFast | kAlsoReads, kOneKey, "string", "0.1.0", "DECR key",
     "Takes one from a counter", decr},
    {"decrby", 3, kWrite | kDenyOom | kFast | kAlsoReads, kOneKey, "string", "0.1.0", "DECRBY key decrement",
     "Takes a number from a counter", decrby},
    {"delifeq", 3, kWrite | kFast | kAlsoReads, kOneKey, "string", "0.2.0", "DELIFEQ key value",
     "Removes a key if it holds the value", delifeq},
    {"get", 2, kReadOnly | kFast, kOneKey, "string", "0.1.0", "GET key", "The value of a key", get},
    {"getdel", 2, kWrite | kFast | kAlsoReads, kOneKey, "string", "0.2.0", "GETDEL key",
     "The value of a key, which is removed in the same step", getdel},
    {"getex", -2, kWrite | kFast | kAlsoReads, kOneKey, "string", "0.2.0",
     "GETEX key [EX seconds | PX milliseconds | EXAT unix-time | PXAT unix-time-milliseconds | PERSIST]",
     "The value of a key, which gets another time to live in the same step", getex},
    {"getrange", 4, kReadOnly, kOneKey, "string", "0.2.0", "GETRANGE key start end",
     "A part of a value; both ends belong to it, and negative ones count from the end", getrange},
    {"getset", 3, kWrite | kDenyOom | kFast | kAlsoReads, kOneKey, "string", "0.2.0", "GETSET key value",
     "Sets a key without a time to live; answers the value before", getset},
    {"incr", 2, kWrite | kDenyOom | kFast | kAlsoReads, kOneKey, "string", "0.1.0", "INCR key", "Adds one to a counter",
     incr},
    {"incrby", 3, kWrite | kDenyOom | kFast | kAlsoReads, kOneKey, "string", "0.1.0", "INCRBY key increment",
     "Adds a number to a counter", incrby},
    {"incrbyfloat", 3, kWrite | kDenyOom | kFast | kAlsoReads, kOneKey, "string", "0.2.0", "INCRBYFLOAT key increment",
     "Adds a decimal number to a value", incrbyfloat},
    {"mget", -2, kReadOnly | kFast, kAllKeys, "string", "0.1.0", "MGET key [key …]", "The values of several keys",
     mget},
    {"mset", -3, kWrite | kDenyOom, kPairs, "string", "0.1.0", "MSET key value [key value …]", "Sets several keys",
     mset},
    {"msetnx", -3, kWrite | kDenyOom, kPairs, "string", "0.2.0", "MSETNX key value [key value …]",
     "Sets several keys if none of them exists", msetnx},
    {"psetex", 4, kWrite | kDenyOom, kOneKey, "string", "0.1.0", "PSETEX key milliseconds value",
     "Sets a key with a time to live in milliseconds", psetex},
    {"set", -3, kWrite | kDenyOom, kOneKey, "string", "0.1.0",
     "SET key value [NX | XX | IFEQ value] [GET] [EX seconds | PX milliseconds | EXAT unix-time | PXAT "
     "unix-time-milliseconds | "
     "KEEPTTL] [TAGS n tag …]",
     "Sets a key", set},
    {"setex", 4, kWrite | kDenyOom, kOneKey, "string", "0.1.0", "SETEX key seconds value",
     "Sets a key with a time to live", setex},
    {"setnx", 3, kWrite | kDenyOom | kFast, kOneKey, "string", "0.1.0", "SETNX key value",
     "Sets a key that does not exist", setnx},
    {"setrange", 4, kWrite | kDenyOom, kOneKey, "string", "0.2.0", "SETRANGE key offset value",
     "Overwrites a part of a value, which keeps its time to live; costs what the value holds", setrange},
    {"strlen", 2, kReadOnly | kFast | kKeyItself, kOneKey, "string", "0.1.0", "STRLEN key", "The length of a value",
     strlen},
    {"substr", 4, kReadOnly, kOneKey, "string", "0.2.0", "SUBSTR key start end", "The old name of GETRANGE", getrange},
});

}  // namespace coppice::daemon::rows
