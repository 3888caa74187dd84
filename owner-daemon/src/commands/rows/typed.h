// What the extension speaks: rows of the command table, in the order of the document.
#pragma once

#include "commands/handlers.h"
#include "commands/row.h"

namespace coppice::daemon::rows {

inline constexpr auto kTypedRows = std::to_array<CommandSpec>({
    {"flushlocks", 2, kPrefixKey, kOneKey, "typed", "0.2.0", "FLUSHLOCKS prefix",
     "Frees all locks whose name begins with the prefix; those who wait have their turn", flushlocks},
    {"lease", -5, 0, kOneKey, "typed", "0.2.0", "LEASE key party wait_ms ceiling_ms [REFRESH version]",
     "Asks to compute a key's value: granted, stored meanwhile, or to be computed without a lease", lease},
    {"leasedrop", 2, kFast, kNoKeys, "typed", "0.2.0", "LEASEDROP token", "Gives a lease up", leasedrop},
    {"leaseset",
     -8,
     kWrite | kDenyOom | kFast,
     {2, 2, 1},
     "typed",
     "0.2.0",
     "LEASESET token key type value ttl stale_ms compute_us [tag …]",
     "Stores what was computed under a lease, unless it was revoked",
     leaseset},
    {"lock", -4, kWhileLoading, kOneKey, "typed", "0.2.0", "LOCK name owner lease_ms | INF [WAIT ms] [BOUND] [PARTY n]",
     "Takes a lock, after waiting in line if need be; answers its fence", lock},
    {"lockinfo", 2, kFast | kWhileLoading, kOneKey, "typed", "0.2.0", "LOCKINFO name",
     "A lock's owner, remaining lease, fence, whether it is bound, and how many wait", lockinfo},
    {"relock", 4, kFast | kWhileLoading, kOneKey, "typed", "0.2.0", "RELOCK name owner lease_ms | INF",
     "Gives the holder of a lock a new lease", relock},
    {"tget", -2, kReadOnly | kFast, kOneKey, "typed", "0.1.0", "TGET key [STALE]",
     "An entry: type, value, version, ttl; with STALE also in its stale window, and stale, compute time", tget},
    {"throttle", -4, kWrite | kDenyOom | kFast, kOneKey, "typed", "0.2.0", "THROTTLE key limit period_ms [cost]",
     "Spends of a rate limit (GCRA) if that much is left", throttle},
    {"tincr", 5, kWrite | kDenyOom | kFast | kAlsoReads, kOneKey, "typed", "0.1.0", "TINCR key by initial ttl",
     "Adds to a counter; the ttl applies when the key is new", tincr},
    {"tmget", -2, kReadOnly | kFast, kAllKeys, "typed", "0.1.0", "TMGET key [key …]", "Several entries", tmget},
    {"tmset",
     -6,
     kWrite | kDenyOom,
     {0, 0, 3, 2},
     "typed",
     "0.1.0",
     "TMSET ttl count key type value [key type value …] [TAGS n tag …]",
     "Sets several entries, one by one",
     tmset},
    {"tprune", 1, kWrite, kNoKeys, "typed", "0.1.0", "TPRUNE", "Removes all entries whose deadline has passed", tprune},
    {"tpull", 2, kWrite | kFast | kAlsoReads, kOneKey, "typed", "0.1.0", "TPULL key",
     "An entry, removed in the same step", tpull},
    {"tscan", -2, kReadOnly | kPrefixKey, kOneKey, "typed", "0.1.0", "TSCAN prefix [AFTER key] [LIMIT n] [REV]",
     "Entries whose key begins with the prefix, in order", tscan},
    {"tset", -4, kWrite | kDenyOom | kFast, kOneKey, "typed", "0.1.0",
     "TSET key type value [PX ttl] [STALE ms] [COST us] [NX | XX | IFVER version] [KEEPTTL] [TAGS n tag …]",
     "Sets an entry; answers its version", tset},
    {"tstats", 1, kFast, kNoKeys, "typed", "0.1.0", "TSTATS", "Figures about the store", tstats},
    {"ttouch", 3, kWrite | kFast, kOneKey, "typed", "0.1.0", "TTOUCH key ttl", "Gives an entry a new time to live",
     ttouch},
    {"unlock", 3, kFast | kWhileLoading, kOneKey, "typed", "0.2.0", "UNLOCK name owner | FORCE",
     "Releases a lock that the owner holds, or that anybody does", unlock},
});

}  // namespace coppice::daemon::rows
