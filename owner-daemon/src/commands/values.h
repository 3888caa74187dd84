// What the commands on strings have in common.
#pragma once

#include <cstdint>
#include <string_view>

#include "commands/command.h"

namespace coppice::daemon {

// Whether commands may read the entry's bytes; otherwise the refusal is written.
inline bool readable(Call& call, const EntryView& entry) {
  if (static_cast<std::uint8_t>(entry.type) <= kLastValueType) [[likely]]
    return true;
  refuse(call, Error::kWrongType);
  return false;
}
// Whether GET would answer this text of a plain entry.
bool holds(const EntryView& entry, std::string_view text);
// Sets the keys and values from argument 1 on. What can be known beforehand is refused before anything is stored.
// false: the refusal is written.
bool set_pairs(Call& call);

}  // namespace coppice::daemon
