// The point index: from a key's hash to its block. Extendible hashing over pages of 8192 slots; within a page linear
// probing, and removal by moving later slots back, so that there are no tombstones. A slot holds enough of the hash
// that neither a split nor a removal reads a key.
//
// It grows by one page at a time: no operation touches more than two pages. Readers walk the same slots (reader.h).
//
// Thread safety: one writer; atomics name their invariant of docs/shared-memory.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "arena.h"
#include "coppice/layout.h"
#include "segment.h"

namespace coppice {

class PointIndex {
 public:
  using Slot = std::atomic<std::uint64_t>;

  PointIndex(Segment& segment, Arena& arena)
      : segment_(&segment), arena_(&arena), directory_(segment.directory()), secret_(segment.header().hash_secret) {}

  // Makes the first page. false: no page.
  bool start();

  layout::KeyHash hash(std::uint8_t branch, std::string_view key) const {
    return layout::hash_key(secret_, branch, key);
  }
  // A free slot for a key that is not in the index, with what find() saw on its way there. Stays good until a slot
  // moves.
  struct Place {
    Slot* slot = nullptr;
    std::uint32_t page = 0;
    std::uint32_t displacement = 0;
    std::uint64_t moves = 0;
  };
  // The key's slot, or null; then *place, if given, is where the key can go (or has no slot). Void after the next
  // change.
  Slot* find(std::uint8_t branch, std::string_view key, layout::KeyHash hash, Place* place = nullptr) const {
    const std::uint32_t page = page_of(hash);
    Slot* const slots = slots_of(page);
    Slot* found = nullptr;
    walk(slots, hash, [&](Slot* at, std::uint64_t slot, std::uint32_t displacement) {
      if (slot == 0) {
        if (place != nullptr) *place = {at, page, displacement, moves_};
        return true;
      }
      const Block block(arena_->at(layout::slot_offset(slot)));
      if (block.branch() != branch || block.key() != key) return false;
      found = at;
      return true;
    });
    return found;
  }
  // The slot that refers to the block. REQUIRES: there is one.
  Slot* find_block(std::uint64_t offset, layout::KeyHash hash) const;

  void prefetch_slot(layout::KeyHash hash) const { __builtin_prefetch(&slots_of(page_of(hash))[hash.home]); }
  // The block that find() looks at first, told without reading it; 0: find() will find nothing.
  std::uint64_t likely_block(layout::KeyHash hash) const {
    std::uint64_t offset = 0;
    walk(slots_of(page_of(hash)), hash, [&](Slot*, std::uint64_t slot, std::uint32_t) {
      offset = layout::slot_offset(slot);
      return true;
    });
    return offset;
  }

  // Whether insert() of this hash will succeed; splits the page where that is due and pages are at hand. `place`: what
  // find() said; made anew where it is void.
  bool prepare(layout::KeyHash hash, Place* place);
  // REQUIRES: prepare(hash, place) was true, and the key is not in the index.
  void insert(layout::KeyHash hash, Place place, std::uint64_t offset);
  // The entry was written anew or moved.
  void replace(Slot* slot, std::uint64_t offset) {
    const std::uint64_t old = slot->load(std::memory_order_relaxed);
    slot->store((old & ~layout::kRefMask) | offset >> 3, std::memory_order_release);  // (2)
  }
  void erase(Slot* slot, layout::KeyHash hash);

  std::uint64_t pages() const { return arena_->pages_of(layout::kIndexPage); }
  // Some block that is in the index, for random sampling: the first one at or after a slot of the page for `random`.
  std::uint64_t some_block(std::uint64_t random) const;
  std::string check(std::uint64_t entries) const;

 private:
  static constexpr std::uint32_t kLast = layout::kSlotsPerPage - 1;
  static constexpr std::uint32_t kSplitAt = layout::kSlotsPerPage * 5 / 8;
  static constexpr std::uint32_t kFull = layout::kSlotsPerPage - layout::kSlotsPerPage / 16;
  static constexpr std::uint32_t kMergeAt = layout::kSlotsPerPage / 8;

  std::uint32_t depth() const { return depth_; }
  std::uint32_t page_of(layout::KeyHash hash) const {
    return directory_[hash.tag & ((1u << depth_) - 1)].load(std::memory_order_relaxed);
  }
  Slot* slots_of(std::uint32_t page) const { return reinterpret_cast<Slot*>(segment_->page(page)); }
  // Calls f(place, slot, displacement) for the slots with the hash's tag and at last for the empty one, from the home
  // on, until f returns true.
  template <class F>
  static void walk(Slot* slots, layout::KeyHash hash, F&& f) {
    std::uint64_t want = static_cast<std::uint64_t>(hash.tag) << 9;
    std::uint32_t left = layout::kMaxDisplacement + 1;
    // In two runs, so that no step has to see to the page's end.
    for (Slot* at = slots + hash.home; left > 0; at = slots) {
      const auto run = std::min(left, static_cast<std::uint32_t>(slots + layout::kSlotsPerPage - at));
      left -= run;
      for (Slot* const end = at + run; at != end; ++at, ++want) {
        const std::uint64_t slot = at->load(std::memory_order_relaxed);
        if (slot != 0 && slot >> 35 != want) [[likely]]
          continue;
        if (f(at, slot, static_cast<std::uint32_t>(want & layout::kMaxDisplacement)) || slot == 0) return;
      }
    }
  }
  // Free slot for a home within kMaxDisplacement, or null.
  static Slot* free_slot(Slot* slots, std::uint32_t home, std::uint32_t* displacement);
  // Makes *place good; whether there is one and fewer than `most` slots of its page are in use.
  bool fits(layout::KeyHash hash, std::uint32_t most, Place* place) const;
  bool split(layout::KeyHash hash);
  void merge(layout::KeyHash hash);
  // Copies the slots of a page to one of two others, by a bit of their tags.
  bool copy_slots(std::uint32_t from, const std::uint32_t (&to)[2], std::uint32_t bit);

  Segment* segment_;
  Arena* arena_;
  std::atomic<std::uint32_t>* directory_;
  const std::uint8_t* secret_;
  std::uint32_t depth_ = 0;
  std::uint64_t moves_ = 1;  // grows whenever slots move or a free one may have been taken
};

}  // namespace coppice
