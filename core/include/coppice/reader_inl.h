// The read protocol. Numbers in brackets are the invariants of docs/shared-memory.md.
#pragma once

#include <ctime>
#include <type_traits>

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

template <class Info>
[[gnu::always_inline]] inline bool Reader::is_over(const char* end, std::uint64_t rest, Millis deadline, Millis now,
                                                   Info* info) {
  constexpr std::uint64_t kTimed = static_cast<std::uint64_t>(layout::kHasDeadline) << 32;
  const bool due = (rest & kTimed) != 0 && detail::passed(deadline, now);
  if constexpr (std::is_same_v<Info, RefreshInfo>) {
    constexpr std::uint64_t kTrailed = static_cast<std::uint64_t>(layout::kHasTrailer) << 32;
    std::uint32_t word = 0;
    std::uint64_t refresh = 0;
    if ((rest & kTrailed) != 0) {
      // (5) Every block has room for a trailer behind its header: the smallest is 32 bytes.
      layout::read_shared(reinterpret_cast<char*>(&word), end - 4, 4);
      if ((word & layout::kTrailerRefresh) != 0)
        layout::read_shared(reinterpret_cast<char*>(&refresh), end - layout::kRefreshAt, 8);
    }
    info->is_stale = due;
    info->has_tags = (word & layout::kTagIdMask) != 0;
    info->stale = static_cast<std::uint32_t>(refresh >> 32);
    info->compute_us = static_cast<std::uint32_t>(refresh);
    if (!due) [[likely]]
      return false;
    return info->stale == 0 || detail::passed(deadline_after(deadline < 0 ? 0 : deadline, info->stale), now);
  } else {
    return due;
  }
}

template <class Dest, class Info>
ReadStatus Reader::read(ReadKey& key, Millis now, Dest&& dest, Info* info) const {
  constexpr int kAttempts = 32;  // (4) never without end
  for (int i = 0; i < kAttempts; ++i) {
    switch (attempt(key, now, dest, info)) {
      case Attempt::kHit:
        return ReadStatus::kHit;
      case Attempt::kMiss:
        return ReadStatus::kMiss;
      case Attempt::kAgain:
      case Attempt::kOtherKey:  // attempt() never says so
        break;
    }
    __builtin_ia32_pause();
  }
  return ReadStatus::kAskOwner;
}

template <class Dest, class Info>
[[gnu::always_inline]] inline Reader::Attempt Reader::read_block(std::uint64_t slot, std::uint64_t limit,
                                                                 const ReadKey& key, Millis now, Dest& dest,
                                                                 Info* info) const {
  // (5) The slot may be anything: the block must be where a block of its page's class begins.
  const std::uint64_t offset = layout::slot_offset(slot);
  const std::uint64_t page = offset >> layout::kPageShift;
  if (page < first_page_ || page >= limit) return Attempt::kAgain;
  const auto& page_word = page_table_[page].word;
  const std::uint64_t word = page_word.load(std::memory_order_acquire);  // (12)
  const std::uint32_t c = static_cast<std::uint32_t>(layout::page_kind(word)) - layout::kFirstBlockPage;
  if (c >= layout::kClassCount) return Attempt::kAgain;
  const std::uint32_t size = layout::kClassSizes[c];
  const auto in_page = static_cast<std::uint32_t>(offset & (layout::kPageSize - 1));
  if (layout::block_number(in_page, c) * size != in_page || in_page + size > layout::kPageSize) return Attempt::kAgain;

  const char* const block = base_ + offset;
  const auto& version_word = reinterpret_cast<const layout::BlockHeader*>(block)->version;
  const std::uint64_t version = version_word.load(std::memory_order_acquire);  // (4)
  if (version == 0 || (version & 1) != 0) return Attempt::kAgain;
  const std::uint64_t rest =
      __atomic_load_n(reinterpret_cast<const std::uint64_t*>(block + 8), __ATOMIC_RELAXED);  // (4)
  constexpr std::uint64_t kChained = static_cast<std::uint64_t>(layout::kIsChained) << 32;
  constexpr std::uint64_t kTimed = static_cast<std::uint64_t>(layout::kHasDeadline) << 32;
  if ((rest & kChained) != 0) [[unlikely]]
    return read_chained({offset, size, &page_word, word, version, rest}, limit, key, now, dest, info);
  const auto value_length = static_cast<std::uint32_t>(rest);
  const std::size_t key_length = key.key.size();
  const std::size_t key_at = (rest & kTimed) != 0 ? 24 : 16;
  // Whether what was read of the block was its own throughout.
  const auto unchanged = [&] {
    layout::acquire_fence();  // (4)
    return version_word.load(std::memory_order_relaxed) == version &&
           page_word.load(std::memory_order_relaxed) == word;  // (12)
  };
  // Branch and length of the key at once.
  constexpr std::uint64_t kOfKey = 0xffull << 56 | static_cast<std::uint64_t>(layout::kKeyLengthMask) << 32;
  const std::uint64_t of_key =
      static_cast<std::uint64_t>(layout::branch_of(key.map_word)) << 56 | static_cast<std::uint64_t>(key_length) << 32;
  if (key_at + key_length + value_length > size && (rest & kOfKey) == of_key) return Attempt::kAgain;  // (5)
  layout::prefetch_value(block, key_at + key_length + (value_length < size ? value_length : size));
  if ((rest & kOfKey) != of_key || !layout::equal_shared(block + key_at, key.key.data(), key_length))
    return unchanged() ? Attempt::kOtherKey : Attempt::kAgain;  // another key with the same tag

  Millis deadline = kNoDeadline;
  if constexpr (std::is_same_v<Info, RefreshInfo>) {
    if ((rest & kTimed) != 0) layout::read_shared(reinterpret_cast<char*>(&deadline), block + 16, 8);
    if (is_over(block + size, rest, deadline, now, info))
      return is_current(key, unchanged()) ? Attempt::kMiss : Attempt::kAgain;  // (8)
  } else if ((rest & kTimed) != 0) {
    layout::read_shared(reinterpret_cast<char*>(&deadline), block + 16, 8);
    if (detail::passed(deadline, now)) return is_current(key, unchanged()) ? Attempt::kMiss : Attempt::kAgain;  // (8)
  }
  info->version = version;
  info->deadline = deadline;
  info->type = static_cast<ValueType>(static_cast<std::uint8_t>(rest >> 48));
  info->value_size = value_length;
  info->block = offset;
  if (char* to = dest(*info); to != nullptr) layout::read_shared(to, block + key_at + key_length, value_length);
  return is_current(key, unchanged()) ? Attempt::kHit : Attempt::kAgain;
}

// The same for a value of which whole pages lie elsewhere.
template <class Dest, class Info>
[[gnu::noinline]] Reader::Attempt Reader::read_chained(const Found& found, std::uint64_t limit, const ReadKey& key,
                                                       Millis now, Dest& dest, Info* info) const {
  const char* const block = base_ + found.offset;
  const auto& version_word = reinterpret_cast<const layout::BlockHeader*>(block)->version;
  const auto value_length = static_cast<std::uint32_t>(found.rest);
  const auto key_and_flags = static_cast<std::uint16_t>(found.rest >> 32);
  const std::uint32_t key_length = key_and_flags & layout::kKeyLengthMask;
  const bool timed = (key_and_flags & layout::kHasDeadline) != 0;
  const layout::Chain chain = layout::chain_of(value_length);
  const std::uint64_t needed = 16ull + (timed ? 8 : 0) + 4ull * chain.pages + key_length + chain.tail;
  if (needed > found.size) return Attempt::kAgain;  // (5)
  const auto unchanged = [&] {
    layout::acquire_fence();  // (4)
    return version_word.load(std::memory_order_relaxed) == found.version &&
           found.page_word->load(std::memory_order_relaxed) == found.word;  // (12)
  };
  const char* const pages = block + 16 + (timed ? 8 : 0);
  const char* const stored_key = pages + 4ull * chain.pages;
  if (static_cast<std::uint8_t>(found.rest >> 56) != layout::branch_of(key.map_word) || key_length != key.key.size() ||
      !layout::equal_shared(stored_key, key.key.data(), key_length))
    return unchanged() ? Attempt::kOtherKey : Attempt::kAgain;
  Millis deadline = kNoDeadline;
  if (timed) layout::read_shared(reinterpret_cast<char*>(&deadline), block + 16, 8);
  const bool over = is_over(block + found.size, found.rest, deadline, now, info);
  // A length that a block's next life left here could make the caller reserve a gigabyte for nothing.
  if (!unchanged()) return Attempt::kAgain;
  if (over) return is_current(key, true) ? Attempt::kMiss : Attempt::kAgain;  // (8)
  info->version = found.version;
  info->deadline = deadline;
  info->type = static_cast<ValueType>(static_cast<std::uint8_t>(found.rest >> 48));
  info->value_size = value_length;
  info->block = found.offset;
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
  return is_current(key, unchanged()) ? Attempt::kHit : Attempt::kAgain;
}

template <class Dest, class Info>
Reader::Attempt Reader::attempt(ReadKey& key, Millis now, Dest& dest, Info* info) const {
  const layout::SegmentHeader& h = header();
  const std::uint64_t map_word = h.database_map[key.db].load(std::memory_order_acquire);  // (6)
  if (map_word != key.map_word) {
    key.map_word = map_word;
    key.hash = layout::hash_key(secret_, layout::branch_of(map_word), key.key);
  }
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

    const Attempt found = read_block(slot, limit, key, now, dest, info);
    if (found != Attempt::kOtherKey) return found;
    if (slots[at].load(std::memory_order_relaxed) != slot) return Attempt::kAgain;  // (4)
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

template <class Dest, class Done>
void Reader::read_batch(Database db, std::span<const std::string_view> keys, Millis now, Dest&& dest, ReadInfo* info,
                        Done&& done) const {
  const layout::SegmentHeader& h = header();
  const std::uint64_t depth = h.directory_depth.load(std::memory_order_acquire);  // (6)
  const bool sane = depth <= layout::kTagBits && (1ull << depth) <= directory_capacity_;
  const std::uint64_t limit = page_limit();
  const std::size_t n = keys.size();
  struct Keys {  // std::string_view initializes itself
    Keys() {}
    union {
      ReadKey ready[kBatch];
    };
  } batch;
  ReadKey* const ready = batch.ready;
  const std::atomic<std::uint64_t>* slots[kBatch];
  std::uint64_t likely[kBatch];
  for (std::size_t i = 0; i < n; ++i) {
    prepare(&ready[i], db, keys[i]);
    slots[i] = nullptr;
    if (!sane) continue;
    const std::uint64_t page =
        directory_[ready[i].hash.tag & ((1ull << depth) - 1)].load(std::memory_order_acquire);  // (6)
    if (page < first_page_ || page >= limit) continue;                                          // (5)
    slots[i] = slots_of(page);
    __builtin_prefetch(&slots[i][ready[i].hash.home]);
  }
  // The first slot with the key's tag, if it leads to the key, is as good as one found by attempt(): the entry was the
  // key's while it was read. Everything else, a miss above all, is left to attempt().
  for (std::size_t i = 0; i < n; ++i) {
    likely[i] = 0;
    if (slots[i] == nullptr) continue;
    std::uint64_t want = static_cast<std::uint64_t>(ready[i].hash.tag) << 9;
    std::uint32_t at = ready[i].hash.home;
    for (int j = 0; j < 64; ++j, ++want, at = (at + 1) & (layout::kSlotsPerPage - 1)) {
      const std::uint64_t slot = slots[i][at].load(std::memory_order_acquire);  // (4)
      if (slot == 0) break;
      if (slot >> 35 != want) continue;
      likely[i] = slot;
      // A prefetch cannot fault, so the offset needs no check.
      const char* const block = base_ + layout::slot_offset(slot);
      __builtin_prefetch(block);
      __builtin_prefetch(block + 63);
      break;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    const auto to = [&](const ReadInfo& e) { return dest(i, e); };
    if (likely[i] != 0 && read_block(likely[i], limit, ready[i], now, to, info) == Attempt::kHit) [[likely]]
      done(i, ReadStatus::kHit);
    else
      done(i, read(ready[i], now, to, info));
  }
}

}  // namespace coppice
