// Replies of commands that wait, given by the handler at once or by the server later.
#pragma once

#include "coppice/leases.h"
#include "coppice/locks.h"
#include "resp/writer.h"

namespace coppice::daemon {

inline void write_lease_outcome(resp::ReplyWriter& reply, LeaseOutcome outcome, std::uint64_t token) {
  if (outcome == LeaseOutcome::kGranted) {
    reply.array(2);
    reply.integer(0);
    return reply.count(token);
  }
  reply.array(1);
  reply.integer(outcome == LeaseOutcome::kStored ? 1 : 2);
}

inline void write_lock_outcome(resp::ReplyWriter& reply, LockOutcome outcome, Version fence) {
  if (outcome == LockOutcome::kGranted) return reply.count(fence);
  reply.null();
}

}  // namespace coppice::daemon
