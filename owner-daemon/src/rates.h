// How much happens a second, over the latest ticks: INFO's instantaneous figures.
//
// Thread safety: none; the daemon's one loop.
#pragma once

#include <array>
#include <cstdint>

#include "coppice/types.h"

namespace coppice::daemon {

class Rates {
 public:
  enum What : std::size_t { kCommands, kInput, kOutput, kWhat };

  // What there has been in all by `now`.
  void sample(Millis now, const std::array<std::uint64_t, kWhat>& totals) {
    if (now <= then_) return;
    if (then_ != 0)
      for (std::size_t i = 0; i < kWhat; ++i) {
        // Counters start again at RESETSTAT.
        const std::uint64_t more = totals[i] >= totals_[i] ? totals[i] - totals_[i] : 0;
        samples_[i][next_] = more * 1000 / static_cast<std::uint64_t>(now - then_);
      }
    next_ = (next_ + 1) % kSamples;
    then_ = now;
    totals_ = totals;
  }
  std::uint64_t per_second(What what) const {
    std::uint64_t sum = 0;
    for (const std::uint64_t sample : samples_[what]) sum += sample;
    return sum / kSamples;
  }

 private:
  static constexpr std::size_t kSamples = 16;
  std::array<std::array<std::uint64_t, kSamples>, kWhat> samples_{};
  std::array<std::uint64_t, kWhat> totals_{};
  std::size_t next_ = 0;
  Millis then_ = 0;
};

}  // namespace coppice::daemon
