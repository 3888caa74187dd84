#include "order_index_impl.h"

namespace coppice {

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
