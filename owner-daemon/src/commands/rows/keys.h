// Keys, whatever they hold: rows of the command table, in the order of the document.
#pragma once

#include "commands/handlers.h"
#include "commands/row.h"

namespace coppice::daemon::rows {

inline constexpr auto kKeysRows = std::to_array<CommandSpec>({
    {"copy", -3, kWrite | kDenyOom, kTwoKeys, "generic", "0.2.0", "COPY source destination [DB index] [REPLACE]",
     "Copies an entry with its time to live and tags", copy},
    {"del", -2, kWrite, kAllKeys, "generic", "0.1.0", "DEL key [key …]", "Removes keys", del},
    {"exists", -2, kReadOnly | kFast | kKeyItself, kAllKeys, "generic", "0.1.0", "EXISTS key [key …]",
     "Counts the keys that exist", exists},
    {"expire", -3, kWrite | kFast, kOneKey, "generic", "0.1.0", "EXPIRE key seconds [NX | XX | GT | LT]",
     "Gives a key a time to live", expire},
    {"expireat", -3, kWrite | kFast, kOneKey, "generic", "0.1.0", "EXPIREAT key unix-time [NX | XX | GT | LT]",
     "Gives a key a deadline", expireat},
    {"expiretime", 2, kReadOnly | kFast, kOneKey, "generic", "0.2.0", "EXPIRETIME key",
     "The deadline as a Unix time; -1 without a deadline, -2 without the key", expiretime},
    {"keys", 2, kReadOnly | kDangerous, kNoKeys, "generic", "0.1.0", "KEYS pattern",
     "All keys that match; a literal beginning of the pattern bounds the work", keys},
    {"move", 3, kWrite | kFast | kAlsoReads, kOneKey, "generic", "0.2.0", "MOVE key index",
     "Takes an entry to another database where the key is free", move},
    {"object", -2, kContainer, kNoKeys, "generic", "0.2.0", "OBJECT subcommand", "About an entry", nullptr},
    {"object|encoding", 3, kReadOnly | kKeyItself, kSecondWord, "generic", "0.2.0", "OBJECT ENCODING key",
     "`int`, `embstr` or `raw`, as Redis would call a value of this length", object_encoding},
    {"object|freq", 3, kReadOnly | kKeyItself, kSecondWord, "generic", "0.2.0", "OBJECT FREQ key",
     "An error: no policy counts accesses", object_freq},
    {"object|help", 2, kWhileLoading, kNoKeys, "generic", "0.2.0", "OBJECT HELP", "What OBJECT can do", help},
    {"object|idletime", 3, kReadOnly | kKeyItself, kSecondWord, "generic", "0.2.0", "OBJECT IDLETIME key",
     "An error: no policy notes the time of an access", object_idletime},
    {"object|refcount", 3, kReadOnly | kKeyItself, kSecondWord, "generic", "0.2.0", "OBJECT REFCOUNT key", "1",
     object_refcount},
    {"persist", 2, kWrite | kFast, kOneKey, "generic", "0.1.0", "PERSIST key", "Removes a key's deadline", persist},
    {"pexpire", -3, kWrite | kFast, kOneKey, "generic", "0.1.0", "PEXPIRE key milliseconds [NX | XX | GT | LT]",
     "Gives a key a time to live in milliseconds", pexpire},
    {"pexpireat", -3, kWrite | kFast, kOneKey, "generic", "0.1.0",
     "PEXPIREAT key unix-time-milliseconds [NX | XX | GT | LT]", "Gives a key a deadline in milliseconds", pexpireat},
    {"pexpiretime", 2, kReadOnly | kFast, kOneKey, "generic", "0.2.0", "PEXPIRETIME key",
     "The deadline as a Unix time in milliseconds; -1 without a deadline, -2 without the key", pexpiretime},
    {"pttl", 2, kReadOnly | kFast, kOneKey, "generic", "0.1.0", "PTTL key",
     "Milliseconds to live; -1 without a deadline, -2 without the key", pttl},
    {"randomkey", 1, kReadOnly, kNoKeys, "generic", "0.1.0", "RANDOMKEY", "Some key of the database", randomkey},
    {"rename", 3, kWrite, kTwoKeys, "generic", "0.2.0", "RENAME key newkey",
     "Takes an entry, its time to live and tags to another key, whatever that holds", rename},
    {"renamenx", 3, kWrite | kFast, kTwoKeys, "generic", "0.2.0", "RENAMENX key newkey",
     "The same if the other key is free", renamenx},
    {"scan", -2, kReadOnly, kNoKeys, "generic", "0.1.0", "SCAN cursor [MATCH pattern] [COUNT count] [TYPE type]",
     "Walks the keys in order; nothing that stays is skipped", scan},
    {"touch", -2, kReadOnly | kFast | kKeyItself, kAllKeys, "generic", "0.2.0", "TOUCH key [key …]",
     "Counts the keys that exist, and marks them as used", exists},
    {"ttl", 2, kReadOnly | kFast, kOneKey, "generic", "0.1.0", "TTL key",
     "Seconds to live; -1 without a deadline, -2 without the key", ttl},
    {"type", 2, kReadOnly | kFast | kKeyItself, kOneKey, "generic", "0.1.0", "TYPE key",
     "`string`, or `none` without the key", type},
    {"unlink", -2, kWrite | kFast, kAllKeys, "generic", "0.1.0", "UNLINK key [key …]", "Removes keys", del},
});

}  // namespace coppice::daemon::rows
