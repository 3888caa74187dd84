#include <string>

#include "commands/coordination.h"
#include "commands/handlers.h"
#include "resp/number.h"

namespace coppice::daemon::handlers {

namespace {

void bad_lock(Call& call, std::string_view what) { call.reply.error("BADLOCK " + std::string(what)); }

bool parse_lock_lease(Call& call, std::string_view text, Millis* lease) {
  if (is_word(text, "inf")) {
    *lease = kNoDeadline;
    return true;
  }
  if (resp::parse_int64(text, lease) && *lease >= 1) return true;
  bad_lock(call, "the lease must be INF or a number of milliseconds, at least 1");
  return false;
}

}  // namespace

void lock(Call& call) {
  LockRequest request;
  request.db = call.db();
  request.name = call[1];
  request.owner = call[2];
  request.client = call.session.id;
  if (is_word(request.owner, "force")) return bad_lock(call, "FORCE is not allowed as an owner's token");
  if (!parse_lock_lease(call, call[3], &request.lease)) return;
  for (std::size_t i = 4; i < call.size(); ++i) {
    if (is_word(call[i], "wait") && i + 1 < call.size()) {
      if (!resp::parse_int64(call[++i], &request.wait) || request.wait < 0)
        return bad_lock(call, "the wait must be a number of milliseconds, at least 0");
    } else if (is_word(call[i], "bound")) {
      request.bound = true;
    } else if (is_word(call[i], "party") && i + 1 < call.size()) {
      if (!resp::parse_uint64(call[++i], &request.party))
        return bad_lock(call, "the party must be a decimal number below 2^64");
    } else {
      return syntax_error(call);
    }
  }
  if (call.session.executing) request.wait = 0;
  Coordinator& coordinator = call.service.coordinator();
  const auto answer = coordinator.locks().acquire(request, coordinator.now());
  if (!answer) return bad_lock(call, error_message(answer.error()));
  coordinator.touched();
  if (answer->outcome == LockOutcome::kWaiting) return wait(call);
  if (answer->outcome == LockOutcome::kGranted && request.bound) watch_peer(call);
  write_lock_outcome(call.reply, answer->outcome, answer->fence);
}

void unlock(Call& call) {
  Coordinator& coordinator = call.service.coordinator();
  Locks& locks = coordinator.locks();
  const Millis now = coordinator.now();
  const bool freed = is_word(call[2], "force") ? locks.force_release(call.db(), call[1], now)
                                               : locks.release(call.db(), call[1], call[2], now);
  coordinator.touched();
  call.reply.integer(freed ? 1 : 0);
}

void relock(Call& call) {
  Millis lease = 0;
  if (!parse_lock_lease(call, call[3], &lease)) return;
  Coordinator& coordinator = call.service.coordinator();
  const bool done = coordinator.locks().refresh(call.db(), call[1], call[2], lease, coordinator.now());
  coordinator.touched();
  call.reply.integer(done ? 1 : 0);
}

void lockinfo(Call& call) {
  Coordinator& coordinator = call.service.coordinator();
  const Millis now = coordinator.now();
  const auto info = coordinator.locks().info(call.db(), call[1], now);
  coordinator.touched();
  if (!info) return call.reply.null();
  call.reply.array(5);
  call.reply.bulk(info->owner);
  call.reply.integer(info->until == kNoDeadline ? -1 : info->until - now);
  call.reply.count(info->fence);
  call.reply.integer(info->bound ? 1 : 0);
  call.reply.count(info->waiters);
}

namespace {

class FlushLocks final : public Job {
 public:
  explicit FlushLocks(LockFlush flush) : flush_(std::move(flush)) {}
  bool step(Service& service, const Slice& slice) override {
    Coordinator& coordinator = service.coordinator();
    const bool done =
        pace_.run(slice, [&](std::size_t locks) { return coordinator.locks().step(flush_, locks, coordinator.now()); });
    coordinator.touched();
    return done;
  }
  void answer(Service&, resp::ReplyWriter& reply) override { reply.count(flush_.freed()); }

 private:
  LockFlush flush_;
  Pace pace_;
};

}  // namespace

void flushlocks(Call& call) {
  start(call, std::make_unique<FlushLocks>(call.service.coordinator().locks().begin_flush(call.db(), call[1])));
}

}  // namespace coppice::daemon::handlers
