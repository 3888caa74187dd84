#include "coppice/waits.h"

namespace coppice {

Party WaitGraph::party_of(Party named, ClientId client) {
  if (named != kNoParty) return named;
  // Spread over 64 bits (splitmix64), as parties are: clients count from one.
  std::uint64_t x = client + 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  x ^= x >> 31;
  return x != kNoParty ? x : 1;
}

void WaitGraph::give_up_wait_of(Party party) {
  const auto found = waits_.find(party);
  if (found == waits_.end()) return;
  Wait& wait = *found->second;
  wait.owner->give_up(wait);
}

bool WaitGraph::closes_circle(Party who, const Held& held, Millis limit, bool patient) const {
  const Held* at = &held;
  // Patience can leave a circle that a lock's lease will open. Who comes to it from outside does not close it; to
  // notice that one goes round in it, a place is remembered after each power of two of steps (Brent).
  const Held* passed = nullptr;
  std::size_t steps = 0, mark = 1;
  for (;;) {
    if (at->holder == kNoParty) return false;
    if (patient && at->is_lock && at->until <= limit && at->until != kNoDeadline) return false;
    if (at->holder == who) return true;
    const auto next = waits_.find(at->holder);
    if (next == waits_.end()) return false;
    at = next->second->held;
    if (at == passed) return false;
    if (++steps == mark) {
      passed = at;
      mark *= 2;
    }
  }
}

void WaitGraph::recheck(Party party) {
  const auto found = waits_.find(party);
  if (found == waits_.end()) return;
  Wait& wait = *found->second;
  if (closes_circle(party, *wait.held, wait.limit, wait.held->is_lock)) wait.owner->give_up(wait);
}

}  // namespace coppice
