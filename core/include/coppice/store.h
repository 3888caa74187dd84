// The ordered store: an arena of immutable entries under a point index (hash), an order index (trie) and a deadline
// index, bounded in memory.
//
//   auto store = Store::create({.max_memory = 64 << 20});
//   (*store)->set(0, "user.42.name", {ValueType::kString, "Ada"});
//   if (auto e = (*store)->find(0, "user.42.name")) use(e->contiguous_value());
//   (*store)->erase_prefix(0, "user.42.");            // costs what the branch holds
//
// Keys are any bytes, 1 … kMaxKeyLength, ordered bytewise. A miss is a value; a refusal is an Error and leaves the
// store as it was. An entry whose deadline has passed is a miss whether it was swept or not.
//
// Costs: point operations O(1) plus O(log n) for the order index where an entry comes or goes; no operation takes time
// in proportion to what the cache holds. Range removals, expiry and flushes can be taken in slices.
//
// Thread safety: none; one thread at a time. Readers of a shared segment (reader.h) run beside the one writer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/clock.h"
#include "coppice/layout.h"
#include "coppice/types.h"

namespace coppice {

struct StoreOptions {
  std::uint64_t max_memory = kDefaultMaxMemory;  // bytes; >= kSmallestMaxMemory
  std::uint32_t max_value = kDefaultMaxValue;    // bytes; <= kLargestMaxValue
  std::uint32_t databases = 16;                  // 1 … kMaxDatabases
  Policy policy = Policy::kAllKeysLru;
  bool shared = false;           // the arena is a sealed memfd that readers can map
  bool huge_pages = true;        // where the system has them, and the store is not small
  const Clock* clock = nullptr;  // null: system_clock(). Must outlive the store.
  Version version_floor = 0;     // versions start above this and above the wall clock
};

// A value to be stored. Not owned; must not point into the store itself, which may move its entries to make room.
struct Value {
  ValueType type = ValueType::kString;
  std::string_view bytes;
};

// Where a value larger than a page goes on. Points into the arena.
struct Parts {
  const char* base = nullptr;
  const std::uint32_t* pages = nullptr;
  std::uint32_t page_count = 0;
};

// One entry as the store holds it. Valid until the next call that changes the store.
struct EntryView {
  std::string_view key;
  Version version = 0;
  Millis deadline = kNoDeadline;
  ValueType type = ValueType::kString;
  std::uint32_t value_size = 0;
  Parts parts;            // first the whole pages,
  std::string_view tail;  // then this; without pages, the whole value

  bool is_contiguous() const { return parts.page_count == 0; }
  // REQUIRES: is_contiguous().
  std::string_view contiguous_value() const { return tail; }
  // Calls f(std::string_view) for each piece of the value, in order.
  template <class F>
  void for_each_part(F&& f) const {
    std::uint32_t left = value_size;
    for (std::uint32_t i = 0; i < parts.page_count; ++i) {
      const std::uint32_t n = left < layout::kPageSize ? left : layout::kPageSize;
      f(std::string_view(parts.base + (static_cast<std::uint64_t>(parts.pages[i]) << layout::kPageShift), n));
      left -= n;
    }
    if (!tail.empty()) f(tail);
  }
  // REQUIRES: `to` has room for value_size bytes.
  void copy_value(char* to) const {
    for_each_part([&](std::string_view part) {
      std::memcpy(to, part.data(), part.size());
      to += part.size();
    });
  }
  std::string value() const {
    std::string s(value_size, '\0');
    copy_value(s.data());
    return s;
  }
};

enum class When : std::uint8_t { kAlways, kIfAbsent, kIfPresent, kIfVersion };

struct SetOptions {
  When when = When::kAlways;
  Version version = 0;            // for kIfVersion
  Millis deadline = kNoDeadline;  // absolute; one that has passed removes the key
  bool keep_deadline = false;     // take over the deadline of the entry that is replaced
  bool keep_tags = false;         // take over its tags, stale window and compute time; `tags` must be empty then
  std::uint32_t compute_us = 0;   // how long the value took to compute
  // Milliseconds for which the entry is kept beyond its deadline, where only find_stale() and Reader::read_stale() see
  // it. Without a deadline it waits for one. Saturates at 2^32 - 1 (49 days).
  Millis stale = 0;
  // Any bytes, 1 … kMaxTagLength each; doubles count once. Must not point into the store. None: the new entry has none,
  // whatever the old one had.
  std::span<const std::string_view> tags{};
};

struct SetResult {
  bool stored = false;  // false: the condition did not hold
  Version version = 0;  // of the new entry; 0 if the deadline had passed already
};

struct IncrementOptions {
  std::int64_t initial = 0;              // what a missing key counts as
  Millis deadline_if_new = kNoDeadline;  // an existing key keeps its own
};

// An entry as one sees it who can recompute it: also behind its deadline, while its stale window lasts.
struct RefreshView {
  EntryView entry;
  bool is_stale = false;         // its deadline has passed: a miss for everybody else
  std::uint32_t stale = 0;       // the window's length, ms
  std::uint32_t compute_us = 0;  // 0: not known
};

// What a change did to a key.
enum class Change : std::uint8_t {
  kCreated,   // there was no live entry, now there is
  kWritten,   // the key holds something else
  kDeadline,  // the same with another deadline, or with none
  kErased,    // a live entry was removed
  kNothing,   // a removal that found no live entry
};

// Is told of everything that changes what keys hold or invalidates them, also where nothing was there, once it has
// happened; never of purges and moves. Must not change the store.
struct StoreListener {
  virtual ~StoreListener() = default;
  virtual void on_change(Database db, std::string_view key, Change change) = 0;
  virtual void on_erase_prefix(Database db, std::string_view prefix) = 0;  // as it begins
  // As it begins; entries with a version up to `version` go.
  virtual void on_invalidate_tags(Database db, std::span<const std::string_view> tags, Version version) = 0;
  virtual void on_flush(Database db) = 0;  // of swap() for each of the two
  // ---- only the observer is told of these
  // Once for each entry, as it is noticed.
  virtual void on_expire(Database, std::string_view /*key*/) {}
  virtual void on_evict(Database, std::string_view /*key*/) {}
  // When the removal is done, unless the database was emptied meanwhile. Until then what it will remove can be read.
  virtual void on_prefix_erased(Database, std::string_view /*prefix*/) {}
  virtual void on_tags_invalidated(Database, Version) {}
};

// What a rate limit says to one request.
struct ThrottleResult {
  bool allowed = false;
  std::int64_t limit = 0;
  std::int64_t remaining = 0;  // what could be spent at once now
  Millis retry_after = -1;     // ms until a request of this cost is allowed; -1: it is, or it costs more than the limit
  Millis reset_after = 0;      // ms until the whole limit can be spent at once
};

// A stretch of keys in bytewise order, or in the reverse of it.
struct ScanRange {
  std::string_view prefix{};                // only keys that begin with this
  std::optional<std::string_view> start{};  // from this key on; it need not exist
  bool inclusive = false;                   // whether `start` itself belongs
  bool reverse = false;                     // from the end of the prefix (or from `start`) downwards
};

// A removal in progress. Entries written after it began survive it.
class RangeErase {
 public:
  std::uint64_t removed() const { return removed_; }  // live entries; expired ones do not count
  bool done() const { return done_; }

 private:
  friend class Store;
  std::uint8_t branch_ = 0;
  std::string prefix_;
  std::string next_;    // where to go on
  Version newest_ = 0;  // remove versions up to this
  std::uint64_t removed_ = 0;
  bool done_ = false;
};

struct StoreStats {
  std::uint64_t entries = 0;  // all databases, expired but unswept ones included
  std::uint64_t entries_with_deadline = 0;
  std::uint64_t used_memory = 0;  // bytes of pages held, fixed parts included; <= max_memory
  std::uint64_t max_memory = 0;
  std::uint64_t entry_bytes = 0;  // pages of blocks and large values
  std::uint64_t point_index_bytes = 0;
  std::uint64_t order_index_bytes = 0;  // pages of Judy nodes, buckets and deadlines
  std::uint64_t fixed_bytes = 0;        // header, page table, directory, page bookkeeping
  std::uint64_t free_bytes = 0;         // pages touched and free again (resident, not counted as used)
  std::uint64_t hits = 0, misses = 0;   // of find() and find_many()
  std::uint64_t sets = 0, evicted = 0, expired = 0, moved = 0;
  std::uint64_t pending_purge = 0;  // entries of flushed databases and removed collections that are still to be freed
  std::uint64_t elements = 0;       // entries of large collections, which do not count in `entries`
  std::uint64_t stale = 0;          // entries kept in their stale windows
  std::uint64_t tags = 0;           // that have members
  std::uint64_t tag_memberships = 0;
  std::uint64_t tag_index_bytes = 0;  // in use for tags within order_index_bytes
};

// The removal of all entries with one of some tags, in progress. Entries written after it began survive it.
class TagErase {
 public:
  std::uint64_t removed() const { return removed_; }  // live entries
  bool done() const { return done_; }
  Version version() const { return newest_; }  // entries up to this go

 private:
  friend class Store;
  std::uint8_t branch_ = 0;
  std::vector<std::string> tags_;
  std::size_t current_ = 0;
  std::string next_;  // where to go on in the current tag
  Version newest_ = 0;
  std::uint64_t removed_ = 0;
  bool done_ = false;
};

class Collection;
struct Element;

// What became of elements that were written.
struct Written {
  std::uint64_t added = 0;
  std::uint64_t changed = 0;  // of a hash, all that were there already; of a sorted set, those with another score
};

class Store {
 public:
  // Fails with a sentence that names the option at fault, or the system call.
  struct CreateError {
    std::string message;
  };
  static std::unique_ptr<Store> create(const StoreOptions& options, CreateError* error = nullptr);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // ---- points
  // Counts a hit or a miss and marks the entry as visited.
  std::optional<EntryView> find(Database db, std::string_view key);
  // The same without a trace.
  std::optional<EntryView> peek(Database db, std::string_view key) const;
  // The entry while it is live or in its stale window. A hit if it is live, else a miss.
  std::optional<RefreshView> find_stale(Database db, std::string_view key);
  // The same, as cheap as find(): into a place that need not be cleared beforehand. false: a miss.
  bool find_stale(Database db, std::string_view key, RefreshView* found);
  // find() for up to kBatch keys, with the cache misses overlapped: bit i of the answer is set where found[i] is key
  // i's entry. REQUIRES: keys.size() <= kBatch, and as many places at `found`.
  static constexpr std::size_t kBatch = 16;
  // Places for what find_batch() finds, not cleared beforehand.
  union Batch {
    Batch() {}
    EntryView found[kBatch];
  };
  std::uint32_t find_batch(Database db, std::span<const std::string_view> keys, EntryView* found);
  // The same for any number of keys: f(position, entry or null) for each, in order. f must not change the store.
  using FindFn = std::function<void(std::size_t, const EntryView*)>;
  void find_many(Database db, std::span<const std::string_view> keys, const FindFn& f);

  Result<SetResult> set(Database db, std::string_view key, Value value, const SetOptions& options = {});
  // true if a live entry was there.
  bool erase(Database db, std::string_view key);
  // Gives the entry a new deadline and a new version. false: no such entry. A deadline that has passed removes it.
  Result<bool> set_deadline(Database db, std::string_view key, Millis deadline);
  // The new value. kNotInteger, kWrongType, kOverflow leave the old one.
  Result<std::int64_t> increment(Database db, std::string_view key, std::int64_t by,
                                 const IncrementOptions& options = {});
  // Spends `cost` of the key's rate, `limit` each `period` ms with bursts up to `limit`, if that much is left. 0 looks
  // only. kWrongType for a key that holds anything else; kBadThrottle.
  Result<ThrottleResult> throttle(Database db, std::string_view key, std::int64_t limit, Millis period,
                                  std::int64_t cost = 1);

  // ---- ranges
  std::uint64_t erase_prefix(Database db, std::string_view prefix);  // in one piece
  RangeErase begin_erase_prefix(Database db, std::string_view prefix);
  // Removes at most `budget` entries; true when it is done.
  bool step(RangeErase& erase, std::size_t budget);
  // Live entries: expired ones do not count. O(buckets of the range + entries due and not swept).
  std::uint64_t count_prefix(Database db, std::string_view prefix) const;
  // f(const EntryView&) -> bool: false ends the walk. f must not change the store. Expired entries are left out.
  using ScanFn = std::function<bool(const EntryView&)>;
  void scan(Database db, const ScanRange& range, const ScanFn& f) const;

  // ---- tags. Each belongs to its database and exists while it has members.
  // What is wrong with the tags of one key, kNone if nothing. They need not be sorted nor free of doubles.
  static Error check_tags(std::span<const std::string_view> tags);
  // Removes every entry that has one of the tags: costs what these are, never what the cache holds.
  std::uint64_t invalidate_tags(Database db, std::span<const std::string_view> tags);  // in one piece
  TagErase begin_invalidate_tags(Database db, std::span<const std::string_view> tags);
  // Removes at most `budget` entries; true when it is done.
  bool step(TagErase& erase, std::size_t budget);
  // Live entries with the tag. O(1 + the fewer of: its members; entries due or in their stale window).
  std::uint64_t count_tag(Database db, std::string_view tag) const;
  // Its live entries with keys above `after`, in key order: f(const EntryView&) -> bool, false ends the walk. f must
  // not change the store.
  void scan_tag(Database db, std::string_view tag, std::optional<std::string_view> after, const ScanFn& f) const;
  // Whether the key's entry, one in its stale window included, has one of the tags.
  bool has_tag(Database db, std::string_view key, std::span<const std::string_view> tags) const;
  // A live entry's tags in bytewise order.
  std::vector<std::string> tags_of(Database db, std::string_view key) const;
  // The same of an entry that the store has just handed out: f(std::string_view) for each.
  using TagFn = std::function<void(std::string_view)>;
  void for_each_tag(const EntryView& entry, const TagFn& f) const;
  // The stale window and compute time of an entry that the store has just handed out.
  RefreshView refresh_of(const EntryView& entry) const;

  // ---- collections (collections.h)
  // What the key holds; nullopt without the key, kWrongType if it is anything else. Counts and marks as find() does.
  Result<std::optional<Collection>> open(Database db, std::string_view key, ValueType type);
  // The same of an entry that the store has just handed out; nullopt if it is no collection.
  std::optional<Collection> open(const EntryView& entry) const;
  // Adds elements or writes them anew, all or none; of those with the same name the last one counts. The collection is
  // made if need be; what there is keeps its deadline and tags. kWrongType, kElementTooLong, kValueTooLarge,
  // kOutOfMemory. REQUIRES: is_collection(type).
  Result<Written> put_elements(Database db, std::string_view key, ValueType type, std::span<const Element> elements);
  // The number of those that were there. Never kOutOfMemory.
  Result<std::uint64_t> erase_elements(Database db, std::string_view key, ValueType type,
                                       std::span<const std::string_view> names);
  // Takes an entry to another key or database, with its deadline, tags and stale window, in place of what is there;
  // costs the same whatever a collection holds. false: no such entry. kOutOfMemory leaves both as they were.
  Result<bool> move(Database db, std::string_view key, Database to_db, std::string_view to);

  // ---- databases
  std::uint64_t count(Database db) const;  // expired but unswept entries included
  std::uint64_t count_with_deadline(Database db) const;
  void flush(Database db);  // at once; purge() frees the memory
  void swap(Database a, Database b);
  std::optional<std::string> random_key(Database db);

  // ---- upkeep; each does at most `budget` entries' work and says whether more is waiting
  bool purge(std::size_t budget);   // what flushed databases left
  bool expire(std::size_t budget);  // what is due
  std::uint64_t prune();            // all that is due now; the number removed
  std::optional<Millis> next_deadline() const;

  const StoreOptions& options() const;
  // Takes effect at once. kOutOfMemory if `bytes` is above what the arena was made for; below what is held: entries are
  // evicted by and by as writes come.
  Error set_max_memory(std::uint64_t bytes);
  void set_policy(Policy policy);
  StoreStats stats() const;
  Version newest_version() const;
  // A fresh number of the same sequence, for whoever has to tell before from after.
  Version take_version();
  // Null: none. Must outlive the store or be taken back.
  void set_listener(StoreListener* listener);
  // A second one beside it, which is told of expiry and eviction too.
  void set_observer(StoreListener* observer);

  // ---- sharing. REQUIRES: options().shared
  int descriptor() const;  // of the sealed memfd; stays the store's
  const layout::SegmentHeader& header() const;
  void renew_lease();  // every layout::kLeaseRenewal
  void end_lease();    // readers see the end of the owner at once
  // Takes the visited marks out of a worker's hint page. `seen` is the page's position at the last call, 0 at first.
  void absorb_hints(const layout::HintPage& page, std::uint64_t* seen);

  // Walks all structures and compares them; the first contradiction in words, or "". For tests: O(n).
  std::string check() const;

 private:
  friend class Collection;
  friend class CollectionBuilder;
  class Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace coppice
