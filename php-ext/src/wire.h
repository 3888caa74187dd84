// How arguments are written for the owner (docs/typed-commands.md).
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <string_view>

#include "backend.h"

namespace coppice::php {

// A number as an argument.
class Decimal {
 public:
  explicit Decimal(std::integral auto n) {
    length_ = static_cast<std::size_t>(std::to_chars(text_, text_ + sizeof text_, n).ptr - text_);
  }
  operator std::string_view() const { return {text_, length_}; }

 private:
  char text_[24];
  std::size_t length_;
};

inline std::string_view type_argument(ValueType type) {
  static constexpr char kDigits[] = "0123456789";
  static_assert(kLastValueType < 10);
  return {kDigits + static_cast<unsigned>(type), 1};
}

// `ttl` as the protocol has it: -1 for ever, 0 removes.
inline std::int64_t wire_ttl(Ttl ttl) { return ttl == kNoDeadline ? -1 : ttl < 0 ? 0 : ttl; }

inline Outcome odd_answer(Failure* failure) {
  failure->set(Failure::Kind::kUnreachable, "the owner gave an answer that the command does not have");
  return Outcome::kFailed;
}

}  // namespace coppice::php
