// The server: rows of the command table, in the order of the document.
#pragma once

#include "commands/handlers.h"
#include "commands/row.h"

namespace coppice::daemon::rows {

inline constexpr auto kServerRows = std::to_array<CommandSpec>({
    {"command", -1, kWhileLoading, kNoKeys, "server", "0.1.0", "COMMAND", "Describes all commands", command},
    {"command|count", 2, kWhileLoading, kNoKeys, "server", "0.1.0", "COMMAND COUNT", "The number of commands",
     command_count},
    {"command|docs", -2, kWhileLoading, kNoKeys, "server", "0.1.0", "COMMAND DOCS [name …]",
     "Documentation of all or some commands", command_docs},
    {"command|getkeys", -3, kWhileLoading, kNoKeys, "server", "0.1.0", "COMMAND GETKEYS command [arg …]",
     "The keys in a command", command_getkeys},
    {"command|getkeysandflags", -3, kWhileLoading, kNoKeys, "server", "0.2.0",
     "COMMAND GETKEYSANDFLAGS command [arg …]", "The keys in a command, and what it does to them",
     command_getkeysandflags},
    {"command|info", -2, kWhileLoading, kNoKeys, "server", "0.1.0", "COMMAND INFO [name …]",
     "Describes all or some commands", command_info},
    {"command|list", -2, kWhileLoading, kNoKeys, "server", "0.1.0",
     "COMMAND LIST [FILTERBY PATTERN pattern | ACLCAT class | MODULE name]", "The names of the commands", command_list},
    {"config", -2, kContainer, kNoKeys, "server", "0.1.0", "CONFIG subcommand", "About the daemon's settings", nullptr},
    {"config|get", -3, kAdmin | kWhileLoading, kNoKeys, "server", "0.1.0", "CONFIG GET pattern [pattern …]",
     "Settings by Redis's names", config_get},
    {"config|resetstat", 2, kAdmin | kWhileLoading, kNoKeys, "server", "0.2.0", "CONFIG RESETSTAT",
     "Sets INFO's counters to 0", config_resetstat},
    {"config|rewrite", 2, kAdmin | kWhileLoading, kNoKeys, "server", "0.2.0", "CONFIG REWRITE",
     "Writes what CONFIG SET and ACL changed into the configuration file", config_rewrite},
    {"config|set", -4, kAdmin | kWhileLoading, kNoKeys, "server", "0.2.0", "CONFIG SET name value [name value …]",
     "Changes settings, all of them or none; maxmemory up to what the segment was made for", config_set},
    {"dbsize", 1, kReadOnly | kFast, kNoKeys, "server", "0.1.0", "DBSIZE", "The number of keys in the database",
     dbsize},
    {"flushall", -1, kWrite | kDangerous, kNoKeys, "server", "0.1.0", "FLUSHALL [ASYNC | SYNC]",
     "Empties all databases", flushall},
    {"flushdb", -1, kWrite | kDangerous, kNoKeys, "server", "0.1.0", "FLUSHDB [ASYNC | SYNC]", "Empties the database",
     flushdb},
    {"info", -1, kWhileLoading | kDangerous, kNoKeys, "server", "0.1.0", "INFO [section …]", "Figures about the daemon",
     info},
    {"memory", -2, kContainer, kNoKeys, "server", "0.2.0", "MEMORY subcommand", "About memory", nullptr},
    {"memory|usage", -3, kReadOnly | kKeyItself, kSecondWord, "server", "0.2.0", "MEMORY USAGE key [SAMPLES count]",
     "Bytes that an entry takes, indexes included", memory_usage},
    {"shutdown", -1, kAdmin | kWhileLoading | kNoMulti, kNoKeys, "server", "0.1.0",
     "SHUTDOWN [NOSAVE | SAVE] [NOW] [FORCE]", "Ends the daemon, after writing the snapshot if there is one", shutdown},
    {"swapdb", 3, kWrite | kFast | kDangerous, kNoKeys, "server", "0.2.0", "SWAPDB index index",
     "Exchanges two databases at once", swapdb},
    {"time", 1, kFast | kWhileLoading, kNoKeys, "server", "0.2.0", "TIME",
     "Unix time, and the microseconds within the second", time},
});

}  // namespace coppice::daemon::rows
