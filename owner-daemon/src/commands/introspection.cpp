#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "acl/access.h"
#include "acl/categories.h"
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
      {kWrite, "write"},   {kReadOnly, "readonly"},    {kDenyOom, "denyoom"},     {kAdmin, "admin"},
      {kFast, "fast"},     {kWhileLoading, "loading"}, {kWithoutAuth, "no_auth"}, {kBlocking, "blocking"},
      {kPubSub, "pubsub"}, {kNoMulti, "no_multi"}};
  for (const auto& [flag, name] : kNames)
    if ((spec.flags & flag) != 0) names.push_back(name);
  if (spec.keys.counted != 0) names.push_back("movablekeys");
  return names;
}

std::vector<std::string> names_of_categories(const CommandSpec& spec) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < category_names().size(); ++i)
    if ((categories_of(spec) >> i & 1) != 0) names.push_back("@" + std::string(category_names()[i]));
  return names;
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
  call.reply.integer(spec.keys.first != 0 ? spec.keys.step : 0);
  const auto categories = names_of_categories(spec);
  call.reply.set(categories.size());
  for (const auto& name : categories) call.reply.simple(name);
  call.reply.set(0);    // tips
  call.reply.array(0);  // key specifications
  const auto children = subcommands_of(spec);
  call.reply.array(children.size());
  for (const auto* child : children) describe(call, *child);
}

struct Argument {
  std::string text;
  bool optional;
};

// What stands behind the command's name in its syntax: words, and what brackets enclose; alternatives are one argument.
std::vector<Argument> arguments_of(const CommandSpec& spec) {
  std::vector<Argument> arguments;
  bool alternative = false;
  const std::string_view text = spec.syntax;
  for (std::size_t i = spec.name.size(); i < text.size();) {
    if (text[i] == ' ') {
      ++i;
      continue;
    }
    std::size_t end = i, depth = 0;
    for (; end < text.size() && (depth > 0 || text[end] != ' '); ++end) {
      if (text[end] == '[') ++depth;
      if (text[end] == ']') --depth;
    }
    const std::string_view word = text.substr(i, end - i);
    const bool bracketed = word.front() == '[';
    i = end;
    if (word == "|" || alternative) {
      if (!arguments.empty()) arguments.back().text += " " + std::string(word);
      alternative = word == "|";
    } else {
      arguments.push_back({std::string(bracketed ? word.substr(1, word.size() - 2) : word), bracketed});
    }
  }
  return arguments;
}

// Enough for redis-cli to show the syntax: it writes the names, and brackets around the optional ones.
void document_arguments(Call& call, const std::vector<Argument>& arguments) {
  call.reply.bulk("arguments");
  call.reply.array(arguments.size());
  for (const Argument& argument : arguments) {
    call.reply.map(argument.optional ? 3 : 2);
    call.reply.bulk("name");
    call.reply.bulk(argument.text);
    call.reply.bulk("type");
    call.reply.bulk("string");
    if (!argument.optional) continue;
    call.reply.bulk("flags");
    call.reply.set(1);
    call.reply.simple("optional");
  }
}

void document(Call& call, const CommandSpec& spec) {
  const auto children = subcommands_of(spec);
  const auto arguments = children.empty() ? arguments_of(spec) : std::vector<Argument>();
  call.reply.bulk(spec.name);
  call.reply.map(3 + (children.empty() ? 0 : 1) + (arguments.empty() ? 0 : 1));
  call.reply.bulk("summary");
  call.reply.bulk(spec.summary);
  call.reply.bulk("since");
  call.reply.bulk(spec.since);
  call.reply.bulk("group");
  call.reply.bulk(spec.group);
  if (!arguments.empty()) document_arguments(call, arguments);
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
  std::function<bool(const CommandSpec&)> wanted = [](const CommandSpec& spec) { return !is_subcommand(spec); };
  if (call.size() > 2) {
    if (call.size() != 5 || !is_word(call[2], "filterby")) return syntax_error(call);
    if (is_word(call[3], "pattern")) {
      wanted = [&](const CommandSpec& spec) { return resp::glob_match(call[4], spec.name, true); };
    } else if (is_word(call[3], "aclcat")) {
      const Categories category = find_category(call[4]).value_or(0);
      wanted = [category](const CommandSpec& spec) { return (categories_of(spec) & category) != 0; };
    } else if (is_word(call[3], "module")) {
      wanted = [](const CommandSpec&) { return false; };
    } else {
      return syntax_error(call);
    }
  }
  std::vector<std::string_view> names;
  for (const CommandSpec& spec : command_table())
    if (wanted(spec)) names.push_back(spec.name);
  call.reply.set(names.size());
  for (const auto name : names) call.reply.bulk(name);
}

namespace {

// The command line within COMMAND GETKEYS and its keys; null: the error is written.
const CommandSpec* keys_within(Call& call, std::vector<KeyAccess>* keys) {
  const auto inner = call.arguments.subspan(2);
  const CommandSpec* spec = resolve_command(inner);
  if (spec == nullptr) return call.reply.error("ERR Invalid command specified"), nullptr;
  if (spec->keys.step == 0) return call.reply.error("ERR The command has no key arguments"), nullptr;
  if (!arity_fits(*spec, inner.size()))
    return call.reply.error("ERR Invalid number of arguments specified for command"), nullptr;
  for_each_key(*spec, inner, [&](const KeyAccess& access) {
    keys->push_back(access);
    return true;
  });
  return spec;
}

}  // namespace

void command_getkeys(Call& call) {
  std::vector<KeyAccess> keys;
  if (keys_within(call, &keys) == nullptr) return;
  call.reply.array(keys.size());
  for (const KeyAccess& access : keys) call.reply.bulk(access.key);
}

// In the words of Redis's key specifications, as far as rights to keys tell them.
void command_getkeysandflags(Call& call) {
  std::vector<KeyAccess> keys;
  if (keys_within(call, &keys) == nullptr) return;
  call.reply.array(keys.size());
  for (const KeyAccess& access : keys) {
    call.reply.array(2);
    call.reply.bulk(access.key);
    const bool reads = (access.rights & kReadKeys) != 0, writes = (access.rights & kWriteKeys) != 0;
    call.reply.set(1 + reads + writes);
    call.reply.simple(!writes ? "RO" : reads ? "RW" : "OW");
    if (reads) call.reply.simple("access");
    if (writes) call.reply.simple("update");
  }
}

}  // namespace coppice::daemon::handlers
