// How the order index works on its buckets and its trie. For order_index*.cpp only.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "block.h"
#include "judy.h"
#include "order_bucket.h"

namespace coppice {

// What the class does inside, with access to its members.
struct OrderIndex::Access {
  using Bucket = OrderIndex::Bucket;

  // ---- slots of the trie: a bucket, marked by the low bit, or the root of a JudyL array
  static bool is_bucket(const void* value) { return reinterpret_cast<std::uintptr_t>(value) & 1; }
  static Bucket* bucket_in(void* value) {
    return reinterpret_cast<Bucket*>(reinterpret_cast<std::uintptr_t>(value) - 1);
  }
  static void* tagged(Bucket* b) { return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(b) + 1); }

  // ---- buckets
  // With room for `room` references at least, and an undefined tail.
  static Bucket* make_raw(OrderIndex& index, std::uint32_t room, std::size_t separator_length) {
    const std::size_t tail = separator_length > kInlineSeparator ? sizeof(char*) : separator_length;
    const std::size_t wanted = Bucket::kHeader + std::size_t{room} * kRefBytes + tail;
    std::size_t usable;
    auto* b = static_cast<Bucket*>(index.pool_->allocate(wanted, &usable));
    const std::size_t fits = (usable - Bucket::kHeader - tail) / kRefBytes;
    b->before = b->after = nullptr;
    b->separator_length = static_cast<std::uint16_t>(separator_length);
    b->count = 0;
    b->capacity = static_cast<std::uint8_t>(std::min<std::size_t>(fits, kMaxCount));
    return b;
  }
  static Bucket* make(OrderIndex& index, std::uint32_t room, std::string_view separator) {
    Bucket* b = make_raw(index, room, separator.size());
    char* at = b->tail();
    if (b->is_separator_apart()) {
      at = static_cast<char*>(index.pool_->allocate(separator.size()));
      std::memcpy(b->tail(), &at, sizeof at);
    }
    if (!separator.empty()) std::memcpy(at, separator.data(), separator.size());
    return b;
  }
  // One that will take the place of `old`, whose separator it takes over.
  static Bucket* make_successor(OrderIndex& index, std::uint32_t room, const Bucket* old) {
    Bucket* b = make_raw(index, room, old->separator_length);
    std::memcpy(b->tail(), old->tail(), old->tail_bytes());
    return b;
  }
  static void release(OrderIndex& index, Bucket* b) {
    index.latest_ = {};
    if (b->is_separator_apart()) index.pool_->free(const_cast<char*>(b->separator().data()), b->separator_length);
    index.pool_->free(b, b->bytes());
  }
  static void link_after(OrderIndex& index, Bucket* b, Bucket* before) {
    b->before = before;
    b->after = before->after;
    (b->after ? b->after->before : index.last_) = b;
    before->after = b;
  }
  static void unlink(OrderIndex& index, Bucket* b) {
    (b->before ? b->before->after : index.first_) = b->after;
    (b->after ? b->after->before : index.last_) = b->before;
  }
  // `b`, made as the successor of `old`, takes its place. `slot` is the trie's for `old`, or null if not known; returns
  // it.
  static void** take_place(OrderIndex& index, Bucket* old, Bucket* b, void** slot) {
    index.latest_ = {};
    if (!slot) slot = slot_of(index, old);
    *slot = tagged(b);
    b->before = old->before;
    b->after = old->after;
    (b->before ? b->before->after : index.first_) = b;
    (b->after ? b->after->before : index.last_) = b;
    index.pool_->free(old, old->bytes());
    return slot;
  }

  // ---- the trie
  static void** slot_of(const OrderIndex& index, const Bucket* b) {
    const std::string_view separator = b->separator();
    const void* array = index.root_;
    for (std::size_t depth = 0;; ++depth) {
      void** slot = judy::map_get(array, word_at(separator, depth));
      if (is_bucket(*slot)) return slot;
      array = *slot;
    }
  }

  static Bucket* first_under(void* value) {
    while (!is_bucket(value)) {
      std::uint64_t word = 0;
      value = *judy::map_first(value, &word);
    }
    return bucket_in(value);
  }

  // The last bucket whose separator is not above `key`: the only one where the key can be. Null if there are none.
  // *slot is the trie's slot of that bucket, or null where it was not passed.
  static Bucket* locate(const OrderIndex& index, std::string_view key, void*** slot_out) {
    void* array = index.root_;
    *slot_out = nullptr;
    if (!array) return nullptr;
    for (std::size_t depth = 0;; ++depth) {
      const std::uint64_t wanted = word_at(key, depth);
      std::uint64_t word = wanted;
      void** slot = judy::map_last(array, &word);
      if (!slot) return first_under(array)->before;
      if (word == wanted && goes_on(word)) {
        if (!is_bucket(*slot)) {
          array = *slot;
          continue;
        }
        // The only bucket with these words: its separator may go on above the key.
        Bucket* b = bucket_in(*slot);
        const std::size_t known = (depth + 1) * kWordBytes;
        if (b->separator().substr(known) > key.substr(known)) return b->before;
        *slot_out = slot;
        return b;
      }
      while (!is_bucket(*slot)) {
        word = ~0ull;
        slot = judy::map_last(*slot, &word);
      }
      *slot_out = slot;
      return bucket_in(*slot);
    }
  }

  // REQUIRES: no bucket in the trie has this separator.
  static void add_to_trie(OrderIndex& index, Bucket* b) {
    index.latest_slot_ = nullptr;
    const std::string_view separator = b->separator();
    void** array = &index.root_;
    std::size_t depth = 0;
    void** slot;
    for (;;) {
      slot = judy::map_insert(array, word_at(separator, depth));
      if (!*slot) {
        *slot = tagged(b);
        return;
      }
      if (is_bucket(*slot)) break;
      array = slot;
      ++depth;
    }
    // Another bucket ends here. Arrays down to where the two differ.
    Bucket* other = bucket_in(*slot);
    for (;;) {
      ++depth;
      const std::uint64_t mine = word_at(separator, depth);
      const std::uint64_t others = word_at(other->separator(), depth);
      array = slot;
      *array = nullptr;
      if (mine != others) {
        *judy::map_insert(array, others) = tagged(other);
        *judy::map_insert(array, mine) = tagged(b);
        return;
      }
      slot = judy::map_insert(array, mine);
    }
  }

  static void remove_from_trie(OrderIndex& index, const Bucket* b) {
    index.latest_slot_ = nullptr;
    const std::string_view separator = b->separator();
    void** arrays[kMaxDepth];
    std::size_t depth = 0;
    arrays[0] = &index.root_;
    for (;;) {
      void** slot = judy::map_get(*arrays[depth], word_at(separator, depth));
      if (is_bucket(*slot)) break;
      arrays[++depth] = slot;
    }
    judy::map_erase(arrays[depth], word_at(separator, depth));
    // A subtree with one bucket ends where it begins.
    for (; depth > 0; --depth) {
      std::uint64_t word = 0;
      void* only = *judy::map_first(*arrays[depth], &word);
      if (!is_bucket(only) || judy::map_next(*arrays[depth], &word)) return;
      judy::map_clear(arrays[depth]);
      *arrays[depth] = only;
    }
  }

  // ---- within a bucket
  static std::string_view key_of(const OrderIndex& index, EntryRef ref) {
    return block_key(index.keys_.base + ref * 8);
  }
  static void prefetch(const OrderIndex& index, EntryRef ref) { __builtin_prefetch(index.keys_.base + ref * 8); }

  // The first of slots 0 … count whose key is >= (or > when `after`) the given one. Each probe of a binary search is a
  // cache miss that waits for the one before; so the seven entries that the first three probes can ask for are fetched
  // at once, and then all that are left.
  static std::uint32_t search(const OrderIndex& index, const Bucket* b, std::string_view key, bool after) {
    const auto is_below = [&](std::uint32_t i) {
      const int order = compare_keys(key_of(index, b->ref(i)), key);
      return order < 0 || (after && order == 0);
    };
    const std::uint32_t count = b->count;
    std::uint32_t low = 0, high = count;
    if (count >= 16) {
      for (std::uint32_t i = 1; i < 8; ++i) prefetch(index, b->ref(count * i / 8));
      std::uint32_t eighth = 0;  // the last whose first key is below; slot 0 itself is not asked
      for (std::uint32_t step = 4; step > 0; step /= 2)
        if (is_below(count * (eighth + step) / 8)) eighth += step;
      low = eighth == 0 ? 0 : count * eighth / 8 + 1;
      high = eighth == 7 ? count : count * (eighth + 1) / 8;
    }
    for (std::uint32_t i = low; i < high; ++i) prefetch(index, b->ref(i));
    while (low < high) {
      const std::uint32_t middle = (low + high) / 2;
      if (is_below(middle))
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
  static std::uint32_t slot_of_ref(const Bucket* b, EntryRef ref) {
    std::uint32_t i = 0;
    while (i < b->count && b->ref(i) != ref) ++i;
    return i;
  }
  // Where `key` is: {bucket, slot}, or the end.
  static Position exact(const OrderIndex& index, std::string_view key, void*** slot_out) {
    Bucket* b = locate(index, key, slot_out);
    if (!b) return {};
    const std::uint32_t i = search(index, b, key, false);
    if (i == b->count || key_of(index, b->ref(i)) != key) return {};
    return {b, i};
  }

  static Position at_or_after(Bucket* b, std::uint32_t slot) {
    while (b && slot >= b->count) {
      b = b->after;
      slot = 0;
    }
    return b ? Position{b, slot} : Position{};
  }
  // The place before slot `slot` of `b`, which may be the one behind its last.
  static Position just_before(Bucket* b, std::uint32_t slot) {
    while (b && slot == 0) {
      b = b->before;
      if (b) slot = b->count;
    }
    return b ? Position{b, slot - 1} : Position{};
  }

  // Whether `key` comes right behind the entry that was inserted last, told by its two neighbours alone.
  static bool follows_latest(const OrderIndex& index, std::string_view key) {
    const Bucket* const b = index.latest_.bucket;
    if (!b || compare_keys(key_of(index, b->ref(index.latest_.slot)), key) >= 0) return false;
    const std::uint32_t next = index.latest_.slot + 1;
    if (next < b->count) return compare_keys(key, key_of(index, b->ref(next))) < 0;
    return !b->after || key < b->after->separator();
  }

  // ---- growing
  static void split(OrderIndex& index, Bucket* b, void** slot, std::uint32_t at, EntryRef ref) {
    // The references that there are, and the new one.
    const auto ref_at = [&](std::uint32_t i) { return i < at ? b->ref(i) : i == at ? ref : b->ref(i - 1); };
    const auto key_at = [&](std::uint32_t i) { return key_of(index, ref_at(i)); };
    // Keys that come in order, either way, leave full buckets behind.
    std::uint32_t cut;
    std::size_t shortest;
    if (at == kMaxCount || at == 0) {
      cut = at == 0 ? 1 : kMaxCount;
      shortest = common_length(key_at(cut - 1), key_at(cut)) + 1;
    } else {
      for (std::uint32_t i = kSplitLow - 1; i <= kSplitHigh; ++i) prefetch(index, ref_at(i));
      cut = 0;
      shortest = ~std::size_t{0};
      std::string_view left = key_at(kSplitLow - 1);
      for (std::uint32_t i = kSplitLow; i <= kSplitHigh; ++i) {
        const std::string_view right = key_at(i);
        const std::size_t length = common_length(left, right) + 1;
        const auto off_centre = [](std::uint32_t c) {
          return std::abs(2 * static_cast<int>(c) - static_cast<int>(kMaxCount) - 1);
        };
        if (length < shortest || (length == shortest && off_centre(i) < off_centre(cut))) {
          cut = i;
          shortest = length;
        }
        left = right;
      }
    }
    const std::uint32_t lefts = cut, rights = kMaxCount + 1 - cut;
    Bucket* right = make(index, std::max(rights, kGrowBy), key_at(cut).substr(0, shortest));
    right->copy_with(*b, cut, rights, at, ref);
    if (lefts < kMaxCount) {
      Bucket* left = make_successor(index, lefts, b);
      left->copy_with(*b, 0, lefts, at, ref);
      take_place(index, b, left, slot);
      b = left;
    }
    link_after(index, right, b);
    add_to_trie(index, right);
    index.latest_ = at < cut ? Position{b, at} : Position{right, at - cut};
  }

  // ---- shrinking
  // All of this costs a little memory before it frees any, and nothing depends on it: it is left out when the pool
  // can't spare it.

  // `b`, not empty, has lost references: takes less room, or merges with a neighbour. Returns where its references are.
  // `slot` is the trie's for `b`, or null if not known.
  static Bucket* tidy(OrderIndex& index, Bucket* b, void** slot, bool with_right) {
    if (!index.pool_->can_spare()) return b;
    if (b->count < kPoor) {
      if (b->before && b->before->count + b->count <= kMergedMost) return merge(index, b->before, b, nullptr);
      if (with_right && b->after && b->after->count + b->count <= kMergedMost) return merge(index, b, b->after, slot);
    }
    return b->capacity >= b->count + 2 * kGrowBy ? resize(index, b, b->count + 1u, slot) : b;
  }
  static Bucket* resize(OrderIndex& index, Bucket* b, std::uint32_t room, void** slot) {
    Bucket* other = make_successor(index, room, b);
    other->copy(0, *b, 0, b->count);
    other->count = b->count;
    take_place(index, b, other, slot);
    return other;
  }
  static Bucket* merge(OrderIndex& index, Bucket* left, Bucket* right, void** left_slot) {
    const std::uint32_t count = left->count + right->count;
    if (left->capacity < count) left = resize(index, left, count, left_slot);
    left->copy(left->count, *right, 0, right->count);
    left->count = static_cast<std::uint8_t>(count);
    drop(index, right);
    return left;
  }
  // Takes an empty (or merged) bucket out.
  static void drop(OrderIndex& index, Bucket* b) {
    remove_from_trie(index, b);
    unlink(index, b);
    release(index, b);
  }
  static void remove_slot(OrderIndex& index, Bucket* b, std::uint32_t i, void** slot) {
    PoolScope scope(*index.pool_);
    index.latest_ = {};
    b->move(i, i + 1, b->count - i - 1u);
    --b->count;
    --index.size_;
    settle(index, b, slot, true);
  }
  // After removals from `b`. Returns the bucket that has its references now, or the one before if there are none; null
  // if the index is empty. Buckets behind `b` stay as they are unless `with_right`.
  static Bucket* settle(OrderIndex& index, Bucket* b, void** slot, bool with_right) {
    if (index.size_ == 0) {
      index.clear();
      return nullptr;
    }
    if (b->count > 0) return tidy(index, b, slot, with_right);
    if (b == index.first_) return b;
    Bucket* before = b->before;
    drop(index, b);
    return before;
  }

  // Whether all keys of `b` from some slot that is in the range on begin with the prefix, told without reading one.
  static bool ends_inside(const Bucket* b, std::string_view prefix) {
    return b->after && b->after->separator().starts_with(prefix);
  }
};

}  // namespace coppice
