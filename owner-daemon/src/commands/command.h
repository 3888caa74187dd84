// What a command is: one row of the table, and the call that its handler gets.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "resp/writer.h"
#include "service.h"
#include "session.h"

namespace coppice::daemon {

enum CommandFlags : std::uint16_t {
  kWrite = 1,     // changes the store
  kReadOnly = 2,  // looks at entries
  kDenyOom = 4,   // may need memory
  kAdmin = 8,
  kFast = 16,  // O(1), or O(log n)
  kWhileLoading = 32,
  kWithoutAuth = 64,
  kContainer = 128,  // only its subcommands do something
  kNotQueued = 256,  // run at once between MULTI and EXEC
  kNoMulti = 512,    // not allowed there
  // What the classes of ACL rules and the rights to keys are derived from, besides the above.
  kDangerous = 1024,   // @dangerous, as what is kAdmin is anyway
  kPubSub = 2048,      // @pubsub
  kBlocking = 4096,    // @blocking: the reply may come later
  kAlsoReads = 8192,   // kWrite, and what a key holds shows in the reply
  kPrefixKey = 16384,  // the key position holds a prefix: the right to all of the branch is needed; without a key
                       // position, to all keys
  kKeyItself = 32768   // looks at the key, not at what it holds
};

struct CommandSpec;

// One command being run.
struct Call {
  Service& service;
  Session& session;
  resp::ReplyWriter& reply;
  std::span<const std::string_view> arguments;  // the command's name first
  const CommandSpec& spec;
  Effects& effects;

  Store& store() const { return service.store(); }
  Database db() const { return session.database; }
  std::size_t size() const { return arguments.size(); }
  std::string_view operator[](std::size_t i) const { return arguments[i]; }
};

using Handler = void (*)(Call&);

// key positions as in Redis's COMMAND: first 0 = no keys; last < 0 counts from the end. `counted`, unless 0, is where a
// number of further keys stands, which follow it, each `step` after the other (EVAL, ZUNIONSTORE).
struct KeyPositions {
  std::int8_t first = 0;
  std::int8_t last = 0;
  std::int8_t step = 0;
  std::int8_t counted = 0;
};

struct CommandSpec {
  std::string_view name;  // lower case; "client|id" is a subcommand
  std::int8_t arity = 0;  // arguments with the name (and the subcommand); negative: at least
  std::uint16_t flags = 0;
  KeyPositions keys;
  std::string_view group;  // one of those in document.cpp
  std::string_view since;
  std::string_view syntax;
  std::string_view summary;
  Handler handler = nullptr;
};

// All commands, sorted by name.
std::span<const CommandSpec> command_table();
// A row's place in it.
std::size_t command_index(const CommandSpec& spec);
// By name in any case; null: unknown.
const CommandSpec* find_command(std::string_view name);
// "client", "ID" → the row of "client|id".
const CommandSpec* find_subcommand(const CommandSpec& container, std::string_view name);

// The row of a whole command line: the subcommand's where it names one. Null: there is no such command or subcommand.
// REQUIRES: at least one word.
const CommandSpec* resolve_command(std::span<const std::string_view> arguments);
inline bool arity_fits(const CommandSpec& spec, std::size_t given) {
  return spec.arity > 0 ? given == static_cast<std::size_t>(spec.arity)
                        : given >= static_cast<std::size_t>(-spec.arity);
}

// Case-insensitive, as all of Redis's options are. `word` is lower case.
bool is_word(std::string_view argument, std::string_view word);

// ---- replies that many commands share
inline constexpr std::string_view kOutOfMemory = "OOM command not allowed when used memory > 'maxmemory'.";
inline constexpr std::string_view kNotInteger = "ERR value is not an integer or out of range";
void syntax_error(Call& call);
void not_an_integer(Call& call);
std::string wrong_arity_text(std::string_view name);
void wrong_arity(resp::ReplyWriter& reply, std::string_view name);
// A refusal of the store in Redis's words.
void refuse(Call& call, Error error);
// A refusal in the words of docs/typed-commands.md.
void refuse_typed(Call& call, Error error);
// Whether the key may be stored; otherwise the refusal is written.
bool key_allowed(Call& call, std::string_view key);

// Whether these may be the tags of a key; otherwise the refusal is written.
bool tags_allowed(Call& call, std::span<const std::string_view> tags);
// "TAGS n tag …" whose first word is argument `i`; `i` becomes its last. REQUIRES: *i + 1 < call.size().
// false: the error is written.
bool parse_tags(Call& call, std::size_t* i, std::span<const std::string_view>* out);

// Runs the first slice; a job that is not done then goes on between other requests.
void start(Call& call, std::unique_ptr<Job> job);

// The reply comes later; the client's end is noticed meanwhile.
void wait(Call& call);
// The client holds something that ends with it from now on.
void watch_peer(Call& call);

}  // namespace coppice::daemon
