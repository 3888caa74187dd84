// Tags, leases, locks and rate limits of a local store: the state machines that an owner has, under the store's mutex.
// Who waits sleeps until something is decided; without threads only time decides.
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "local_backend.h"

namespace coppice::php {

namespace {

Millis now_ms() { return system_clock().monotonic_ms(); }

// Takes the decision on `client`'s wait out of the list.
template <class Decision>
std::optional<Decision> take_decision(std::vector<Decision>& decisions, ClientId client) {
  const auto found =
      std::find_if(decisions.begin(), decisions.end(), [&](const Decision& d) { return d.client == client; });
  if (found == decisions.end()) return std::nullopt;
  std::optional<Decision> decision = std::move(*found);
  decisions.erase(found);
  return decision;
}

template <class Decision>
void append(std::vector<Decision>& all, std::vector<Decision> some) {
  all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
}

Outcome not_granted(bool granted) { return granted ? Outcome::kDone : Outcome::kNot; }

}  // namespace

// In a forked child nobody holds anything: whoever did is in the parent, with a store of its own.
LocalBackend::Coordination& LocalBackend::coordination() {
  const pid_t pid = getpid();
  if (coordination_ == nullptr || coordination_->pid != pid) {
    coordination_.reset();
    coordination_ = std::make_unique<Coordination>(*store_);
    coordination_->pid = pid;
    if constexpr (kLocks) coordination_->leases.set_on_work([this] { wake(); });
  }
  return *coordination_;
}

void LocalBackend::wake() {
#ifdef ZTS
  decided_.notify_all();
#endif
}

bool LocalBackend::sleep_until_decided(std::unique_lock<Mutex>& guard) {
  Coordination& c = *coordination_;
  const std::optional<Millis> lease = c.leases.next_deadline(), lock = c.locks.next_deadline();
  Millis until = std::min(lease.value_or(kNoDeadline), lock.value_or(kNoDeadline));
#ifdef ZTS
  constexpr Millis kLongest = 1000;
  const Millis left = std::clamp<Millis>(until - now_ms(), 0, kLongest);
  decided_.wait_for(guard, std::chrono::milliseconds(left));
#else
  (void)guard;
  if (until == kNoDeadline) return false;
  const timespec wake_at{until / 1000, until % 1000 * 1'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake_at, nullptr) == EINTR) {
  }
#endif
  constexpr std::size_t kBudget = 1000;
  const Millis now = now_ms();
  while (c.leases.advance(now, kBudget)) {
  }
  while (c.locks.advance(now, kBudget)) {
  }
  append(c.lease_decisions, c.leases.take_decisions());
  append(c.lock_decisions, c.locks.take_decisions());
  wake();
  return true;
}

Outcome LocalBackend::invalidate_tags(std::span<const std::string_view> tags, std::int64_t* removed, Failure*) {
  const std::lock_guard<Mutex> guard(mutex_);
  *removed = static_cast<std::int64_t>(store_->invalidate_tags(0, tags));
  return Outcome::kDone;
}

Outcome LocalBackend::tags_of(std::string_view key, std::vector<std::string>* tags, Failure*) {
  const std::lock_guard<Mutex> guard(mutex_);
  *tags = store_->tags_of(0, key);
  return Outcome::kDone;
}

Outcome LocalBackend::lease(std::string_view key, const LeaseRequest& request, LeaseAnswer* answer, Failure* failure) {
  std::unique_lock<Mutex> guard(mutex_);
  Coordination& c = coordination();
  const ClientId client = request.party;
  const Result<coppice::LeaseAnswer> asked = c.leases.request({.key = key,
                                                               .party = request.party,
                                                               .client = client,
                                                               .wait = request.wait,
                                                               .ceiling = kLeaseCeiling,
                                                               .refresh = request.seen},
                                                              now_ms());
  if (!asked) return refuse(asked.error(), failure);
  LeaseOutcome outcome = asked->outcome;
  answer->token = asked->token;
  while (outcome == LeaseOutcome::kWaiting) {
    if (const auto decision = take_decision(c.lease_decisions, client)) {
      outcome = decision->outcome;
      answer->token = decision->token;
    } else if (!sleep_until_decided(guard)) {
      outcome = LeaseOutcome::kSelf;
    }
  }
  switch (outcome) {
    case LeaseOutcome::kGranted:
      answer->what = LeaseAnswer::What::kGranted;
      break;
    case LeaseOutcome::kStored:
      answer->what = LeaseAnswer::What::kStored;
      break;
    case LeaseOutcome::kSelf:
    case LeaseOutcome::kWaiting:
      answer->what = LeaseAnswer::What::kSelf;
      break;
  }
  return Outcome::kDone;
}

Outcome LocalBackend::fill(std::string_view key, const Fill& fill, Failure* failure) {
  const std::lock_guard<Mutex> guard(mutex_);
  const Result<std::optional<Version>> stored = coordination().leases.fill(
      {.token = fill.token,
       .key = key,
       .value = {fill.type, fill.bytes},
       .options =
           {.deadline = deadline_of(fill.ttl), .compute_us = fill.compute_us, .stale = fill.stale, .tags = fill.tags}},
      now_ms());
  wake();
  if (!stored) return refuse(stored.error(), failure);
  upkeep();
  if (!*stored) return Outcome::kNot;
  if (fill.stored != nullptr) *fill.stored = **stored;
  return Outcome::kDone;
}

void LocalBackend::drop(std::uint64_t token) {
  const std::lock_guard<Mutex> guard(mutex_);
  coordination().leases.drop(token, now_ms());
  wake();
}

Outcome LocalBackend::lock(const LockRequest& request, std::int64_t* fence, Failure* failure) {
  std::unique_lock<Mutex> guard(mutex_);
  Coordination& c = coordination();
  const ClientId client = request.party;
  const Result<LockAnswer> asked = c.locks.acquire({.name = request.name,
                                                    .owner = request.owner,
                                                    .lease = request.lease,
                                                    .bound = request.bound,
                                                    .client = client,
                                                    .party = request.party,
                                                    .wait = request.wait},
                                                   now_ms());
  if (!asked) return refuse(asked.error(), failure);
  LockOutcome outcome = asked->outcome;
  Version granted = asked->fence;
  while (outcome == LockOutcome::kWaiting) {
    if (const auto decision = take_decision(c.lock_decisions, client)) {
      outcome = decision->outcome;
      granted = decision->fence;
    } else if (!sleep_until_decided(guard)) {
      outcome = LockOutcome::kRefused;
    }
  }
  if (outcome != LockOutcome::kGranted) return Outcome::kNot;
  *fence = static_cast<std::int64_t>(granted);
  return Outcome::kDone;
}

Outcome LocalBackend::unlock(std::string_view name, std::string_view owner, Failure*) {
  const std::lock_guard<Mutex> guard(mutex_);
  const bool held = coordination().locks.release(0, name, owner, now_ms());
  wake();
  return not_granted(held);
}

Outcome LocalBackend::force_unlock(std::string_view name, Failure*) {
  const std::lock_guard<Mutex> guard(mutex_);
  const bool held = coordination().locks.force_release(0, name, now_ms());
  wake();
  return not_granted(held);
}

void LocalBackend::let_go(std::string_view name, std::string_view owner) {
  Failure failure;
  unlock(name, owner, &failure);
}

Outcome LocalBackend::relock(std::string_view name, std::string_view owner, Millis lease, Failure*) {
  const std::lock_guard<Mutex> guard(mutex_);
  return not_granted(coordination().locks.refresh(0, name, owner, lease, now_ms()));
}

Outcome LocalBackend::lock_state(std::string_view name, std::string_view owner, LockState* state, Failure*) {
  const std::lock_guard<Mutex> guard(mutex_);
  const std::optional<LockInfo> info = coordination().locks.info(0, name, now_ms());
  if (!info) return Outcome::kNot;
  state->is_owner = info->owner == owner;
  state->fence = static_cast<std::int64_t>(info->fence);
  return Outcome::kDone;
}

Outcome LocalBackend::flush_locks(std::string_view prefix, Failure*) {
  const std::lock_guard<Mutex> guard(mutex_);
  Locks& locks = coordination().locks;
  LockFlush flush = locks.begin_flush(0, prefix);
  while (!locks.step(flush, 1000, now_ms())) {
  }
  wake();
  return Outcome::kDone;
}

Outcome LocalBackend::throttle(std::string_view key, std::int64_t limit, Millis period, std::int64_t cost,
                               Allowance* allowance, Failure* failure) {
  const std::lock_guard<Mutex> guard(mutex_);
  const Result<ThrottleResult> result = store_->throttle(0, key, limit, period, cost);
  if (!result) return refuse(result.error(), failure);
  upkeep();
  allowance->allowed = result->allowed;
  allowance->remaining = result->remaining;
  allowance->retry_after = result->allowed ? 0 : result->retry_after < 0 ? kNoDeadline : result->retry_after;
  return Outcome::kDone;
}

}  // namespace coppice::php
