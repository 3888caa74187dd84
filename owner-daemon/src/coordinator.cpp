#include "coordinator.h"

namespace coppice::daemon {

namespace {

// Holds and waits that end in one go: some 50 µs.
constexpr std::size_t kEndsAtOnce = 100;

}  // namespace

Coordinator::Coordinator(Store& store, const Clock& clock)
    : clock_(clock), leases_(store, graph_), locks_([&store] { return store.take_version(); }, graph_) {
  leases_.set_on_work([this] { wake(); });
}

void Coordinator::client_gone(ClientId client) {
  leases_.client_gone(client, now());
  locks_.client_gone(client, now());
  touched();
}

bool Coordinator::end_waits(ClientId client) {
  const bool lease = leases_.end_waits(client);
  const bool lock = locks_.end_waits(client);
  touched();
  return lease || lock;
}

Coordinator::Decisions Coordinator::attend() {
  const bool leases_left = leases_.advance(now(), kEndsAtOnce);
  const bool locks_left = locks_.advance(now(), kEndsAtOnce);
  if (leases_left || locks_left) wake();
  return {leases_.take_decisions(), locks_.take_decisions()};
}

}  // namespace coppice::daemon
