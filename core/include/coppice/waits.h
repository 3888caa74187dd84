// Who waits for whom, over leases and locks alike, so that nobody waits in a circle.
//
// A *client* is a connection. A *party* is what can wait: one thread of one process, whichever of its connections it
// uses. A client that names no party stands for itself. A party waits for one thing at a time, so the parties and what
// they wait for make chains, and a circle is found by following one.
//
// Thread safety: none; one thread at a time, with the Leases and Locks that share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "coppice/types.h"

namespace coppice {

using ClientId = std::uint64_t;
using Party = std::uint64_t;
inline constexpr Party kNoParty = 0;

// Something that one party holds and others wait for: a key's lease, or a lock.
struct Held {
  Party holder = kNoParty;     // kNoParty: nobody
  Millis until = kNoDeadline;  // when the hold ends by itself
  bool is_lock = false;
};

struct Wait;

// What a wait belongs to.
class WaitOwner {
 public:
  // Answers the wait with a refusal and forgets it; `wait` is gone afterwards.
  virtual void give_up(Wait& wait) = 0;

 protected:
  ~WaitOwner() = default;
};

// One party's wait. Lives where its owner keeps it.
struct Wait {
  ClientId client = 0;
  Party party = kNoParty;  // never kNoParty while it waits
  Millis limit = kNoDeadline;
  const Held* held = nullptr;
  WaitOwner* owner = nullptr;
};

class WaitGraph {
 public:
  // The party that stands for a client that named none; any other one stays itself.
  static Party party_of(Party named, ClientId client);

  // REQUIRES: wait.party does not wait (give_up_wait_of()). `wait` must stay where it is until remove().
  void add(Wait& wait) { waits_.emplace(wait.party, &wait); }
  void remove(const Wait& wait) { waits_.erase(wait.party); }
  // A party that asks again has no use for the answer that it waited for: that wait ends with a refusal.
  void give_up_wait_of(Party party);

  // Whether `who` would wait in a circle if it waited for `held` until `limit`.
  //
  // Who waits for a lock can wait for a lock's lease to end: a hold of one that ends by itself before `limit` is no
  // part of a circle then (`patient`). Who waits for a lease had better compute than wait for any of these.
  bool closes_circle(Party who, const Held& held, Millis limit, bool patient) const;

  // What `party` holds was lengthened: if its own wait is part of a circle now, that wait ends with a refusal.
  void recheck(Party party);

  std::size_t size() const { return waits_.size(); }

 private:
  std::unordered_map<Party, Wait*> waits_;
};

}  // namespace coppice
