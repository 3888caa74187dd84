// The store's inside: one class in some files. store.cpp: points; store_tags.cpp: tags and trailers; store_ranges.cpp:
// ranges, databases and upkeep; store_room.cpp: memory; store_check.cpp: the comparison of all structures.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "arena.h"
#include "coppice/store.h"
#include "deadline_index.h"
#include "judy_pool.h"
#include "order_index.h"
#include "packed.h"
#include "point_index.h"
#include "segment.h"
#include "tag_index.h"

namespace coppice {

class Store::Impl {
 public:
  Impl(const StoreOptions& options, std::unique_ptr<Segment> segment);
  ~Impl();
  bool start();

  struct Branch {
    std::unique_ptr<OrderIndex> order;
    std::uint64_t with_deadline = 0;
    std::uint64_t stale = 0;  // of them, those in stales_
  };
  using Slot = PointIndex::Slot;

  // ---- looking
  std::uint8_t branch_of(Database db) const { return branch_of_[db]; }
  OrderIndex& order(std::uint8_t branch) { return *branches_[branch].order; }
  Block block_at(std::uint64_t offset) const { return Block(arena_.at(offset)); }
  bool passed(const Block& block) const { return block.has_deadline() && clock_->passed(block.deadline()); }
  EntryView view(std::uint64_t offset) const;
  // The same into a place that is not cleared.
  [[gnu::always_inline]] void view_into(std::uint64_t offset, EntryView* e) const {
    const Block block = block_at(offset);
    e->key = block.key();
    e->version = block.version();
    e->deadline = block.deadline();
    e->type = block.type();
    e->value_size = block.value_length();
    e->tail = block.tail();
    layout::prefetch_value(e->tail.data(), e->tail.size());
    e->parts = {};
    if (block.is_chained()) [[unlikely]]
      e->parts = {segment_->base(), block.page_numbers(), block.data_pages()};
  }
  // The offset of the key's entry, live or not, or 0.
  std::uint64_t offset_at(std::uint8_t branch, std::string_view key, layout::KeyHash hash) const {
    const Slot* slot = points_.find(branch, key, hash);
    return slot == nullptr ? 0 : layout::slot_offset(slot->load(std::memory_order_relaxed));
  }
  // The live entry's offset, or 0.
  std::uint64_t look(Database db, std::string_view key, layout::KeyHash hash) const {
    const std::uint64_t offset = offset_at(branch_of(db), key, hash);
    return offset == 0 || passed(block_at(offset)) ? 0 : offset;
  }
  Error check_key(Database db, std::string_view key) const {
    if (key.empty()) return Error::kEmptyKey;
    if (key.size() > kMaxKeyLength) return Error::kKeyTooLong;
    return db < options_.databases ? Error::kNone : Error::kBadDatabase;
  }
  bool holds(Database db, std::string_view key) const { return check_key(db, key) == Error::kNone; }

  // ---- changing
  // A new block with everything but its version, and with room for a trailer. REQUIRES: ensure_room() was true for it.
  std::uint64_t fill(std::uint8_t branch, std::string_view key, const Value& value, Millis deadline,
                     std::uint32_t trailer_size);
  // Overwrites the value where it lies, if nobody reads without asking the store (it is not shared) and the block is as
  // good for the new value: no index has to be told. 0: it can't.
  Version overwrite(std::uint64_t offset, const Value& value, Millis deadline, std::uint32_t size_class);
  // Publishes `offset`, in place of `old` (0: none), as the entry of `key`. The memberships of both must be right
  // already, or are seen to by the caller: forget_tags().
  Version publish(std::uint8_t branch, std::string_view key, layout::KeyHash hash, const PointIndex::Place& place,
                  std::uint64_t offset, std::uint64_t old);
  // Takes the entry out of all indexes and frees it.
  void remove(std::uint64_t offset);
  // The same for one that the order index has forgotten already.
  void remove_ordered(std::uint64_t offset);
  // Retires a block and frees it and (unless they went to another block) its data pages.
  void discard(std::uint64_t offset, bool with_data);
  void give_back_surplus();

  // ---- trailers (store_tags.cpp)
  std::uint32_t class_at(std::uint64_t offset) const {
    return arena_.kind_of(static_cast<std::uint32_t>(offset >> layout::kPageShift)) - layout::kFirstBlockPage;
  }
  std::uint32_t class_size_at(std::uint64_t offset) const { return layout::kClassSizes[class_at(offset)]; }
  char* block_end(std::uint64_t offset) const { return arena_.at(offset) + class_size_at(offset); }
  // As if empty where there is none.
  Trailer trailer(std::uint64_t offset) const {
    return Trailer(block_at(offset).has_trailer() ? block_end(offset) : nullptr);
  }
  // What an entry carries besides its value.
  struct Extras {
    std::vector<std::string_view> tags;  // sorted, without doubles
    std::uint64_t refresh = 0;           // the refresh word
    bool keep = false;                   // those of the entry that is replaced, instead
    Error take(const SetOptions& options);
    std::uint32_t size() const { return layout::trailer_size(static_cast<std::uint32_t>(tags.size()), refresh != 0); }
  };
  // The part of set() behind its conditions, for entries that carry more than a value. old: 0, or the entry there.
  [[gnu::noinline]] Result<SetResult> set_more(Database db, std::string_view key, const Value& value,
                                               const SetOptions& options, Millis deadline, layout::KeyHash hash,
                                               const PointIndex::Place& place, std::uint64_t old);
  Result<SetResult> set_with_extras(std::uint8_t branch, std::string_view key, const Value& value, Millis deadline,
                                    layout::KeyHash hash, PointIndex::Place place, std::uint64_t old, Extras& extras);
  bool tags_can_fit(std::uint8_t branch, const Extras& extras) const;
  // Makes the unpublished block a member of the tags. false: no room, and nothing has changed.
  bool join_tags(std::uint8_t branch, std::string_view key, std::uint64_t offset, Extras& extras);
  void leave_tags(std::string_view key, std::uint64_t offset, std::uint32_t joined);
  // `to` is the entry now wherever `from` was a member, whose tags it has.
  void hand_over_tags(std::string_view key, std::uint64_t from, std::uint64_t to);
  void forget_tags(std::uint64_t offset);
  bool has_tag(std::uint64_t offset, TagId id) const;
  // 0: no entry has it, or could.
  TagId tag_id(std::uint8_t branch, std::string_view tag) const {
    return tag.empty() || tag.size() > kMaxTagLength ? 0 : tags_.find(branch, tag);
  }
  // Takes a timed entry out of whichever index of deadlines it is in.
  void forget_deadline(std::uint64_t offset);
  // Moves an entry that is due to the index of hard deadlines. false: it has no window, or it is over, or no room.
  bool keep_stale(std::uint64_t offset, Millis now);
  Millis hard_deadline(std::uint64_t offset) const {
    return deadline_after(block_at(offset).deadline(), trailer(offset).stale());
  }
  RefreshView refresh_view(std::uint64_t offset) const;
  std::uint64_t offset_of(const EntryView& entry) const;
  bool erase_some_tagged(TagId id, std::string_view from, Version newest, std::size_t budget, std::string* resume,
                         std::uint64_t* removed);
  // Of `n` entries in all: f(offset) -> bool says for those that are no live ones whether they are among the n.
  template <class F>
  std::uint64_t less_dead(std::uint64_t n, F&& belongs) const {
    const Millis now = clock_->monotonic_ms();
    for (auto due = deadlines_.first(); due && due->deadline <= now; due = deadlines_.next(*due))
      if (belongs(due->ref << 3)) --n;
    for (auto due = stales_.first(); due; due = stales_.next(*due))
      if (belongs(due->ref << 3)) --n;
    return n;
  }

  // ---- room (store_room.cpp)
  // Makes sure that one entry can be written: a block of the class, data pages, index and order nodes. Evicts and moves
  // other entries, never the one at pinned_: the entry that is to be replaced (0: none, so the index grows by one). It
  // may expire meanwhile; then pinned_ is 0 afterwards. `place` is where the key will go in the point index.
  bool ensure_room(std::uint32_t size_class, std::uint32_t data_pages, layout::KeyHash hash, PointIndex::Place* place);
  bool ensure_pool();
  // The same, and entries are given up for it.
  bool ensure_pool_by_eviction();
  // ensure_room() without the block and its pages.
  bool ensure_place(layout::KeyHash hash, PointIndex::Place* place);
  bool reclaim(std::uint32_t wanted_class);
  bool empty_a_page();
  bool move_entry(std::uint64_t offset);
  std::size_t evict(std::size_t count, std::uint32_t wanted_class);
  std::size_t evict_by_hand(std::size_t count, bool volatile_only);
  std::size_t evict_at_random(std::size_t count);
  std::size_t evict_soonest(std::size_t count);
  void evict_one(std::uint64_t offset);

  // ---- collections (store_collections.cpp). A large one has an id, which is never given twice, and its elements are
  // entries of the hidden branch.
  // The head of a large collection's entry; id 0 if it is none.
  packed::Head head_at(std::uint64_t offset) const {
    const Block block = block_at(offset);
    if (!is_collection(block.type()) || !packed::is_head(block.tail())) return {};
    return packed::head_of(block.tail());
  }
  // The offset of the head's entry, or 0: the collection is gone, or is not there yet.
  std::uint64_t head_of(std::uint64_t id) const {
    const auto found = heads_.next({static_cast<Millis>(id), 0});
    return found && found->deadline == static_cast<Millis>(id) ? found->ref << 3 : 0;
  }
  // An entry that may be a head is now at `to`, or (bury) gone, and its elements are to go.
  [[gnu::noinline]] void head_moved(std::uint64_t from, std::uint64_t to);
  [[gnu::noinline]] void bury(std::uint64_t offset);
  void abandon(std::uint64_t id, std::uint64_t entries);
  bool is_held(std::uint64_t id) const { return std::find(held_.begin(), held_.end(), id) != held_.end(); }
  // While a collection is held its elements and head are not evicted. Should its head go meanwhile, they go when it is
  // let go of.
  class Hold {
   public:
    Hold(Impl& impl, std::uint64_t id) : impl_(impl), id_(id) { impl_.hold(id); }
    ~Hold() { impl_.release(id_, lost()); }
    bool lost() const { return impl_.lost_ == id_; }

   private:
    Impl& impl_;
    std::uint64_t id_;
  };
  void hold(std::uint64_t id);
  void release(std::uint64_t id, bool remove);
  // Writes elements of a large collection that is held, all or none. REQUIRES: different names, in order.
  Error write_elements(std::uint64_t id, ValueType type, std::span<const Element> elements, Written* written);
  // A block of the hidden branch that is filled and not published yet.
  struct Filled {
    std::uint64_t offset;
    layout::KeyHash hash;
    bool replaces;  // an entry of the same key
    bool rescores;  // its member has another place by score
  };
  bool fill_element(std::string_view key, const Value& value, bool replaces, bool rescores,
                    std::vector<Filled>* filled);
  bool publish_new(const std::vector<Filled>& filled);
  bool erase_element(std::uint64_t id, ValueType type, std::string_view name);
  // Gives a head another count and version where it lies.
  void touch_head(Database db, std::string_view key, std::uint64_t count);
  // Writes a packed collection anew, in place where its block serves. old: 0, or the entry there.
  Error check_elements(std::span<const Element> elements) const;
  Error write_packed(Store& store, Database db, std::string_view key, ValueType type, std::string_view bytes,
                     std::uint64_t old);
  void edit(std::uint64_t offset, std::string_view bytes);
  std::optional<ElementView> element(std::uint64_t id, ValueType type, std::string_view name) const;
  ElementView element_at(std::uint64_t offset, ValueType type) const;
  OrderIndex& elements() const { return *branches_[elements_branch_].order; }
  std::uint64_t visible_entries() const { return entries_ - elements().size(); }
  // The entry that a walk over all blocks means when it meets this one: itself, or the head of an element's collection.
  // 0: none that may go.
  std::uint64_t owner_of(std::uint64_t offset) const;

  std::string check_collections() const;

  // ---- ranges and upkeep
  // `front`: an index's erase_front(). What it lets go of is removed by `drop`, the live ones counted; what is newer
  // stays.
  template <class Front, class Drop>
  bool remove_front(Version newest, std::uint64_t* removed, const Front& front, const Drop& drop) {
    struct Context {
      Impl* self;
      Version newest;
    } context{this, newest};
    taken_.clear();
    const bool done = front(
        OrderIndex::RangeVisitor{&context,
                                 [](void* c, EntryRef ref) {
                                   const auto* context = static_cast<Context*>(c);
                                   return context->self->block_at(ref << 3).version() > context->newest;
                                 },
                                 [](void* c, EntryRef ref) { static_cast<Context*>(c)->self->taken_.push_back(ref); }});
    // Only now that the index has let go of them may their blocks be reused.
    for (const EntryRef ref : taken_) {
      if (passed(block_at(ref << 3))) {
        if (both_.second != nullptr) tell_expired(ref << 3);
        ++expired_;
      } else {
        ++*removed;
      }
      drop(ref << 3);
    }
    give_back_surplus();
    return done;
  }
  // Removes up to `budget` entries of a branch's range; see RangeErase.
  bool erase_some(std::uint8_t branch, std::string_view prefix, std::string_view from, Version newest,
                  std::size_t budget, std::string* resume, std::uint64_t* removed);
  bool purge(std::size_t budget);
  bool has_dead() const { return !dead_branches_.empty() || !dead_collections_.empty(); }
  bool expire(std::size_t budget, std::uint64_t* removed = nullptr);
  std::uint8_t take_branch();
  void map_database(Database db, std::uint8_t branch);

  Version next_version() {
    last_version_ += 2;
    return last_version_;
  }

  StoreOptions options_;
  const Clock* clock_;
  std::unique_ptr<Segment> segment_;
  mutable Arena arena_;
  PointIndex points_;
  JudyPool pool_;
  DeadlineIndex deadlines_;
  DeadlineIndex stales_;  // entries behind their deadline, by the end of their stale window
  TagIndex tags_;
  TagId released_ = 0;  // a tag that has let go of the entries that are being removed
  Extras extras_;       // of the set() that is being done
  // Passes everything on to both.
  struct Both : StoreListener {
    void on_change(Database db, std::string_view key, Change change) override {
      tell([&](StoreListener& l) { l.on_change(db, key, change); });
    }
    void on_erase_prefix(Database db, std::string_view prefix) override {
      tell([&](StoreListener& l) { l.on_erase_prefix(db, prefix); });
    }
    void on_invalidate_tags(Database db, std::span<const std::string_view> tags, Version version) override {
      tell([&](StoreListener& l) { l.on_invalidate_tags(db, tags, version); });
    }
    void on_flush(Database db) override {
      tell([&](StoreListener& l) { l.on_flush(db); });
    }
    StoreListener* first = nullptr;   // set_listener()
    StoreListener* second = nullptr;  // set_observer()

   private:
    // The first one may take itself away, but not the second.
    template <class F>
    void tell(const F& f) {
      f(*first);
      f(*second);
    }
  };
  // Chooses whom listener_ is.
  void listen() { listener_ = both_.first == nullptr ? both_.second : both_.second == nullptr ? both_.first : &both_; }
  // The observer is told that the entry is behind its deadline, unless it was already.
  void tell_expired(std::uint64_t offset);
  void tell_evicted(std::uint64_t offset);
  // Of a branch that no database has any more: none.
  std::optional<Database> database_of(std::uint8_t branch) const;

  Both both_;
  StoreListener* listener_ = nullptr;  // all of both_ that there are
  std::array<Branch, 256> branches_;
  std::array<std::uint8_t, kMaxDatabases> branch_of_{};
  std::vector<std::uint8_t> free_branches_;
  std::deque<std::uint8_t> dead_branches_;
  DeadlineIndex heads_;  // of large collections, by id
  std::uint8_t elements_branch_ = 0;
  std::uint64_t last_collection_ = 0;
  std::uint64_t lost_ = 0;  // a held collection whose head is gone
  std::vector<std::uint64_t> held_;
  std::deque<std::uint64_t> dead_collections_;
  std::uint64_t dead_elements_ = 0;       // their entries
  std::vector<Element> items_, changed_;  // scratch of put_elements() and erase_elements()
  std::string packed_;                    // likewise
  std::vector<EntryRef> taken_;           // scratch of erase_some()
  std::uint64_t pinned_ = 0;
  std::uint32_t hand_page_ = 0;
  std::uint32_t hand_block_ = 0;
  bool marks_ = false;  // the policy uses visited marks
  Version last_version_ = 0;
  std::uint64_t entries_ = 0;
  std::minstd_rand random_;
  std::uint64_t hits_ = 0, misses_ = 0, sets_ = 0, evicted_ = 0, expired_ = 0, moved_ = 0;
};

}  // namespace coppice
