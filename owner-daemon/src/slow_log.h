// The latest commands that took long. SLOWLOG.
//
// Thread safety: none; the daemon's one loop.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::daemon {

struct SlowLogEntry {
  std::uint64_t id = 0;
  std::int64_t unix_time = 0;
  std::uint64_t microseconds = 0;
  std::vector<std::string> arguments;  // at most kMostArguments, each at most kMostBytes and a word on the rest
  std::string address;
  std::string name;

  static constexpr std::size_t kMostArguments = 32;
  static constexpr std::size_t kMostBytes = 128;
};

class SlowLog {
 public:
  // Newest first.
  const std::deque<SlowLogEntry>& entries() const { return entries_; }
  // `entry` gets its number and the arguments; at most `longest` are kept.
  void add(SlowLogEntry entry, std::span<const std::string_view> arguments, std::size_t longest);
  void shorten(std::size_t longest) {
    while (entries_.size() > longest) entries_.pop_back();
  }
  void clear() { entries_.clear(); }

 private:
  std::uint64_t next_ = 0;
  std::deque<SlowLogEntry> entries_;
};

}  // namespace coppice::daemon
