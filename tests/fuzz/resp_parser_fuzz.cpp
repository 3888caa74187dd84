// The RESP parser on any bytes: it must come to the same requests and the same error wherever the input is split, and
// never point outside of it. The first byte chooses the splits and whether the peer has authenticated.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "../daemon/parser_drive.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace coppice::resp;
  if (size < 1) return 0;
  const std::uint8_t choice = data[0];
  const std::string_view input(reinterpret_cast<const char*>(data + 1), size - 1);
  const bool authenticated = (choice & 1) != 0;
  ParserLimits limits;
  // Small limits, so that short inputs reach them.
  limits.max_line = 64;
  limits.max_arguments = 1000;
  limits.max_bulk = 1000;
  const Trace whole = drive_whole(input, limits, authenticated);
  std::uint32_t state = choice;
  const Trace split = drive(
      input,
      [&](std::size_t) {
        state = state * 1664525u + 1013904223u;
        return 1 + (state >> 24) % (1u + choice / 2);
      },
      limits, authenticated);
  // A line that is too long may be noticed before its end has come: then the requests agree, and both fail.
  if (whole.requests != split.requests || whole.error.empty() != split.error.empty()) std::abort();
  if (whole.error != split.error && whole.error.find("too big") == std::string::npos &&
      split.error.find("too big") == std::string::npos)
    std::abort();
  return 0;
}
