#include "point_index.h"

namespace coppice {

using layout::KeyHash;

bool PointIndex::start() {
  const std::uint32_t page = arena_->take_page(layout::kIndexPage);
  if (page == 0) return false;
  directory_[0].store(page, std::memory_order_release);  // (6)
  return true;
}

PointIndex::Slot* PointIndex::find_block(std::uint64_t offset, KeyHash hash) const {
  Slot* const slots = slots_of(page_of(hash));
  std::uint32_t at = hash.home;
  for (;;) {
    const std::uint64_t slot = slots[at].load(std::memory_order_relaxed);
    if (layout::slot_offset(slot) == offset) return &slots[at];
    if (slot == 0) return nullptr;
    at = (at + 1) & kLast;
  }
}

[[gnu::hot]] PointIndex::Slot* PointIndex::free_slot(Slot* slots, std::uint32_t home, std::uint32_t* displacement) {
  for (std::uint32_t i = 0; i <= layout::kMaxDisplacement; ++i) {
    Slot* slot = &slots[(home + i) & kLast];
    if (slot->load(std::memory_order_relaxed) != 0) continue;
    *displacement = i;
    return slot;
  }
  return nullptr;
}

bool PointIndex::fits(KeyHash hash, std::uint32_t most, Place* place) const {
  if (place->moves != moves_ || place->slot == nullptr) {
    *place = {nullptr, page_of(hash), 0, moves_};
    place->slot = free_slot(slots_of(place->page), hash.home, &place->displacement);
  }
  return place->slot != nullptr && arena_->slots_in_use(place->page) < most;
}

bool PointIndex::make_place(KeyHash hash, Place* place) {
  if (fits(hash, kSplitAt, place)) return true;
  // Each split halves the page on average; a few in a row only when hashes agree in many bits.
  for (int i = 0; i < 4; ++i) {
    if (!split(hash)) break;
    if (fits(hash, kSplitAt, place)) return true;
  }
  return fits(hash, kFull, place);
}

[[gnu::hot]] void PointIndex::insert(KeyHash hash, Place place, std::uint64_t offset) {
  if (place.moves != moves_ || place.slot == nullptr) fits(hash, kFull, &place);
  place.slot->store(layout::make_slot(hash.tag, place.displacement, offset), std::memory_order_release);  // (2)
  ++arena_->slots_in_use(place.page);
  ++moves_;
}

void PointIndex::erase(Slot* slot, KeyHash hash) {
  const std::uint32_t page = page_of(hash);
  Slot* const slots = slots_of(page);
  ++moves_;
  auto& sequence = segment_->page_table()[page].sequence;
  const std::uint64_t before = sequence.load(std::memory_order_relaxed);
  sequence.store(before + 1, std::memory_order_relaxed);  // (6) odd: slots move
  layout::release_fence();                                // (6)
  auto hole = static_cast<std::uint32_t>(slot - slots);
  for (std::uint32_t at = (hole + 1) & kLast;; at = (at + 1) & kLast) {
    const std::uint64_t next = slots[at].load(std::memory_order_relaxed);
    if (next == 0) break;
    const std::uint32_t distance = (at - hole) & kLast;
    const std::uint32_t displacement = layout::slot_displacement(next);
    if (displacement < distance) continue;  // it would come before its home
    slots[hole].store(next - (static_cast<std::uint64_t>(distance) << 35), std::memory_order_release);  // (6)
    hole = at;
  }
  slots[hole].store(0, std::memory_order_release);        // (6)
  sequence.store(before + 2, std::memory_order_release);  // (6)
  if (--arena_->slots_in_use(page) < kMergeAt && arena_->index_depth(page) > 0 &&
      (arena_->slots_in_use(page) & 63) == 0)
    merge(hash);
}

bool PointIndex::copy_slots(std::uint32_t from, const std::uint32_t (&to)[2], std::uint32_t bit) {
  Slot* const source = slots_of(from);
  Slot* const targets[2] = {slots_of(to[0]), slots_of(to[1])};
  std::uint32_t copied[2] = {0, 0};
  for (std::uint32_t at = 0; at < layout::kSlotsPerPage; ++at) {
    const std::uint64_t slot = source[at].load(std::memory_order_relaxed);
    if (slot == 0) continue;
    const int side = (layout::slot_tag(slot) & bit) != 0;
    const std::uint32_t home = (at - layout::slot_displacement(slot)) & kLast;
    std::uint32_t displacement;
    Slot* const free = free_slot(targets[side], home, &displacement);
    if (free == nullptr) return false;
    free->store(layout::make_slot(layout::slot_tag(slot), displacement, layout::slot_offset(slot)),
                std::memory_order_relaxed);
    ++copied[side];
  }
  for (int side = 0; side < 2; ++side) arena_->slots_in_use(to[side]) += static_cast<std::uint16_t>(copied[side]);
  return true;
}

// Two new pages take the place of the full one, whose slots stay as they are for readers still on it.
bool PointIndex::split(KeyHash hash) {
  const std::uint32_t old = page_of(hash);
  const std::uint32_t page_depth = arena_->index_depth(old);
  if (page_depth >= layout::kTagBits || arena_->pages_available() < 2) return false;
  const std::uint64_t capacity = segment_->header().directory_capacity;
  if (page_depth == depth_) {
    if ((2ull << depth_) > capacity) return false;
    for (std::uint32_t i = 0; i < (1u << depth_); ++i)
      directory_[(1u << depth_) + i].store(directory_[i].load(std::memory_order_relaxed), std::memory_order_relaxed);
    ++depth_;
    segment_->header().directory_depth.store(depth_, std::memory_order_release);  // (6)
  }
  ++moves_;
  const std::uint32_t bit = 1u << page_depth;
  const std::uint32_t low = hash.tag & (bit - 1);
  const std::uint32_t halves[2] = {arena_->take_page(layout::kIndexPage), arena_->take_page(layout::kIndexPage)};
  for (const std::uint32_t half : halves) arena_->index_depth(half) = static_cast<std::uint8_t>(page_depth + 1);
  if (!copy_slots(old, halves, bit)) {  // cannot be with half the slots; but nothing would be lost
    arena_->free_page(halves[0]);
    arena_->free_page(halves[1]);
    return false;
  }
  for (std::uint32_t i = low; i < (1u << depth_); i += bit)
    directory_[i].store(halves[(i & bit) != 0], std::memory_order_release);  // (6)
  arena_->free_page(old);
  return true;
}

void PointIndex::merge(KeyHash hash) {
  const std::uint32_t page = page_of(hash);
  const std::uint32_t page_depth = arena_->index_depth(page);
  const std::uint32_t bit = 1u << (page_depth - 1);
  const std::uint32_t low = hash.tag & (bit - 1);
  const std::uint32_t zero = directory_[low].load(std::memory_order_relaxed);
  const std::uint32_t one = directory_[low | bit].load(std::memory_order_relaxed);
  if (arena_->index_depth(zero) != page_depth || arena_->index_depth(one) != page_depth) return;
  if (arena_->slots_in_use(zero) + arena_->slots_in_use(one) >= 2 * kMergeAt) return;
  const std::uint32_t both = arena_->take_page(layout::kIndexPage);
  if (both == 0) return;
  arena_->index_depth(both) = static_cast<std::uint8_t>(page_depth - 1);
  if (!copy_slots(zero, {both, both}, 0) || !copy_slots(one, {both, both}, 0)) {
    arena_->free_page(both);
    return;
  }
  for (std::uint32_t i = low; i < (1u << depth_); i += bit)
    directory_[i].store(both, std::memory_order_release);  // (6)
  arena_->free_page(zero);
  arena_->free_page(one);
}

std::uint64_t PointIndex::some_block(std::uint64_t random) const {
  const std::uint32_t page = directory_[random & ((1u << depth_) - 1)].load(std::memory_order_relaxed);
  Slot* const slots = slots_of(page);
  const auto from = static_cast<std::uint32_t>(random >> 40);
  for (std::uint32_t i = 0; i < layout::kSlotsPerPage; ++i) {
    const std::uint64_t slot = slots[(from + i) & kLast].load(std::memory_order_relaxed);
    if (slot != 0) return layout::slot_offset(slot);
  }
  return 0;
}

std::string PointIndex::check(std::uint64_t entries) const {
  std::uint64_t found = 0;
  for (std::uint32_t i = 0; i < (1u << depth_); ++i) {
    const std::uint32_t page = directory_[i].load(std::memory_order_relaxed);
    const std::uint32_t page_depth = arena_->index_depth(page);
    if (arena_->kind_of(page) != layout::kIndexPage || page_depth > depth_) return "the directory is wrong";
    if (i >> page_depth != 0) continue;
    std::uint32_t used = 0;
    for (std::uint32_t at = 0; at < layout::kSlotsPerPage; ++at) {
      const std::uint64_t slot = slots_of(page)[at].load(std::memory_order_relaxed);
      if (slot == 0) continue;
      ++used;
      const Block block(arena_->at(layout::slot_offset(slot)));
      if (!block.is_live()) return "a slot refers to a block that is not live";
      const KeyHash h = hash(block.branch(), block.key());
      if (h.tag != layout::slot_tag(slot) || ((at - layout::slot_displacement(slot)) & kLast) != h.home)
        return "a slot does not fit its key";
      if (find(block.branch(), block.key(), h) != &slots_of(page)[at]) return "an entry is not found by its key";
    }
    if (used != arena_->slots_in_use(page)) return "an index page's count is wrong";
    found += used;
  }
  return found == entries ? "" : "the point index holds another number of entries than the order index";
}

}  // namespace coppice
