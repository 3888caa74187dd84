// Integers as the array codec writes them. Format: docs/codec.md.
#pragma once

#include <cstdint>
#include <cstring>

#include "bridge.h"
#include "codec_tags.h"

namespace coppice::php {

// Writes an integer at `at` and returns its end. REQUIRES: room for 9 bytes.
[[gnu::always_inline]] inline char* put_integer(char* at, zend_long number) {
  if (number >= 0 && number < 0x80) {
    *at = static_cast<char>(number);
    return at + 1;
  }
  const std::uint64_t negative = static_cast<std::uint64_t>(number) >> 63;
  const std::uint64_t n = static_cast<std::uint64_t>(number) ^ (0 - negative);
  const std::size_t bytes = (71 - static_cast<std::size_t>(__builtin_clzll(n | 1))) / 8;
  *at++ = static_cast<char>(tag::kPositive + (negative << 3) + bytes - 1);
  std::memcpy(at, &n, 8);
  return at + bytes;
}

}  // namespace coppice::php
