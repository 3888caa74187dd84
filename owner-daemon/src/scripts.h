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
  kAdd,            // KEYS key; ARGV value, seconds: sets a key that is absent
  kDeleteIf,       // KEYS key; ARGV token: removes the key if it holds the token
  kExpireIf,       // KEYS key; ARGV token, seconds: a new time to live, none for 0 or less, if it holds the token
  kExpireMsIf,     // KEYS key; ARGV token, milliseconds
  kExtendMsIf,     // KEYS key; ARGV token, milliseconds, "0" = added to what remains
  kTakeFreeSlot,   // KEYS slots; ARGV name, seconds, token: sets the first slot that is free; its name and number
  kLimitDuration,  // KEYS hash; ARGV time, second, duration, most: counts one more in the duration
  kPeekDuration,   // the same, looked at
  kDeleteTagged,   // KEYS entries; ARGV prefix, tags' sorted sets: removes the entries, and their names from the sets
  kTakeWithTags,   // KEYS key: removes a value of Symfony's; the tags that stand in it
  kInvalidateSet,  // KEYS set; ARGV prefix[, "1"]: removes the members' entries and the set
  kGoOnWithSet,    // KEYS set; ARGV members, cursor: the same of what was put aside
  kCheckTime,      // KEYS key: whether a script may write after it has asked for the time
  kLockForWrite,   // KEYS lock; ARGV time, token, milliseconds. Of these the option is whether the time is ARGV's
  kLockForRead,
  kPutOffLock,
  kDeleteLock,   // KEYS lock; ARGV token
  kLockExists,   // KEYS lock; ARGV time, token
  kErasePattern  // removes the keys that match the pattern in the text; by text alone
};

inline constexpr std::uint8_t kTimeIsGiven = 1;

struct Script {
  std::string_view sha1;
  ScriptAction action;
  std::int8_t keys;  // -1: any number above 0
  std::uint8_t arguments;
  std::string_view whose;
  std::uint8_t option = 0;
};

class Scripts {
 public:
  static std::span<const Script> known();
  // In any case of letters; null: not known, or known by its text alone.
  static const Script* by_sha1(std::string_view sha1);
  // A text that was known once is known again without being hashed.
  const Script* by_text(std::string_view text);

  // Of a text that is known but for a pattern in it: the pattern.
  static std::string_view pattern_of(std::string_view text);

 private:
  std::vector<std::pair<std::string, const Script*>> texts_;  // one for each known script at most
};

}  // namespace coppice::daemon
