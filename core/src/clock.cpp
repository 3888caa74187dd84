#include "coppice/clock.h"

#include <ctime>

namespace coppice {

namespace {
class SystemClock final : public Clock {
 public:
  Millis monotonic_ms() const override {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<Millis>(t.tv_sec) * 1000 + t.tv_nsec / 1'000'000;
  }
  Millis coarse_ms() const override {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return static_cast<Millis>(t.tv_sec) * 1000 + t.tv_nsec / 1'000'000;
  }
  std::int64_t wall_us() const override {
    timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return static_cast<std::int64_t>(t.tv_sec) * 1'000'000 + t.tv_nsec / 1000;
  }
};
}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

}  // namespace coppice
