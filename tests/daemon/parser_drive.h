// Feeds bytes to a RequestParser as a connection does, and writes down what came out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "resp/parser.h"

namespace coppice::resp {

struct Trace {
  std::vector<std::vector<std::string>> requests;
  std::string error;          // "" : none
  std::size_t left_over = 0;  // bytes of a request that was not complete

  bool operator==(const Trace&) const = default;
};

// `cut(position)` says how many bytes come next; at least 1.
template <class Cut>
Trace drive(std::string_view input, Cut&& cut, const ParserLimits& limits = {}, bool authenticated = true) {
  RequestParser parser(limits);
  parser.set_authenticated(authenticated);
  Trace trace;
  std::string buffer;
  for (std::size_t at = 0; at < input.size();) {
    const std::size_t n = std::min(static_cast<std::size_t>(cut(at)), input.size() - at);
    buffer.append(input.substr(at, n));
    at += n;
    for (;;) {
      const auto status = parser.parse(buffer);
      if (status == RequestParser::Status::kError) {
        trace.error = parser.error();
        return trace;
      }
      if (status == RequestParser::Status::kRequest) {
        auto& request = trace.requests.emplace_back();
        for (const auto argument : parser.arguments()) request.emplace_back(argument);
      }
      buffer.erase(0, parser.take_consumed());
      if (status == RequestParser::Status::kNeedMore) break;
    }
  }
  trace.left_over = buffer.size();
  return trace;
}

inline Trace drive_whole(std::string_view input, const ParserLimits& limits = {}, bool authenticated = true) {
  return drive(
      input, [&](std::size_t) { return input.size(); }, limits, authenticated);
}

}  // namespace coppice::resp
