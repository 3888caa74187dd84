// What a Cache handle works on: a store in this process, or an owner daemon's.
//
// Backends know nothing of PHP and never call it. Reads are not here: they are templates of the two classes, so that
// get() pays no indirect call. Keys are whole keys, the handle's prefix included, and valid (1 … kMaxKeyLength).
//
// Thread safety: LocalBackend any number of threads; SharedBackend one thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/types.h"
#include "kept_index.h"

namespace coppice::php {

enum class Outcome : std::uint8_t {
  kDone,
  kNot,     // a miss, or a condition that did not hold
  kFailed,  // see Failure
};

// Why nothing was done. Owns no memory, so that it may lie on the stack of a method.
struct Failure {
  enum class Kind : std::uint8_t {
    kNone,
    kUnreachable,  // no owner, or it is not one we may trust or talk to
    kLoading,      // the owner reads its snapshot
    kRefused,      // too large, no room
    kNotInteger,
    kOverflow,
    kWrongType,
    kBadArgument,      // what the engine alone can judge: more distinct tags than a key may have
    kNotSerializable,  // a computed value
    kOther,
  };
  Kind kind = Kind::kNone;
  char text[400];
  void set(Kind k, std::string_view message);
};

inline constexpr std::size_t kFailureKinds = static_cast<std::size_t>(Failure::Kind::kOther) + 1;

// Milliseconds from now; kNoDeadline: for ever; 0 or less: remove.
using Ttl = Millis;

struct Write {
  enum class When : std::uint8_t { kAlways, kIfAbsent, kIfPresent, kIfVersion };
  ValueType type = ValueType::kString;
  std::string_view bytes = {};
  Ttl ttl = kNoDeadline;
  When when = When::kAlways;
  Version version = 0;
  Version* stored = nullptr;  // where the new entry's version goes
  std::span<const std::string_view> tags = {};
};

struct KeyValue {
  std::string_view key;
  ValueType type = ValueType::kString;
  std::string_view bytes;
};

// Some entries of a walk, copied.
struct Page {
  struct Item {
    std::string key;
    std::string bytes;
    ValueType type = ValueType::kString;
    Version version = 0;  // where values were asked for
  };
  std::vector<Item> items;
  Generation generation;
  bool last = false;  // nothing comes behind it
};

struct Stats {
  std::int64_t entries = 0, used_memory = 0, max_memory = 0, hits = 0, misses = 0, evicted = 0, expired = 0;
  std::int64_t tags = 0, tag_memberships = 0;
  std::int64_t mapping_size = -1, mapping_bytes = -1;  // of shared stores
};

// ---- leases: who may compute a value
struct LeaseRequest {
  std::uint64_t party = 0;  // of this thread: who waits for whom is asked among parties
  Millis wait = 0;          // for another's computation
  Version seen = 0;         // the entry that the caller has and would renew; 0: none
};
struct LeaseAnswer {
  enum class What : std::uint8_t {
    kGranted,  // compute, then fill() or drop()
    kStored,   // there is a value now that the caller has not seen: read again
    kSelf,     // compute without storing: the wait is over, or would never be
  };
  What what = What::kSelf;
  std::uint64_t token = 0;
};
struct Fill {
  std::uint64_t token = 0;
  ValueType type = ValueType::kString;
  std::string_view bytes = {};
  Ttl ttl = kNoDeadline;
  Millis stale = 0;  // how long beyond its deadline those who refresh it may have it
  std::uint32_t compute_us = 0;
  std::span<const std::string_view> tags = {};
  Version* stored = nullptr;
};
// A lease ends by itself after this time: its holder hangs, since whoever dies or leaves is noticed at once.
inline constexpr Millis kLeaseCeiling = 600'000;

// ---- locks
struct LockRequest {
  std::string_view name;
  std::string_view owner;
  Millis lease = kNoDeadline;
  Millis wait = 0;
  bool bound = false;  // ends with this process's connection
  std::uint64_t party = 0;
};
struct LockState {
  bool is_owner = false;  // the one asked about holds it
  std::int64_t fence = 0;
};

struct Allowance {
  bool allowed = false;
  std::int64_t remaining = 0;
  Millis retry_after = 0;  // kNoDeadline: never
};

class Backend {
 public:
  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  bool is_shared() const { return is_shared_; }

  virtual Outcome write(std::string_view key, const Write& write, Failure* failure) = 0;
  // kNot: at least one was refused; `failure` says why the last one was.
  virtual Outcome write_many(std::span<const KeyValue> values, Ttl ttl, std::span<const std::string_view> tags,
                             Failure* failure) = 0;
  virtual Outcome erase_many(std::span<const std::string_view> keys, Failure* failure) = 0;
  virtual Outcome increment(std::string_view key, std::int64_t by, std::int64_t initial, Ttl ttl_if_new,
                            std::int64_t* value, Failure* failure) = 0;
  virtual Outcome touch(std::string_view key, Ttl ttl, Failure* failure) = 0;
  // Removes what begins with `prefix`, everything where it is empty.
  virtual Outcome clear(std::string_view prefix, Failure* failure) = 0;
  virtual Outcome erase_prefix(std::string_view prefix, std::int64_t* removed, Failure* failure) = 0;
  virtual Outcome count_prefix(std::string_view prefix, std::int64_t* count, Failure* failure) = 0;
  virtual Outcome prune(std::int64_t* removed, Failure* failure) = 0;
  virtual Outcome stats(Stats* stats, Failure* failure) = 0;
  // Entries behind `after` (all from the prefix's first where `has_after` is false), at most `limit`, and about 1 MiB.
  virtual Outcome scan(std::string_view prefix, bool has_after, std::string_view after, std::size_t limit,
                       bool with_values, Page* page, Failure* failure) = 0;

  // ---- tags
  // At most as many tags as fit into a request (kTagsAtOnce).
  static constexpr std::size_t kTagsAtOnce = 4096;
  virtual Outcome invalidate_tags(std::span<const std::string_view> tags, std::int64_t* removed, Failure* failure) = 0;
  // Of a live entry, in bytewise order; none without one.
  virtual Outcome tags_of(std::string_view key, std::vector<std::string>* tags, Failure* failure) = 0;

  // ---- leases
  virtual Outcome lease(std::string_view key, const LeaseRequest& request, LeaseAnswer* answer, Failure* failure) = 0;
  // kNot: not stored, since what the value was made from has been invalidated. The lease has ended in any case.
  virtual Outcome fill(std::string_view key, const Fill& fill, Failure* failure) = 0;
  // Ends a lease without a value. Says nothing where the owner is away: then it has ended already.
  virtual void drop(std::uint64_t token) = 0;

  // ---- locks. kNot: not granted; not the holder; free.
  virtual Outcome lock(const LockRequest& request, std::int64_t* fence, Failure* failure) = 0;
  virtual Outcome unlock(std::string_view name, std::string_view owner, Failure* failure) = 0;
  virtual Outcome force_unlock(std::string_view name, Failure* failure) = 0;
  // As unlock(), where that needs no new connection: with an older one the lock has ended already.
  virtual void let_go(std::string_view name, std::string_view owner) = 0;
  virtual Outcome relock(std::string_view name, std::string_view owner, Millis lease, Failure* failure) = 0;
  virtual Outcome lock_state(std::string_view name, std::string_view owner, LockState* state, Failure* failure) = 0;
  virtual Outcome flush_locks(std::string_view prefix, Failure* failure) = 0;

  virtual Outcome throttle(std::string_view key, std::int64_t limit, Millis period, std::int64_t cost,
                           Allowance* allowance, Failure* failure) = 0;

 protected:
  explicit Backend(bool is_shared) : is_shared_(is_shared) {}

 private:
  const bool is_shared_;
};

}  // namespace coppice::php
