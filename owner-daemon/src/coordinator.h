// Leases and locks as the daemon runs them: whoever changes something calls touched(), and the loop is woken when there
// are answers to give or time to be watched. Costs nothing to those who use neither.
//
// Thread safety: none; the daemon's one loop.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "coppice/clock.h"
#include "coppice/leases.h"
#include "coppice/locks.h"
#include "coppice/store.h"

namespace coppice::daemon {

class Coordinator {
 public:
  // Both must outlive it.
  Coordinator(Store& store, const Clock& clock);

  Leases& leases() { return leases_; }
  Locks& locks() { return locks_; }
  Millis now() const { return clock_.monotonic_ms(); }

  // `f` is to have attend() called soon, from the loop. Called as often as there is a reason.
  void set_wake(std::function<void()> f) { wake_ = std::move(f); }
  // After each call to leases() or locks() that may have decided something.
  void touched() {
    if (leases_.has_decisions() || locks_.has_decisions() || next_deadline() < watched_) wake();
  }
  // The client's bound locks, leases and waits end.
  void client_gone(ClientId client);
  // What the client waits for is decided now, as if its time were over. Whether it waited.
  bool end_waits(ClientId client);
  // Whether it would lose anything.
  bool involves(ClientId client) const { return leases_.involves(client) || locks_.involves(client); }

  struct Decisions {
    std::vector<LeaseDecision> leases;
    std::vector<LockDecision> locks;
  };
  // Does what time and the store have made due, in part if it is much (then it wakes again); answers what was decided.
  Decisions attend();
  // kNoDeadline: none.
  Millis next_deadline() const {
    return std::min(leases_.next_deadline().value_or(kNoDeadline), locks_.next_deadline().value_or(kNoDeadline));
  }
  // The loop will call attend() at that time.
  void set_watched(Millis when) { watched_ = when; }
  Millis watched() const { return watched_; }

 private:
  void wake() {
    if (wake_) wake_();
  }

  const Clock& clock_;
  WaitGraph graph_;
  Leases leases_;
  Locks locks_;
  std::function<void()> wake_;
  Millis watched_ = kNoDeadline;
};

}  // namespace coppice::daemon
