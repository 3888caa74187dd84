#include "order_index.h"

#include <cassert>

#include "block.h"
#include "order_index_impl.h"

namespace coppice {

std::string_view KeySource::key_of(EntryRef ref) const { return block_key(base + ref * 8); }

OrderIndex::~OrderIndex() { clear(); }

void OrderIndex::clear() {
  PoolScope scope(*pool_);
  for (Bucket* b = first_; b;) {
    Bucket* after = b->after;
    Access::release(*this, b);
    b = after;
  }
  // The arrays, deepest first.
  struct Level {
    void** array;
    std::uint64_t word;
  } levels[kMaxDepth];
  std::size_t depth = 0;
  levels[0] = {&root_, 0};
  bool fresh = true;
  while (root_) {
    Level& level = levels[depth];
    void** slot = fresh ? judy::map_first(*level.array, &level.word) : judy::map_next(*level.array, &level.word);
    fresh = false;
    if (!slot) {
      judy::map_clear(level.array);
      if (depth == 0) break;
      --depth;
    } else if (!Access::is_bucket(*slot)) {
      levels[++depth] = {slot, 0};
      fresh = true;
    }
  }
  first_ = last_ = nullptr;
  latest_ = {};
  latest_slot_ = nullptr;
  size_ = 0;
}

[[gnu::hot]] void OrderIndex::insert(std::string_view key, EntryRef ref) {
  assert(!key.empty() && key.size() <= kMaxKeyLength);
  ++size_;
  void** slot = latest_slot_;
  const bool in_order = Access::follows_latest(*this, key);
  Bucket* b = in_order ? latest_.bucket : Access::locate(*this, key, &slot);
  const std::uint32_t at = in_order ? latest_.slot + 1 : b ? Access::search(*this, b, key, false) : 0;
  if (b && b->count < b->capacity) [[likely]] {
    b->move(at + 1, at, b->count - at);
    b->set(at, ref);
    ++b->count;
    latest_ = {b, at};
    latest_slot_ = slot;
    return;
  }
  PoolScope scope(*pool_);
  if (!b) {
    b = Access::make(*this, kGrowBy, "");
    b->set(0, ref);
    b->count = 1;
    first_ = last_ = b;
    Access::add_to_trie(*this, b);
    latest_ = {b, 0};
  } else if (b->count < kMaxCount) {
    Bucket* larger = Access::make_successor(*this, std::min(b->count + kGrowBy, kMaxCount), b);
    larger->copy_with(*b, 0, b->count + 1u, at, ref);
    latest_slot_ = Access::take_place(*this, b, larger, slot);
    latest_ = {larger, at};
  } else {
    Access::split(*this, b, slot, at, ref);
  }
}

bool OrderIndex::erase(std::string_view key) {
  void** slot;
  const Position p = Access::exact(*this, key, &slot);
  if (p) Access::remove_slot(*this, p.bucket, p.slot, slot);
  return bool(p);
}

bool OrderIndex::erase(std::string_view key, EntryRef old) {
  void** slot;
  Bucket* b = Access::locate(*this, key, &slot);
  const std::uint32_t i = b ? Access::slot_of_ref(b, old) : 0;
  if (!b || i == b->count) return false;
  Access::remove_slot(*this, b, i, slot);
  return true;
}

bool OrderIndex::replace(std::string_view key, EntryRef ref) {
  void** slot;
  const Position p = Access::exact(*this, key, &slot);
  if (p) p.bucket->set(p.slot, ref);
  return bool(p);
}

bool OrderIndex::replace(std::string_view key, EntryRef old, EntryRef ref) {
  void** slot;
  Bucket* b = Access::locate(*this, key, &slot);
  const std::uint32_t i = b ? Access::slot_of_ref(b, old) : 0;
  if (!b || i == b->count) return false;
  b->set(i, ref);
  return true;
}

EntryRef OrderIndex::find(std::string_view key) const {
  void** slot;
  const Position p = Access::exact(*this, key, &slot);
  return p ? p.bucket->ref(p.slot) : 0;
}

OrderIndex::Position OrderIndex::lower_bound(std::string_view key, bool after) const {
  void** slot;
  Bucket* b = Access::locate(*this, key, &slot);
  return b ? Access::at_or_after(b, Access::search(*this, b, key, after)) : Position{};
}

OrderIndex::Position OrderIndex::upper_bound(std::string_view key, bool before) const {
  void** slot;
  Bucket* b = Access::locate(*this, key, &slot);
  return b ? Access::just_before(b, Access::search(*this, b, key, !before)) : Position{};
}

OrderIndex::Position OrderIndex::first() const { return Access::at_or_after(first_, 0); }
OrderIndex::Position OrderIndex::last() const { return last_ ? Access::just_before(last_, last_->count) : Position{}; }

OrderIndex::Position OrderIndex::end_of_prefix(std::string_view prefix) const {
  const PrefixEnd end(prefix);
  return end ? lower_bound(end.view()) : Position{};
}

OrderIndex::Position OrderIndex::last_of_prefix(std::string_view prefix) const {
  const PrefixEnd end(prefix);
  const Position p = end ? upper_bound(end.view(), true) : last();
  return p && keys_.key_of(at(p)).starts_with(prefix) ? p : Position{};
}

EntryRef OrderIndex::at(Position p) const { return p.bucket->ref(p.slot); }

OrderIndex::Position OrderIndex::next(Position p) const {
  // Entries lie in no order: who walks will want this one soon.
  if (p.bucket && p.slot + kWalkAhead < p.bucket->count)
    Access::prefetch(*this, p.bucket->ref(p.slot + kWalkAhead));
  else if (p.bucket && p.bucket->after && p.slot + kWalkAhead == p.bucket->count)
    __builtin_prefetch(p.bucket->after);
  return Access::at_or_after(p.bucket, p.slot + 1);
}
OrderIndex::Position OrderIndex::previous(Position p) const { return Access::just_before(p.bucket, p.slot); }

std::size_t OrderIndex::count_prefix(std::string_view prefix) const {
  const Position from = lower_bound(prefix);
  if (!from) return 0;
  const Position to = end_of_prefix(prefix);
  if (from.bucket == to.bucket) return to.slot - from.slot;
  std::size_t n = from.bucket->count - from.slot + to.slot;
  for (const Bucket* b = from.bucket->after; b != to.bucket; b = b->after) n += b->count;
  return n;
}

OrderIndex::Position OrderIndex::advance(Position p, std::size_t n) const {
  while (p.bucket && n >= p.bucket->count - p.slot) {
    n -= p.bucket->count - p.slot;
    p = {p.bucket->after, 0};
  }
  if (p.bucket) p.slot += static_cast<std::uint32_t>(n);
  return p;
}

OrderIndex::Position OrderIndex::retreat(Position p, std::size_t n) const {
  while (p.bucket && n > p.slot) {
    n -= p.slot;
    p = {p.bucket->before, p.bucket->before ? p.bucket->before->count : 0u};
  }
  if (p.bucket) p.slot -= static_cast<std::uint32_t>(n);
  return p;
}

std::size_t OrderIndex::rank(Position p, Position first, Position last, std::size_t total) const {
  const Bucket* back = p.bucket;
  const Bucket* forth = p.bucket;
  std::size_t before = p.slot;
  std::size_t after = p.bucket->count - 1 - p.slot;
  for (;;) {
    if (back == first.bucket) return before - first.slot;
    if (forth == last.bucket) return total - 1 - (after - (last.bucket->count - 1 - last.slot));
    back = back->before;
    before += back->count;
    forth = forth->after;
    after += forth->count;
  }
}

bool OrderIndex::erase_front(std::string_view prefix, std::string_view from, std::size_t budget,
                             const RangeVisitor& visitor, std::string* resume) {
  assert(budget >= 1);
  PoolScope scope(*pool_);
  if (from < prefix) from = prefix;
  void** slot;
  Bucket* b = Access::locate(*this, from, &slot);
  Bucket* changed = nullptr;  // the last bucket that lost some, or what is there now
  std::uint32_t low = b ? Access::search(*this, b, from, false) : 0;
  if (b && low == b->count) {
    b = b->after;
    slot = nullptr;
    low = 0;
  }
  bool done = true;
  while (b) {
    Bucket* after = b->after;
    std::uint32_t high = b->count;
    if (!Access::ends_inside(b, prefix)) {
      const PrefixEnd end(prefix);
      if (end) high = Access::search(*this, b, end.view(), false);
      after = nullptr;
    }
    for (std::uint32_t i = low; i < high; ++i) Access::prefetch(*this, b->ref(i));
    std::uint32_t kept = low, i = low;
    for (; i < high && budget > 0; ++i, --budget) {
      const EntryRef ref = b->ref(i);
      if (visitor.keep(visitor.context, ref))
        b->set(kept++, ref);
      else
        visitor.taken(visitor.context, ref);
    }
    if (i < high) {
      done = false;
      resume->assign(keys_.key_of(b->ref(i)));
    }
    if (i > kept) {
      latest_ = {};
      b->move(kept, i, b->count - i);
      b->count = static_cast<std::uint8_t>(b->count - (i - kept));
      size_ -= i - kept;
      changed = Access::settle(*this, b, slot, false);
    }
    if (!done) break;
    b = after;
    slot = nullptr;
    low = 0;
    if (b && budget == 0) {
      const std::string_view key = keys_.key_of(b->ref(0));
      if (key.starts_with(prefix)) {
        resume->assign(key);
        done = false;
      }
      break;
    }
  }
  if (changed && changed->count > 0) Access::tidy(*this, changed, nullptr, true);
  return done;
}

}  // namespace coppice
