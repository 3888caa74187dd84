// Named locks with a lease, an owner's token and a queue, as one pure state machine: no socket, no sleep; time is
// passed in. docs/leases-and-locks.md says what holds and numbers the invariants.
//
//   Locks locks([&] { return store.take_version(); }, graph);
//   auto a = locks.acquire({.name = "import", .owner = token, .lease = 10'000, .client = 7, .wait = 5'000}, now);
//   if (a && a->outcome == LockOutcome::kWaiting) …   // decided later: take_decisions()
//   locks.release(0, "import", token, now);
//
// Names are apart from keys: nothing that happens to the store touches a lock.
//
// Thread safety: none; one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "coppice/types.h"
#include "coppice/waits.h"

namespace coppice {

inline constexpr std::size_t kMaxLockName = 4096;  // bytes; at least 1
inline constexpr std::size_t kMaxLockOwner = 256;  // bytes; at least 1

struct LockLimits {
  std::size_t locks = 1'000'000;
  std::size_t waits = 100'000;
  std::size_t bound_per_client = 10'000;
  std::size_t bytes = 256u << 20;  // names, owners and what is kept beside them
};

struct LockRequest {
  Database db = 0;
  std::string_view name;
  std::string_view owner;
  Millis lease = kNoDeadline;  // kNoDeadline: held until it is released; else at least 1
  bool bound = false;          // ends with the client too
  ClientId client = 0;
  Party party = kNoParty;
  Millis wait = 0;  // 0: an answer at once; kNoDeadline: without limit
};

enum class LockOutcome : std::uint8_t {
  kGranted,
  kRefused,  // another holds it, and the wait was over, or would close a circle
  kWaiting,  // decided later
};

struct LockAnswer {
  LockOutcome outcome = LockOutcome::kRefused;
  Version fence = 0;  // of a grant: above that of each earlier grant of the name
};

// What became of a wait.
struct LockDecision {
  ClientId client = 0;
  LockOutcome outcome = LockOutcome::kRefused;  // kGranted or kRefused
  Version fence = 0;
  Database db = 0;
  std::string name;
};

struct LockInfo {
  std::string owner;
  Millis until = kNoDeadline;
  Version fence = 0;
  bool bound = false;
  std::size_t waiters = 0;
};

// The release of all locks under a prefix, in progress. Grants that were made after it began survive it.
class LockFlush {
 public:
  std::uint64_t freed() const { return freed_; }

 private:
  friend class Locks;
  Database db_ = 0;
  std::string prefix_;
  std::string next_;  // where to go on
  Version newest_ = 0;
  std::uint64_t freed_ = 0;
};

class Locks final : private WaitOwner {
 public:
  // `take_version` gives a fresh number, above all that it gave. `graph` must outlive the locks.
  Locks(std::function<Version()> take_version, WaitGraph& graph, const LockLimits& limits = {});
  ~Locks();
  Locks(const Locks&) = delete;
  Locks& operator=(const Locks&) = delete;

  // The owner that holds the lock already is granted it again: the same fence, a new lease, bound as it says now.
  // kBadLockName, kBadLockOwner, kBadLockLease, kTooManyLocks.
  Result<LockAnswer> acquire(const LockRequest& request, Millis now);
  // true: `owner` held it. The first in the queue has it now.
  bool release(Database db, std::string_view name, std::string_view owner, Millis now);
  bool force_release(Database db, std::string_view name, Millis now);
  // A new lease from now on. false: `owner` does not hold it. REQUIRES: lease >= 1.
  bool refresh(Database db, std::string_view name, std::string_view owner, Millis lease, Millis now);
  std::optional<LockInfo> info(Database db, std::string_view name, Millis now);

  // An empty prefix: all of the database.
  LockFlush begin_flush(Database db, std::string_view prefix);
  // Looks at up to `budget` locks; true when it is done.
  bool step(LockFlush& flush, std::size_t budget, Millis now);

  // The client's bound locks and waits end, and grants that it can't have heard of.
  void client_gone(ClientId client, Millis now);
  // Its waits are over now, as if their time were. Whether there were any.
  bool end_waits(ClientId client);

  // When advance() has something to do next.
  std::optional<Millis> next_deadline() const;
  // Ends up to `budget` holds and waits whose time is over; true: there are more.
  bool advance(Millis now, std::size_t budget);

  // Whether the client has waits or bound locks.
  bool involves(ClientId client) const { return clients_.contains(client); }
  bool has_decisions() const { return !decisions_.empty(); }
  std::vector<LockDecision> take_decisions() { return std::exchange(decisions_, {}); }

  std::size_t held() const { return held_; }
  std::size_t waiting() const { return waiting_; }
  std::size_t bytes() const { return bytes_; }
  // The first contradiction among the structures in words, or "". For tests: O(n).
  std::string check(Millis now) const;

 private:
  struct Lock;
  struct Queued;
  struct NameRef {
    Database db;
    std::string_view name;
  };
  struct Name {
    Database db;
    std::string name;
    operator NameRef() const { return {db, name}; }
  };
  struct Before {
    using is_transparent = void;
    bool operator()(const NameRef& a, const NameRef& b) const { return a.db != b.db ? a.db < b.db : a.name < b.name; }
  };
  using Map = std::map<Name, Lock, Before>;
  using Ends = std::multimap<Millis, Lock*>;
  using Limits = std::multimap<Millis, Queued*>;
  struct Queued : Wait {
    Lock* lock = nullptr;
    std::string token;
    Millis lease = kNoDeadline;
    bool bound = false;
    std::list<Queued>::iterator self;
    Limits::iterator limit_at;  // valid while limit != kNoDeadline
  };
  struct Lock : Held {
    Map::iterator self;
    std::string owner;
    ClientId client = 0;
    Version fence = 0;
    bool bound = false;
    Ends::iterator end_at;  // valid while held and until != kNoDeadline
    std::list<Queued> queue;
  };
  struct Client {
    std::unordered_set<Lock*> bound;
    std::unordered_set<Queued*> waits;
  };

  void give_up(Wait& wait) override;
  Lock* find(Database db, std::string_view name);
  bool room_for(std::size_t bytes) const { return bytes_ + bytes <= limits_.bytes; }
  // The same, after a hold whose time is over ended, whether advance() came to it or not.
  Lock* find_settled(Database db, std::string_view name, Millis now);
  void hold(Lock& lock, std::string_view owner, Millis lease, bool bound, ClientId client, Party party, Millis now);
  // Ends the hold without a successor.
  void let_go(Lock& lock);
  // The hold ended at `freed`: the next whose wait was not over by then has the lock. May destroy `lock`.
  void pass_on(Lock& lock, Millis freed, Millis now);
  void end(Lock& lock, Millis freed, Millis now);
  void decide(const Queued& wait, LockOutcome outcome, Version fence);
  void unqueue(Queued& wait);
  void forget_if_idle(Lock& lock);
  void forget_client_if_idle(ClientId client);

  std::function<Version()> take_version_;
  WaitGraph& graph_;
  LockLimits limits_;
  Map locks_;
  Ends ends_;
  Limits wait_limits_;
  std::unordered_map<ClientId, Client> clients_;
  std::vector<LockDecision> decisions_;
  std::size_t held_ = 0;
  std::size_t waiting_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace coppice
