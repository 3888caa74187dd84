// A store in this process, common to all handles of its name.
//
// Thread safety: any number of threads. In a thread-safe PHP a mutex is held around each operation of the store; it is
// never held while Zend is called. Without threads there is none.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "backend.h"
#include "coppice/store.h"
#include "options.h"

namespace coppice::php {

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
    if (!entry) return false;
    hit(*entry);
    store_->erase(0, key);
    return true;
  }
  bool has(std::string_view key) {
    return read(key, [](const EntryView&) {});
  }

  Outcome write(std::string_view key, const Write& write, Failure* failure) override;
  Outcome write_many(std::span<const KeyValue> values, Ttl ttl, Failure* failure) override;
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

 private:
  explicit LocalBackend(std::unique_ptr<Store> store) : Backend(false), store_(std::move(store)) {}
  Outcome write_locked(std::string_view key, const Write& write, Failure* failure);
  // What an owner's loop does beside its commands is done here with the writes.
  void upkeep();

  Mutex mutex_;
  std::unique_ptr<Store> store_;
  std::uint32_t writes_ = 0;
};

}  // namespace coppice::php
