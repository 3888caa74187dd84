// The deadline index: JudyL over the deadline in milliseconds; each value is one entry reference (tagged) or a Judy1
// set of them. The next entries to expire come first, so that a sweep costs what expired.
//
// Thread safety: none. Memory comes from the pool; before insert() the store sees to pool.ready().
#pragma once

#include <cstddef>
#include <optional>

#include "coppice/types.h"
#include "judy_pool.h"
#include "order_index.h"

namespace coppice {

class DeadlineIndex {
 public:
  explicit DeadlineIndex(JudyPool& pool) : pool_(&pool) {}
  ~DeadlineIndex();
  DeadlineIndex(const DeadlineIndex&) = delete;
  DeadlineIndex& operator=(const DeadlineIndex&) = delete;

  // REQUIRES: the pair is not in the index; deadline != kNoDeadline. Any other value, negative ones included.
  void insert(Millis deadline, EntryRef ref);
  // false: not there.
  bool erase(Millis deadline, EntryRef ref);
  // The entry of this pair has moved: it is now `ref`, with the same deadline. false: not there.
  bool replace(Millis deadline, EntryRef old, EntryRef ref);

  std::size_t size() const { return size_; }
  struct Due {
    Millis deadline;
    EntryRef ref;
  };
  // The earliest pair.
  std::optional<Due> first() const;
  // The pair after `d` in order (deadline, ref); d need not be there.
  std::optional<Due> next(const Due& d) const;
  bool contains(Millis deadline, EntryRef ref) const {
    const auto found = next({deadline, ref - 1});
    return found && found->deadline == deadline && found->ref == ref;
  }

 private:
  JudyPool* pool_;
  void* root_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace coppice
