// Keyspace notifications: messages about what happens to keys, to channels that carry the key's or the event's name.
// Off unless asked for (CONFIG SET notify-keyspace-events).
//
// Which event a change is follows from the command that made it, so that no command needs to announce anything.
//
// Thread safety: none; the daemon's one loop.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "coppice/store.h"

namespace coppice::daemon {

struct Call;
class PubSub;

class Notifications {
 public:
  explicit Notifications(PubSub& pubsub) : pubsub_(pubsub) {}

  // "AKE" and its like. false: a letter that stands for nothing; nothing has changed.
  bool set(std::string_view letters);
  std::string letters() const;
  bool on() const { return flags_ != 0; }
  bool wants_misses() const { return (flags_ & kMiss) != 0 && (flags_ & (kKeyspace | kKeyevent)) != 0; }

  // `call`: the command that made the change.
  void on_change(const Call& call, Database db, std::string_view key, Change change);
  void on_prefix_erased(Database db, std::string_view prefix) { notify(kGeneric, "delprefix", db, prefix); }
  void on_expire(Database db, std::string_view key) { notify(kExpired, "expired", db, key); }
  void on_evict(Database db, std::string_view key) { notify(kEvicted, "evicted", db, key); }
  void on_miss(Database db, std::string_view key) { notify(kMiss, "keymiss", db, key); }

  enum Class : std::uint16_t {
    kKeyspace = 1,
    kKeyevent = 2,
    kGeneric = 4,
    kString = 8,
    kList = 16,
    kSet = 32,
    kHash = 64,
    kSortedSet = 128,
    kExpired = 256,
    kEvicted = 512,
    kStream = 1024,
    kModule = 2048,
    kMiss = 4096,
    kNew = 8192,
    kAll = kGeneric | kString | kList | kSet | kHash | kSortedSet | kExpired | kEvicted | kStream | kModule
  };

 private:
  void notify(Class which, std::string_view event, Database db, std::string_view key);

  PubSub& pubsub_;
  std::uint16_t flags_ = 0;
};

}  // namespace coppice::daemon
