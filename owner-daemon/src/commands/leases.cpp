#include <limits>
#include <string>

#include "commands/coordination.h"
#include "commands/expiry.h"
#include "commands/handlers.h"
#include "commands/typed.h"
#include "resp/number.h"

namespace coppice::daemon::handlers {

namespace {

bool parse_token(Call& call, std::string_view text, std::uint64_t* token) {
  if (resp::parse_uint64(text, token)) return true;
  call.reply.error("BADLEASE a token is a decimal number");
  return false;
}

}  // namespace

void lease(Call& call) {
  LeaseRequest request;
  request.db = call.db();
  request.key = call[1];
  request.client = call.session.id;
  if (!resp::parse_uint64(call[2], &request.party))
    return call.reply.error("BADLEASE the party must be a decimal number below 2^64");
  if (!resp::parse_int64(call[3], &request.wait) || request.wait < 0)
    return call.reply.error("BADLEASE the wait must be a number of milliseconds, at least 0");
  if (!resp::parse_int64(call[4], &request.ceiling))
    return call.reply.error("BADLEASE the ceiling must be a number of milliseconds");
  if (call.session.executing) request.wait = 0;
  if (call.size() > 5) {
    if (call.size() != 7 || !is_word(call[5], "refresh")) return syntax_error(call);
    if (!resp::parse_uint64(call[6], &request.refresh))
      return call.reply.error("BADLEASE the version must be a decimal number");
  }
  Coordinator& coordinator = call.service.coordinator();
  const auto answer = coordinator.leases().request(request, coordinator.now());
  if (!answer) {
    if (answer.error() != Error::kBadLease) return refuse_typed(call, answer.error());
    return call.reply.error("BADLEASE " + std::string(error_message(answer.error())));
  }
  coordinator.touched();
  if (answer->outcome == LeaseOutcome::kWaiting) return wait(call);
  if (answer->outcome == LeaseOutcome::kGranted) watch_peer(call);
  write_lease_outcome(call.reply, answer->outcome, answer->token);
}

void leaseset(Call& call) {
  LeaseFill fill;
  fill.db = call.db();
  fill.key = call[2];
  std::int64_t ttl = 0, stale = 0, compute = 0;
  if (!parse_token(call, call[1], &fill.token) || !parse_value(call, call[3], call[4], &fill.value) ||
      !parse_integer(call, call[5], &ttl) || !parse_integer(call, call[6], &stale) ||
      !parse_integer(call, call[7], &compute))
    return;
  if (stale < 0 || compute < 0) return call.reply.error("BADLEASE the stale window and compute time are at least 0");
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  fill.options.deadline = deadline_of_ttl(call.service.clock().monotonic_ms(), ttl);
  fill.options.stale = std::min(stale, kMost);
  fill.options.compute_us = static_cast<std::uint32_t>(std::min(compute, kMost));
  fill.options.tags = call.arguments.subspan(8);
  Coordinator& coordinator = call.service.coordinator();
  const auto done = coordinator.leases().fill(fill, coordinator.now());
  coordinator.touched();
  if (!done) return refuse_typed(call, done.error());
  if (!*done) return call.reply.null();
  call.reply.count(**done);
}

void leasedrop(Call& call) {
  std::uint64_t token = 0;
  if (!parse_token(call, call[1], &token)) return;
  Coordinator& coordinator = call.service.coordinator();
  call.reply.integer(coordinator.leases().drop(token, coordinator.now()) ? 1 : 0);
  coordinator.touched();
}

void throttle(Call& call) {
  std::int64_t limit = 0, period = 0, cost = 1;
  if (call.size() > 5) return syntax_error(call);
  if (!parse_integer(call, call[2], &limit) || !parse_integer(call, call[3], &period) ||
      (call.size() == 5 && !parse_integer(call, call[4], &cost)))
    return;
  const auto done = call.store().throttle(call.db(), call[1], limit, period, cost);
  if (!done) return refuse_typed(call, done.error());
  call.reply.array(5);
  call.reply.integer(done->allowed ? 1 : 0);
  call.reply.integer(done->limit);
  call.reply.integer(done->remaining);
  call.reply.integer(done->retry_after);
  call.reply.integer(done->reset_after);
}

}  // namespace coppice::daemon::handlers
