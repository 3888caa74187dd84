// Leases on keys that are missing or due to be computed anew, as one pure state machine: no socket, no sleep; time is
// passed in. docs/leases-and-locks.md says what holds and numbers the invariants.
//
//   Leases leases(store, graph);
//   auto a = leases.request({.key = "report", .client = 7, .wait = 5'000}, now);
//   if (a && a->outcome == LeaseOutcome::kGranted)   // compute, then:
//     leases.fill({.token = a->token, .key = "report", .value = {ValueType::kString, bytes}}, now);
//
// One client computes, the others wait and are told when the value is stored. Whatever changes or invalidates the key
// meanwhile revokes the lease: a value that was computed from older data is never stored.
//
// Costs: nothing while no lease is out. A write then looks its key up among the leases that are out.
//
// Thread safety: none; one thread at a time, the store's.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "coppice/store.h"
#include "coppice/waits.h"

namespace coppice {

inline constexpr Millis kDefaultLeaseCeiling = 60'000;
inline constexpr Millis kLongestLease = 3'600'000;

struct LeaseLimits {
  std::size_t leases = 65'536;
  std::size_t waits = 100'000;
  std::size_t per_client = 10'000;
  std::size_t bytes = 64u << 20;     // keys and what is kept beside them
  std::size_t tags = 10'000;         // invalidated tags that are remembered while leases are out,
  std::size_t tag_bytes = 1u << 20;  // and what they take
};

struct LeaseRequest {
  Database db = 0;
  std::string_view key;
  Party party = kNoParty;
  ClientId client = 0;
  Millis wait = 0;  // 0: an answer at once
  Millis ceiling = kDefaultLeaseCeiling;
  Version refresh = 0;  // the version of the value that is to be computed anew; 0: none was seen
};

enum class LeaseOutcome : std::uint8_t {
  kGranted,  // compute, and give the value with the token
  kStored,   // there is a value now that was not seen: read again
  kSelf,     // compute for yourself: the wait was over, or another holds it and there is nothing to wait for
  kWaiting,  // decided later
};

struct LeaseAnswer {
  LeaseOutcome outcome = LeaseOutcome::kSelf;
  std::uint64_t token = 0;  // of a grant, and its place among versions: never given twice, restarts included
};

// What became of a wait.
struct LeaseDecision {
  ClientId client = 0;
  LeaseOutcome outcome = LeaseOutcome::kSelf;  // any but kWaiting
  std::uint64_t token = 0;
};

struct LeaseFill {
  std::uint64_t token = 0;
  Database db = 0;
  std::string_view key;  // must be the one that was leased
  Value value;
  SetOptions options;  // deadline, tags and what else the new entry is to have; always kAlways
};

class Leases final : public StoreListener, private WaitOwner {
 public:
  // Both must outlive the leases. The store's listener is this object while leases are out (and until the next
  // call, when the store revoked the last), and none otherwise.
  Leases(Store& store, WaitGraph& graph, const LeaseLimits& limits = {});
  ~Leases();
  Leases(const Leases&) = delete;
  Leases& operator=(const Leases&) = delete;

  // Called once when revocations left work for advance(), from within the store's operation.
  void set_on_work(std::function<void()> f) { on_work_ = std::move(f); }

  // kEmptyKey, kKeyTooLong, kBadDatabase, kBadLease.
  Result<LeaseAnswer> request(const LeaseRequest& request, Millis now);
  // The new entry's version (0: its deadline had passed); nothing: not stored, since the lease is gone (revoked, over,
  // of another key, never given), or one of the tags was invalidated after the grant. An error of the store ends the
  // lease too.
  Result<std::optional<Version>> fill(const LeaseFill& fill, Millis now);
  // Gives the lease up; the first in line has it now. false: there is no such lease.
  bool drop(std::uint64_t token, Millis now);
  // The client's leases and waits end.
  void client_gone(ClientId client, Millis now);
  // Its waits are over now, as if their time were. Whether there were any.
  bool end_waits(ClientId client);

  std::optional<Millis> next_deadline() const;
  // Passes on what was revoked, and ends up to `budget` leases and waits whose time is over; true: there are more.
  bool advance(Millis now, std::size_t budget);

  // Whether the client has leases or waits.
  bool involves(ClientId client) const { return clients_.contains(client); }
  bool has_decisions() const { return !decisions_.empty(); }
  std::vector<LeaseDecision> take_decisions() { return std::exchange(decisions_, {}); }

  std::size_t out() const { return by_token_.size(); }
  std::size_t waiting() const { return waiting_; }
  std::size_t bytes() const { return bytes_; }
  std::size_t logged_tags() const { return log_.size(); }
  std::uint64_t revoked() const { return revoked_; }
  // The first contradiction among the structures in words, or "". For tests: O(n).
  std::string check(Millis now) const;

  // ---- StoreListener
  void on_change(Database db, std::string_view key, Change change) override;
  void on_erase_prefix(Database db, std::string_view prefix) override;
  void on_invalidate_tags(Database db, std::span<const std::string_view> tags, Version version) override;
  void on_flush(Database db) override { on_erase_prefix(db, {}); }

 private:
  struct Entry;
  struct Queued;
  struct KeyRef {
    Database db;
    std::string_view key;
  };
  struct Key {
    Database db;
    std::string key;
    operator KeyRef() const { return {db, key}; }
  };
  struct Before {
    using is_transparent = void;
    bool operator()(const KeyRef& a, const KeyRef& b) const { return a.db != b.db ? a.db < b.db : a.key < b.key; }
  };
  using Map = std::map<Key, Entry, Before>;
  using Ends = std::multimap<Millis, Entry*>;
  using Limits = std::multimap<Millis, Queued*>;
  struct Queued : Wait {
    Entry* entry = nullptr;
    Millis ceiling = kDefaultLeaseCeiling;
    std::list<Queued>::iterator self;
    Limits::iterator limit_at;  // valid while limit != kNoDeadline
  };
  // A key with a lease that is out (holder), or with waits that advance() has still to serve (pending), or both.
  struct Entry : Held {
    Map::iterator self;
    std::uint64_t token = 0;
    ClientId client = 0;
    Ends::iterator end_at;  // valid while held
    std::list<Queued> queue;
    bool pending = false;
  };
  struct Client {
    std::unordered_set<Entry*> leases;
    std::unordered_set<Queued*> waits;
  };
  struct LoggedTag {
    std::string tag;  // behind four bytes of the database
    Version version;  // of its newest invalidation
  };

  void give_up(Wait& wait) override;
  Entry* find(Database db, std::string_view key);
  Result<LeaseAnswer> wait_for(Entry& entry, const LeaseRequest& request, Party party, Millis now);
  void grant(Entry& entry, ClientId client, Party party, Millis ceiling, Millis now);
  // Ends the lease without a successor.
  void let_go(Entry& entry);
  // The lease ended at `freed`: the first whose wait was not over by then has it now. May destroy `entry`.
  void pass_on(Entry& entry, Millis freed, Millis now);
  void end(Entry& entry, Millis freed, Millis now);
  void revoke(Entry& entry);
  void settle(Millis now);
  void decide(const Queued& wait, LeaseOutcome outcome, std::uint64_t token);
  void unqueue(Queued& wait);
  void forget_if_idle(Entry& entry);
  void forget_client_if_idle(ClientId client);
  void trim_log();
  void stop_listening_if_idle();
  void clear_log();
  bool was_invalidated(Database db, std::span<const std::string_view> tags, Version since) const;

  Store& store_;
  WaitGraph& graph_;
  LeaseLimits limits_;
  std::function<void()> on_work_;
  Map entries_;
  std::map<std::uint64_t, Entry*> by_token_;  // leases that are out, the oldest first
  Ends ends_;
  Limits wait_limits_;
  std::unordered_map<ClientId, Client> clients_;
  std::vector<Entry*> pending_;
  std::list<LoggedTag> log_;  // the oldest invalidation first
  std::unordered_map<std::string_view, std::list<LoggedTag>::iterator> logged_;
  std::size_t log_bytes_ = 0;
  std::vector<LeaseDecision> decisions_;
  std::size_t waiting_ = 0;
  std::size_t bytes_ = 0;
  std::uint64_t revoked_ = 0;
  bool listening_ = false;  // the store's listener is this
  bool asked_ = false;      // on_work_ was called and advance() was not
};

}  // namespace coppice
