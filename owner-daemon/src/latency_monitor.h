// What held up the daemon for longer than a threshold, by kind of event. LATENCY.
//
// Thread safety: none; the daemon's one loop.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>

namespace coppice::daemon {

class LatencyMonitor {
 public:
  struct Sample {
    std::int64_t unix_time = 0;
    std::uint64_t milliseconds = 0;
  };
  struct Event {
    std::deque<Sample> samples;  // oldest first, at most kMostSamples
    std::uint64_t worst = 0;
  };
  static constexpr std::size_t kMostSamples = 160;

  // Within one second the worst counts. `event`: one of the few that the daemon knows.
  void add(std::string_view event, std::int64_t unix_time, std::uint64_t milliseconds);
  const std::map<std::string, Event, std::less<>>& events() const { return events_; }
  const Event* find(std::string_view event) const;
  // Whether there was such an event.
  bool forget(std::string_view event);
  std::size_t forget_all();

 private:
  std::map<std::string, Event, std::less<>> events_;
};

}  // namespace coppice::daemon
