// Random interleavings of leases and locks: many clients and parties over one engine, with everything that can happen
// to them. Beside the state machines a small model keeps what the rules say; every answer is compared with it.
#include <deque>
#include <iostream>
#include <map>
#include <set>

#include "coppice/leases.h"
#include "coppice/locks.h"
#include "support/catch.h"
#include "support/random.h"

using namespace coppice;

namespace {

constexpr ClientId kClients = 24;
constexpr int kThreads = 16;  // parties; a few have two clients
constexpr Database kDatabases = 2;
constexpr int kKeys = 8;
constexpr int kNames = 6;
constexpr int kTags = 8;
constexpr Millis kAges = 1'000'000;

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

// What the rules say of one lease that is out.
struct Out {
  Database db;
  std::string key;
  ClientId client;
  Millis until;
  bool valid = true;                  // nothing revoked it
  std::set<std::string> invalidated;  // tags, since its grant
};

struct Waiter {
  ClientId client;
  Millis limit;
  std::string owner;
  Millis lease;
  bool bound;
};

struct HeldLock {
  std::string owner;
  ClientId client;
  Millis until;
  bool bound;
  Version fence;
  std::deque<Waiter> queue;
};

class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed) {
    store_ = Store::create({.max_memory = 4 << 20, .max_value = 1024, .databases = kDatabases, .clock = &clock_});
    if (store_ == nullptr) fail("no store");
    leases_.emplace(*store_, graph_, LeaseLimits{.tags = 20});
    locks_.emplace([this] { return store_->take_version(); }, graph_);
    for (ClientId c = 1; c <= kClients; ++c) clients_.push_back(c);
    next_client_ = kClients + 1;
  }

  void step() {
    ++steps_;
    const std::uint64_t n = draw(100);
    if (n < 28)
      ask_lease();
    else if (n < 37)
      fill();
    else if (n < 39)
      drop();
    else if (n < 48)
      change();
    else if (n < 51)
      invalidate_many();
    else if (n < 74)
      acquire();
    else if (n < 81)
      release();
    else if (n < 84)
      refresh();
    else if (n < 85)
      flush_locks();
    else if (n < 89)
      die();
    else
      pass_time();
    deliver();
  }

  void check() {
    advance();
    if (const std::string wrong = leases_->check(now()); !wrong.empty()) fail(wrong);
    if (const std::string wrong = locks_->check(now()); !wrong.empty()) fail(wrong);
    // No lost wake-up: who waits for a lock waits for one that is held; check() has seen to its limit.
    for (const auto& [name, lock] : held_)
      for (const Waiter& w : lock.queue)
        if (w.limit <= now()) fail("a wait for a lock is over its limit");
    for (const auto& [client, wait] : lease_waits_) {
      if (wait.limit <= now()) fail("a wait for a lease is over its limit");
      if (holder_of(wait.db, wait.key) == nullptr) fail("somebody waits for a lease that nobody holds");
    }
    if (graph_.size() != lease_waits_.size() + lock_waits()) fail("the graph has other waits than the model");
  }

  // Everybody leaves; nothing may be left over.
  void end() {
    for (const ClientId c : clients_) gone(c);
    deliver();
    clock_.advance(kAges);
    for (auto& [token, out] : out_) out.valid = false;
    held_.clear();
    advance();
    (void)locks_->take_decisions();
    if (leases_->out() + leases_->waiting() + leases_->bytes() + leases_->logged_tags() != 0) fail("leases are left");
    if (locks_->waiting() != 0 || graph_.size() != 0) fail("waits are left");
    LockFlush flush = locks_->begin_flush(0, "");
    while (!locks_->step(flush, 10, now())) {
    }
    flush = locks_->begin_flush(1, "");
    while (!locks_->step(flush, 10, now())) {
    }
    if (locks_->held() + locks_->bytes() != 0) fail("locks are left");
  }

  std::map<std::string, std::uint64_t> met;

 private:
  struct LeaseWait {
    Database db;
    std::string key;
    Millis limit;
    std::uint64_t place;  // in line
  };

  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  Millis now() const { return clock_.monotonic_ms(); }
  Database db() { return static_cast<Database>(draw(kDatabases)); }
  std::string key() {
    const std::uint64_t n = draw(kKeys);
    return (n % 2 == 0 ? "a." : "b.") + std::to_string(n);
  }
  std::string name() {
    const std::uint64_t n = draw(kNames);
    return (n % 2 == 0 ? "a." : "b.") + std::to_string(n);
  }
  std::string tag() { return "tag" + std::to_string(draw(kTags)); }
  ClientId client() { return clients_[draw(clients_.size())]; }
  // Clients of the first parties share them; others have none.
  static Party party(ClientId c) { return c % kThreads < 8 ? 1000 + c % 8 : kNoParty; }
  bool waits(ClientId c) const {
    if (lease_waits_.contains(c)) return true;
    for (const auto& [name, lock] : held_)
      for (const Waiter& w : lock.queue)
        if (w.client == c) return true;
    return false;
  }
  // A client that is free to ask: a connection has one request at a time.
  // 0: all wait.
  ClientId idle_client() {
    for (int i = 0; i < 100; ++i)
      if (const ClientId c = client(); !waits(c)) return c;
    return 0;
  }
  std::size_t lock_waits() const {
    std::size_t n = 0;
    for (const auto& [name, lock] : held_) n += lock.queue.size();
    return n;
  }
  const Out* holder_of(Database db, const std::string& key) const {
    for (const auto& [token, out] : out_)
      if (out.valid && out.db == db && out.key == key) return &out;
    return nullptr;
  }

  // ---- leases
  void granted(std::uint64_t token, Database db, const std::string& key, ClientId client, Millis ceiling) {
    ++met["lease granted"];
    if (holder_of(db, key) != nullptr) fail("two leases of key " + key);
    if (token <= newest_token_) fail("a token that does not rise");
    newest_token_ = token;
    out_[token] = {db, key, client, now() + ceiling, true, {}};
  }

  void ask_lease() {
    LeaseRequest r;
    const std::string k = key();
    r.db = db();
    r.key = k;
    r.client = idle_client();
    if (r.client == 0) return;
    r.party = party(r.client);
    r.wait = draw(4) == 0 ? 0 : static_cast<Millis>(1 + draw(3000));
    r.ceiling = static_cast<Millis>(1 + draw(5000));
    const auto value = store_->peek(r.db, k);
    if (value && draw(2) == 0) r.refresh = value->version;
    end_other_wait(r.client);
    const bool unseen = value && value->version != r.refresh;
    const auto answer = leases_->request(r, now());
    if (!answer) fail("a request was refused");
    take_lock_decisions();
    take_passed_on();
    ceilings_[r.client] = r.ceiling;
    const Out* holder = holder_of(r.db, k);
    switch (answer->outcome) {
      case LeaseOutcome::kStored:
        ++met["told to read again"];
        if (!unseen) fail("told to read what it has seen");
        break;
      case LeaseOutcome::kGranted:
        if (unseen) fail("granted although there is a value that it has not seen");
        for (const auto& [c, w] : lease_waits_)
          if (w.db == r.db && w.key == k) fail("granted past somebody in line");
        granted(answer->token, r.db, k, r.client, r.ceiling);
        break;
      case LeaseOutcome::kSelf:
        ++met["told to compute for itself"];
        if (unseen) fail("told to compute although there is a value");
        if (holder == nullptr) fail("told to compute for itself although nobody holds the lease");
        if (r.wait == 0) break;
        if (holder->client != r.client && !circle(r.client, holder->client)) fail("refused without a circle");
        ++met["circle of a lease"];
        break;
      case LeaseOutcome::kWaiting:
        if (holder == nullptr) fail("waits for a lease that nobody holds");
        if (circle(r.client, holder->client)) fail("waits in a circle");
        lease_waits_[r.client] = {r.db, k, now() + r.wait, ++places_};
        ++met["lease waited for"];
        break;
    }
  }

  void fill() {
    if (out_.empty()) return;
    auto at = out_.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(draw(out_.size())));
    const std::uint64_t token = at->first;
    std::vector<std::string> tags;
    while (draw(2) == 0) tags.push_back(tag());
    LeaseFill f;
    f.token = token;
    f.db = at->second.db;
    f.key = at->second.key;
    f.value = {ValueType::kString, "computed"};
    const std::vector<std::string_view> views(tags.begin(), tags.end());
    f.options.tags = views;
    const std::uint64_t how = draw(20);
    if (how == 0) f.options.deadline = now() - 1;
    const std::string large(2000, 'x');
    if (how == 1) f.value.bytes = large;
    settle_model();
    bool may = at->second.valid && at->second.until > now();
    for (const std::string& t : tags)
      if (at->second.invalidated.contains(t)) may = false;
    const Out lease = at->second;
    const auto done = leases_->fill(f, now());
    const bool stored = done && *done && **done != 0;
    if (stored && !may) fail("a value was stored whose lease was revoked, over, or whose tag was invalidated");
    if (may && how > 1 && !stored) fail("a good value was not stored");
    if (may && how == 1 && (done || done.error() != Error::kValueTooLarge))
      fail("no word of a value that is too large");
    if (!may && (!done || *done)) fail("an answer other than nothing to a lease that is over");
    ++met[stored ? "stored" : may ? "ended by its value" : "not stored"];
    out_.erase(token);
    if (stored) tags_[{lease.db, lease.key}] = {tags.begin(), tags.end()};
    if (stored) {
      woken_ = {lease.db, lease.key};
      wake_all_ = true;
    }
  }

  void drop() {
    if (out_.empty()) return;
    auto at = out_.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(draw(out_.size())));
    const bool live = at->second.valid && at->second.until > now();
    const std::uint64_t token = at->first;
    if (leases_->drop(token, now()) != live) fail("a drop of a lease that is over, or the other way round");
    out_.erase(token);
  }

  void revoke_if(const std::function<bool(const Out&)>& hit) {
    for (auto& [token, out] : out_)
      if (out.valid && hit(out)) {
        out.valid = false;
        ++met["revoked"];
      }
  }

  void change() {
    const Database d = db();
    const std::string k = key();
    const auto this_key = [&](const Out& o) { return o.db == d && o.key == k; };
    switch (draw(8)) {
      case 0:
        store_->erase(d, k);
        return revoke_if(this_key);
      case 1:
        (void)store_->set(d, k, {ValueType::kString, "set"}, {.deadline = now() + static_cast<Millis>(1 + draw(500))});
        tags_.erase({d, k});
        return revoke_if(this_key);
      case 2:
        store_->erase(d, k);
        (void)store_->increment(d, k, 1);
        tags_.erase({d, k});
        return revoke_if(this_key);
      case 3:
        if (const auto done = store_->set_deadline(d, k, now() + 100); !done || !*done) return;
        return revoke_if(this_key);
      case 4: {
        const std::string prefix = draw(2) == 0 ? "a." : "b.";
        RangeErase erase = store_->begin_erase_prefix(d, prefix);
        revoke_if([&](const Out& o) { return o.db == d && o.key.starts_with(prefix); });
        while (!store_->step(erase, 2)) {
        }
        return;
      }
      case 5:
        if (draw(4) != 0) return;
        store_->flush(d);
        return revoke_if([&](const Out& o) { return o.db == d; });
      case 6:
        if (draw(4) != 0) return;
        store_->swap(0, 1);
        {
          std::map<std::pair<Database, std::string>, std::set<std::string>> swapped;
          for (auto& [at, own] : tags_) swapped[{at.first < 2 ? 1 - at.first : at.first, at.second}] = own;
          tags_.swap(swapped);
        }
        return revoke_if([](const Out&) { return true; });
      default:
        return invalidate({tag()});
    }
  }

  void invalidate(const std::vector<std::string>& tags) {
    const Database d = db();
    const std::vector<std::string_view> views(tags.begin(), tags.end());
    const std::size_t before = leases_->out();
    // A key that goes with one of its tags is a key that is removed.
    std::set<std::string> removed;
    for (const auto& [at, own] : tags_)
      if (at.first == d && store_->peek(d, at.second) &&
          std::any_of(tags.begin(), tags.end(), [&](const std::string& t) { return own.contains(t); }))
        removed.insert(at.second);
    store_->invalidate_tags(d, views);
    revoke_if([&](const Out& o) { return o.db == d && removed.contains(o.key); });
    for (auto& [token, out] : out_)
      if (out.db == d) out.invalidated.insert(tags.begin(), tags.end());
    if (before > 0 && leases_->out() == 0) {
      ++met["log full"];
      revoke_if([](const Out&) { return true; });
    }
  }
  // Now and then more tags than the log remembers.
  void invalidate_many() {
    std::vector<std::string> tags;
    const std::uint64_t n = draw(10) == 0 ? 25 : 1 + draw(3);
    for (std::uint64_t i = 0; i < n; ++i) tags.push_back(n == 25 ? "many" + std::to_string(i) : tag());
    invalidate(tags);
  }

  // Leases that are over by their ceiling, whether the machine looked or not.
  void settle_model() {
    for (auto& [token, out] : out_)
      if (out.until <= now()) out.valid = false;
  }

  // What a call passed on before it did what it was asked for.
  void take_passed_on() {
    settle_model();
    apply(leases_->take_decisions());
  }
  void apply(const std::vector<LeaseDecision>& decisions) {
    for (const LeaseDecision& d : decisions) {
      const auto w = lease_waits_.find(d.client);
      if (w == lease_waits_.end()) fail("an answer to somebody who does not wait for a lease");
      const LeaseWait wait = w->second;
      lease_waits_.erase(w);
      switch (d.outcome) {
        case LeaseOutcome::kGranted:
          // Fair: nobody who came earlier, and whose wait is not over, waits for the same.
          for (const auto& [c, other] : lease_waits_)
            if (other.db == wait.db && other.key == wait.key && other.place < wait.place && other.limit > now())
              fail("a lease was passed on out of order");
          granted(d.token, wait.db, wait.key, d.client, ceilings_[d.client]);
          ++met["lease passed on"];
          break;
        case LeaseOutcome::kStored:
          if (!wake_all_ || woken_ != std::pair(wait.db, wait.key)) fail("woken though nothing was stored");
          ++met["woken with the value"];
          break;
        case LeaseOutcome::kSelf:
          if (wait.limit > now() && ended_wait_ != d.client) fail("a wait ended before its limit");
          ++met["lease wait over"];
          break;
        case LeaseOutcome::kWaiting:
          fail("a decision that is none");
      }
    }
  }

  // ---- circles, found the slow way
  ClientId waited_for_by(ClientId c, bool* by_lock, Millis* until) const {
    if (const auto w = lease_waits_.find(c); w != lease_waits_.end()) {
      const Out* h = holder_of(w->second.db, w->second.key);
      *by_lock = false;
      *until = h != nullptr ? h->until : kNoDeadline;
      return h != nullptr ? h->client : 0;
    }
    for (const auto& [name, lock] : held_)
      for (const Waiter& w : lock.queue)
        if (w.client == c) {
          *by_lock = true;
          *until = lock.until;
          return lock.client;
        }
    return 0;
  }
  Party node(ClientId c) const { return party(c) != kNoParty ? party(c) : 1'000'000 + c; }
  // Whether `who`, waiting for what `holder` has, waits in the end for itself.
  bool circle(ClientId who, ClientId holder, bool patient = false, Millis limit = 0, Millis until = 0) const {
    std::set<Party> seen;
    bool by_lock = patient;
    Party at = node(holder);
    for (;;) {
      if (patient && by_lock && until <= limit && until != kNoDeadline) return false;
      if (at == node(who)) return true;
      if (!seen.insert(at).second) return false;
      ClientId next = 0;
      // Any client of the party may be the one that waits.
      for (const ClientId c : clients_) {
        if (node(c) != at) continue;
        next = waited_for_by(c, &by_lock, &until);
        if (next != 0) break;
      }
      if (next == 0) return false;
      at = node(next);
    }
  }
  // A party that asks again ends the wait of its other client.
  void end_other_wait(ClientId c) {
    advance();
    if (party(c) == kNoParty) return;
    for (const ClientId other : clients_)
      if (other != c && party(other) == party(c) && waits(other)) {
        ended_wait_ = other;
        ++met["second wait of a party"];
      }
  }

  // ---- locks
  using LockName = std::pair<Database, std::string>;

  void lock_granted(const LockName& name, const std::string& owner, ClientId client, Millis lease, bool bound,
                    Version fence) {
    ++met["lock granted"];
    if (fence <= fences_[name]) fail("a fence that does not rise");
    fences_[name] = fence;
    HeldLock& lock = held_[name];
    lock.owner = owner;
    lock.client = client;
    lock.until = deadline_after(now(), lease);
    lock.bound = bound;
    lock.fence = fence;
  }

  void acquire() {
    const LockName n{db(), name()};
    LockRequest r;
    r.db = n.first;
    r.name = n.second;
    r.client = idle_client();
    if (r.client == 0) return;
    r.party = party(r.client);
    const std::string owner = "o" + std::to_string(r.client) + (draw(3) == 0 ? "x" : "");
    r.owner = owner;
    r.lease = draw(5) == 0 ? kNoDeadline : static_cast<Millis>(1 + draw(2000));
    r.bound = draw(2) == 0;
    r.wait = draw(4) == 0 ? 0 : draw(20) == 0 ? kNoDeadline : static_cast<Millis>(1 + draw(3000));
    const Millis limit = deadline_after(now(), r.wait);
    end_other_wait(r.client);
    const auto answer = locks_->acquire(r, now());
    if (!answer) fail("a lock was refused with an error");
    take_lock_decisions();
    take_passed_on();
    const auto at = held_.find(n);
    switch (answer->outcome) {
      case LockOutcome::kGranted:
        if (at != held_.end()) {
          if (at->second.owner != owner) fail("two holders of lock " + n.second);
          if (at->second.fence != answer->fence) fail("another fence for the same hold");
          at->second.client = r.client;
          at->second.bound = r.bound;
          at->second.until = deadline_after(now(), r.lease);
          ++met["lock granted again"];
        } else {
          lock_granted(n, owner, r.client, r.lease, r.bound, answer->fence);
        }
        break;
      case LockOutcome::kRefused:
        ++met["lock refused"];
        if (at == held_.end()) fail("a free lock was refused");
        if (at->second.owner == owner) fail("the holder was refused");
        if (r.wait == 0) break;
        if (!circle(r.client, at->second.client, true, limit, at->second.until))
          fail("a wait for a lock was refused without a circle");
        ++met["circle of a lock"];
        break;
      case LockOutcome::kWaiting:
        ++met["lock waited for"];
        if (at == held_.end()) fail("a free lock is waited for");
        if (circle(r.client, at->second.client, true, limit, at->second.until))
          fail("a lock is waited for in a circle");
        at->second.queue.push_back({r.client, limit, owner, r.lease, r.bound});
        break;
    }
  }

  void release() {
    if (held_.empty()) return;
    auto at = held_.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(draw(held_.size())));
    const LockName n = at->first;
    const std::uint64_t how = draw(10);
    const std::string owner = how == 0 ? "nobody" : at->second.owner;
    const bool done =
        how == 1 ? locks_->force_release(n.first, n.second, now()) : locks_->release(n.first, n.second, owner, now());
    if (done != (how != 0)) fail("a release did what it should not");
    if (done) freed(n);
  }

  void refresh() {
    if (held_.empty()) return;
    auto at = held_.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(draw(held_.size())));
    const Millis lease = draw(5) == 0 ? kNoDeadline : static_cast<Millis>(1 + draw(2000));
    if (locks_->refresh(at->first.first, at->first.second, "nobody", lease, now())) fail("a stranger refreshed a lock");
    if (!locks_->refresh(at->first.first, at->first.second, at->second.owner, lease, now()))
      fail("a holder could not refresh");
    at->second.until = deadline_after(now(), lease);
    end_wait_in_circle(node(at->second.client));
    take_lock_decisions();
    take_passed_on();
  }
  // The party holds something longer than before; if it waits in a circle now, its wait ends.
  void end_wait_in_circle(Party holder) {
    for (const ClientId c : clients_) {
      if (node(c) != holder || !waits(c)) continue;
      bool by_lock = false;
      Millis until = 0;
      const ClientId other = waited_for_by(c, &by_lock, &until);
      if (!circle(c, other, by_lock, limit_of(c), until)) return;
      ended_wait_ = c;
      ++met["wait ended by a refresh"];
      return;
    }
  }
  Millis limit_of(ClientId c) const {
    if (const auto w = lease_waits_.find(c); w != lease_waits_.end()) return w->second.limit;
    for (const auto& [name, lock] : held_)
      for (const Waiter& w : lock.queue)
        if (w.client == c) return w.limit;
    return 0;
  }

  void flush_locks() {
    const Database d = db();
    const std::string prefix = draw(2) == 0 ? "a." : "b.";
    LockFlush flush = locks_->begin_flush(d, prefix);
    while (!locks_->step(flush, 1, now())) {
    }
    std::vector<LockName> hit;
    for (const auto& [n, lock] : held_)
      if (n.first == d && n.second.starts_with(prefix)) hit.push_back(n);
    if (flush.freed() != hit.size()) fail("a flush freed another number of locks");
    for (const LockName& n : hit) freed(n);
  }

  // The lock came free: the model's queue moves as the machine's decisions must say.
  void freed(const LockName& n) { pass_lock_on(n, now()); }

  void pass_lock_on(const LockName& n, Millis when) {
    HeldLock& lock = held_.at(n);
    while (!lock.queue.empty() && lock.queue.front().limit < when) {
      expected_.push_back({lock.queue.front().client, LockOutcome::kRefused, n});
      lock.queue.pop_front();
    }
    if (lock.queue.empty()) {
      held_.erase(n);
      return;
    }
    const Waiter w = lock.queue.front();
    lock.queue.pop_front();
    expected_.push_back({w.client, LockOutcome::kGranted, n});
    lock.owner = w.owner;
    lock.client = w.client;
    lock.bound = w.bound;
    lock.until = deadline_after(now(), w.lease);
    lock.fence = 0;  // comes with the decision
    for (auto next = lock.queue.begin(); next != lock.queue.end();) {
      if (next->owner != w.owner) {
        ++next;
        continue;
      }
      expected_.push_back({next->client, LockOutcome::kGranted, n});
      lock.client = next->client;
      lock.bound = next->bound;
      lock.until = deadline_after(now(), next->lease);
      next = lock.queue.erase(next);
    }
  }

  void take_lock_decisions() {
    if (ended_wait_ != 0)
      for (auto& [n, lock] : held_)
        for (auto w = lock.queue.begin(); w != lock.queue.end(); ++w)
          if (w->client == ended_wait_) {
            expected_.push_back({w->client, LockOutcome::kRefused, n});
            lock.queue.erase(w);
            break;
          }
    const auto decisions = locks_->take_decisions();
    if (decisions.size() != expected_.size()) fail("another number of decisions than the model's");
    for (const LockDecision& d : decisions) {
      const auto same = std::find_if(expected_.begin(), expected_.end(), [&](const Expected& e) {
        return e.client == d.client && e.outcome == d.outcome && e.name == LockName{d.db, d.name};
      });
      if (same == expected_.end()) fail("a decision that the model does not know: out of order, lost or invented");
      expected_.erase(same);
      if (d.outcome == LockOutcome::kRefused) {
        ++met["lock wait over"];
        continue;
      }
      ++met["lock passed on"];
      const LockName n{d.db, d.name};
      const auto at = held_.find(n);
      const bool first = at == held_.end() || at->second.fence != d.fence;
      if (first && d.fence <= fences_[n]) fail("a fence that does not rise");
      fences_[n] = d.fence;
      if (at != held_.end()) at->second.fence = d.fence;
    }
  }

  // ---- time and death
  void pass_time() {
    clock_.advance(static_cast<Millis>(draw(4) == 0 ? draw(2500) : draw(60)));
    advance();
  }

  // The machines' advance(), and what the model says of it.
  void advance() {
    deliver();
    bool more = true;
    while (more) more = locks_->advance(now(), 1 + draw(3));
    advance_locks_model();
    take_lock_decisions();
    while (leases_->advance(now(), 1 + draw(3))) {
    }
    settle_model();
    take_passed_on();
  }
  void advance_locks_model() {
    for (;;) {
      // The earliest end; at the same time, holds before waits.
      Millis soonest = kNoDeadline;
      LockName of;
      bool is_wait = false;
      for (const auto& [n, lock] : held_) {
        if (lock.until < soonest || (lock.until == soonest && is_wait && soonest != kNoDeadline)) {
          soonest = lock.until;
          of = n;
          is_wait = false;
        }
        for (const Waiter& w : lock.queue)
          if (w.limit < soonest) {
            soonest = w.limit;
            of = n;
            is_wait = true;
          }
      }
      if (soonest > now()) return;
      HeldLock& lock = held_.at(of);
      if (!is_wait) {
        pass_lock_on(of, soonest);
        continue;
      }
      for (auto w = lock.queue.begin(); w != lock.queue.end(); ++w)
        if (w->limit == soonest) {
          expected_.push_back({w->client, LockOutcome::kRefused, of});
          lock.queue.erase(w);
          break;
        }
    }
  }

  void die() {
    const std::size_t i = draw(clients_.size());
    const ClientId c = clients_[i];
    ++met["death"];
    gone(c);
    // Another one comes in its place, of the same party now and then.
    clients_[i] = draw(2) == 0 ? next_client_ : next_client_ + kThreads - next_client_ % kThreads + c % kThreads;
    next_client_ = clients_[i] + 1;
  }

  void gone(ClientId c) {
    advance();
    lease_waits_.erase(c);
    for (auto& [n, lock] : held_) std::erase_if(lock.queue, [&](const Waiter& w) { return w.client == c; });
    locks_->client_gone(c, now());
    std::vector<LockName> bound;
    for (const auto& [n, lock] : held_)
      if (lock.bound && lock.client == c) bound.push_back(n);
    for (const LockName& n : bound) pass_lock_on(n, now());
    leases_->client_gone(c, now());
    std::erase_if(out_, [&](const auto& o) { return o.second.client == c; });
    deliver();
  }

  // All that was decided reaches those who waited.
  void deliver() {
    take_lock_decisions();
    leases_->advance(now(), 0);
    settle_model();
    take_passed_on();
    wake_all_ = false;
    ended_wait_ = 0;
  }

  struct Expected {
    ClientId client;
    LockOutcome outcome;
    LockName name;
  };

  std::mt19937_64 random_;
  std::map<std::pair<Database, std::string>, std::set<std::string>> tags_;  // of what was stored under leases
  ManualClock clock_;
  std::unique_ptr<Store> store_;
  WaitGraph graph_;
  std::optional<Leases> leases_;
  std::optional<Locks> locks_;
  std::vector<ClientId> clients_;
  ClientId next_client_ = 1;
  std::map<std::uint64_t, Out> out_;
  std::map<ClientId, LeaseWait> lease_waits_;
  std::map<ClientId, Millis> ceilings_;
  std::uint64_t newest_token_ = 0;
  std::uint64_t places_ = 0;
  std::pair<Database, std::string> woken_;
  bool wake_all_ = false;
  ClientId ended_wait_ = 0;
  std::map<LockName, HeldLock> held_;
  std::map<LockName, Version> fences_;
  std::vector<Expected> expected_;
  std::uint64_t steps_ = 0;
};

}  // namespace

TEST_CASE("leases and locks keep their rules in any order of events", "[leases][locks][model]") {
  const std::uint64_t seed = test::draw_seed();
  const std::uint64_t steps = test::scaled(1'000'000);
  std::cout << "leases and locks: " << steps << " steps, seed " << seed << std::endl;
  INFO("COPPICE_TEST_SEED=" << seed);
  World world(seed);
  for (std::uint64_t i = 0; i < steps; ++i) {
    try {
      world.step();
      if (i % 64 == 63) world.check();
    } catch (const std::exception& e) {
      FAIL("step " << i << ": " << e.what());
    }
  }
  world.check();
  world.end();
  for (const auto& [what, times] : world.met) {
    std::cout << "  " << what << " " << times;
    if (test::scaled(100) >= 100) CHECK(times > 20);
  }
  std::cout << std::endl;
}
