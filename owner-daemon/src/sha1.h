// SHA-1 (FIPS 180-4), by which Redis names scripts. For naming only: it keeps no secret and proves nothing.
#pragma once

#include <string>
#include <string_view>

namespace coppice::daemon {

// Forty hexadecimal digits in lower case.
std::string sha1_hex(std::string_view bytes);

}  // namespace coppice::daemon
