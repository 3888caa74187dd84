// A store in this process, common to all handles of its name.
//
// Thread safety: any number of threads. In a thread-safe PHP a mutex is held around each operation of the store; it is
// never held while Zend is called. Without threads there is none.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "backend.h"
#include "coppice/leases.h"
#include "coppice/locks.h"
#include "coppice/store.h"
#include "options.h"

namespace coppice::php {

// When a local store's clock was last read, as it is for an entry with a deadline.
Millis last_local_time();
// The absolute deadline of a local store's entry.
Millis deadline_after_now(Ttl ttl);
inline Millis deadline_of(Ttl ttl) { return ttl == kNoDeadline ? kNoDeadline : deadline_after_now(ttl); }
// Fills in `failure`; always kFailed.
Outcome refuse(Error error, Failure* failure);

class LocalBackend final : public Backend {
 public:
#ifdef ZTS
  static constexpr bool kLocks = true;
  using Mutex = std::mutex;
#else
  static constexpr bool kLocks = false;
  struct Mutex {
    void lock() {}
    void unlock() {}
  };
#endif

  // The process's store of this name; made by the first who asks. Null: `error` says which option contradicts the
  // store that is open, or why it can't be made.
  static LocalBackend* open(const Options& options, std::string* error);
  // Ends all stores. REQUIRES: no handle is left.
  static void close_all();
  static std::size_t open_stores();

  // As read(), also of what is beyond its deadline and waits for a refresh: hit(const RefreshView&).
  template <class Hit>
  [[gnu::always_inline]] bool read_refreshable(std::string_view key, Hit&& hit) {
    const std::lock_guard<Mutex> guard(mutex_);
    union Place {  // RefreshView would clear itself for nothing
      Place() {}
      RefreshView found;
    } place;
    if (!store_->find_stale(0, key, &place.found)) return false;
    hit(place.found);
    return true;
  }
  // Calls hit(const EntryView&) under the lock; false is a miss. `hit` must not change the store.
  // REQUIRES: where kLocks, `hit` does not call Zend.
  template <class Hit>
  bool read(std::string_view key, Hit&& hit) {
    const std::lock_guard<Mutex> guard(mutex_);
    const std::optional<EntryView> entry = store_->find(0, key);
    if (!entry) return false;
    hit(*entry);
    return true;
  }
  // The same for many keys: each(position, entry or null).
  template <class Each>
  void read_many(std::span<const std::string_view> keys, Each&& each) {
    const std::lock_guard<Mutex> guard(mutex_);
    Store::Batch batch;
    for (std::size_t from = 0; from < keys.size(); from += Store::kBatch) {
      const std::size_t left = keys.size() - from;
      const auto some = keys.subspan(from, left < Store::kBatch ? left : Store::kBatch);
      const std::uint32_t hits = store_->find_batch(0, some, batch.found);
      for (std::size_t i = 0; i < some.size(); ++i) each(from + i, (hits >> i & 1) != 0 ? &batch.found[i] : nullptr);
    }
  }
  // The entry goes when `hit` has seen it.
  template <class Hit>
  bool take(std::string_view key, Hit&& hit) {
    const std::lock_guard<Mutex> guard(mutex_);
    const std::optional<EntryView> entry = store_->find(0, key);
    if (entry) hit(*entry);
    if (entry && !is_value(entry->type)) return true;  // no value, and it stays
    // Also where there is nothing: somebody may be computing it.
    store_->erase(0, key);
    return entry.has_value();
  }
  bool has(std::string_view key) {
    return read(key, [](const EntryView&) {});
  }

  Outcome write(std::string_view key, const Write& write, Failure* failure) override;
  Outcome write_many(std::span<const KeyValue> values, Ttl ttl, std::span<const std::string_view> tags,
                     Failure* failure) override;
  Outcome erase_many(std::span<const std::string_view> keys, Failure* failure) override;
  Outcome increment(std::string_view key, std::int64_t by, std::int64_t initial, Ttl ttl_if_new, std::int64_t* value,
                    Failure* failure) override;
  Outcome touch(std::string_view key, Ttl ttl, Failure* failure) override;
  Outcome clear(std::string_view prefix, Failure* failure) override;
  Outcome erase_prefix(std::string_view prefix, std::int64_t* removed, Failure* failure) override;
  Outcome count_prefix(std::string_view prefix, std::int64_t* count, Failure* failure) override;
  Outcome prune(std::int64_t* removed, Failure* failure) override;
  Outcome stats(Stats* stats, Failure* failure) override;
  Outcome scan(std::string_view prefix, bool has_after, std::string_view after, std::size_t limit, bool with_values,
               Page* page, Failure* failure) override;
  Outcome invalidate_tags(std::span<const std::string_view> tags, std::int64_t* removed, Failure* failure) override;
  Outcome tags_of(std::string_view key, std::vector<std::string>* tags, Failure* failure) override;
  Outcome lease(std::string_view key, const LeaseRequest& request, LeaseAnswer* answer, Failure* failure) override;
  Outcome fill(std::string_view key, const Fill& fill, Failure* failure) override;
  void drop(std::uint64_t token) override;
  Outcome lock(const LockRequest& request, std::int64_t* fence, Failure* failure) override;
  Outcome unlock(std::string_view name, std::string_view owner, Failure* failure) override;
  Outcome force_unlock(std::string_view name, Failure* failure) override;
  void let_go(std::string_view name, std::string_view owner) override;
  Outcome relock(std::string_view name, std::string_view owner, Millis lease, Failure* failure) override;
  Outcome lock_state(std::string_view name, std::string_view owner, LockState* state, Failure* failure) override;
  Outcome flush_locks(std::string_view prefix, Failure* failure) override;
  Outcome throttle(std::string_view key, std::int64_t limit, Millis period, std::int64_t cost, Allowance* allowance,
                   Failure* failure) override;

 private:
  explicit LocalBackend(std::unique_ptr<Store> store) : Backend(false), store_(std::move(store)) {}
  Outcome write_locked(std::string_view key, const Write& write, Failure* failure);
  // What an owner's loop does beside its commands is done here with the writes.
  void upkeep();

  // Who may compute, and who holds which lock.
  struct Coordination {
    explicit Coordination(Store& store)
        : locks([&store] { return store.take_version(); }, graph), leases(store, graph) {}
    pid_t pid = 0;
    WaitGraph graph;
    Locks locks;
    Leases leases;
    std::vector<LeaseDecision> lease_decisions;  // that their threads have not taken yet
    std::vector<LockDecision> lock_decisions;
  };
  Coordination& coordination();
  // Until something may have been decided. false: nothing ever will be.
  bool sleep_until_decided(std::unique_lock<Mutex>& guard);
  void wake();

  Mutex mutex_;
#ifdef ZTS
  std::condition_variable decided_;
#endif
  std::unique_ptr<Store> store_;
  std::unique_ptr<Coordination> coordination_;  // null until it is used
  std::uint32_t writes_ = 0;
};

}  // namespace coppice::php
