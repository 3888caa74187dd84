// The point index: from a key's hash to its block. Extendible hashing over pages of 8192 slots; within a page linear
// probing, and removal by moving later slots back, so that there are no tombstones. A slot holds enough of the hash
// that neither a split nor a removal reads a key.
//
// It grows by one page at a time: no operation touches more than two pages. Readers walk the same slots (reader.h).
//
// Thread safety: one writer; atomics name their invariant of docs/shared-memory.md.
#pragma once

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
  // The key's slot, or null. Void after the next change.
  Slot* find(std::uint8_t branch, std::string_view key, layout::KeyHash hash) const {
    Slot* const slots = slots_of(page_of(hash));
    std::uint64_t want = static_cast<std::uint64_t>(hash.tag) << 9;
    std::uint32_t at = hash.home;
    for (std::uint32_t i = 0; i <= layout::kMaxDisplacement; ++i, ++want, at = (at + 1) & kLast) {
      const std::uint64_t slot = slots[at].load(std::memory_order_relaxed);
      if (slot == 0) return nullptr;
      if (slot >> 35 != want) continue;
      const Block block(arena_->at(layout::slot_offset(slot)));
      if (block.branch() == branch && block.key() == key) return &slots[at];
    }
    return nullptr;
  }
  // The slot that refers to the block. REQUIRES: there is one.
  Slot* find_block(std::uint64_t offset, layout::KeyHash hash) const;

  void prefetch_slot(layout::KeyHash hash) const { __builtin_prefetch(&slots_of(page_of(hash))[hash.home]); }
  // The block that find() will most likely look at first.
  void prefetch_block(layout::KeyHash hash) const;

  // Whether insert() of this hash will succeed; splits the page where that is due and pages are at hand.
  bool prepare(layout::KeyHash hash);
  // REQUIRES: prepare(hash) was true, and the key is not in the index.
  void insert(layout::KeyHash hash, std::uint64_t offset);
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
  static constexpr std::uint32_t kSplitAt = layout::kSlotsPerPage * 3 / 4;
  static constexpr std::uint32_t kFull = layout::kSlotsPerPage - layout::kSlotsPerPage / 16;
  static constexpr std::uint32_t kMergeAt = layout::kSlotsPerPage / 8;

  std::uint32_t depth() const { return depth_; }
  std::uint32_t page_of(layout::KeyHash hash) const {
    return directory_[hash.tag & ((1u << depth_) - 1)].load(std::memory_order_relaxed);
  }
  Slot* slots_of(std::uint32_t page) const { return reinterpret_cast<Slot*>(segment_->page(page)); }
  // Free slot for a home within kMaxDisplacement, or null.
  static Slot* place(Slot* slots, std::uint32_t home, std::uint32_t* displacement);
  bool fits(layout::KeyHash hash) const;
  bool split(layout::KeyHash hash);
  void merge(layout::KeyHash hash);
  bool copy_slots(std::uint32_t from, std::uint32_t to, std::uint32_t tag_mask, std::uint32_t tag_bits);

  Segment* segment_;
  Arena* arena_;
  std::atomic<std::uint32_t>* directory_;
  const std::uint8_t* secret_;
  std::uint32_t depth_ = 0;
};

}  // namespace coppice
