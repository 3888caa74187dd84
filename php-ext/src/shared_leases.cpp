// Tags, leases, locks and rate limits at an owner.
#include <algorithm>

#include "shared_backend.h"
#include "wire.h"

namespace coppice::php {

namespace {

// A lease of a lock as the protocol has it.
class LeaseArgument {
 public:
  explicit LeaseArgument(Millis lease) : digits_(lease), forever_(lease == kNoDeadline) {}
  operator std::string_view() const { return forever_ ? std::string_view("INF") : std::string_view(digits_); }

 private:
  Decimal digits_;
  bool forever_;
};

}  // namespace

Outcome SharedBackend::invalidate_tags(std::span<const std::string_view> tags, std::int64_t* removed,
                                       Failure* failure) {
  arguments_.assign({"DELTAG"});
  arguments_.insert(arguments_.end(), tags.begin(), tags.end());
  const auto reply = call(arguments_, failure);
  if (!reply) return Outcome::kFailed;
  if (reply->kind != Reply::Kind::kInteger) return odd_answer(failure);
  *removed = reply->integer;
  return Outcome::kDone;
}

Outcome SharedBackend::tags_of(std::string_view key, std::vector<std::string>* tags, Failure* failure) {
  tags->clear();
  auto reply = call({"TAGS", key}, failure);
  if (!reply) return Outcome::kFailed;
  if (reply->kind == Reply::Kind::kNil) return Outcome::kDone;
  if (reply->kind != Reply::Kind::kArray) return odd_answer(failure);
  for (Reply& tag : reply->items) tags->push_back(std::move(tag.text));
  return Outcome::kDone;
}

Outcome SharedBackend::lease(std::string_view key, const LeaseRequest& request, LeaseAnswer* answer, Failure* failure) {
  const Decimal party(request.party), wait(request.wait), ceiling(kLeaseCeiling), seen(request.seen);
  const std::string_view arguments[7] = {"LEASE", key, party, wait, ceiling, "REFRESH", seen};
  const auto reply =
      call(std::span<const std::string_view>(arguments, request.seen == 0 ? 5 : 7), failure, request.wait);
  if (!reply) return Outcome::kFailed;
  if (reply->kind != Reply::Kind::kArray || reply->items.empty() || reply->items[0].kind != Reply::Kind::kInteger)
    return odd_answer(failure);
  switch (reply->items[0].integer) {
    case 0:
      if (reply->items.size() != 2 || reply->items[1].kind != Reply::Kind::kInteger) return odd_answer(failure);
      answer->what = LeaseAnswer::What::kGranted;
      answer->token = static_cast<std::uint64_t>(reply->items[1].integer);
      return Outcome::kDone;
    case 1:
      answer->what = LeaseAnswer::What::kStored;
      return Outcome::kDone;
    case 2:
      answer->what = LeaseAnswer::What::kSelf;
      return Outcome::kDone;
    default:
      return odd_answer(failure);
  }
}

Outcome SharedBackend::fill(std::string_view key, const Fill& fill, Failure* failure) {
  const Decimal token(fill.token), ttl(wire_ttl(fill.ttl)), stale(fill.stale), compute(fill.compute_us);
  arguments_.assign({"LEASESET", token, key, type_argument(fill.type), fill.bytes, ttl, stale, compute});
  arguments_.insert(arguments_.end(), fill.tags.begin(), fill.tags.end());
  const auto reply = call(arguments_, failure);
  if (!reply) return Outcome::kFailed;
  if (reply->kind == Reply::Kind::kNil) return Outcome::kNot;
  if (reply->kind != Reply::Kind::kInteger) return odd_answer(failure);
  if (fill.stored != nullptr) *fill.stored = static_cast<Version>(reply->integer);
  return Outcome::kDone;
}

void SharedBackend::drop(std::uint64_t token) {
  if (client_.link_state() == LinkState::kReady) client_.call({"LEASEDROP", Decimal(token)});
}

Outcome SharedBackend::lock(const LockRequest& request, std::int64_t* fence, Failure* failure) {
  // An owner takes what no calendar holds for a mistake.
  constexpr Millis kLongestWait = 10LL * 365 * 86'400'000;
  const Decimal party(request.party), wait(std::min(request.wait, kLongestWait));
  const LeaseArgument lease(request.lease);
  std::string_view arguments[9] = {"LOCK", request.name, request.owner, lease};
  std::size_t n = 4;
  if (request.wait > 0) {
    arguments[n++] = "WAIT";
    arguments[n++] = wait;
  }
  if (request.bound) arguments[n++] = "BOUND";
  arguments[n++] = "PARTY";
  arguments[n++] = party;
  const auto reply = call(std::span<const std::string_view>(arguments, n), failure, request.wait);
  if (!reply) return Outcome::kFailed;
  if (reply->kind == Reply::Kind::kNil) return Outcome::kNot;
  if (reply->kind != Reply::Kind::kInteger) return odd_answer(failure);
  *fence = reply->integer;
  return Outcome::kDone;
}

Outcome SharedBackend::yes_or_no(std::initializer_list<std::string_view> arguments, Failure* failure) {
  std::int64_t answer = 0;
  const Outcome outcome = count_of(arguments, &answer, failure);
  return outcome == Outcome::kDone && answer == 0 ? Outcome::kNot : outcome;
}

Outcome SharedBackend::unlock(std::string_view name, std::string_view owner, Failure* failure) {
  return yes_or_no({"UNLOCK", name, owner}, failure);
}

Outcome SharedBackend::force_unlock(std::string_view name, Failure* failure) {
  return yes_or_no({"UNLOCK", name, "FORCE"}, failure);
}

void SharedBackend::let_go(std::string_view name, std::string_view owner) {
  if (client_.link_state() == LinkState::kReady) client_.call({"UNLOCK", name, owner});
}

Outcome SharedBackend::relock(std::string_view name, std::string_view owner, Millis lease, Failure* failure) {
  return yes_or_no({"RELOCK", name, owner, LeaseArgument(lease)}, failure);
}

Outcome SharedBackend::lock_state(std::string_view name, std::string_view owner, LockState* state, Failure* failure) {
  const auto reply = call({"LOCKINFO", name}, failure);
  if (!reply) return Outcome::kFailed;
  if (reply->kind == Reply::Kind::kNil) return Outcome::kNot;
  if (reply->kind != Reply::Kind::kArray || reply->items.size() < 3 || reply->items[2].kind != Reply::Kind::kInteger)
    return odd_answer(failure);
  state->is_owner = reply->items[0].text == owner;
  state->fence = reply->items[2].integer;
  return Outcome::kDone;
}

Outcome SharedBackend::flush_locks(std::string_view prefix, Failure* failure) {
  std::int64_t freed;
  return count_of({"FLUSHLOCKS", prefix}, &freed, failure);
}

Outcome SharedBackend::throttle(std::string_view key, std::int64_t limit, Millis period, std::int64_t cost,
                                Allowance* allowance, Failure* failure) {
  const auto reply = call({"THROTTLE", key, Decimal(limit), Decimal(period), Decimal(cost)}, failure);
  if (!reply) return Outcome::kFailed;
  if (reply->kind != Reply::Kind::kArray || reply->items.size() != 5) return odd_answer(failure);
  for (const Reply& item : reply->items)
    if (item.kind != Reply::Kind::kInteger) return odd_answer(failure);
  allowance->allowed = reply->items[0].integer != 0;
  allowance->remaining = reply->items[2].integer;
  const std::int64_t after = reply->items[3].integer;
  allowance->retry_after = allowance->allowed ? 0 : after < 0 ? kNoDeadline : after;
  return Outcome::kDone;
}

}  // namespace coppice::php
