// MULTI, EXEC, DISCARD, WATCH, UNWATCH. What is queued and refused is decided in Service::execute().
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "commands/handlers.h"
#include "transaction.h"

namespace coppice::daemon::handlers {

namespace {

// Range removals within EXEC are done in one piece.
constexpr std::chrono::hours kWithoutEnd{1};
constexpr std::size_t kMaxWatched = 1'000'000;

Version version_of(const Store& store, Database db, std::string_view key) {
  const auto entry = store.peek(db, key);
  return entry ? entry->version : 0;
}

std::unique_ptr<Transaction> take(Session& session) {
  session.queuing = false;
  return std::move(session.transaction);
}

std::string no_longer_permitted(const Verdict& verdict) {
  const std::string_view reason =
      verdict.denied == Denied::kCommand ? "no permission to execute the command or subcommand"
      : verdict.denied == Denied::kKey   ? "no permission to touch the specified keys"
                                       : "no permission to access one of the channels used as arguments to the command";
  return "NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC call. This command "
         "is no longer allowed for the following reason: " +
         std::string(reason);
}

}  // namespace

void multi(Call& call) {
  if (call.session.queuing) return call.reply.error("ERR MULTI calls can not be nested");
  if (call.session.transaction == nullptr) call.session.transaction = std::make_unique<Transaction>();
  call.session.queuing = true;
  call.reply.ok();
}

void discard(Call& call) {
  if (!call.session.queuing) return call.reply.error("ERR DISCARD without MULTI");
  take(call.session);
  call.reply.ok();
}

void watch(Call& call) {
  if (call.session.queuing) return call.reply.error("ERR WATCH inside MULTI is not allowed");
  if (call.session.transaction == nullptr) call.session.transaction = std::make_unique<Transaction>();
  Transaction& transaction = *call.session.transaction;
  if (transaction.watched() + call.size() > kMaxWatched)
    return call.reply.error("ERR more than " + std::to_string(kMaxWatched) + " keys would be watched");
  for (const std::string_view key : call.arguments.subspan(1))
    transaction.watch(call.db(), key, version_of(call.store(), call.db(), key));
  call.reply.ok();
}

void unwatch(Call& call) {
  if (call.session.transaction != nullptr) call.session.transaction->unwatch();
  call.reply.ok();
}

void exec(Call& call) {
  if (!call.session.queuing) return call.reply.error("ERR EXEC without MULTI");
  const Transaction& queued = *call.session.transaction;
  // Nothing is decided before all of it can run.
  if (call.service.holds(queued.writes)) {
    call.effects.next = Next::kHold;
    return;
  }
  const auto transaction = take(call.session);
  if (transaction->failed) return call.reply.error("EXECABORT Transaction discarded because of previous errors.");
  if (!transaction->unchanged([&](Database db, std::string_view key) { return version_of(call.store(), db, key); }))
    return call.reply.null_array();
  call.reply.array(transaction->size());
  call.session.executing = true;
  transaction->for_each([&](const CommandSpec& spec, std::span<const std::string_view> arguments) {
    // The rules may have changed since it was queued.
    if (call.session.user->restricted()) {
      const Verdict verdict = call.service.permit(call.session, spec, arguments);
      if (verdict.denied != Denied::kNothing) return call.reply.error(no_longer_permitted(verdict));
    }
    Effects effects;
    call.service.run(call.session, spec, arguments, call.reply, &effects);
    if (effects.next == Next::kJob) {
      while (!effects.job->step(call.service, Slice(kWithoutEnd))) {
      }
      effects.job->answer(call.service, call.reply);
    } else if (effects.next != Next::kGoOn) {
      call.effects.next = effects.next;
    }
  });
  call.session.executing = false;
}

}  // namespace coppice::daemon::handlers
