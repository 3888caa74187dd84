// Time by the processor's own counter: cheap enough to read around every command.
//
// Thread safety: none; the daemon's one loop.
#pragma once

#include <cstdint>
#if defined(__x86_64__)
#include <x86intrin.h>
#else
#include <ctime>
#endif

namespace coppice::daemon {

inline std::uint64_t ticks_now() {
#if defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  std::uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
#endif
}

// How long ticks are. Measured for two milliseconds when it is made, and better each time it is asked to.
class TickRate {
 public:
  TickRate();
  void refine();
  // Rounded down.
  std::uint64_t microseconds(std::uint64_t ticks) const {
    return static_cast<std::uint64_t>(
        static_cast<std::int64_t>(static_cast<double>(static_cast<std::int64_t>(ticks)) * microseconds_per_tick_));
  }
  std::uint64_t ticks_of(std::uint64_t microseconds) const {
    return static_cast<std::uint64_t>(static_cast<double>(microseconds) / microseconds_per_tick_);
  }

 private:
  std::uint64_t ticks_then_;
  std::uint64_t nanoseconds_then_;
  double microseconds_per_tick_ = 0;
};

}  // namespace coppice::daemon
