// What the commands on strings have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "commands/command.h"

namespace coppice::daemon {

// Whether commands may read the entry's bytes; otherwise the refusal is written.
inline bool readable(Call& call, const EntryView& entry) {
  if (is_value(entry.type)) [[likely]]
    return true;
  refuse(call, Error::kWrongType);
  return false;
}
// Answers an entry's bytes, or null without one. false: the refusal is written instead.
inline bool answer_value(Call& call, const std::optional<EntryView>& entry) {
  if (!entry) {
    call.reply.null();
    return true;
  }
  if (!readable(call, *entry)) return false;
  call.reply.bulk(*entry);
  return true;
}
// What TYPE says.
std::string_view type_name(ValueType type);
// Whether GET would answer this text of a plain entry.
bool holds(const EntryView& entry, std::string_view text);
// Sets the keys and values from argument 1 on. What can be known beforehand is refused before anything is stored.
// false: the refusal is written.
bool set_pairs(Call& call);

}  // namespace coppice::daemon
