// Memory: room is made before a write begins, so that a write that began never fails half-way.
#include "store_impl.h"

namespace coppice {

namespace {

// Blocks that one call looks at before it takes what it can get: bounds the time of an eviction.
constexpr std::size_t kLookAtMost = 4096;
constexpr std::size_t kEvictAtOnce = 16;

}  // namespace

bool Store::Impl::ensure_pool() {
  while (!pool_.ready()) {
    const std::uint32_t page = arena_.take_page(layout::kOrderPage);
    if (page == 0) return false;
    pool_.add_page(segment_->page(page));
  }
  return true;
}

bool Store::Impl::ensure_pool_by_eviction() {
  // What is wanted is a page: blocks of the largest class are one.
  while (!ensure_pool())
    if (!reclaim(layout::kClassCount - 1)) return false;
  return true;
}

bool Store::Impl::ensure_place(layout::KeyHash hash, PointIndex::Place* place) {
  while (!ensure_pool() || (pinned_ == 0 && !points_.prepare(hash, place)))
    if (!reclaim(layout::kClassCount - 1)) return false;
  return true;
}

[[gnu::hot]] bool Store::Impl::ensure_room(std::uint32_t size_class, std::uint32_t data_pages, layout::KeyHash hash,
                                           PointIndex::Place* place) {
  // Nearly always there is room already.
  if (data_pages == 0 && pool_.ready() && arena_.has_free_block(size_class) &&
      (pinned_ != 0 || points_.prepare(hash, place)))
    return true;
  // What can never fit is refused before anything is given up for it.
  const std::uint64_t floor = arena_.fixed_bytes() + (pool_.pages() + 3) * layout::kPageSize;
  if (data_pages > 0 && floor + static_cast<std::uint64_t>(data_pages) * layout::kPageSize > arena_.limit())
    return false;
  for (;;) {
    if (ensure_pool() && (pinned_ != 0 || points_.prepare(hash, place))) {
      const std::uint64_t pages = arena_.pages_available();
      if (pages >= data_pages) {
        if (arena_.has_free_block(size_class)) return true;
        if (pages > data_pages && arena_.grow(size_class)) return true;
        if (arena_.class_with_block(size_class) < layout::kClassCount) return true;
      }
    }
    if (!reclaim(size_class)) return false;
  }
}

// One step towards more room: something is freed, or false.
bool Store::Impl::reclaim(std::uint32_t wanted_class) {
  if (arena_.release_empty_page()) return true;
  if (has_dead()) {
    purge(64);
    return true;
  }
  std::uint64_t removed = 0;
  expire(64, &removed);
  if (removed > 0) return true;
  if (empty_a_page()) return true;
  return evict(kEvictAtOnce, wanted_class) > 0;
}

// ---- moving entries ------------------------------------------------------------------------------------------------

bool Store::Impl::empty_a_page() {
  const std::uint32_t page = arena_.page_to_empty();
  if (page == 0) return false;
  arena_.begin_emptying(page);
  arena_.for_each_block(page, 0, [&](std::uint64_t offset) { return move_entry(offset); });
  const bool emptied = arena_.live_blocks(page) == 0;
  arena_.end_emptying(page);
  return emptied;
}

// Copies the entry to another page of its class, with its version: to its readers nothing happened but a retry.
bool Store::Impl::move_entry(std::uint64_t offset) {
  const Block block = block_at(offset);
  const std::uint32_t size_class =
      arena_.kind_of(static_cast<std::uint32_t>(offset >> layout::kPageShift)) - layout::kFirstBlockPage;
  const std::uint64_t to = arena_.take_block(size_class);
  if (to == 0) return false;
  layout::write_shared(arena_.at(to) + 8, arena_.at(offset) + 8, block.size() - 8);
  if (block.has_trailer()) {
    const std::uint32_t n = trailer(offset).size();
    layout::write_shared(block_end(to) - n, block_end(offset) - n, n);
    hand_over_tags(block.key(), offset, to);
  }
  block_at(to).header().version.store(block.version(), std::memory_order_release);  // (2)
  const layout::KeyHash hash = points_.hash(block.branch(), block.key());
  points_.replace(points_.find_block(offset, hash), to);
  branches_[block.branch()].order->replace(block.key(), offset >> 3, to >> 3);
  if (block.has_deadline() && !deadlines_.replace(block.deadline(), offset >> 3, to >> 3))
    stales_.replace(hard_deadline(offset), offset >> 3, to >> 3);
  if (arena_.is_marked(offset)) arena_.mark(to);
  if (is_collection(block.type())) [[unlikely]]
    head_moved(offset, to);
  if (pinned_ == offset) pinned_ = to;
  discard(offset, false);
  ++moved_;
  return true;
}

// ---- eviction ------------------------------------------------------------------------------------------------------

void Store::Impl::evict_one(std::uint64_t offset) {
  if (passed(block_at(offset))) {
    if (both_.second != nullptr) tell_expired(offset);
    ++expired_;
  } else {
    if (both_.second != nullptr) tell_evicted(offset);
    ++evicted_;
  }
  remove(offset);
}

std::size_t Store::Impl::evict(std::size_t count, std::uint32_t wanted_class) {
  std::size_t evicted = 0;
  // One at a time while that alone may free a block of the class.
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t n = 0;
    switch (options_.policy) {
      case Policy::kNoEviction:
        return 0;
      case Policy::kAllKeysLru:
        n = evict_by_hand(1, false);
        break;
      case Policy::kVolatileLru:
        n = evict_by_hand(1, true);
        break;
      case Policy::kAllKeysRandom:
        n = evict_at_random(1);
        break;
      case Policy::kVolatileTtl:
        n = evict_soonest(1);
        break;
    }
    if (n == 0) break;
    evicted += n;
    // What a collection held may be more than enough.
    if (arena_.class_with_block(wanted_class) < layout::kClassCount || has_dead()) break;
  }
  give_back_surplus();
  return evicted;
}

// CLOCK over the arena in the order of pages and blocks. A new entry takes the place of one that the hand has passed,
// so it is looked at after a whole turn; an entry that was read meanwhile gets another turn.
std::size_t Store::Impl::evict_by_hand(std::size_t count, bool volatile_only) {
  if (volatile_only && deadlines_.size() + stales_.size() == 0) return 0;
  std::size_t evicted = 0;
  std::size_t looked = 0;
  std::size_t pages = 0;
  const std::size_t all_pages = arena_.high_water() - arena_.first_page() + 1;
  while (evicted < count && pages <= 3 * all_pages && (looked < kLookAtMost || !volatile_only)) {
    if (hand_page_ < arena_.first_page() || hand_page_ >= arena_.high_water()) {
      hand_page_ = arena_.first_page();
      hand_block_ = 0;
    }
    const std::uint16_t kind = arena_.kind_of(hand_page_);
    if (kind < layout::kFirstBlockPage) {
      ++hand_page_;
      hand_block_ = 0;
      ++pages;
      continue;
    }
    hand_block_ = arena_.for_each_block(hand_page_, hand_block_, [&](std::uint64_t offset) {
      ++looked;
      if (offset == pinned_) return true;
      const std::uint64_t owner = owner_of(offset);
      if (owner == 0) return true;
      // After so many that were all read lately the next one has to go.
      if (arena_.is_marked(owner) && looked < kLookAtMost) {
        // A collection has its turn with its head, whatever it holds.
        if (owner == offset) arena_.unmark(offset);
        return true;
      }
      if (volatile_only && !block_at(owner).has_deadline()) return looked < kLookAtMost;
      evict_one(owner);
      return ++evicted < count;
    });
    if (arena_.kind_of(hand_page_) != kind || hand_block_ >= layout::blocks_per_page(kind - layout::kFirstBlockPage)) {
      ++hand_page_;
      hand_block_ = 0;
      ++pages;
    }
  }
  // Few entries with a deadline among many without: the next to expire has to serve.
  if (evicted == 0 && volatile_only) return evict_soonest(count);
  return evicted;
}

std::size_t Store::Impl::evict_at_random(std::size_t count) {
  std::size_t evicted = 0;
  for (int tries = 0; evicted < count && tries < 64; ++tries) {
    std::uint64_t offset = points_.some_block(static_cast<std::uint64_t>(random_()) << 32 | random_());
    if (offset != 0) offset = owner_of(offset);
    if (offset == 0 || offset == pinned_) continue;
    evict_one(offset);
    ++evicted;
  }
  return evicted > 0 ? evicted : evict_by_hand(count, false);
}

std::size_t Store::Impl::evict_soonest(std::size_t count) {
  std::size_t evicted = 0;
  // What is stale already goes before what may still be read.
  for (DeadlineIndex* index : {&stales_, &deadlines_}) {
    auto due = index->first();
    while (evicted < count && due) {
      if (due->ref << 3 == pinned_ || owner_of(due->ref << 3) == 0) {
        due = index->next(*due);
        continue;
      }
      evict_one(due->ref << 3);
      ++evicted;
      due = index->first();
    }
  }
  return evicted;
}

}  // namespace coppice
