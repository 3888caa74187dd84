#include "notifications.h"

#include <algorithm>
#include <array>
#include <utility>

#include "commands/command.h"
#include "pubsub.h"

namespace coppice::daemon {

namespace {

using Class = Notifications::Class;

// In the order in which they are shown.
constexpr std::array<std::pair<char, std::uint16_t>, 14> kLetters{{{'g', Notifications::kGeneric},
                                                                   {'$', Notifications::kString},
                                                                   {'l', Notifications::kList},
                                                                   {'s', Notifications::kSet},
                                                                   {'h', Notifications::kHash},
                                                                   {'z', Notifications::kSortedSet},
                                                                   {'x', Notifications::kExpired},
                                                                   {'e', Notifications::kEvicted},
                                                                   {'t', Notifications::kStream},
                                                                   {'d', Notifications::kModule},
                                                                   {'n', Notifications::kNew},
                                                                   {'K', Notifications::kKeyspace},
                                                                   {'E', Notifications::kKeyevent},
                                                                   {'m', Notifications::kMiss}}};

// How a command's writes are called, where that is not "set". `removes`: it takes elements away, and a key that runs
// empty by that gets this event besides "del".
struct Rule {
  std::string_view command;
  Class of_class;
  std::string_view event;
  bool removes = false;
};

constexpr auto kRules = std::to_array<Rule>({
    {"append", Class::kString, "append"},
    {"copy", Class::kGeneric, "copy_to"},
    {"decr", Class::kString, "incrby"},
    {"decrby", Class::kString, "incrby"},
    {"hdel", Class::kHash, "hdel", true},
    {"hincrby", Class::kHash, "hincrby"},
    {"hincrbyfloat", Class::kHash, "hincrbyfloat"},
    {"hmset", Class::kHash, "hset"},
    {"hset", Class::kHash, "hset"},
    {"hsetnx", Class::kHash, "hset"},
    {"incr", Class::kString, "incrby"},
    {"incrby", Class::kString, "incrby"},
    {"incrbyfloat", Class::kString, "incrbyfloat"},
    {"sadd", Class::kSet, "sadd"},
    {"sdiffstore", Class::kSet, "sdiffstore"},
    {"setrange", Class::kString, "setrange"},
    {"sinterstore", Class::kSet, "sinterstore"},
    {"spop", Class::kSet, "spop", true},
    {"srem", Class::kSet, "srem", true},
    {"sunionstore", Class::kSet, "sunionstore"},
    {"throttle", Class::kGeneric, "throttle"},
    {"tincr", Class::kString, "incrby"},
    {"zadd", Class::kSortedSet, "zadd"},
    {"zdiffstore", Class::kSortedSet, "zdiffstore"},
    {"zincrby", Class::kSortedSet, "zincr"},
    {"zinterstore", Class::kSortedSet, "zinterstore"},
    {"zpopmax", Class::kSortedSet, "zpopmax", true},
    {"zpopmin", Class::kSortedSet, "zpopmin", true},
    {"zrangestore", Class::kSortedSet, "zrangestore"},
    {"zrem", Class::kSortedSet, "zrem", true},
    {"zremrangebylex", Class::kSortedSet, "zremrangebylex", true},
    {"zremrangebyrank", Class::kSortedSet, "zremrangebyrank", true},
    {"zremrangebyscore", Class::kSortedSet, "zremrangebyscore", true},
    {"zunionstore", Class::kSortedSet, "zunionstore"},
});

constexpr bool is_sorted_by_command() {
  for (std::size_t i = 1; i < kRules.size(); ++i)
    if (kRules[i - 1].command >= kRules[i].command) return false;
  return true;
}
static_assert(is_sorted_by_command());

const Rule* rule_of(std::string_view command) {
  const auto found = std::lower_bound(kRules.begin(), kRules.end(), command,
                                      [](const Rule& rule, std::string_view name) { return rule.command < name; });
  return found != kRules.end() && found->command == command ? &*found : nullptr;
}

bool has_word(const Call& call, std::size_t from, std::string_view word) {
  for (std::size_t i = from; i < call.size(); ++i)
    if (is_word(call[i], word)) return true;
  return false;
}

// Whether a write of this command, which left a deadline, gave the key that deadline.
bool gives_deadline(const Call& call) {
  constexpr std::string_view kNames[] = {"eval", "evalsha", "leaseset", "psetex", "set", "setex", "tmset", "tset"};
  return std::find(std::begin(kNames), std::end(kNames), call.spec.name) != std::end(kNames) &&
         !has_word(call, 3, "keepttl");
}

}  // namespace

bool Notifications::set(std::string_view letters) {
  std::uint16_t flags = 0;
  for (const char letter : letters) {
    if (letter == 'A') {
      flags |= kAll;
      continue;
    }
    const auto found =
        std::find_if(kLetters.begin(), kLetters.end(), [&](const auto& known) { return known.first == letter; });
    if (found == kLetters.end()) return false;
    flags |= found->second;
  }
  flags_ = flags;
  return true;
}

std::string Notifications::letters() const {
  const bool all = (flags_ & kAll) == kAll;
  std::string text = all ? "A" : "";
  for (const auto& [letter, flag] : kLetters)
    if ((flags_ & flag) != 0 && !(all && (flag & kAll) != 0)) text += letter;
  return text;
}

void Notifications::on_change(const Call& call, Database db, std::string_view key, Change change) {
  const std::string_view command = call.spec.name;
  const bool renames = command == "rename" || command == "renamenx", moves = command == "move";
  if (renames || moves) {
    // One entry goes, the same one comes; told in this order whichever the store did first.
    if (change != Change::kCreated && change != Change::kWritten) return;
    notify(kNew, "new", db, key);
    notify(kGeneric, renames ? "rename_from" : "move_from", call.db(), call[1]);
    return notify(kGeneric, renames ? "rename_to" : "move_to", db, key);
  }
  const Rule* rule = rule_of(command);
  switch (change) {
    case Change::kNothing:
      return;
    case Change::kErased:
      if (rule != nullptr && rule->removes) notify(rule->of_class, rule->event, db, key);
      return notify(kGeneric, "del", db, key);
    case Change::kDeadline: {
      const auto entry = call.store().peek(db, key);
      return notify(kGeneric, entry && entry->deadline == kNoDeadline ? "persist" : "expire", db, key);
    }
    case Change::kCreated:
      notify(kNew, "new", db, key);
      break;
    case Change::kWritten:
      break;
  }
  if (command == "smove") {
    notify(kSet, call.size() > 2 && key == call[2] ? "sadd" : "srem", db, key);
  } else if (command == "zadd" && has_word(call, 2, "incr")) {
    notify(kSortedSet, "zincr", db, key);
  } else if (rule != nullptr) {
    notify(rule->of_class, rule->event, db, key);
  } else {
    notify(kString, "set", db, key);
    if (!gives_deadline(call)) return;
    const auto entry = call.store().peek(db, key);
    if (entry && entry->deadline != kNoDeadline) notify(kGeneric, "expire", db, key);
  }
}

void Notifications::notify(Class which, std::string_view event, Database db, std::string_view key) {
  if ((flags_ & which) == 0) return;
  if (pubsub_.names(PubSub::Kind::kChannel) + pubsub_.names(PubSub::Kind::kPattern) == 0) return;
  const std::string number = std::to_string(db);
  std::string channel;
  if ((flags_ & kKeyspace) != 0) {
    channel.append("__keyspace@").append(number).append("__:").append(key);
    pubsub_.publish(channel, event);
  }
  if ((flags_ & kKeyevent) != 0) {
    channel.assign("__keyevent@").append(number).append("__:").append(event);
    pubsub_.publish(channel, key);
  }
}

}  // namespace coppice::daemon
