#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "commands/handlers.h"
#include "resp/glob.h"

namespace coppice::daemon::handlers {

namespace {

bool is_subcommand(const CommandSpec& spec) { return spec.name.find('|') != std::string_view::npos; }

std::vector<const CommandSpec*> subcommands_of(const CommandSpec& spec) {
  std::vector<const CommandSpec*> found;
  for (const CommandSpec& s : command_table())
    if (s.name.size() > spec.name.size() && s.name.starts_with(spec.name) && s.name[spec.name.size()] == '|')
      found.push_back(&s);
  return found;
}

std::size_t count_commands() {
  return static_cast<std::size_t>(
      std::count_if(command_table().begin(), command_table().end(), [](const auto& s) { return !is_subcommand(s); }));
}

std::vector<std::string_view> names_of_flags(const CommandSpec& spec) {
  std::vector<std::string_view> names;
  constexpr std::pair<std::uint16_t, std::string_view> kNames[] = {
      {kWrite, "write"}, {kReadOnly, "readonly"},    {kDenyOom, "denyoom"},    {kAdmin, "admin"},
      {kFast, "fast"},   {kWhileLoading, "loading"}, {kWithoutAuth, "no_auth"}};
  for (const auto& [flag, name] : kNames)
    if ((spec.flags & flag) != 0) names.push_back(name);
  return names;
}

std::vector<std::string> categories_of(const CommandSpec& spec) {
  std::vector<std::string> categories;
  if ((spec.flags & kWrite) != 0) categories.emplace_back("@write");
  if ((spec.flags & kReadOnly) != 0) categories.emplace_back("@read");
  if ((spec.flags & kAdmin) != 0) categories.emplace_back("@admin");
  categories.emplace_back((spec.flags & kFast) != 0 ? "@fast" : "@slow");
  categories.push_back("@" + std::string(spec.group == "generic" ? "keyspace" : spec.group));
  return categories;
}

// The ten fields of Redis 7's COMMAND INFO.
void describe(Call& call, const CommandSpec& spec) {
  call.reply.array(10);
  call.reply.bulk(spec.name);
  call.reply.integer(spec.arity);
  const auto flags = names_of_flags(spec);
  call.reply.set(flags.size());
  for (const auto name : flags) call.reply.simple(name);
  call.reply.integer(spec.keys.first);
  call.reply.integer(spec.keys.last);
  call.reply.integer(spec.keys.step);
  const auto categories = categories_of(spec);
  call.reply.set(categories.size());
  for (const auto& name : categories) call.reply.simple(name);
  call.reply.set(0);    // tips
  call.reply.array(0);  // key specifications
  const auto children = subcommands_of(spec);
  call.reply.array(children.size());
  for (const auto* child : children) describe(call, *child);
}

void document(Call& call, const CommandSpec& spec) {
  const auto children = subcommands_of(spec);
  call.reply.bulk(spec.name);
  call.reply.map(children.empty() ? 3 : 4);
  call.reply.bulk("summary");
  call.reply.bulk(spec.summary);
  call.reply.bulk("since");
  call.reply.bulk(spec.since);
  call.reply.bulk("group");
  call.reply.bulk(spec.group);
  if (children.empty()) return;
  call.reply.bulk("subcommands");
  call.reply.map(children.size());
  for (const auto* child : children) document(call, *child);
}

// "client|id" as well as "get", in any case.
const CommandSpec* named(std::string_view name) { return find_command(name); }

}  // namespace

void command(Call& call) {
  call.reply.array(count_commands());
  for (const CommandSpec& spec : command_table())
    if (!is_subcommand(spec)) describe(call, spec);
}

void command_count(Call& call) { call.reply.count(count_commands()); }

void command_info(Call& call) {
  if (call.size() == 2) return command(call);
  call.reply.array(call.size() - 2);
  for (const std::string_view name : call.arguments.subspan(2)) {
    if (const CommandSpec* spec = named(name))
      describe(call, *spec);
    else
      call.reply.null_array();
  }
}

void command_docs(Call& call) {
  std::vector<const CommandSpec*> specs;
  if (call.size() == 2) {
    for (const CommandSpec& spec : command_table())
      if (!is_subcommand(spec)) specs.push_back(&spec);
  } else {
    for (const std::string_view name : call.arguments.subspan(2))
      if (const CommandSpec* spec = named(name)) specs.push_back(spec);
  }
  call.reply.map(specs.size());
  for (const auto* spec : specs) document(call, *spec);
}

void command_list(Call& call) {
  std::string_view pattern = "*";
  if (call.size() > 2) {
    if (call.size() != 5 || !is_word(call[2], "filterby") || !is_word(call[3], "pattern")) return syntax_error(call);
    pattern = call[4];
  }
  std::vector<std::string_view> names;
  for (const CommandSpec& spec : command_table())
    if (resp::glob_match(pattern, spec.name, true) && (call.size() > 2 || !is_subcommand(spec)))
      names.push_back(spec.name);
  call.reply.set(names.size());
  for (const auto name : names) call.reply.bulk(name);
}

void command_getkeys(Call& call) {
  const auto inner = call.arguments.subspan(2);
  const CommandSpec* spec = named(inner[0]);
  if (spec == nullptr) return call.reply.error("ERR Invalid command specified");
  if (spec->keys.first == 0) return call.reply.error("ERR The command has no key arguments");
  const auto given = static_cast<std::int64_t>(inner.size());
  if (spec->arity > 0 ? given != spec->arity : given < -spec->arity)
    return call.reply.error("ERR Invalid number of arguments specified for command");
  const std::int64_t last = spec->keys.last < 0 ? given + spec->keys.last : spec->keys.last;
  std::vector<std::string_view> keys;
  for (std::int64_t i = spec->keys.first; i <= last; i += spec->keys.step)
    keys.push_back(inner[static_cast<std::size_t>(i)]);
  call.reply.array(keys.size());
  for (const auto key : keys) call.reply.bulk(key);
}

}  // namespace coppice::daemon::handlers
