// The order index of one branch: buckets of up to 64 entry references sorted by key, and over them a trie of JudyL
// arrays that holds one separator for each bucket. Keys are not stored: they are read from the entries.
//
// A key is cut into words of seven bytes, big-endian, the eighth byte counting the valid ones (8 = the key goes on):
// bytewise order kept, any bytes allowed, no escapes. A word leads to a bucket or to another JudyL array; a subtree
// with one bucket ends there. Loops, no recursion. A bucket carries its own separator: the shortest string above the
// bucket before and not above its own first key; it need not be a living key, so deleting a key never touches the trie
// unless its bucket runs empty. Poor neighbours merge, a full bucket splits (at its end when keys come in order).
// Buckets are linked both ways.
//
// Measured at 1M keys, in pages of the pool: 7.6–7.9 bytes a key in random order, 6.5 in order (with buckets of 32,
// 8.3–10.3, at the same speed).
//
// Thread safety: none. All memory comes from the pool; before insert() the store sees to pool.ready().
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "judy_pool.h"

namespace coppice {

// A reference to an entry: its block's offset / 8, below 2^35; kept in five bytes.
using EntryRef = std::uint64_t;

// How the index reads an entry's key: `base` is the arena.
struct KeySource {
  const char* base;
  std::string_view key_of(EntryRef ref) const;  // inline in order_index.cpp, from layout.h
};

class OrderIndex {
 public:
  struct Bucket;
  // A place between or at entries. Void after any change of the index. Ends compare equal to {nullptr, 0}.
  struct Position {
    Bucket* bucket = nullptr;
    std::uint32_t slot = 0;
    explicit operator bool() const { return bucket != nullptr; }
  };

  OrderIndex(JudyPool& pool, KeySource keys) : pool_(&pool), keys_(keys) {}
  // Frees all nodes; does not touch entries (key_of is not called).
  ~OrderIndex();
  OrderIndex(const OrderIndex&) = delete;
  OrderIndex& operator=(const OrderIndex&) = delete;

  std::size_t size() const { return size_; }

  // REQUIRES: no entry with this key is in the index; key == key_of(ref).
  void insert(std::string_view key, EntryRef ref);
  // false: not there.
  bool erase(std::string_view key);
  // The entry with this key is now `ref` (it was overwritten or moved). key_of(old) must still be readable.
  // false: not there.
  bool replace(std::string_view key, EntryRef ref);
  // The same for a caller that knows the entry's reference: no entry is read but those that hold `key`'s separators, so
  // they cost one walk of the trie (150–300 ns less at 1M). REQUIRES: key == key_of(old), which need not be readable.
  bool erase(std::string_view key, EntryRef old);
  bool replace(std::string_view key, EntryRef old, EntryRef ref);
  // 0: not there.
  EntryRef find(std::string_view key) const;

  // The first entry with key >= (or > when `after`) the given one.
  Position lower_bound(std::string_view key, bool after = false) const;
  // The last entry with key <= (or < when `before`) the given one.
  Position upper_bound(std::string_view key, bool before = false) const;
  Position first() const;
  Position last() const;
  // The first entry behind all keys that begin with `prefix`; the end if there is none.
  Position end_of_prefix(std::string_view prefix) const;
  // The last entry whose key begins with `prefix`; the end if there is none.
  Position last_of_prefix(std::string_view prefix) const;
  EntryRef at(Position p) const;
  Position next(Position p) const;
  Position previous(Position p) const;

  // Number of entries with this prefix; O(buckets in the range).
  std::size_t count_prefix(std::string_view prefix) const;
  // The place `n` entries further on (or back); the end if there are fewer. O(buckets between).
  Position advance(Position p, std::size_t n) const;
  Position retreat(Position p, std::size_t n) const;
  // How many of the `total` entries from `first` to `last` are before `p`, which is one of them. O(buckets to the
  // nearer end).
  std::size_t rank(Position p, Position first, Position last, std::size_t total) const;

  // Takes up to `budget` (>= 1) entries out of the front of the range [from, end of prefix), calling
  // taken(context, ref) for each *before* the index forgets it (its key is still readable during the call and until
  // erase_front returns) when keep(context, ref) is false; entries for which keep is true stay. Whole buckets are
  // dropped without work for each key in the trie. Returns true when the end of the range was reached; otherwise
  // `resume` is set to the key to go on from (a copy is made by the caller).
  // Neither callback may use the index.
  struct RangeVisitor {
    void* context;
    bool (*keep)(void* context, EntryRef ref);
    void (*taken)(void* context, EntryRef ref);
  };
  bool erase_front(std::string_view prefix, std::string_view from, std::size_t budget, const RangeVisitor& visitor,
                   std::string* resume);
  // Frees everything at once without visiting entries. REQUIRES: the caller has dealt with the entries.
  void clear();

  // For tests: the first contradiction in words, or nullptr. O(n).
  const char* check() const;

 private:
  struct Access;  // the implementation's own

  JudyPool* pool_;
  KeySource keys_;
  void* root_ = nullptr;  // JudyL array, or null
  Bucket* first_ = nullptr;
  Bucket* last_ = nullptr;
  std::size_t size_ = 0;
  // Where the last insertion went: keys that come in order, as those of a group mostly do, need no search. Its bucket
  // is null once a bucket has been changed in any other way.
  Position latest_;
  void** latest_slot_ = nullptr;  // that bucket's slot of the trie; null once the trie has changed
};

}  // namespace coppice
