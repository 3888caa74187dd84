#include "latency_monitor.h"

#include <algorithm>

namespace coppice::daemon {

void LatencyMonitor::add(std::string_view event, std::int64_t unix_time, std::uint64_t milliseconds) {
  auto found = events_.find(event);
  if (found == events_.end()) found = events_.emplace(std::string(event), Event{}).first;
  Event& e = found->second;
  e.worst = std::max(e.worst, milliseconds);
  if (!e.samples.empty() && e.samples.back().unix_time == unix_time) {
    e.samples.back().milliseconds = std::max(e.samples.back().milliseconds, milliseconds);
    return;
  }
  e.samples.push_back({unix_time, milliseconds});
  if (e.samples.size() > kMostSamples) e.samples.pop_front();
}

const LatencyMonitor::Event* LatencyMonitor::find(std::string_view event) const {
  const auto found = events_.find(event);
  return found == events_.end() ? nullptr : &found->second;
}

bool LatencyMonitor::forget(std::string_view event) {
  const auto found = events_.find(event);
  if (found == events_.end()) return false;
  events_.erase(found);
  return true;
}

std::size_t LatencyMonitor::forget_all() {
  const std::size_t n = events_.size();
  events_.clear();
  return n;
}

}  // namespace coppice::daemon
