#include "command_stats.h"

#include <algorithm>

namespace coppice::daemon {

void CommandStats::error(std::string_view reply) {
  const std::string_view code = reply.substr(0, std::min(reply.find_first_of(" \r\n"), reply.size()));
  const auto found = errors_.find(code);
  if (found != errors_.end())
    ++found->second;
  else if (errors_.size() < kMostErrors)
    errors_.emplace(std::string(code), 1);
}

std::uint64_t CommandStats::percentile(const One& one, double part) {
  const double wanted = part * static_cast<double>(one.calls);
  std::uint64_t seen = 0;
  for (std::size_t b = 0; b < kBuckets; ++b) {
    seen += one.durations[b];
    if (seen > 0 && static_cast<double>(seen) >= wanted) return std::uint64_t{1} << b;
  }
  return std::uint64_t{1} << (kBuckets - 1);
}

void CommandStats::reset() {
  std::fill(all_.begin(), all_.end(), One{});
  errors_.clear();
}

}  // namespace coppice::daemon
