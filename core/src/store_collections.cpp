// Collections: what is written to them. collection.cpp: what is read.
#include <algorithm>

#include "store_impl.h"

namespace coppice {

using packed::ElementKey;
using packed::Head;

// ---- heads ---------------------------------------------------------------------------------------------------------

void Store::Impl::head_moved(std::uint64_t from, std::uint64_t to) {
  const Head head = head_at(to);
  if (head.id != 0) heads_.replace(static_cast<Millis>(head.id), from >> 3, to >> 3);
}

void Store::Impl::bury(std::uint64_t offset) {
  const Head head = head_at(offset);
  if (head.id == 0) return;
  heads_.erase(static_cast<Millis>(head.id), offset >> 3);
  if (is_held(head.id))
    lost_ = head.id;
  else if (head.count != 0)
    abandon(head.id, head.count * (block_at(offset).type() == ValueType::kSortedSet ? 2 : 1));
}

void Store::Impl::abandon(std::uint64_t id, std::uint64_t entries) {
  dead_collections_.push_back(id);
  dead_elements_ += entries;
}

void Store::Impl::hold(std::uint64_t id) {
  held_.push_back(id);
  lost_ = 0;
}

void Store::Impl::release(std::uint64_t id, bool remove) {
  held_.erase(std::find(held_.begin(), held_.end(), id));
  if (lost_ == id) lost_ = 0;
  if (remove) abandon(id, elements().count_prefix(ElementKey(id)));
}

std::uint64_t Store::Impl::owner_of(std::uint64_t offset) const {
  const Block block = block_at(offset);
  if (block.branch() == elements_branch_) [[unlikely]] {
    const std::uint64_t id = packed::id_of(block.key());
    if (is_held(id)) return 0;
    const std::uint64_t head = head_of(id);
    return head == pinned_ ? 0 : head;  // without a head purge() is about to remove it
  }
  if (is_collection(block.type()) && is_held(head_at(offset).id)) [[unlikely]]
    return 0;
  return offset;
}

void Store::Impl::touch_head(Database db, std::string_view key, std::uint64_t count) {
  const std::uint64_t offset = offset_at(branch_of(db), key, points_.hash(branch_of(db), key));
  char bytes[packed::kHeadSize];
  packed::write_head({head_at(offset).id, count}, bytes);
  edit(offset, {bytes, sizeof bytes});
  ++sets_;
  if (marks_) arena_.mark(offset);
  if (listener_ != nullptr) listener_->on_change(db, key, Change::kWritten);
}

// To a reader it is as if the block had been retired and taken again for the same key.
void Store::Impl::edit(std::uint64_t offset, std::string_view bytes) {
  arena_.retire(offset);  // (3)
  const auto length = static_cast<std::uint32_t>(bytes.size());
  layout::write_shared(arena_.at(offset) + 8, reinterpret_cast<const char*>(&length), sizeof length);
  layout::write_shared(block_at(offset).value_at(), bytes.data(), bytes.size());
  block_at(offset).header().version.store(next_version(), std::memory_order_release);  // (2)
}

// ---- elements of a large one ---------------------------------------------------------------------------------------

bool Store::Impl::fill_element(std::string_view key, const Value& value, bool replaces, bool rescores,
                               std::vector<Filled>* filled) {
  const auto key_length = static_cast<std::uint32_t>(key.size());
  const auto value_length = static_cast<std::uint32_t>(value.bytes.size());
  const bool chained = layout::needs_chain(key_length, value_length);
  const layout::KeyHash hash = points_.hash(elements_branch_, key);
  PointIndex::Place place;
  pinned_ = replaces ? offset_at(elements_branch_, key, hash) : 0;
  const bool room = ensure_room(layout::class_of(layout::block_size(key_length, value_length, false, chained)),
                                chained ? layout::chain_of(value_length).pages : 0, hash, &place);
  pinned_ = 0;
  if (room) filled->push_back({fill(elements_branch_, key, value, kNoDeadline, 0), hash, replaces, rescores});
  return room;
}

// Those that replace nothing. false: no room, and none is.
bool Store::Impl::publish_new(const std::vector<Filled>& filled) {
  // Once published an entry may be moved to another block: it is found by its key again.
  std::vector<std::string> keys;
  for (const Filled& f : filled) {
    if (f.replaces) continue;
    PointIndex::Place place;
    if (!ensure_place(f.hash, &place)) {
      for (const std::string& key : keys) remove(offset_at(elements_branch_, key, points_.hash(elements_branch_, key)));
      // The others are still where they were filled.
      for (std::size_t i = 0, published = 0; i < filled.size(); ++i)
        if (filled[i].replaces || published++ >= keys.size()) discard(filled[i].offset, true);
      return false;
    }
    const std::string_view key = block_at(f.offset).key();
    publish(elements_branch_, key, f.hash, place, f.offset, 0);
    if (filled.size() > 1) keys.emplace_back(key);
  }
  return true;
}

Error Store::Impl::write_elements(std::uint64_t id, ValueType type, std::span<const Element> elements,
                                  Written* written) {
  const bool scored = type == ValueType::kSortedSet;
  // All blocks first, which nobody sees; then what is new, which can be taken back; then what cannot fail.
  std::vector<Filled> filled;
  bool room = true;
  for (const Element& e : elements) {
    const auto old = element(id, type, e.name);
    if (old && (type == ValueType::kSet || (scored && old->score == e.score))) continue;
    ++(old ? written->changed : written->added);
    if (scored)
      room = fill_element(ElementKey(id, packed::sortable(e.score), e.name), {}, false, old.has_value(), &filled);
    if (room && (!scored || !old)) {
      const std::string_view score(reinterpret_cast<const char*>(&e.score), sizeof e.score);
      room = fill_element(ElementKey(id, e.name), {ValueType::kString, scored ? score : e.value}, old.has_value(),
                          false, &filled);
    }
    if (!room) break;
  }
  if (!room)
    for (const Filled& f : filled) discard(f.offset, true);
  if (!room || !publish_new(filled)) {
    *written = {};
    give_back_surplus();
    return Error::kOutOfMemory;
  }
  for (const Filled& f : filled) {
    if (f.replaces) {
      const std::string_view key = block_at(f.offset).key();
      const std::uint64_t old = offset_at(elements_branch_, key, f.hash);
      publish(elements_branch_, key, f.hash, {}, f.offset, old);
      discard(old, true);
    }
  }
  if (scored && written->changed != 0) {
    // An element with two places has lost the older one.
    for (const Element& e : elements) {
      const auto old = element(id, type, e.name);
      if (!old || old->score == e.score) continue;
      const ElementKey before(id, packed::sortable(old->score), e.name);
      remove(offset_at(elements_branch_, before, points_.hash(elements_branch_, before)));
      const ElementKey key(id, e.name);
      edit(offset_at(elements_branch_, key, points_.hash(elements_branch_, key)),
           {reinterpret_cast<const char*>(&e.score), sizeof e.score});
    }
  }
  give_back_surplus();
  return Error::kNone;
}

bool Store::Impl::erase_element(std::uint64_t id, ValueType type, std::string_view name) {
  const ElementKey key(id, name);
  const std::uint64_t offset = offset_at(elements_branch_, key, points_.hash(elements_branch_, key));
  if (offset == 0) return false;
  if (type == ValueType::kSortedSet) {
    const ElementKey scored(id, packed::sortable(element_at(offset, type).score), name);
    remove(offset_at(elements_branch_, scored, points_.hash(elements_branch_, scored)));
  }
  remove(offset);
  return true;
}

// ---- a key's elements ----------------------------------------------------------------------------------------------

Error Store::Impl::write_packed(Store& store, Database db, std::string_view key, ValueType type, std::string_view bytes,
                                std::uint64_t old) {
  SetOptions options;
  if (old != 0) {
    const Block block = block_at(old);
    const std::uint32_t wanted =
        layout::class_of(layout::block_size(block.key_length(), static_cast<std::uint32_t>(bytes.size()),
                                            block.has_deadline(), false, trailer(old).size()));
    const std::uint32_t has = class_at(old);
    const auto in_place = [&] {
      edit(old, bytes);
      ++sets_;
      if (marks_) arena_.mark(old);
      if (listener_ != nullptr) listener_->on_change(db, key, Change::kWritten);
      return Error::kNone;
    };
    if (wanted == has) return in_place();
    options.deadline = block.deadline();
    options.keep_tags = block.has_trailer();
    const std::uint32_t length = block.value_length();
    const auto done = store.set(db, key, {type, bytes}, options);
    // What has shrunk must not be refused, and has room where it is.
    if (done || bytes.size() > length) return done.error();
    old = offset_at(branch_of(db), key, points_.hash(branch_of(db), key));
    return old == 0 ? Error::kNone : in_place();
  }
  return store.set(db, key, {type, bytes}, options).error();
}

namespace {

// Sorted by name; of several with the same name the last one.
void sort_elements(std::vector<Element>* elements) {
  std::stable_sort(elements->begin(), elements->end(),
                   [](const Element& a, const Element& b) { return a.name < b.name; });
  const auto end = std::unique(elements->rbegin(), elements->rend(),
                               [](const Element& a, const Element& b) { return a.name == b.name; });
  elements->erase(elements->begin(), end.base());
}

// A sorted set's packed elements are in another order.
std::vector<Element>::iterator find_item(ValueType type, std::vector<Element>& items, std::string_view name) {
  if (type == ValueType::kSortedSet)
    return std::find_if(items.begin(), items.end(), [name](const Element& e) { return e.name == name; });
  const auto at = std::lower_bound(items.begin(), items.end(), name,
                                   [](const Element& e, std::string_view n) { return e.name < n; });
  return at != items.end() && at->name == name ? at : items.end();
}

void read_items(ValueType type, std::string_view bytes, std::vector<Element>* items) {
  items->clear();
  packed::Reader reader(type, bytes);
  for (Element e; reader.next(&e);) items->push_back(e);
}

// Merges elements into the packed ones. false: they are too many or too long to be packed; `items` is void then.
bool merge(ValueType type, std::span<const Element> elements, std::vector<Element>* items, Written* written) {
  const bool scored = type == ValueType::kSortedSet;
  for (const Element& e : elements) {
    if (const auto at = find_item(type, *items, e.name); at != items->end()) {
      if (type == ValueType::kSet || (scored && at->score == e.score)) continue;
      ++written->changed;
      *at = e;
    } else {
      ++written->added;
      const auto to = scored ? items->end()
                             : std::lower_bound(items->begin(), items->end(), e.name,
                                                [](const Element& x, std::string_view n) { return x.name < n; });
      items->insert(to, e);
    }
    if (!packed::fits(e) || items->size() > kPackedElements) return false;
  }
  if (scored) std::sort(items->begin(), items->end(), packed::comes_before);
  return true;
}

}  // namespace

Result<Written> Store::put_elements(Database db, std::string_view key, ValueType type,
                                    std::span<const Element> elements) {
  Impl& s = *impl_;
  if (const Error e = s.check_key(db, key); e != Error::kNone) return e;
  if (const Error e = s.check_elements(elements); e != Error::kNone) return e;
  // Also of those that are written anew by the same call.
  const bool fit = std::all_of(elements.begin(), elements.end(), packed::fits);
  if (elements.size() > 1) {
    s.changed_.assign(elements.begin(), elements.end());
    sort_elements(&s.changed_);
    elements = s.changed_;
  }
  Written written;
  if (elements.empty()) return written;
  for (;;) {
    const std::uint64_t old = s.look(db, key, s.points_.hash(s.branch_of(db), key));
    const Head head = old != 0 ? s.head_at(old) : Head{};
    if (old != 0 && s.block_at(old).type() != type) return Error::kWrongType;
    written = {};
    if (head.id != 0) {
      Impl::Hold hold(s, head.id);
      const Error e = s.write_elements(head.id, type, elements, &written);
      // It expired while room was made: what was written goes with it.
      if (hold.lost()) continue;
      if (e != Error::kNone) return e;
      if (written.added + written.changed != 0) s.touch_head(db, key, head.count + written.added);
      return written;
    }
    read_items(type, old != 0 ? s.block_at(old).tail() : std::string_view{}, &s.items_);
    if (merge(type, elements, &s.items_, &written) && (fit || written.added + written.changed == 0)) {
      if (written.added + written.changed == 0) return written;
      s.packed_.clear();
      packed::encode(type, s.items_, &s.packed_);
      if (const Error e = s.write_packed(*this, db, key, type, s.packed_, old); e != Error::kNone) return e;
      return written;
    }
    // What the entry carries is copied: it may be evicted while the elements are written.
    CollectionBuilder builder(*this, type);
    SetOptions options;
    std::vector<std::string> tags;
    if (old != 0) {
      const RefreshView was = s.refresh_view(old);
      options.deadline = was.entry.deadline;
      options.stale = was.stale;
      options.compute_us = was.compute_us;
      for_each_tag(was.entry, [&tags](std::string_view tag) { tags.emplace_back(tag); });
      read_items(type, s.block_at(old).tail(), &s.items_);
      if (const Error e = builder.add(s.items_); e != Error::kNone) return e;
    }
    const std::vector<std::string_view> names(tags.begin(), tags.end());
    options.tags = names;
    const std::uint64_t before = builder.size();
    if (!fit)
      if (const Error e = builder.enlarge(); e != Error::kNone) return e;
    if (const Error e = builder.add(elements); e != Error::kNone) return e;
    written.added = builder.size() - before;
    written.changed = elements.size() - written.added;
    if (const auto done = builder.commit(db, key, options); !done) return done.error();
    return written;
  }
}

Result<std::uint64_t> Store::erase_elements(Database db, std::string_view key, ValueType type,
                                            std::span<const std::string_view> names) {
  Impl& s = *impl_;
  if (!s.holds(db, key)) return std::uint64_t{0};
  const std::uint64_t old = s.look(db, key, s.points_.hash(s.branch_of(db), key));
  if (old == 0) return std::uint64_t{0};
  if (s.block_at(old).type() != type) return Error::kWrongType;
  std::uint64_t removed = 0;
  if (const Head head = s.head_at(old); head.id != 0) {
    for (const std::string_view name : names)
      if (name.size() <= kMaxElementName) removed += s.erase_element(head.id, type, name);
    s.give_back_surplus();
    if (removed == 0) return removed;
    s.touch_head(db, key, head.count - removed);
    if (removed == head.count) erase(db, key);
    return removed;
  }
  read_items(type, s.block_at(old).tail(), &s.items_);
  for (const std::string_view name : names) {
    const auto at = find_item(type, s.items_, name);
    if (at == s.items_.end()) continue;
    s.items_.erase(at);
    ++removed;
  }
  if (removed == 0) return removed;
  if (s.items_.empty()) {
    erase(db, key);
    return removed;
  }
  s.packed_.clear();
  packed::encode(type, s.items_, &s.packed_);
  s.write_packed(*this, db, key, type, s.packed_, old);
  return removed;
}

Error Store::Impl::check_elements(std::span<const Element> elements) const {
  for (const Element& e : elements) {
    if (e.name.size() > kMaxElementName) return Error::kElementTooLong;
    if (e.value.size() > options_.max_value) return Error::kValueTooLarge;
  }
  return Error::kNone;
}

// ---- whole collections ---------------------------------------------------------------------------------------------

Result<bool> Store::move(Database db, std::string_view key, Database to_db, std::string_view to) {
  Impl& s = *impl_;
  if (const Error e = s.check_key(to_db, to); e != Error::kNone) return e;
  if (!s.holds(db, key)) return false;
  const std::uint64_t old = s.look(db, key, s.points_.hash(s.branch_of(db), key));
  if (old == 0) return false;
  if (db == to_db && key == to) return true;
  const RefreshView was = s.refresh_view(old);
  const std::string value = was.entry.value();
  const std::vector<std::string> tags = tags_of(db, key);
  const std::vector<std::string_view> names(tags.begin(), tags.end());
  SetOptions options;
  options.deadline = was.entry.deadline;
  options.stale = was.stale;
  options.compute_us = was.compute_us;
  options.tags = names;
  const Head head = s.head_at(old);
  if (head.id == 0) {
    const auto done = set(to_db, to, {was.entry.type, value}, options);
    if (!done) return done.error();
    erase(db, key);
    return true;
  }
  const ValueType type = was.entry.type;
  s.hold(head.id);
  const auto done = set(to_db, to, {type, value}, options);
  const bool lost = s.lost_ == head.id;
  const bool moved = done && done->version != 0;
  if (moved) {
    const std::uint64_t from = s.head_of(head.id);
    const std::uint64_t at = s.offset_at(s.branch_of(to_db), to, s.points_.hash(s.branch_of(to_db), to));
    if (from != 0) {
      s.heads_.replace(static_cast<Millis>(head.id), from >> 3, at >> 3);
      // The old head has no elements any more.
      char nothing[packed::kHeadSize];
      packed::write_head({}, nothing);
      s.edit(from, {nothing, sizeof nothing});
    } else {
      s.heads_.insert(static_cast<Millis>(head.id), at >> 3);
    }
  }
  s.release(head.id, lost && !moved);
  if (!done) return done.error();
  erase(db, key);
  return true;
}

CollectionBuilder::~CollectionBuilder() {
  if (id_ != 0) store_->impl_->release(id_, true);
}

Error CollectionBuilder::add(std::span<const Element> elements) {
  Store::Impl& s = *store_->impl_;
  if (const Error e = s.check_elements(elements); e != Error::kNone) return e;
  if (id_ == 0) {
    const bool fit = std::all_of(elements.begin(), elements.end(), packed::fits);
    if (fit && small_.size() + elements.size() <= kPackedElements) {
      for (const Element& e : elements)
        small_.insert_or_assign(std::string(e.name), Owned{std::string(e.value), e.score});
      return Error::kNone;
    }
    if (const Error e = enlarge(); e != Error::kNone) return e;
  }
  std::vector<Element> sorted(elements.begin(), elements.end());
  sort_elements(&sorted);
  Written written;
  const Error e = s.write_elements(id_, type_, sorted, &written);
  size_ += written.added;
  return e;
}

Error CollectionBuilder::enlarge() {
  if (id_ != 0) return Error::kNone;
  Store::Impl& s = *store_->impl_;
  std::vector<Element> elements;
  for (const auto& [name, owned] : small_) elements.push_back({name, owned.value, owned.score});
  const std::uint64_t id = ++s.last_collection_;
  s.hold(id);
  Written written;
  if (const Error e = s.write_elements(id, type_, elements, &written); e != Error::kNone) {
    s.release(id, false);
    return e;
  }
  id_ = id;
  size_ = written.added;
  small_.clear();
  return Error::kNone;
}

Result<SetResult> CollectionBuilder::commit(Database db, std::string_view key, const SetOptions& options) {
  Store::Impl& s = *store_->impl_;
  if (size() == 0) {
    store_->erase(db, key);
    return SetResult{true, 0};
  }
  if (id_ == 0) {
    std::vector<Element> elements;
    for (const auto& [name, owned] : small_) elements.push_back({name, owned.value, owned.score});
    if (type_ == ValueType::kSortedSet) std::sort(elements.begin(), elements.end(), packed::comes_before);
    std::string bytes;
    packed::encode(type_, elements, &bytes);
    const auto done = store_->set(db, key, {type_, bytes}, options);
    if (done && done->stored) small_.clear();
    return done;
  }
  char bytes[packed::kHeadSize];
  packed::write_head({id_, size_}, bytes);
  const auto done = store_->set(db, key, {type_, {bytes, sizeof bytes}}, options);
  if (!done || !done->stored) return done;
  if (done->version != 0)
    s.heads_.insert(static_cast<Millis>(id_),
                    s.offset_at(s.branch_of(db), key, s.points_.hash(s.branch_of(db), key)) >> 3);
  s.release(id_, done->version == 0);
  id_ = size_ = 0;
  return done;
}

}  // namespace coppice
