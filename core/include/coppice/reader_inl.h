// The read protocol. Numbers in brackets are the invariants of docs/shared-memory.md.
#pragma once

#include <ctime>

#include "coppice/clock.h"
#include "coppice/reader.h"

namespace coppice {

namespace detail {

// Whether a deadline has passed at the coarse time `now`; near the edge the exact clock decides.
inline bool passed(Millis deadline, Millis now) {
  if (deadline <= now) return true;
  if (deadline - now > Clock::kCoarseLag) return false;
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return deadline <= static_cast<Millis>(t.tv_sec) * 1000 + t.tv_nsec / 1'000'000;
}

}  // namespace detail

inline ReadKey Reader::prepare(Database db, std::string_view key) const {
  ReadKey k;
  k.key = key;
  k.db = db;
  k.map_word = header().database_map[db].load(std::memory_order_acquire);  // (6)
  k.hash = layout::hash_key(secret_, layout::branch_of(k.map_word), key);
  const std::uint64_t depth = header().directory_depth.load(std::memory_order_relaxed);
  if (depth <= layout::kTagBits && (1ull << depth) <= directory_capacity_) {
    const std::uint64_t page = directory_[k.hash.tag & ((1ull << depth) - 1)].load(std::memory_order_relaxed);
    if (page >= first_page_ && page < page_count_) __builtin_prefetch(&slots_of(page)[k.hash.home]);
  }
  return k;
}

inline void Reader::prefetch_block(const ReadKey& k) const {
  const std::uint64_t depth = header().directory_depth.load(std::memory_order_relaxed);
  if (depth > layout::kTagBits || (1ull << depth) > directory_capacity_) return;
  const std::uint64_t page = directory_[k.hash.tag & ((1ull << depth) - 1)].load(std::memory_order_relaxed);
  if (page < first_page_ || page >= page_limit()) return;
  const auto* const slots = slots_of(page);
  std::uint64_t want = static_cast<std::uint64_t>(k.hash.tag) << 9;
  std::uint32_t at = k.hash.home;
  for (int i = 0; i < 32; ++i, ++want, at = (at + 1) & (layout::kSlotsPerPage - 1)) {
    const std::uint64_t slot = slots[at].load(std::memory_order_relaxed);
    if (slot == 0) return;
    if (slot >> 35 != want) continue;
    // A prefetch cannot fault, so the offset needs no check.
    const char* block = base_ + layout::slot_offset(slot);
    __builtin_prefetch(block);
    __builtin_prefetch(block + 63);
    return;
  }
}

template <class Dest>
ReadStatus Reader::read(ReadKey& key, Millis now, Dest&& dest, ReadInfo* info) const {
  constexpr int kAttempts = 32;  // (4) never without end
  for (int i = 0; i < kAttempts; ++i) {
    switch (attempt(key, now, dest, info)) {
      case Attempt::kHit:
        return ReadStatus::kHit;
      case Attempt::kMiss:
        return ReadStatus::kMiss;
      case Attempt::kAgain:
        break;
    }
    __builtin_ia32_pause();
  }
  return ReadStatus::kAskOwner;
}

template <class Dest>
Reader::Attempt Reader::attempt(ReadKey& key, Millis now, Dest& dest, ReadInfo* info) const {
  const layout::SegmentHeader& h = header();
  const std::uint64_t map_word = h.database_map[key.db].load(std::memory_order_acquire);  // (6)
  if (map_word != key.map_word) {
    key.map_word = map_word;
    key.hash = layout::hash_key(secret_, layout::branch_of(map_word), key.key);
  }
  const std::uint8_t branch = layout::branch_of(map_word);
  const std::uint64_t depth = h.directory_depth.load(std::memory_order_acquire);  // (6)
  if (depth > layout::kTagBits || (1ull << depth) > directory_capacity_) return Attempt::kAgain;
  const auto& entry = directory_[key.hash.tag & ((1ull << depth) - 1)];
  const std::uint64_t page = entry.load(std::memory_order_acquire);  // (6)
  const std::uint64_t limit = page_limit();
  if (page < first_page_ || page >= limit) return Attempt::kAgain;                         // (5)
  const std::uint64_t page_word = page_table_[page].word.load(std::memory_order_acquire);  // (12)
  if (layout::page_kind(page_word) != layout::kIndexPage) return Attempt::kAgain;
  const std::uint64_t sequence = page_table_[page].sequence.load(std::memory_order_acquire);  // (6)

  const auto* const slots = slots_of(page);
  std::uint64_t want = static_cast<std::uint64_t>(key.hash.tag) << 9;
  std::uint32_t at = key.hash.home;
  for (std::uint32_t i = 0; i <= layout::kMaxDisplacement; ++i, ++want, at = (at + 1) & (layout::kSlotsPerPage - 1)) {
    const std::uint64_t slot = slots[at].load(std::memory_order_acquire);  // (4)
    if (slot == 0) break;
    if (slot >> 35 != want) continue;

    // (5) The slot may be anything: the block must be where a block of its page's class begins.
    const std::uint64_t offset = layout::slot_offset(slot);
    const std::uint64_t block_page = offset >> layout::kPageShift;
    if (block_page < first_page_ || block_page >= limit) return Attempt::kAgain;
    const std::uint64_t block_word = page_table_[block_page].word.load(std::memory_order_acquire);  // (12)
    const std::uint32_t c = static_cast<std::uint32_t>(layout::page_kind(block_word)) - layout::kFirstBlockPage;
    if (c >= layout::kClassCount) return Attempt::kAgain;
    const std::uint32_t size = layout::kClassSizes[c];
    const auto in_page = static_cast<std::uint32_t>(offset & (layout::kPageSize - 1));
    if (layout::block_number(in_page, c) * size != in_page || in_page + size > layout::kPageSize)
      return Attempt::kAgain;

    const char* const block = base_ + offset;
    const auto& version_word = reinterpret_cast<const layout::BlockHeader*>(block)->version;
    const std::uint64_t version = version_word.load(std::memory_order_acquire);  // (4)
    if (version == 0 || (version & 1) != 0) return Attempt::kAgain;
    const std::uint64_t rest =
        __atomic_load_n(reinterpret_cast<const std::uint64_t*>(block + 8), __ATOMIC_RELAXED);  // (4)
    const auto value_length = static_cast<std::uint32_t>(rest);
    const auto key_and_flags = static_cast<std::uint16_t>(rest >> 32);
    const std::uint32_t key_length = key_and_flags & layout::kKeyLengthMask;
    const bool timed = (key_and_flags & layout::kHasDeadline) != 0;
    const bool chained = (key_and_flags & layout::kIsChained) != 0;
    const layout::Chain chain = chained ? layout::chain_of(value_length) : layout::Chain{0, value_length};
    const std::uint64_t needed = 16ull + (timed ? 8 : 0) + 4ull * chain.pages + key_length + chain.tail;
    if (needed > size) return Attempt::kAgain;  // (5)

    const char* const pages = block + 16 + (timed ? 8 : 0);
    const char* const stored_key = pages + 4ull * chain.pages;
    if (static_cast<std::uint8_t>(rest >> 56) != branch || key_length != key.key.size() ||
        !layout::equal_shared(stored_key, key.key.data(), key_length)) {
      // Another key with the same tag, if the block still is what the slot refers to.
      layout::acquire_fence();  // (4)
      if (version_word.load(std::memory_order_relaxed) != version ||
          page_table_[block_page].word.load(std::memory_order_relaxed) != block_word ||
          slots[at].load(std::memory_order_relaxed) != slot)
        return Attempt::kAgain;
      continue;
    }

    Millis deadline = kNoDeadline;
    if (timed) layout::read_shared(reinterpret_cast<char*>(&deadline), block + 16, 8);
    const bool expired = timed && detail::passed(deadline, now);  // (8)
    // A length that a block's next life left here could make the caller reserve a gigabyte for nothing.
    if (chained) {
      layout::acquire_fence();  // (4)
      if (version_word.load(std::memory_order_relaxed) != version ||
          page_table_[block_page].word.load(std::memory_order_relaxed) != block_word)  // (12)
        return Attempt::kAgain;
    }
    if (!expired) {
      info->version = version;
      info->deadline = deadline;
      info->type = static_cast<ValueType>(static_cast<std::uint8_t>(rest >> 48));
      info->value_size = value_length;
      info->block = offset;
      info->held_bytes = size + chain.pages * layout::kPageSize;
      if (char* to = dest(*info); to != nullptr) {
        std::uint32_t left = value_length;
        for (std::uint32_t p = 0; p < chain.pages; ++p) {
          const std::uint64_t data =
              __atomic_load_n(reinterpret_cast<const std::uint32_t*>(pages + 4ull * p), __ATOMIC_RELAXED);  // (4)
          if (data < first_page_ || data >= limit) return Attempt::kAgain;                                  // (5)
          const std::uint32_t n = left < layout::kPageSize ? left : layout::kPageSize;
          layout::read_shared(to, base_ + (data << layout::kPageShift), n);
          to += n;
          left -= n;
        }
        layout::read_shared(to, stored_key + key_length, left);
      }
    }
    layout::acquire_fence();  // (4)
    if (version_word.load(std::memory_order_relaxed) != version ||
        page_table_[block_page].word.load(std::memory_order_relaxed) != block_word ||  // (12)
        h.database_map[key.db].load(std::memory_order_relaxed) != map_word)            // (6)
      return Attempt::kAgain;
    return expired ? Attempt::kMiss : Attempt::kHit;
  }

  // (6) A miss is believed only if nothing moved.
  layout::acquire_fence();  // (6)
  if ((sequence & 1) != 0 || page_table_[page].sequence.load(std::memory_order_relaxed) != sequence ||
      page_table_[page].word.load(std::memory_order_relaxed) != page_word ||
      entry.load(std::memory_order_relaxed) != page || h.directory_depth.load(std::memory_order_relaxed) != depth ||
      h.database_map[key.db].load(std::memory_order_relaxed) != map_word)
    return Attempt::kAgain;
  return Attempt::kMiss;
}

}  // namespace coppice
