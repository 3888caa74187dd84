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
  // Ends a client's wait for a lock or a lease: as if its time were over, or with an error. false: it does not wait.
  virtual bool unblock(std::uint64_t id, bool with_error) = 0;
};

}  // namespace coppice::daemon
