// The options of SCANPREFIX and TSCAN: [AFTER key] [LIMIT n] [REV], from the third argument on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "commands/command.h"

namespace coppice::daemon {

struct RangeOptions {
  std::optional<std::string> after;
  std::uint64_t limit = 1000;
  bool reverse = false;
};

// false: the error is written.
bool parse_range_options(Call& call, RangeOptions* out);

}  // namespace coppice::daemon
