// What a command does to which keys and channels, as the rights of a user are checked.
//
// Thread safety: all of it only reads.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace coppice::daemon {

struct CommandSpec;

enum KeyRights : std::uint8_t { kNoRights = 0, kReadKeys = 1, kWriteKeys = 2 };

struct KeyAccess {
  std::string_view key;
  std::uint8_t rights = kNoRights;  // of KeyRights; none = the key itself, not what it holds
  bool branch = false;              // all keys that begin with `key`
};

// Calls f for each key, in order, until it answers false; answers whether it never did. REQUIRES: the arity is right.
bool for_each_key(const CommandSpec& spec, std::span<const std::string_view> arguments,
                  const std::function<bool(const KeyAccess&)>& f);

struct ChannelAccess {
  std::span<const std::string_view> channels;
  bool patterns = false;
};
// The channels that a command publishes to or subscribes to.
ChannelAccess channels_of(const CommandSpec& spec, std::span<const std::string_view> arguments);

}  // namespace coppice::daemon
