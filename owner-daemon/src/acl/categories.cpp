#include "acl/categories.h"

#include <array>
#include <utility>

namespace coppice::daemon {

namespace {

constexpr std::array<std::string_view, 24> kNames{
    "keyspace", "read",        "write",      "set",         "sortedset", "list",  "hash", "string",
    "bitmap",   "hyperloglog", "geo",        "stream",      "pubsub",    "admin", "fast", "slow",
    "blocking", "dangerous",   "connection", "transaction", "scripting", "range", "tag",  "typed"};

constexpr Categories bit(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return Categories{1} << i;
  return 0;
}

// Groups whose name is not that of their class; "" = in no class of their own.
constexpr std::pair<std::string_view, std::string_view> kGroups[] = {{"generic", "keyspace"},
                                                                     {"transactions", "transaction"},
                                                                     {"sorted-set", "sortedset"},
                                                                     {"sorted_set", "sortedset"},
                                                                     {"server", ""},
                                                                     {"pubsub", ""}};

// Commands about the server that Redis has in another class besides.
constexpr std::pair<std::string_view, std::string_view> kExtras[] = {{"dbsize", "keyspace"},
                                                                     {"flushdb", "keyspace"},
                                                                     {"flushall", "keyspace"},
                                                                     {"swapdb", "keyspace"},
                                                                     {"command", "connection"}};

}  // namespace

std::span<const std::string_view> category_names() { return kNames; }

std::optional<Categories> find_category(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (is_word(name, kNames[i])) return Categories{1} << i;
  return std::nullopt;
}

Categories categories_of(const CommandSpec& spec) {
  if ((spec.flags & kContainer) != 0) return bit("slow");
  const bool script = spec.group == "scripting" && spec.keys.counted != 0;
  Categories in = (spec.flags & kFast) != 0 ? bit("fast") : bit("slow");
  if ((spec.flags & kWrite) != 0 && !script) in |= bit("write");
  if ((spec.flags & kReadOnly) != 0 && !script) in |= bit("read");
  if ((spec.flags & kAdmin) != 0) in |= bit("admin") | bit("dangerous");
  if ((spec.flags & kDangerous) != 0) in |= bit("dangerous");
  if ((spec.flags & kPubSub) != 0) in |= bit("pubsub");
  if ((spec.flags & kBlocking) != 0) in |= bit("blocking");
  std::string_view own = spec.group;
  for (const auto& [group, category] : kGroups)
    if (group == spec.group) own = category;
  in |= bit(own);
  const std::string_view command = spec.name.substr(0, spec.name.find('|'));
  for (const auto& [name, category] : kExtras)
    if (name == command) in |= bit(category);
  return in;
}

}  // namespace coppice::daemon
