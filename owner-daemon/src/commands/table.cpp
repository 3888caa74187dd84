#include <algorithm>
#include <array>

#include "commands/command.h"
#include "commands/handlers.h"

namespace coppice::daemon {

namespace {

using namespace handlers;

constexpr KeyPositions kNoKeys{};
constexpr KeyPositions kOneKey{1, 1, 1};
constexpr KeyPositions kAllKeys{1, -1, 1};
constexpr KeyPositions kPairs{1, -1, 2};
constexpr KeyPositions kTwoKeys{1, 2, 1};
constexpr KeyPositions kSecondWord{2, 2, 1};

constexpr std::uint16_t kConnection = kFast | kWhileLoading;

// Sorted by name; docs/commands.md, COMMAND and the tests come from it.
constexpr auto kCommands = std::to_array<CommandSpec>({
    {"append", 3, kWrite | kDenyOom | kFast, kOneKey, "string", "0.2.0", "APPEND key value",
     "Adds to the end of a value, which keeps its time to live; costs what the value holds", append},
    {"attach", 2, kFast | kNoMulti, kNoKeys, "connection", "0.1.0", "ATTACH protocol",
     "Receives the descriptors of the shared segment and of a hint page", attach},
    {"auth", -2, kConnection | kWithoutAuth, kNoKeys, "connection", "0.1.0", "AUTH [username] password",
     "Authenticates the connection", auth},
    {"client", -2, kContainer, kNoKeys, "connection", "0.1.0", "CLIENT subcommand", "About this connection", nullptr},
    {"client|getname", 2, kConnection, kNoKeys, "connection", "0.1.0", "CLIENT GETNAME", "The connection's name",
     client_getname},
    {"client|id", 2, kConnection, kNoKeys, "connection", "0.1.0", "CLIENT ID", "The connection's number", client_id},
    {"client|info", 2, kConnection, kNoKeys, "connection", "0.2.0", "CLIENT INFO", "About this connection, in one line",
     client_info},
    {"client|kill", -3, kAdmin | kConnection, kNoKeys, "connection", "0.2.0",
     "CLIENT KILL address | [ID id] [ADDR address] [TYPE type] [USER name] [SKIPME yes | no]", "Closes connections",
     client_kill},
    {"client|list", -2, kAdmin | kWhileLoading, kNoKeys, "connection", "0.2.0",
     "CLIENT LIST [TYPE type | ID id [id …]]", "About all connections, a line each", client_list},
    {"client|no-evict", 3, kAdmin | kConnection, kNoKeys, "connection", "0.2.0", "CLIENT NO-EVICT ON | OFF",
     "Nothing: no client is ever evicted", client_no_evict},
    {"client|reply", 3, kConnection, kNoKeys, "connection", "0.2.0", "CLIENT REPLY ON | OFF | SKIP",
     "Whether the connection gets replies", client_reply},
    {"client|setinfo", 4, kConnection, kNoKeys, "connection", "0.1.0", "CLIENT SETINFO LIB-NAME name | LIB-VER version",
     "Notes which library the client uses", client_setinfo},
    {"client|setname", 3, kConnection, kNoKeys, "connection", "0.1.0", "CLIENT SETNAME name", "Names the connection",
     client_setname},
    {"command", -1, kWhileLoading, kNoKeys, "server", "0.1.0", "COMMAND", "Describes all commands", command},
    {"command|count", 2, kWhileLoading, kNoKeys, "server", "0.1.0", "COMMAND COUNT", "The number of commands",
     command_count},
    {"command|docs", -2, kWhileLoading, kNoKeys, "server", "0.1.0", "COMMAND DOCS [name …]",
     "Documentation of all or some commands", command_docs},
    {"command|getkeys", -3, kWhileLoading, kNoKeys, "server", "0.1.0", "COMMAND GETKEYS command [arg …]",
     "The keys in a command", command_getkeys},
    {"command|info", -2, kWhileLoading, kNoKeys, "server", "0.1.0", "COMMAND INFO [name …]",
     "Describes all or some commands", command_info},
    {"command|list", -2, kWhileLoading, kNoKeys, "server", "0.1.0", "COMMAND LIST [FILTERBY PATTERN pattern]",
     "The names of the commands", command_list},
    {"config", -2, kContainer, kNoKeys, "server", "0.1.0", "CONFIG subcommand", "About the daemon's settings", nullptr},
    {"config|get", -3, kAdmin | kWhileLoading, kNoKeys, "server", "0.1.0", "CONFIG GET pattern [pattern …]",
     "Settings by Redis's names", config_get},
    {"config|resetstat", 2, kAdmin | kWhileLoading, kNoKeys, "server", "0.2.0", "CONFIG RESETSTAT",
     "Sets INFO's counters to 0", config_resetstat},
    {"config|set", -4, kAdmin | kWhileLoading, kNoKeys, "server", "0.2.0", "CONFIG SET name value [name value …]",
     "Sets maxmemory, up to what the segment was made for, or maxmemory-policy", config_set},
    {"copy", -3, kWrite | kDenyOom, kTwoKeys, "generic", "0.2.0", "COPY source destination [DB index] [REPLACE]",
     "Copies an entry with its time to live and tags", copy},
    {"countprefix", 2, kReadOnly, kNoKeys, "range", "0.1.0", "COUNTPREFIX prefix",
     "Counts the live entries whose key begins with the prefix", countprefix},
    {"counttag", 2, kReadOnly, kNoKeys, "tag", "0.2.0", "COUNTTAG tag", "Counts the live entries with the tag",
     counttag},
    {"dbsize", 1, kReadOnly | kFast, kNoKeys, "server", "0.1.0", "DBSIZE", "The number of keys in the database",
     dbsize},
    {"decr", 2, kWrite | kDenyOom | kFast, kOneKey, "string", "0.1.0", "DECR key", "Takes one from a counter", decr},
    {"decrby", 3, kWrite | kDenyOom | kFast, kOneKey, "string", "0.1.0", "DECRBY key decrement",
     "Takes a number from a counter", decrby},
    {"del", -2, kWrite, kAllKeys, "generic", "0.1.0", "DEL key [key …]", "Removes keys", del},
    {"delifeq", 3, kWrite | kFast, kOneKey, "string", "0.2.0", "DELIFEQ key value",
     "Removes a key if it holds the value", delifeq},
    {"delprefix", 2, kWrite, kNoKeys, "range", "0.1.0", "DELPREFIX prefix",
     "Removes all entries whose key begins with the prefix; costs what they are, and is done in slices", delprefix},
    {"deltag", -2, kWrite, kNoKeys, "tag", "0.2.0", "DELTAG tag [tag …]",
     "Removes all entries that have one of the tags; costs what they are, and is done in slices", deltag},
    {"discard", 1, kConnection | kNotQueued, kNoKeys, "transactions", "0.2.0", "DISCARD",
     "Forgets what was queued and watched", discard},
    {"echo", 2, kFast, kNoKeys, "connection", "0.1.0", "ECHO message", "Answers the message", echo},
    {"eval", -3, kWrite | kDenyOom, kNoKeys, "scripting", "0.2.0", "EVAL script numkeys [key …] [arg …]",
     "Does what a known script does; any other is refused with NOLUA", eval},
    {"eval_ro", -3, kReadOnly, kNoKeys, "scripting", "0.2.0", "EVAL_RO script numkeys [key …] [arg …]",
     "Is refused: no known script only reads", eval_ro},
    {"evalsha", -3, kWrite | kDenyOom, kNoKeys, "scripting", "0.2.0", "EVALSHA sha1 numkeys [key …] [arg …]",
     "Does what a known script does; any other is refused with NOSCRIPT", evalsha},
    {"evalsha_ro", -3, kReadOnly, kNoKeys, "scripting", "0.2.0", "EVALSHA_RO sha1 numkeys [key …] [arg …]",
     "Is refused: no known script only reads", evalsha_ro},
    {"exec", 1, kWhileLoading | kNotQueued, kNoKeys, "transactions", "0.2.0", "EXEC",
     "Runs what was queued in one piece, range removals too, unless a watched key changed", exec},
    {"exists", -2, kReadOnly | kFast, kAllKeys, "generic", "0.1.0", "EXISTS key [key …]", "Counts the keys that exist",
     exists},
    {"expire", -3, kWrite | kFast, kOneKey, "generic", "0.1.0", "EXPIRE key seconds [NX | XX | GT | LT]",
     "Gives a key a time to live", expire},
    {"expireat", -3, kWrite | kFast, kOneKey, "generic", "0.1.0", "EXPIREAT key unix-time [NX | XX | GT | LT]",
     "Gives a key a deadline", expireat},
    {"expiretime", 2, kReadOnly | kFast, kOneKey, "generic", "0.2.0", "EXPIRETIME key",
     "The deadline as a Unix time; -1 without a deadline, -2 without the key", expiretime},
    {"flushall", -1, kWrite, kNoKeys, "server", "0.1.0", "FLUSHALL [ASYNC | SYNC]", "Empties all databases", flushall},
    {"flushdb", -1, kWrite, kNoKeys, "server", "0.1.0", "FLUSHDB [ASYNC | SYNC]", "Empties the database", flushdb},
    {"flushlocks", 2, 0, kNoKeys, "typed", "0.2.0", "FLUSHLOCKS prefix",
     "Frees all locks whose name begins with the prefix; those who wait have their turn", flushlocks},
    {"function", -2, kContainer, kNoKeys, "scripting", "0.2.0", "FUNCTION subcommand", "There are no functions",
     nullptr},
    {"function|flush", -2, kFast, kNoKeys, "scripting", "0.2.0", "FUNCTION FLUSH [ASYNC | SYNC]",
     "Nothing: there are no functions", function_flush},
    {"get", 2, kReadOnly | kFast, kOneKey, "string", "0.1.0", "GET key", "The value of a key", get},
    {"getdel", 2, kWrite | kFast, kOneKey, "string", "0.2.0", "GETDEL key",
     "The value of a key, which is removed in the same step", getdel},
    {"getex", -2, kWrite | kFast, kOneKey, "string", "0.2.0",
     "GETEX key [EX seconds | PX milliseconds | EXAT unix-time | PXAT unix-time-milliseconds | PERSIST]",
     "The value of a key, which gets another time to live in the same step", getex},
    {"getrange", 4, kReadOnly, kOneKey, "string", "0.2.0", "GETRANGE key start end",
     "A part of a value; both ends belong to it, and negative ones count from the end", getrange},
    {"getset", 3, kWrite | kDenyOom | kFast, kOneKey, "string", "0.2.0", "GETSET key value",
     "Sets a key without a time to live; answers the value before", getset},
    {"hello", -1, kConnection | kWithoutAuth, kNoKeys, "connection", "0.1.0",
     "HELLO [protover [AUTH username password] [SETNAME name]]", "Chooses RESP2 or RESP3", hello},
    {"incr", 2, kWrite | kDenyOom | kFast, kOneKey, "string", "0.1.0", "INCR key", "Adds one to a counter", incr},
    {"incrby", 3, kWrite | kDenyOom | kFast, kOneKey, "string", "0.1.0", "INCRBY key increment",
     "Adds a number to a counter", incrby},
    {"incrbyfloat", 3, kWrite | kDenyOom | kFast, kOneKey, "string", "0.2.0", "INCRBYFLOAT key increment",
     "Adds a decimal number to a value", incrbyfloat},
    {"info", -1, kWhileLoading, kNoKeys, "server", "0.1.0", "INFO [section …]", "Figures about the daemon", info},
    {"keys", 2, kReadOnly, kNoKeys, "generic", "0.1.0", "KEYS pattern",
     "All keys that match; a literal beginning of the pattern bounds the work", keys},
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
    {"lock", -4, kWhileLoading, kNoKeys, "typed", "0.2.0", "LOCK name owner lease_ms | INF [WAIT ms] [BOUND] [PARTY n]",
     "Takes a lock, after waiting in line if need be; answers its fence", lock},
    {"lockinfo", 2, kFast | kWhileLoading, kNoKeys, "typed", "0.2.0", "LOCKINFO name",
     "A lock's owner, remaining lease, fence, whether it is bound, and how many wait", lockinfo},
    {"memory", -2, kContainer, kNoKeys, "server", "0.2.0", "MEMORY subcommand", "About memory", nullptr},
    {"memory|usage", -3, kReadOnly, kSecondWord, "server", "0.2.0", "MEMORY USAGE key [SAMPLES count]",
     "Bytes that an entry takes, indexes included", memory_usage},
    {"mget", -2, kReadOnly | kFast, kAllKeys, "string", "0.1.0", "MGET key [key …]", "The values of several keys",
     mget},
    {"move", 3, kWrite | kFast, kOneKey, "generic", "0.2.0", "MOVE key index",
     "Takes an entry to another database where the key is free", move},
    {"mset", -3, kWrite | kDenyOom, kPairs, "string", "0.1.0", "MSET key value [key value …]", "Sets several keys",
     mset},
    {"msetnx", -3, kWrite | kDenyOom, kPairs, "string", "0.2.0", "MSETNX key value [key value …]",
     "Sets several keys if none of them exists", msetnx},
    {"multi", 1, kConnection | kNotQueued, kNoKeys, "transactions", "0.2.0", "MULTI",
     "Begins a transaction: what follows is queued until EXEC", multi},
    {"object", -2, kContainer, kNoKeys, "generic", "0.2.0", "OBJECT subcommand", "About an entry", nullptr},
    {"object|encoding", 3, kReadOnly, kSecondWord, "generic", "0.2.0", "OBJECT ENCODING key",
     "`int`, `embstr` or `raw`, as Redis would call a value of this length", object_encoding},
    {"object|freq", 3, kReadOnly, kSecondWord, "generic", "0.2.0", "OBJECT FREQ key",
     "An error: no policy counts accesses", object_freq},
    {"object|idletime", 3, kReadOnly, kSecondWord, "generic", "0.2.0", "OBJECT IDLETIME key",
     "An error: no policy notes the time of an access", object_idletime},
    {"object|refcount", 3, kReadOnly, kSecondWord, "generic", "0.2.0", "OBJECT REFCOUNT key", "1", object_refcount},
    {"persist", 2, kWrite | kFast, kOneKey, "generic", "0.1.0", "PERSIST key", "Removes a key's deadline", persist},
    {"pexpire", -3, kWrite | kFast, kOneKey, "generic", "0.1.0", "PEXPIRE key milliseconds [NX | XX | GT | LT]",
     "Gives a key a time to live in milliseconds", pexpire},
    {"pexpireat", -3, kWrite | kFast, kOneKey, "generic", "0.1.0",
     "PEXPIREAT key unix-time-milliseconds [NX | XX | GT | LT]", "Gives a key a deadline in milliseconds", pexpireat},
    {"pexpiretime", 2, kReadOnly | kFast, kOneKey, "generic", "0.2.0", "PEXPIRETIME key",
     "The deadline as a Unix time in milliseconds; -1 without a deadline, -2 without the key", pexpiretime},
    {"ping", -1, kFast, kNoKeys, "connection", "0.1.0", "PING [message]", "Answers PONG or the message", ping},
    {"psetex", 4, kWrite | kDenyOom, kOneKey, "string", "0.1.0", "PSETEX key milliseconds value",
     "Sets a key with a time to live in milliseconds", psetex},
    {"pttl", 2, kReadOnly | kFast, kOneKey, "generic", "0.1.0", "PTTL key",
     "Milliseconds to live; -1 without a deadline, -2 without the key", pttl},
    {"quit", -1, kConnection | kWithoutAuth | kNotQueued, kNoKeys, "connection", "0.1.0", "QUIT",
     "Closes the connection", quit},
    {"randomkey", 1, kReadOnly, kNoKeys, "generic", "0.1.0", "RANDOMKEY", "Some key of the database", randomkey},
    {"relock", 4, kFast | kWhileLoading, kNoKeys, "typed", "0.2.0", "RELOCK name owner lease_ms | INF",
     "Gives the holder of a lock a new lease", relock},
    {"rename", 3, kWrite, kTwoKeys, "generic", "0.2.0", "RENAME key newkey",
     "Takes an entry, its time to live and tags to another key, whatever that holds", rename},
    {"renamenx", 3, kWrite | kFast, kTwoKeys, "generic", "0.2.0", "RENAMENX key newkey",
     "The same if the other key is free", renamenx},
    {"reset", 1, kConnection | kWithoutAuth | kNotQueued, kNoKeys, "connection", "0.1.0", "RESET",
     "Puts the connection back to its beginning", reset},
    {"scan", -2, kReadOnly, kNoKeys, "generic", "0.1.0", "SCAN cursor [MATCH pattern] [COUNT count] [TYPE type]",
     "Walks the keys in order; nothing that stays is skipped", scan},
    {"scanprefix", -2, kReadOnly, kNoKeys, "range", "0.1.0", "SCANPREFIX prefix [AFTER key] [LIMIT n] [REV]",
     "Keys that begin with the prefix, in order", scanprefix},
    {"scantag", -2, kReadOnly, kNoKeys, "tag", "0.2.0", "SCANTAG tag [AFTER key] [LIMIT n]",
     "Keys with the tag, in order", scantag},
    {"script", -2, kContainer, kNoKeys, "scripting", "0.2.0", "SCRIPT subcommand", "About the known scripts", nullptr},
    {"script|exists", -3, kFast, kNoKeys, "scripting", "0.2.0", "SCRIPT EXISTS sha1 [sha1 …]",
     "Which scripts are known", script_exists},
    {"script|flush", -2, kFast, kNoKeys, "scripting", "0.2.0", "SCRIPT FLUSH [ASYNC | SYNC]",
     "Nothing: known scripts stay known", script_flush},
    {"script|kill", 2, kFast, kNoKeys, "scripting", "0.2.0", "SCRIPT KILL", "An error: no script runs", script_kill},
    {"script|load", 3, kFast, kNoKeys, "scripting", "0.2.0", "SCRIPT LOAD script",
     "The SHA1 of a known script; any other is refused with NOLUA", script_load},
    {"select", 2, kConnection, kNoKeys, "connection", "0.1.0", "SELECT index", "Chooses the database", select},
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
    {"shutdown", -1, kAdmin | kWhileLoading | kNoMulti, kNoKeys, "server", "0.1.0",
     "SHUTDOWN [NOSAVE | SAVE] [NOW] [FORCE]", "Ends the daemon, after writing the snapshot if there is one", shutdown},
    {"strlen", 2, kReadOnly | kFast, kOneKey, "string", "0.1.0", "STRLEN key", "The length of a value", strlen},
    {"substr", 4, kReadOnly, kOneKey, "string", "0.2.0", "SUBSTR key start end", "The old name of GETRANGE", getrange},
    {"swapdb", 3, kWrite | kFast, kNoKeys, "server", "0.2.0", "SWAPDB index index", "Exchanges two databases at once",
     swapdb},
    {"tags", 2, kReadOnly | kFast, kOneKey, "tag", "0.2.0", "TAGS key", "The tags of a key, in order", tags},
    {"tget", -2, kReadOnly | kFast, kOneKey, "typed", "0.1.0", "TGET key [STALE]",
     "An entry: type, value, version, ttl; with STALE also in its stale window, and stale, compute time", tget},
    {"throttle", -4, kWrite | kDenyOom | kFast, kOneKey, "typed", "0.2.0", "THROTTLE key limit period_ms [cost]",
     "Spends of a rate limit (GCRA) if that much is left", throttle},
    {"time", 1, kFast | kWhileLoading, kNoKeys, "server", "0.2.0", "TIME",
     "Unix time, and the microseconds within the second", time},
    {"tincr", 5, kWrite | kDenyOom | kFast, kOneKey, "typed", "0.1.0", "TINCR key by initial ttl",
     "Adds to a counter; the ttl applies when the key is new", tincr},
    {"tmget", -2, kReadOnly | kFast, kAllKeys, "typed", "0.1.0", "TMGET key [key …]", "Several entries", tmget},
    {"tmset",
     -6,
     kWrite | kDenyOom,
     {3, -1, 3},
     "typed",
     "0.1.0",
     "TMSET ttl count key type value [key type value …] [TAGS n tag …]",
     "Sets several entries, one by one",
     tmset},
    {"touch", -2, kReadOnly | kFast, kAllKeys, "generic", "0.2.0", "TOUCH key [key …]",
     "Counts the keys that exist, and marks them as used", exists},
    {"tprune", 1, kWrite, kNoKeys, "typed", "0.1.0", "TPRUNE", "Removes all entries whose deadline has passed", tprune},
    {"tpull", 2, kWrite | kFast, kOneKey, "typed", "0.1.0", "TPULL key", "An entry, removed in the same step", tpull},
    {"tscan", -2, kReadOnly, kNoKeys, "typed", "0.1.0", "TSCAN prefix [AFTER key] [LIMIT n] [REV]",
     "Entries whose key begins with the prefix, in order", tscan},
    {"tset", -4, kWrite | kDenyOom | kFast, kOneKey, "typed", "0.1.0",
     "TSET key type value [PX ttl] [STALE ms] [COST us] [NX | XX | IFVER version] [KEEPTTL] [TAGS n tag …]",
     "Sets an entry; answers its version", tset},
    {"tstats", 1, kFast, kNoKeys, "typed", "0.1.0", "TSTATS", "Figures about the store", tstats},
    {"ttl", 2, kReadOnly | kFast, kOneKey, "generic", "0.1.0", "TTL key",
     "Seconds to live; -1 without a deadline, -2 without the key", ttl},
    {"ttouch", 3, kWrite | kFast, kOneKey, "typed", "0.1.0", "TTOUCH key ttl", "Gives an entry a new time to live",
     ttouch},
    {"type", 2, kReadOnly | kFast, kOneKey, "generic", "0.1.0", "TYPE key", "`string`, or `none` without the key",
     type},
    {"unlink", -2, kWrite | kFast, kAllKeys, "generic", "0.1.0", "UNLINK key [key …]", "Removes keys", del},
    {"unlock", 3, kFast | kWhileLoading, kNoKeys, "typed", "0.2.0", "UNLOCK name owner | FORCE",
     "Releases a lock that the owner holds, or that anybody does", unlock},
    {"unwatch", 1, kConnection, kNoKeys, "transactions", "0.2.0", "UNWATCH", "Forgets what was watched", unwatch},
    {"watch", -2, kConnection | kNotQueued, kAllKeys, "transactions", "0.2.0", "WATCH key [key …]",
     "EXEC will run nothing if one of the keys was changed by then, by whatever cause", watch},
});

constexpr bool strictly_sorted() {
  for (std::size_t i = 1; i < kCommands.size(); ++i)
    if (kCommands[i - 1].name >= kCommands[i].name) return false;
  return true;
}
static_assert(strictly_sorted(), "the command table must be sorted by name, without doubles");

constexpr bool well_formed() {
  for (const CommandSpec& c : kCommands)
    if (c.name.size() > 24 || c.arity == 0 || c.syntax.empty() || c.summary.empty() ||
        (c.handler == nullptr) != ((c.flags & kContainer) != 0))
      return false;
  return true;
}
// Under -fsanitize=undefined GCC 12 does not take the address of a function for a constant.
#if !defined(__SANITIZE_ADDRESS__)
static_assert(well_formed());
#endif

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// A perfect hash would save nothing: one probe finds nearly every name.
constexpr std::size_t kHashSlots = 512;
constexpr std::size_t hash_name(std::string_view name) {
  std::uint32_t h = static_cast<std::uint32_t>(name.size());
  for (const char c : name) h = h * 31 + static_cast<unsigned char>(lower(c));
  return (h ^ h >> 9) % kHashSlots;
}
constexpr auto make_hash_table() {
  std::array<std::uint8_t, kHashSlots> slots{};
  for (std::size_t i = 0; i < kCommands.size(); ++i) {
    std::size_t s = hash_name(kCommands[i].name);
    while (slots[s] != 0) s = (s + 1) % kHashSlots;
    slots[s] = static_cast<std::uint8_t>(i + 1);
  }
  return slots;
}
static_assert(kCommands.size() < 255);
constexpr auto kSlots = make_hash_table();

}  // namespace

bool is_word(std::string_view argument, std::string_view word) {
  if (argument.size() != word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i)
    if (lower(argument[i]) != word[i]) return false;
  return true;
}

std::span<const CommandSpec> command_table() { return kCommands; }

const CommandSpec* find_command(std::string_view name) {
  if (name.size() > 24) return nullptr;
  for (std::size_t s = hash_name(name); kSlots[s] != 0; s = (s + 1) % kHashSlots) {
    const CommandSpec& spec = kCommands[kSlots[s] - 1u];
    if (is_word(name, spec.name)) return &spec;
  }
  return nullptr;
}

const CommandSpec* find_subcommand(const CommandSpec& container, std::string_view name) {
  if (name.size() > 16) return nullptr;
  std::string full(container.name);
  full += '|';
  full += name;
  return find_command(full);
}

}  // namespace coppice::daemon
