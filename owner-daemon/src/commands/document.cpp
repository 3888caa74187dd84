#include "commands/document.h"

#include <array>
#include <cctype>
#include <utility>

#include "commands/command.h"
#include "scripts.h"

namespace coppice::daemon {

namespace {

constexpr std::pair<std::string_view, std::string_view> kGroups[] = {
    {"string", "Strings and counters"},
    {"hash", "Hashes"},
    {"set", "Sets"},
    {"sorted-set", "Sorted sets"},
    {"generic", "Keys"},
    {"range", "Ranges of keys"},
    {"tag", "Tags"},
    {"transactions", "Transactions"},
    {"pubsub", "Messages"},
    {"scripting", "Scripts"},
    {"typed", "Typed commands"},
    {"connection", "Connection"},
    {"acl", "Users"},
    {"server", "Server"},
};

// `|` divides the columns of a table, in code spans too.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string flags_of(const CommandSpec& spec) {
  constexpr std::array<std::pair<std::uint16_t, std::string_view>, 7> kNames{{{kWrite, "write"},
                                                                              {kReadOnly, "readonly"},
                                                                              {kDenyOom, "denyoom"},
                                                                              {kAdmin, "admin"},
                                                                              {kFast, "fast"},
                                                                              {kWhileLoading, "loading"},
                                                                              {kWithoutAuth, "no-auth"}}};
  std::string out;
  for (const auto& [flag, name] : kNames) {
    if ((spec.flags & flag) == 0) continue;
    if (!out.empty()) out += ' ';
    out += name;
  }
  return out;
}

}  // namespace

std::string commands_document() {
  std::string out =
      "# Commands of coppiced\n"
      "\n"
      "Generated from the command table by `coppiced --dump-commands`; a test compares the two.\n"
      "\n"
      "`loading`: answered while a snapshot is read. `no-auth`: answered before authentication. Replies, options and\n"
      "errors are Redis's where the command is; the typed commands are described in `typed-commands.md`.\n";
  for (const auto& [group, title] : kGroups) {
    out += "\n## ";
    out += title;
    out += "\n\n| syntax | what it does | arity | flags | since |\n|---|---|---|---|---|\n";
    for (const CommandSpec& spec : command_table()) {
      if (spec.group != group || (spec.flags & kContainer) != 0) continue;
      out += "| `" + cell(spec.syntax) + "` | " + cell(spec.summary) + " | " + std::to_string(spec.arity) + " | " +
             flags_of(spec) + " | " + std::string(spec.since) + " |\n";
    }
  }
  out +=
      "\n## Known scripts\n\n"
      "There is no Lua. EVAL knows these scripts by their text, EVALSHA by its SHA-1, and what they do is done "
      "natively:\n"
      "\n| script | SHA-1 |\n|---|---|\n";
  for (const Script& script : Scripts::known())
    out += "| " + std::string(script.whose) + " | `" + std::string(script.sha1) + "` |\n";
  return out;
}

}  // namespace coppice::daemon
