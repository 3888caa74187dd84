// How much of what it was sent a client may leave unread, by what kind of client it is. Redis's
// client-output-buffer-limit.
//
// Thread safety: plain values.
#pragma once

#include <cstdint>

#include "coppice/types.h"

namespace coppice::daemon {

struct OutputLimit {
  std::uint64_t hard = 0;  // bytes; 0: no limit
  std::uint64_t soft = 0;  // bytes that may be exceeded for a while; 0: no limit
  Millis soft_for = 0;     // that while

  bool exceeded_by(std::uint64_t bytes) const { return hard != 0 && bytes > hard; }
};

struct OutputLimits {
  OutputLimit normal;
  OutputLimit pubsub{32u << 20, 8u << 20, 60'000};  // clients with subscriptions
  // There are no replicas: what is said of them is shown and never looked at.
  OutputLimit replica{256u << 20, 64u << 20, 60'000};
};

}  // namespace coppice::daemon
