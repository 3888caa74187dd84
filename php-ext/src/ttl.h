// Reads an argument `null|int|float|DateInterval $ttl`.
#pragma once

#include <cstdint>

#include "backend.h"
#include "bridge.h"

namespace coppice::php {

// false: an exception was thrown. `argument` is its number, `value` null where it was not given.
bool parse_ttl(zval* value, std::uint32_t argument, Ttl* out);

}  // namespace coppice::php
