// The limit of open files.
#pragma once

#include <cstdint>

namespace coppice::daemon {

// Raises the limit so that this many clients may be connected; answers how many may be.
std::uint64_t allow_descriptors(std::uint64_t clients);

}  // namespace coppice::daemon
