#include "coppice/locks.h"

#include <algorithm>

namespace coppice {

namespace {

// What one lock and one wait take beside their strings: nodes of maps and lists, measured generously.
constexpr std::size_t kLockBytes = 400;
constexpr std::size_t kWaitBytes = 400;

}  // namespace

Locks::Locks(std::function<Version()> take_version, WaitGraph& graph, const LockLimits& limits)
    : take_version_(std::move(take_version)), graph_(graph), limits_(limits) {}

Locks::~Locks() {
  for (auto& [name, lock] : locks_)
    for (const Queued& wait : lock.queue) graph_.remove(wait);
}

Locks::Lock* Locks::find(Database db, std::string_view name) {
  const auto found = locks_.find(NameRef{db, name});
  return found == locks_.end() ? nullptr : &found->second;
}

Result<LockAnswer> Locks::acquire(const LockRequest& request, Millis now) {
  if (request.name.empty() || request.name.size() > kMaxLockName) return Error::kBadLockName;
  if (request.owner.empty() || request.owner.size() > kMaxLockOwner) return Error::kBadLockOwner;
  if (request.lease < 1) return Error::kBadLockLease;
  const Party party = WaitGraph::party_of(request.party, request.client);
  graph_.give_up_wait_of(party);

  Lock* lock = find_settled(request.db, request.name, now);
  const auto may_bind = [&] {
    if (!request.bound) return true;
    const auto client = clients_.find(request.client);
    return client == clients_.end() || client->second.bound.size() < limits_.bound_per_client;
  };
  if (lock != nullptr && lock->owner == request.owner) {
    if (!(lock->bound && lock->client == request.client) && !may_bind()) return Error::kTooManyLocks;
    const Version fence = lock->fence;
    const std::string owner = lock->owner;
    let_go(*lock);
    hold(*lock, owner, request.lease, request.bound, request.client, party, now);
    lock->fence = fence;
    return LockAnswer{LockOutcome::kGranted, fence};
  }
  if (!may_bind()) return Error::kTooManyLocks;
  if (lock == nullptr) {
    const std::size_t bytes = kLockBytes + request.name.size();
    if (locks_.size() >= limits_.locks || !room_for(bytes + request.owner.size())) return Error::kTooManyLocks;
    const auto made = locks_.try_emplace(Name{request.db, std::string(request.name)}).first;
    bytes_ += bytes;
    lock = &made->second;
    lock->self = made;
    lock->is_lock = true;
    hold(*lock, request.owner, request.lease, request.bound, request.client, party, now);
    lock->fence = take_version_();
    return LockAnswer{LockOutcome::kGranted, lock->fence};
  }
  if (request.wait <= 0) return LockAnswer{};
  const Millis limit = deadline_after(now, request.wait);
  if (graph_.closes_circle(party, *lock, limit, true)) return LockAnswer{};
  if (waiting_ >= limits_.waits || !room_for(kWaitBytes + request.owner.size())) return Error::kTooManyLocks;
  Queued& wait = lock->queue.emplace_back();
  wait.self = std::prev(lock->queue.end());
  wait.client = request.client;
  wait.party = party;
  wait.limit = limit;
  wait.held = lock;
  wait.owner = this;
  wait.lock = lock;
  wait.token = request.owner;
  wait.lease = request.lease;
  wait.bound = request.bound;
  if (limit != kNoDeadline) wait.limit_at = wait_limits_.emplace(limit, &wait);
  clients_[request.client].waits.insert(&wait);
  graph_.add(wait);
  ++waiting_;
  bytes_ += kWaitBytes + wait.token.size();
  return LockAnswer{LockOutcome::kWaiting, 0};
}

bool Locks::release(Database db, std::string_view name, std::string_view owner, Millis now) {
  Lock* lock = find_settled(db, name, now);
  if (lock == nullptr || lock->owner != owner) return false;
  end(*lock, now, now);
  return true;
}

bool Locks::force_release(Database db, std::string_view name, Millis now) {
  Lock* lock = find_settled(db, name, now);
  if (lock == nullptr) return false;
  end(*lock, now, now);
  return true;
}

bool Locks::refresh(Database db, std::string_view name, std::string_view owner, Millis lease, Millis now) {
  Lock* lock = find_settled(db, name, now);
  if (lock == nullptr || lock->owner != owner) return false;
  if (lock->until != kNoDeadline) ends_.erase(lock->end_at);
  lock->until = deadline_after(now, lease);
  if (lock->until != kNoDeadline) lock->end_at = ends_.emplace(lock->until, lock);
  // Somebody may have waited for the old lease to open a circle.
  graph_.recheck(lock->holder);
  return true;
}

std::optional<LockInfo> Locks::info(Database db, std::string_view name, Millis now) {
  const Lock* lock = find_settled(db, name, now);
  if (lock == nullptr) return std::nullopt;
  return LockInfo{lock->owner, lock->until, lock->fence, lock->bound, lock->queue.size()};
}

LockFlush Locks::begin_flush(Database db, std::string_view prefix) {
  LockFlush flush;
  flush.db_ = db;
  flush.prefix_ = prefix;
  flush.next_ = prefix;
  flush.newest_ = take_version_();
  return flush;
}

bool Locks::step(LockFlush& flush, std::size_t budget, Millis now) {
  auto at = locks_.lower_bound(NameRef{flush.db_, flush.next_});
  for (; budget > 0; --budget) {
    if (at == locks_.end() || at->first.db != flush.db_ || !at->first.name.starts_with(flush.prefix_)) return true;
    Lock& lock = at->second;
    ++at;
    if (lock.until <= now) {
      end(lock, lock.until, now);
    } else if (lock.fence <= flush.newest_) {
      ++flush.freed_;
      end(lock, now, now);
    }
  }
  if (at == locks_.end() || at->first.db != flush.db_) return true;
  flush.next_ = at->first.name;
  return false;
}

void Locks::client_gone(ClientId client, Millis now) {
  // Waits first: nothing must be passed on to it.
  if (const auto found = clients_.find(client); found != clients_.end())
    for (const auto waits = found->second.waits; Queued * wait : waits) unqueue(*wait);
  // What it was granted and never heard of is nobody's, bound or not.
  std::vector<LockDecision> unheard;
  std::erase_if(decisions_, [&](LockDecision& d) {
    if (d.client != client) return false;
    unheard.push_back(std::move(d));
    return true;
  });
  for (const LockDecision& d : unheard) {
    Lock* lock = find(d.db, d.name);
    if (d.outcome == LockOutcome::kGranted && lock != nullptr && lock->fence == d.fence && lock->client == client)
      end(*lock, now, now);
  }
  if (const auto found = clients_.find(client); found != clients_.end())
    for (const auto bound = found->second.bound; Lock * lock : bound) end(*lock, now, now);
}

bool Locks::end_waits(ClientId client) {
  const auto found = clients_.find(client);
  if (found == clients_.end() || found->second.waits.empty()) return false;
  for (const auto waits = found->second.waits; Queued * wait : waits) give_up(*wait);
  return true;
}

std::optional<Millis> Locks::next_deadline() const {
  if (ends_.empty() && wait_limits_.empty()) return std::nullopt;
  if (ends_.empty()) return wait_limits_.begin()->first;
  if (wait_limits_.empty()) return ends_.begin()->first;
  return std::min(ends_.begin()->first, wait_limits_.begin()->first);
}

bool Locks::advance(Millis now, std::size_t budget) {
  for (;; --budget) {
    const auto next = next_deadline();
    if (!next || *next > now) return false;
    if (budget == 0) return true;
    // At the same time the hold ends first: who waits for as long as the lease lasts has the lock.
    if (!ends_.empty() && ends_.begin()->first == *next) {
      end(*ends_.begin()->second, *next, now);
    } else {
      Queued& wait = *wait_limits_.begin()->second;
      give_up(wait);
    }
  }
}

void Locks::give_up(Wait& base) {
  Queued& wait = static_cast<Queued&>(base);
  decide(wait, LockOutcome::kRefused, 0);
  unqueue(wait);
}

Locks::Lock* Locks::find_settled(Database db, std::string_view name, Millis now) {
  // The next holder's lease begins now, so once is enough.
  Lock* lock = find(db, name);
  if (lock == nullptr || lock->until > now) return lock;
  end(*lock, lock->until, now);
  return find(db, name);
}

void Locks::hold(Lock& lock, std::string_view owner, Millis lease, bool bound, ClientId client, Party party,
                 Millis now) {
  lock.holder = party;
  lock.owner = owner;
  lock.client = client;
  lock.bound = bound;
  lock.until = deadline_after(now, lease);
  if (lock.until != kNoDeadline) lock.end_at = ends_.emplace(lock.until, &lock);
  if (bound) clients_[client].bound.insert(&lock);
  bytes_ += lock.owner.size();
  ++held_;
}

void Locks::let_go(Lock& lock) {
  if (lock.until != kNoDeadline) ends_.erase(lock.end_at);
  if (lock.bound) {
    clients_[lock.client].bound.erase(&lock);
    forget_client_if_idle(lock.client);
  }
  bytes_ -= lock.owner.size();
  --held_;
  lock.holder = kNoParty;
  lock.owner.clear();
  lock.until = kNoDeadline;
  lock.bound = false;
}

void Locks::end(Lock& lock, Millis freed, Millis now) {
  let_go(lock);
  pass_on(lock, freed, now);
}

void Locks::pass_on(Lock& lock, Millis freed, Millis now) {
  while (!lock.queue.empty() && lock.queue.front().limit < freed) give_up(lock.queue.front());
  if (lock.queue.empty()) return forget_if_idle(lock);
  Queued& first = lock.queue.front();
  const std::string owner = first.token;
  const Version fence = take_version_();
  hold(lock, owner, first.lease, first.bound, first.client, first.party, now);
  lock.fence = fence;
  decide(first, LockOutcome::kGranted, fence);
  unqueue(first);
  // The same owner twice in the queue asked again after it lost its first connection: it holds the lock now.
  for (auto next = lock.queue.begin(); next != lock.queue.end();) {
    Queued& wait = *next++;
    if (wait.token != owner) continue;
    let_go(lock);
    hold(lock, owner, wait.lease, wait.bound, wait.client, wait.party, now);
    decide(wait, LockOutcome::kGranted, fence);
    unqueue(wait);
  }
}

void Locks::decide(const Queued& wait, LockOutcome outcome, Version fence) {
  decisions_.push_back({wait.client, outcome, fence, wait.lock->self->first.db, wait.lock->self->first.name});
}

void Locks::unqueue(Queued& wait) {
  graph_.remove(wait);
  if (wait.limit != kNoDeadline) wait_limits_.erase(wait.limit_at);
  const ClientId client = wait.client;
  clients_[client].waits.erase(&wait);
  --waiting_;
  bytes_ -= kWaitBytes + wait.token.size();
  wait.lock->queue.erase(wait.self);
  forget_client_if_idle(client);
}

void Locks::forget_if_idle(Lock& lock) {
  if (lock.holder != kNoParty || !lock.queue.empty()) return;
  bytes_ -= kLockBytes + lock.self->first.name.size();
  locks_.erase(lock.self);
}

void Locks::forget_client_if_idle(ClientId client) {
  const auto found = clients_.find(client);
  if (found != clients_.end() && found->second.bound.empty() && found->second.waits.empty()) clients_.erase(found);
}

std::string Locks::check(Millis now) const {
  std::size_t held = 0, waiting = 0, bytes = 0, timed = 0, limited = 0, bound = 0;
  for (const auto& [name, lock] : locks_) {
    const std::string which = "lock " + name.name + ": ";
    if (lock.holder == kNoParty) return which + "kept without a holder";
    if (lock.until <= now) return which + "its lease is over";
    if (lock.fence == 0) return which + "held without a fence";
    ++held;
    bytes += kLockBytes + name.name.size() + lock.owner.size();
    if (lock.until != kNoDeadline) {
      ++timed;
      if (lock.end_at->second != &lock || lock.end_at->first != lock.until) return which + "its end is misplaced";
    }
    if (lock.bound) {
      ++bound;
      const auto client = clients_.find(lock.client);
      if (client == clients_.end() || !client->second.bound.contains(const_cast<Lock*>(&lock)))
        return which + "bound to a client that does not know";
    }
    for (const Queued& wait : lock.queue) {
      ++waiting;
      bytes += kWaitBytes + wait.token.size();
      limited += wait.limit != kNoDeadline ? 1 : 0;
      if (wait.limit <= now) return which + "a wait is over its limit";
      if (wait.lock != &lock || wait.held != &lock) return which + "a wait belongs elsewhere";
      if (graph_.closes_circle(wait.party, lock, kNoDeadline, true)) return which + "a wait is part of a circle";
    }
  }
  std::size_t client_waits = 0, client_bound = 0;
  for (const auto& [id, client] : clients_) {
    client_waits += client.waits.size();
    client_bound += client.bound.size();
  }
  if (held != held_ || waiting != waiting_ || bytes != bytes_) return "held, waiting or bytes are miscounted";
  if (timed != ends_.size() || limited != wait_limits_.size()) return "deadlines of what is gone";
  if (client_waits != waiting || client_bound != bound) return "clients hold what is gone";
  return "";
}

}  // namespace coppice
