// Reads an argument `null|int|float|DateInterval $ttl`.
#pragma once

#include <cstdint>

#include "backend.h"
#include "bridge.h"

namespace coppice::php {

// false: an exception was thrown. `argument` is its number, `value` null where it was not given.
bool parse_ttl(zval* value, std::uint32_t argument, Ttl* out);

// A duration in seconds as milliseconds, rounded up; INF, and what no clock reaches: kNoDeadline. false: an
// InvalidArgumentException names `what`, which is not a number, or less than may be.
enum class Least : std::uint8_t { kZero, kMoreThanZero };
bool parse_duration(double seconds, const char* what, Least least, Millis* out);

}  // namespace coppice::php
