// What the typed commands read of their arguments alike.
#pragma once

#include <cstdint>
#include <string_view>

#include "commands/command.h"

namespace coppice::daemon {

// A value whose bytes fit its type. false: the error is written.
bool parse_value(Call& call, std::string_view type, std::string_view bytes, Value* out);
bool parse_integer(Call& call, std::string_view text, std::int64_t* out);

}  // namespace coppice::daemon
