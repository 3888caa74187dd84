// The Lua scripts that clients send and that are known here: what they do is done natively. There is no Lua.
//
// Thread safety: none; the daemon's one loop.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace coppice::daemon {

enum class ScriptAction : std::uint8_t {
  kAdd,          // KEYS key; ARGV value, seconds: sets a key that is absent
  kDeleteIf,     // KEYS key; ARGV token: removes the key if it holds the token
  kExpireIf,     // KEYS key; ARGV token, seconds: a new time to live, none for 0 or less, if it holds the token
  kExpireMsIf,   // KEYS key; ARGV token, milliseconds
  kExtendMsIf,   // KEYS key; ARGV token, milliseconds, "0" = added to what remains
  kTakeFreeSlot  // KEYS slots; ARGV name, seconds, token: sets the first slot that is free; its name and number
};

struct Script {
  std::string_view sha1;
  ScriptAction action;
  std::int8_t keys;  // -1: any number above 0
  std::uint8_t arguments;
  std::string_view whose;
};

class Scripts {
 public:
  static std::span<const Script> known();
  // In any case of letters; null: not known.
  static const Script* by_sha1(std::string_view sha1);
  // A text that was known once is known again without being hashed.
  const Script* by_text(std::string_view text);

 private:
  std::vector<std::pair<std::string, const Script*>> texts_;  // one for each known script at most
};

}  // namespace coppice::daemon
