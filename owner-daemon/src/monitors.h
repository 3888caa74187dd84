// Clients that are shown every command as it is run. MONITOR.
//
// Thread safety: none; the daemon's one loop.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::daemon {

struct CommandSpec;
struct Session;

// The arguments as they may be shown to others: without passwords.
std::vector<std::string_view> shown_arguments(const CommandSpec& spec, std::span<const std::string_view> arguments);

class Monitors {
 public:
  bool empty() const { return sessions_.empty(); }
  std::size_t size() const { return sessions_.size(); }
  // REQUIRES: the session stays where it is until forget().
  void add(Session& session);
  void forget(Session& session);
  // One line to each of them. Long arguments are cut.
  void show(const Session& by, const CommandSpec& spec, std::span<const std::string_view> arguments,
            std::int64_t wall_us);

 private:
  std::vector<Session*> sessions_;
};

}  // namespace coppice::daemon
