// What the rows of the command table are written with; included by rows/*.h alone, one file a group.
#pragma once

#include <array>

#include "commands/command.h"

namespace coppice::daemon::rows {

using namespace handlers;

inline constexpr KeyPositions kNoKeys{};
inline constexpr KeyPositions kOneKey{1, 1, 1};
inline constexpr KeyPositions kAllKeys{1, -1, 1};
inline constexpr KeyPositions kPairs{1, -1, 2};
inline constexpr KeyPositions kTwoKeys{1, 2, 1};
inline constexpr KeyPositions kSecondWord{2, 2, 1};

inline constexpr std::uint16_t kConnection = kFast | kWhileLoading;

}  // namespace coppice::daemon::rows
