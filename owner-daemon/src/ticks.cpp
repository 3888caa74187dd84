#include "ticks.h"

#include <ctime>

namespace coppice::daemon {

namespace {

constexpr std::uint64_t kFirstLook = 2'000'000;

std::uint64_t nanoseconds_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

TickRate::TickRate() : ticks_then_(ticks_now()), nanoseconds_then_(nanoseconds_now()) {
  while (nanoseconds_now() - nanoseconds_then_ < kFirstLook) {
  }
  refine();
}

void TickRate::refine() {
  const std::uint64_t ticks = ticks_now() - ticks_then_;
  if (ticks == 0) return;
  microseconds_per_tick_ =
      static_cast<double>(nanoseconds_now() - nanoseconds_then_) / 1000 / static_cast<double>(ticks);
}

}  // namespace coppice::daemon
