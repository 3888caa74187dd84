// Time is passed in, so that tests never sleep.
#pragma once

#include <cstdint>

#include "coppice/types.h"

namespace coppice {

// Thread safety: implementations must allow concurrent calls.
class Clock {
 public:
  virtual ~Clock() = default;
  // CLOCK_MONOTONIC in milliseconds; what deadlines are measured on.
  virtual Millis monotonic_ms() const = 0;
  // The same clock, up to kCoarseLag late and cheaper to read (5 ns instead of 23).
  virtual Millis coarse_ms() const { return monotonic_ms(); }
  // A tick (4 or 10 ms) by rights; on a virtual machine whose processors were taken away, 12 were seen.
  static constexpr Millis kCoarseLag = 100;
  // Whether `deadline` has passed; reads the exact clock only where the coarse one leaves it open.
  bool passed(Millis deadline) const {
    if (deadline == kNoDeadline) return false;
    const Millis coarse = coarse_ms();
    return deadline <= coarse || (deadline - coarse <= kCoarseLag && deadline <= monotonic_ms());
  }
  // The wall clock in microseconds since 1970; may jump. Seeds versions; dates snapshots.
  virtual std::int64_t wall_us() const = 0;
};

// The host's clocks.
const Clock& system_clock();

// A clock that tests set by hand.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Millis now = 1'000'000, std::int64_t wall = 1'700'000'000'000'000) : now_(now), wall_(wall) {}
  Millis monotonic_ms() const override { return now_; }
  std::int64_t wall_us() const override { return wall_; }
  void advance(Millis ms) {
    now_ += ms;
    wall_ += ms * 1000;
  }
  void set_wall(std::int64_t us) { wall_ = us; }

 private:
  Millis now_;
  std::int64_t wall_;
};

}  // namespace coppice
