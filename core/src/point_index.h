// The point index: from a key's hash to its block. Extendible hashing over pages of 8192 slots; within a page linear
// probing, and removal by moving later slots back, so that there are no tombstones. A slot holds enough of the hash
// that neither a split nor a removal reads a key.
//
// It grows by one page at a time: no operation touches more than two pages. Readers walk the same slots (reader.h).
//
// Thread safety: one writer; atomics name their invariant of docs/shared-memory.md.
#pragma once

#include <emmintrin.h>

#include <algorithm>
#include <bit>
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
  // The key's slot, or null; void after the next change.
  Slot* find(std::uint8_t branch, std::string_view key, layout::KeyHash hash) const {
    Slot* found = nullptr;
    walk(slots_of(page_of(hash)), hash, [&](Slot* at, std::uint64_t slot, std::uint32_t) {
      if (slot == 0 || !is_of(slot, branch, key)) return false;
      found = at;
      return true;
    });
    return found;
  }
  // The same for who will store the key: if it is not there, *place is where it can go (or has no slot).
  Slot* find(std::uint8_t branch, std::string_view key, layout::KeyHash hash, Place* place) const {
    const std::uint32_t page = page_of(hash);
    Slot* const slots = slots_of(page);
    Slot* found = nullptr;
    walk<true>(slots, hash, [&](Slot* at, std::uint64_t slot, std::uint32_t displacement) {
      if (slot == 0) {
        *place = {at, page, displacement, moves_};
        return true;
      }
      if (!is_of(slot, branch, key)) return false;
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
  bool prepare(layout::KeyHash hash, Place* place) {
    const bool good = place->slot != nullptr && place->moves == moves_ && arena_->slots_in_use(place->page) < kSplitAt;
    return good || make_place(hash, place);
  }
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
  bool is_of(std::uint64_t slot, std::uint8_t branch, std::string_view key) const {
    const Block block(arena_->at(layout::slot_offset(slot)));
    return block.branch() == branch && block.key() == key;
  }
  // Calls f(place, slot, displacement) for the slots with the hash's tag and at last for the empty one, from the home
  // on, until f returns true. `far`: four at a time, which pays for those who will mostly come to the free slot.
  template <bool far = false, class F>
  static void walk(Slot* slots, layout::KeyHash hash, F&& f) {
    const std::uint32_t tag = hash.tag << 9;
    std::uint32_t displacement = 0;
    const auto is_last = [&](Slot* at, std::uint32_t i) {
      const std::uint64_t slot = at[i].load(std::memory_order_relaxed);
      return f(at + i, slot, displacement + i) || slot == 0;
    };
    // In two runs, so that no step has to see to the page's end.
    for (Slot* at = slots + hash.home; displacement <= layout::kMaxDisplacement; at = slots) {
      const auto run = std::min(layout::kMaxDisplacement + 1 - displacement,
                                static_cast<std::uint32_t>(slots + layout::kSlotsPerPage - at));
      Slot* const end = at + run;
      for (; far && end - at >= 4; at += 4, displacement += 4)
        for (unsigned left = worth_a_look(at, tag | displacement); left != 0; left &= left - 1)
          if (is_last(at, static_cast<std::uint32_t>(std::countr_zero(left)))) return;
      for (; at != end; ++at, ++displacement) {
        const std::uint64_t slot = at->load(std::memory_order_relaxed);
        if (slot != 0 && slot >> 35 != (tag | displacement)) [[likely]]
          continue;
        if (is_last(at, 0)) return;
      }
    }
  }
  // Which of four slots are free, or have the tag and displacement that they would have as one of the key's: a bit for
  // each. Clusters are long where groups of keys meet: on its way to a free slot find() passes some twenty.
  static unsigned worth_a_look(const Slot* at, std::uint32_t wanted) {
    static_assert(sizeof(Slot) == 8);
    const auto pair = [&](int i) { return _mm_loadu_ps(reinterpret_cast<const float*>(at + i)); };
    const __m128 low = pair(0), high = pair(2);
    const __m128i upper = _mm_castps_si128(_mm_shuffle_ps(low, high, _MM_SHUFFLE(3, 1, 3, 1)));
    const __m128i lower = _mm_castps_si128(_mm_shuffle_ps(low, high, _MM_SHUFFLE(2, 0, 2, 0)));
    const __m128i steps = _mm_set_epi32(3, 2, 1, 0);
    const __m128i same =
        _mm_cmpeq_epi32(_mm_srli_epi32(upper, 3), _mm_add_epi32(_mm_set1_epi32(static_cast<int>(wanted)), steps));
    const __m128i empty = _mm_cmpeq_epi32(_mm_or_si128(upper, lower), _mm_setzero_si128());
    return static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(_mm_or_si128(same, empty))));
  }
  // Free slot for a home within kMaxDisplacement, or null.
  static Slot* free_slot(Slot* slots, std::uint32_t home, std::uint32_t* displacement);
  [[gnu::noinline]] bool make_place(layout::KeyHash hash, Place* place);
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
