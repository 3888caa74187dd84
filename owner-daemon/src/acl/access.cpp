#include "acl/access.h"

#include <algorithm>
#include <utility>

#include "commands/command.h"
#include "resp/number.h"

namespace coppice::daemon {

namespace {

constexpr std::uint8_t kReadWrite = kReadKeys | kWriteKeys;

// Commands that do one thing to their first key and another to the others.
struct Differing {
  std::string_view name;
  std::uint8_t first;
  std::uint8_t others;
};
constexpr Differing kDiffering[] = {
    {"copy", kReadKeys, kWriteKeys},        {"rename", kReadWrite, kWriteKeys},
    {"renamenx", kReadWrite, kWriteKeys},   {"sdiffstore", kWriteKeys, kReadKeys},
    {"sinterstore", kWriteKeys, kReadKeys}, {"smove", kReadWrite, kWriteKeys},
    {"sunionstore", kWriteKeys, kReadKeys}, {"zdiffstore", kWriteKeys, kReadKeys},
    {"zinterstore", kWriteKeys, kReadKeys}, {"zrangestore", kWriteKeys, kReadKeys},
    {"zunionstore", kWriteKeys, kReadKeys},
};

std::uint8_t rights_of(const CommandSpec& spec, std::span<const std::string_view> arguments) {
  if ((spec.flags & kKeyItself) != 0) return kNoRights;
  if ((spec.flags & kReadOnly) != 0) return kReadKeys;
  if ((spec.flags & kWrite) == 0 || (spec.flags & kAlsoReads) != 0) return kReadWrite;
  // SET may tell what was there.
  if (spec.name == "set")
    for (std::size_t i = 3; i < arguments.size(); ++i)
      if (is_word(arguments[i], "get") || is_word(arguments[i], "ifeq")) return kReadWrite;
  return kWriteKeys;
}

}  // namespace

bool for_each_key(const CommandSpec& spec, std::span<const std::string_view> arguments,
                  const std::function<bool(const KeyAccess&)>& f) {
  const KeyPositions& keys = spec.keys;
  const bool branch = (spec.flags & kPrefixKey) != 0;
  if (keys.step == 0 && !branch) return true;
  std::uint8_t first = rights_of(spec, arguments);
  std::uint8_t others = first;
  for (const Differing& d : kDiffering)
    if (d.name == spec.name) {
      first = d.first;
      others = d.others;
    }
  if (keys.step == 0) return f({"", first, true});
  const auto given = static_cast<std::int64_t>(arguments.size());
  bool is_first = true;
  const auto visit = [&](std::int64_t i) {
    return f({arguments[static_cast<std::size_t>(i)], std::exchange(is_first, false) ? first : others, branch});
  };
  if (keys.first != 0) {
    const std::int64_t last = keys.last < 0 ? given + keys.last : keys.last;
    for (std::int64_t i = keys.first; i <= std::min(last, given - 1); i += keys.step)
      if (!visit(i)) return false;
  }
  std::int64_t count = 0;
  // A number that does not fit is refused by the command itself, which then touches no key.
  if (keys.counted == 0 || !resp::parse_int64(arguments[static_cast<std::size_t>(keys.counted)], &count)) return true;
  std::int64_t i = keys.counted + 1;
  for (; count > 0 && i < given; --count, i += keys.step)
    if (!visit(i)) return false;
  return true;
}

ChannelAccess channels_of(const CommandSpec& spec, std::span<const std::string_view> arguments) {
  if ((spec.flags & kPubSub) == 0) return {};
  if (spec.name == "publish" || spec.name == "spublish") return {arguments.subspan(1, 1), false};
  if (spec.name == "subscribe" || spec.name == "ssubscribe") return {arguments.subspan(1), false};
  if (spec.name == "psubscribe") return {arguments.subspan(1), true};
  return {};
}

}  // namespace coppice::daemon
