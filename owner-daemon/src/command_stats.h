// How often each command was run, how long that took, and which errors it met: INFO's commandstats, errorstats and
// latencystats, LATENCY HISTOGRAM.
//
// Thread safety: none; the daemon's one loop.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ticks.h"

namespace coppice::daemon {

class CommandStats {
 public:
  // By the number of bits of a duration in microseconds: bucket b counts those below 2^b.
  static constexpr std::size_t kBuckets = 27;

  struct One {
    std::uint64_t calls = 0;
    std::uint64_t ticks = 0;
    std::uint64_t rejected = 0;
    std::uint64_t failed = 0;
    std::array<std::uint32_t, kBuckets> durations{};
  };

  explicit CommandStats(std::size_t commands) : all_(commands) {}

  void ran(std::size_t command, std::uint64_t ticks, const TickRate& rate) {
    One& one = all_[command];
    ++one.calls;
    one.ticks += ticks;
    const auto bucket = static_cast<std::size_t>(std::bit_width(rate.microseconds(ticks)));
    ++one.durations[bucket < kBuckets ? bucket : kBuckets - 1];
  }
  // Work that went on after the command was run first.
  void worked_on(std::size_t command, std::uint64_t ticks) { all_[command].ticks += ticks; }
  void rejected(std::size_t command) { ++all_[command].rejected; }
  void failed(std::size_t command) { ++all_[command].failed; }
  // An error reply, of which the first word counts. Of kMostErrors words at most.
  void error(std::string_view reply);

  const One& of(std::size_t command) const { return all_[command]; }
  const std::map<std::string, std::uint64_t, std::less<>>& errors() const { return errors_; }
  // The duration below which this part (0 to 1) of the calls stayed, in microseconds.
  static std::uint64_t percentile(const One& one, double part);
  void reset();

 private:
  static constexpr std::size_t kMostErrors = 128;
  std::vector<One> all_;
  std::map<std::string, std::uint64_t, std::less<>> errors_;
};

}  // namespace coppice::daemon
