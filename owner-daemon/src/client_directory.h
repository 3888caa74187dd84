// Who is connected, for the commands that look at other clients or end them.
#pragma once

#include <cstdint>
#include <functional>

#include "session.h"

namespace coppice::daemon {

class ClientDirectory {
 public:
  virtual ~ClientDirectory() = default;
  // In no particular order. f must not open or close connections.
  virtual void for_each(const std::function<void(const Session&)>& f) const = 0;
  // At once; unread replies are lost. false: no such client. REQUIRES: not the client whose command is being run.
  virtual bool disconnect(std::uint64_t id) = 0;
};

}  // namespace coppice::daemon
