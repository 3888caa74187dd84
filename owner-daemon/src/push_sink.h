// Where messages go that a client did not ask for by the command that is being run.
#pragma once

#include <string_view>

namespace coppice::daemon {

class PushSink {
 public:
  // Encoded in the client's protocol. Goes out behind the reply of the command that is being run, never within it. A
  // client that has left too much unread is closed soon, and gets nothing more until then.
  virtual void push(std::string_view encoded) = 0;

 protected:
  ~PushSink() = default;
};

}  // namespace coppice::daemon
