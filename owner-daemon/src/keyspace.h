// What happens to keys, told to those who asked: notifications and tracking clients. The store is asked to tell only
// while there are any.
//
// Thread safety: none; the daemon's one loop.
#pragma once

#include <span>
#include <string_view>
#include <utility>

#include "coppice/store.h"
#include "notifications.h"
#include "tracking.h"

namespace coppice::daemon {

class Keyspace final : public StoreListener {
 public:
  // Both must outlive it.
  Keyspace(Store& store, PubSub& pubsub) : store_(store), notifications_(pubsub), tracking_(store) {}
  ~Keyspace() { store_.set_observer(nullptr); }
  Keyspace(const Keyspace&) = delete;
  Keyspace& operator=(const Keyspace&) = delete;

  Notifications& notifications() { return notifications_; }
  Tracking& tracking() { return tracking_; }
  // After each change of who is to be told.
  void update() {
    const bool tracks = tracking_.clients() > 0;
    store_.set_observer(notifications_.on() || tracks ? this : nullptr);
    attentive_ = tracks || notifications_.wants_misses();
  }
  // Whether after() is to be called.
  bool attentive() const { return attentive_; }

  // The command that is being run, null: none. Answers the one before.
  const Call* set_call(const Call* call) { return std::exchange(call_, call); }
  // A command was run.
  void after(const Call& call);

  void on_change(Database db, std::string_view key, Change change) override;
  void on_erase_prefix(Database db, std::string_view prefix) override;
  void on_invalidate_tags(Database db, std::span<const std::string_view> tags, Version version) override;
  void on_flush(Database db) override;
  void on_expire(Database db, std::string_view key) override;
  void on_evict(Database db, std::string_view key) override;
  void on_prefix_erased(Database db, std::string_view prefix) override;
  void on_tags_invalidated(Database db, Version version) override;

 private:
  // The client that makes the change; 0: none.
  std::uint64_t origin() const;

  Store& store_;
  Notifications notifications_;
  Tracking tracking_;
  const Call* call_ = nullptr;
  bool attentive_ = false;
};

}  // namespace coppice::daemon
