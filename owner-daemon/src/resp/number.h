// Decimal integers as RESP and Redis read them: an optional '-', then digits without leading zeros; nothing else.
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>

namespace coppice::resp {

// false: not a canonical 64-bit decimal; `out` is left alone.
inline bool parse_int64(std::string_view text, std::int64_t* out) {
  if (text.empty()) return false;
  const std::string_view digits = text[0] == '-' ? text.substr(1) : text;
  if (digits.empty() || digits[0] < '0' || digits[0] > '9') return false;
  if (digits[0] == '0' && text.size() != 1) return false;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return false;
  *out = value;
  return true;
}

// The same for numbers from 0 to 2^64 - 1.
inline bool parse_uint64(std::string_view text, std::uint64_t* out) {
  if (text.empty() || text[0] < '0' || text[0] > '9' || (text[0] == '0' && text.size() != 1)) return false;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return false;
  *out = value;
  return true;
}

}  // namespace coppice::resp
