#include "order_index.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include "block.h"
#include "coppice/types.h"
#include "judy.h"

namespace coppice {

std::string_view KeySource::key_of(EntryRef ref) const { return block_key(base + ref * 8); }

namespace {

constexpr std::uint32_t kMaxCount = 64;  // references in a bucket
constexpr std::uint32_t kRefBytes = 5;
constexpr std::uint32_t kGrowBy = 8;       // references of room that a growing bucket gets at least
constexpr std::uint32_t kPoor = 20;        // a bucket with fewer looks for a neighbour to merge with,
constexpr std::uint32_t kMergedMost = 44;  // if together they have no more than this
// A longer separator has a block of its own, so that the largest block is a granule of the pool.
constexpr std::uint32_t kInlineSeparator = 255;
// A full bucket and one more are cut in the middle quarter, where the separator is shortest: so groups stay together.
constexpr std::uint32_t kSplitLow = kMaxCount * 3 / 8;
constexpr std::uint32_t kSplitHigh = kMaxCount * 5 / 8 + 1;

constexpr std::uint32_t kWalkAhead = 8;  // entries that a walk fetches ahead

constexpr std::size_t kWordBytes = 7;
constexpr std::size_t kMaxDepth = kMaxKeyLength / kWordBytes + 1;
constexpr unsigned kGoesOn = 8;

// Word `depth` of a key: seven bytes, big-endian, and how many of them are valid.
std::uint64_t word_at(std::string_view key, std::size_t depth) {
  const std::size_t offset = depth * kWordBytes;
  const std::size_t left = key.size() - offset;
  std::uint64_t bytes = 0;
  if (left > kWordBytes) {
    std::memcpy(&bytes, key.data() + offset, 8);
    return (__builtin_bswap64(bytes) & ~0xffull) | kGoesOn;
  }
  if (left != 0) std::memcpy(&bytes, key.data() + offset, left);
  return __builtin_bswap64(bytes) | left;
}
bool goes_on(std::uint64_t word) { return (word & 0xff) == kGoesOn; }

std::size_t common_length(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t n = 0;
  while (n < most && a[n] == b[n]) ++n;
  return n;
}

// The shortest string above every key that begins with a prefix; none if the prefix is empty or all 0xff.
class PrefixEnd {
 public:
  explicit PrefixEnd(std::string_view prefix) {
    std::size_t n = prefix.size();
    while (n > 0 && static_cast<unsigned char>(prefix[n - 1]) == 0xff) --n;
    if (n > sizeof bytes_) {
      // No key is that long: any string above the prefix, and not above keys beyond it, does.
      n = sizeof bytes_;
      while (n > 0 && static_cast<unsigned char>(prefix[n - 1]) == 0xff) --n;
    }
    if (n == 0) return;
    std::memcpy(bytes_, prefix.data(), n);
    bytes_[n - 1] = static_cast<char>(static_cast<unsigned char>(bytes_[n - 1]) + 1);
    size_ = n;
  }
  explicit operator bool() const { return size_ != 0; }
  std::string_view view() const { return {bytes_, size_}; }

 private:
  std::size_t size_ = 0;
  char bytes_[kMaxKeyLength];
};

}  // namespace

// | header 20 | references, 5 bytes each, `capacity` of them | separator, or where it is if it is long |
// A bucket has at least one reference, but for the first, which stays while there are others and keeps the separator
// "", so that every key has a bucket to go to.
struct OrderIndex::Bucket {
  Bucket* before;
  Bucket* after;
  std::uint16_t separator_length;
  std::uint8_t count;
  std::uint8_t capacity;

  static constexpr std::size_t kHeader = 20;

  char* data() { return reinterpret_cast<char*>(this) + kHeader; }
  const char* data() const { return reinterpret_cast<const char*>(this) + kHeader; }

  EntryRef ref(std::uint32_t i) const {
    const char* at = data() + i * kRefBytes;
    std::uint32_t low;
    std::memcpy(&low, at, 4);
    return static_cast<EntryRef>(static_cast<unsigned char>(at[4])) << 32 | low;
  }
  void set(std::uint32_t i, EntryRef ref) {
    char* at = data() + i * kRefBytes;
    const auto low = static_cast<std::uint32_t>(ref);
    std::memcpy(at, &low, 4);
    at[4] = static_cast<char>(ref >> 32);
  }
  // Copies `n` references of another bucket, from its `from`, to here at `to`.
  void copy(std::uint32_t to, const Bucket& other, std::uint32_t from, std::uint32_t n) {
    std::memcpy(data() + to * kRefBytes, other.data() + from * kRefBytes, std::size_t{n} * kRefBytes);
  }
  void move(std::uint32_t to, std::uint32_t from, std::uint32_t n) {
    std::memmove(data() + to * kRefBytes, data() + from * kRefBytes, std::size_t{n} * kRefBytes);
  }

  bool is_separator_apart() const { return separator_length > kInlineSeparator; }
  std::size_t tail_bytes() const { return is_separator_apart() ? sizeof(char*) : separator_length; }
  const char* tail() const { return data() + capacity * kRefBytes; }
  char* tail() { return data() + capacity * kRefBytes; }
  std::string_view separator() const {
    const char* at = tail();
    if (is_separator_apart()) std::memcpy(&at, tail(), sizeof at);
    return {at, separator_length};
  }
  std::size_t bytes() const { return kHeader + std::size_t{capacity} * kRefBytes + tail_bytes(); }
};

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
  // `b`, made as the successor of `old`, takes its place. `slot` is the trie's for `old`, or null if not known.
  static void take_place(OrderIndex& index, Bucket* old, Bucket* b, void** slot) {
    if (!slot) slot = slot_of(index, old);
    *slot = tagged(b);
    b->before = old->before;
    b->after = old->after;
    (b->before ? b->before->after : index.first_) = b;
    (b->after ? b->after->before : index.last_) = b;
    index.pool_->free(old, old->bytes());
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
  static void prefetch(const OrderIndex& index, EntryRef ref) { __builtin_prefetch(index.keys_.base + ref * 8); }

  // The first of slots 0 … count whose key is >= (or > when `after`) the given one. Each probe of a binary search is a
  // cache miss that waits for the one before; so the seven entries that the first three probes can ask for are fetched
  // at once, and then all that are left.
  static std::uint32_t search(const OrderIndex& index, const Bucket* b, std::string_view key, bool after) {
    const auto is_below = [&](std::uint32_t i) {
      const int order = index.keys_.key_of(b->ref(i)).compare(key);
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
    if (i == b->count || index.keys_.key_of(b->ref(i)) != key) return {};
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

  // ---- growing
  static void split(OrderIndex& index, Bucket* b, void** slot, std::uint32_t at, EntryRef ref) {
    EntryRef refs[kMaxCount + 1];
    for (std::uint32_t i = 0; i < at; ++i) refs[i] = b->ref(i);
    refs[at] = ref;
    for (std::uint32_t i = at; i < kMaxCount; ++i) refs[i + 1] = b->ref(i);
    // Keys that come in order, either way, leave full buckets behind.
    std::uint32_t cut;
    std::size_t shortest;
    if (at == kMaxCount || at == 0) {
      cut = at == 0 ? 1 : kMaxCount;
      shortest = common_length(index.keys_.key_of(refs[cut - 1]), index.keys_.key_of(refs[cut])) + 1;
    } else {
      cut = 0;
      shortest = ~std::size_t{0};
      std::string_view left = index.keys_.key_of(refs[kSplitLow - 1]);
      for (std::uint32_t i = kSplitLow; i <= kSplitHigh; ++i) {
        const std::string_view right = index.keys_.key_of(refs[i]);
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
    Bucket* right = make(index, std::max(rights, kGrowBy), index.keys_.key_of(refs[cut]).substr(0, shortest));
    for (std::uint32_t i = 0; i < rights; ++i) right->set(i, refs[cut + i]);
    right->count = static_cast<std::uint8_t>(rights);
    if (lefts < kMaxCount) {
      Bucket* left = make_successor(index, lefts, b);
      for (std::uint32_t i = 0; i < lefts; ++i) left->set(i, refs[i]);
      left->count = static_cast<std::uint8_t>(lefts);
      take_place(index, b, left, slot);
      b = left;
    }
    link_after(index, right, b);
    add_to_trie(index, right);
  }

  // ---- shrinking
  // All of this costs a little memory before it frees any, and nothing depends on it: it is left out when the pool
  // has no room to spare.

  // `b`, not empty, has lost references: takes less room, or merges with a neighbour. Returns where its references are.
  // `slot` is the trie's for `b`, or null if not known.
  static Bucket* tidy(OrderIndex& index, Bucket* b, void** slot, bool with_right) {
    if (!index.pool_->ready()) return b;
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
  size_ = 0;
}

void OrderIndex::insert(std::string_view key, EntryRef ref) {
  assert(!key.empty() && key.size() <= kMaxKeyLength);
  PoolScope scope(*pool_);
  ++size_;
  void** slot;
  Bucket* b = Access::locate(*this, key, &slot);
  if (!b) {
    b = Access::make(*this, kGrowBy, "");
    b->set(0, ref);
    b->count = 1;
    first_ = last_ = b;
    Access::add_to_trie(*this, b);
    return;
  }
  const std::uint32_t at = Access::search(*this, b, key, false);
  if (b->count < b->capacity) {
    b->move(at + 1, at, b->count - at);
    b->set(at, ref);
    ++b->count;
  } else if (b->count < kMaxCount) {
    Bucket* larger = Access::make_successor(*this, std::min(b->count + kGrowBy, kMaxCount), b);
    larger->copy(0, *b, 0, at);
    larger->set(at, ref);
    larger->copy(at + 1, *b, at, b->count - at);
    larger->count = static_cast<std::uint8_t>(b->count + 1);
    Access::take_place(*this, b, larger, slot);
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

const char* OrderIndex::check() const {
  std::size_t entries = 0, buckets = 0;
  const Bucket* before = nullptr;
  std::string_view last_key;
  for (const Bucket* b = first_; b; before = b, b = b->after) {
    ++buckets;
    if (b->before != before) return "a bucket is not linked back";
    if (b->count > b->capacity || b->capacity > kMaxCount) return "a bucket is over-full";
    if (b->count == 0 && before) return "a bucket is empty";
    if (!before && b->separator_length != 0) return "the first bucket's separator is not empty";
    if (before && b->separator() <= before->separator()) return "separators are not in order";
    if (before && b->separator() <= last_key) return "a separator is not above the keys before it";
    for (std::uint32_t i = 0; i < b->count; ++i) {
      const std::string_view key = keys_.key_of(b->ref(i));
      if (i == 0 && key < b->separator()) return "a key is below its bucket's separator";
      if (entries > 0 && key <= last_key) return "keys are not in order";
      last_key = key;
      ++entries;
    }
    void** slot;
    if (Access::locate(*this, b->separator(), &slot) != b) return "the trie does not lead to a bucket";
    if (!slot || slot != Access::slot_of(*this, b)) return "the trie leads to a bucket by two ways";
  }
  if (before != last_) return "the last bucket is not the last";
  if (entries != size_) return "the size is not the number of entries";
  if (!first_) return root_ ? "a trie without buckets" : nullptr;

  // The trie holds these buckets, and no array that leads to only one.
  struct Level {
    const void* array;
    std::uint64_t word;
    std::size_t buckets_before;
  } levels[kMaxDepth];
  std::size_t depth = 0, seen = 0;
  const Bucket* expected = first_;
  levels[0] = {root_, 0, 0};
  bool fresh = true;
  for (;;) {
    Level& level = levels[depth];
    void** slot = fresh ? judy::map_first(level.array, &level.word) : judy::map_next(level.array, &level.word);
    fresh = false;
    if (!slot) {
      if (depth == 0) break;
      if (seen - level.buckets_before < 2) return "an array leads to fewer than two buckets";
      --depth;
    } else if (Access::is_bucket(*slot)) {
      if (Access::bucket_in(*slot) != expected) return "the trie and the list of buckets differ";
      if (word_at(expected->separator(), depth) != level.word) return "a bucket hangs on a word not its own";
      expected = expected->after;
      ++seen;
    } else {
      if (!goes_on(level.word)) return "an array hangs on a word that ends";
      levels[++depth] = {*slot, 0, seen};
      fresh = true;
    }
  }
  return seen == buckets ? nullptr : "the trie lacks buckets";
}

}  // namespace coppice
