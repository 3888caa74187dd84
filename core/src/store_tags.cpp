// Tags, stale windows and compute times: what an entry carries besides its value, in its trailer.
#include <algorithm>

#include "store_impl.h"

namespace coppice {

// ---- what set() is given -------------------------------------------------------------------------------------------

Error Store::check_tags(std::span<const std::string_view> tags) {
  for (const std::string_view tag : tags) {
    if (tag.empty()) return Error::kEmptyTag;
    if (tag.size() > kMaxTagLength) return Error::kTagTooLong;
  }
  if (tags.size() <= kMaxTags) return Error::kNone;
  std::vector<std::string_view> sorted(tags.begin(), tags.end());
  std::sort(sorted.begin(), sorted.end());
  const auto end = std::unique(sorted.begin(), sorted.end());
  return static_cast<std::size_t>(end - sorted.begin()) > kMaxTags ? Error::kTooManyTags : Error::kNone;
}

Error Store::Impl::Extras::take(const SetOptions& options) {
  if (const Error e = Store::check_tags(options.tags); e != Error::kNone) return e;
  constexpr Millis kMost = std::numeric_limits<std::uint32_t>::max();
  const auto stale = static_cast<std::uint64_t>(std::clamp<Millis>(options.stale, 0, kMost));
  refresh = stale << 32 | options.compute_us;
  tags.assign(options.tags.begin(), options.tags.end());
  std::sort(tags.begin(), tags.end());
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  return Error::kNone;
}

Result<SetResult> Store::Impl::set_more(Database db, std::string_view key, const Value& value,
                                        const SetOptions& options, Millis deadline, layout::KeyHash hash,
                                        const PointIndex::Place& place, std::uint64_t old) {
  if (const Error e = extras_.take(options); e != Error::kNone) return e;
  const bool live = old != 0 && !passed(block_at(old));
  extras_.keep = options.keep_tags && live;
  const auto done = set_with_extras(branch_of(db), key, value, deadline, hash, place, old, extras_);
  if (done && listener_ != nullptr) listener_->on_change(db, key, live ? Change::kWritten : Change::kCreated);
  return done;
}

Result<SetResult> Store::Impl::set_with_extras(std::uint8_t branch, std::string_view key, const Value& value,
                                               Millis deadline, layout::KeyHash hash, PointIndex::Place place,
                                               std::uint64_t old, Extras& extras) {
  const auto key_length = static_cast<std::uint32_t>(key.size());
  const auto value_length = static_cast<std::uint32_t>(value.bytes.size());
  const std::uint32_t extra = extras.keep ? trailer(old).size() : extras.size();
  const bool chained = layout::needs_chain(key_length, value_length, extra);
  const std::uint32_t size_class =
      layout::class_of(layout::block_size(key_length, value_length, deadline != kNoDeadline, chained, extra));
  if (!extras.keep && !tags_can_fit(branch, extras)) return Error::kOutOfMemory;
  pinned_ = old;
  const bool room = ensure_room(size_class, chained ? layout::chain_of(value_length).pages : 0, hash, &place);
  // What was to be kept may have expired meanwhile.
  if (!room || (extras.keep && pinned_ == 0)) {
    const bool lost = room;
    pinned_ = 0;
    if (!lost) return Error::kOutOfMemory;
    extras.keep = false;
    return set_with_extras(branch, key, value, deadline, hash, place, 0, extras);
  }
  const std::uint64_t offset = fill(branch, key, value, deadline, extra);
  if (extras.keep) {
    if (extra != 0) {
      layout::write_shared(block_end(offset) - extra, block_end(pinned_) - extra, extra);
      hand_over_tags(key, pinned_, offset);
    }
  } else {
    if (extra != 0) Trailer::make(block_end(offset), static_cast<std::uint32_t>(extras.tags.size()), extras.refresh);
    const bool joined = join_tags(branch, key, offset, extras) && ensure_place(hash, &place);
    if (!joined) {
      leave_tags(key, offset, static_cast<std::uint32_t>(extras.tags.size()));
      pinned_ = 0;
      discard(offset, true);
      give_back_surplus();
      return Error::kOutOfMemory;
    }
  }
  old = pinned_;
  pinned_ = 0;
  const Version version = publish(branch, key, hash, place, offset, old);
  if (old != 0) {
    if (block_at(old).has_trailer()) forget_tags(old);
    discard(old, true);
  }
  ++sets_;
  give_back_surplus();
  return SetResult{true, version};
}

// ---- memberships ---------------------------------------------------------------------------------------------------

// Whether the records of new tags could have a place in an empty store: what can never fit is refused before anything
// is given up for it.
bool Store::Impl::tags_can_fit(std::uint8_t branch, const Extras& extras) const {
  std::uint64_t bytes = 0;
  for (const std::string_view tag : extras.tags) bytes += tag.size();
  if (bytes < layout::kPageSize) return true;
  for (const std::string_view tag : extras.tags)
    if (tags_.find(branch, tag) != 0) bytes -= tag.size();
  return arena_.fixed_bytes() + bytes + 3 * layout::kPageSize <= arena_.limit();
}

bool Store::Impl::join_tags(std::uint8_t branch, std::string_view key, std::uint64_t offset, Extras& extras) {
  Trailer to = trailer(offset);
  for (std::uint32_t i = 0; i < extras.tags.size(); ++i) {
    // Room is made for each by itself: what 4,096 tags may need all at once is more than the reserve.
    if (!ensure_pool_by_eviction()) {
      for (; i < extras.tags.size(); ++i) to.set_tag(i, 0);
      return false;
    }
    const std::string_view tag = extras.tags[i];
    TagId id = pinned_ != 0 && block_at(pinned_).has_trailer() ? tags_.find(branch, tag) : 0;
    // The entry that is to be replaced has the same key: it cannot be a member beside the new one.
    if (id == 0 || !tags_.replace(id, key, pinned_ >> 3, offset >> 3)) id = tags_.add(branch, tag, key, offset >> 3);
    to.set_tag(i, id);
    if (id != 0) continue;
    for (++i; i < extras.tags.size(); ++i) to.set_tag(i, 0);
    return false;
  }
  return true;
}

void Store::Impl::leave_tags(std::string_view key, std::uint64_t offset, std::uint32_t joined) {
  const Trailer from = trailer(offset);
  for (std::uint32_t i = 0; i < joined; ++i) {
    const TagId id = from.tag(i);
    if (id == 0) continue;
    if (pinned_ != 0 && has_tag(pinned_, id))
      tags_.replace(id, key, offset >> 3, pinned_ >> 3);
    else
      tags_.erase(id, key, offset >> 3);
  }
}

void Store::Impl::hand_over_tags(std::string_view key, std::uint64_t from, std::uint64_t to) {
  const Trailer t = trailer(from);
  for (std::uint32_t i = 0, n = t.tag_count(); i < n; ++i) tags_.replace(t.tag(i), key, from >> 3, to >> 3);
}

void Store::Impl::forget_tags(std::uint64_t offset) {
  const Trailer t = trailer(offset);
  const std::string_view key = block_at(offset).key();
  for (std::uint32_t i = 0, n = t.tag_count(); i < n; ++i) {
    // Where another entry has taken its place it is a member no more.
    if (t.tag(i) != released_) tags_.erase(t.tag(i), key, offset >> 3);
    if (i % 16 == 15) ensure_pool();
  }
}

bool Store::Impl::has_tag(std::uint64_t offset, TagId id) const {
  const Trailer t = trailer(offset);
  for (std::uint32_t i = 0, n = t.tag_count(); i < n; ++i)
    if (t.tag(i) == id) return true;
  return false;
}

// ---- deadlines and stale windows -----------------------------------------------------------------------------------

void Store::Impl::forget_deadline(std::uint64_t offset) {
  const Block block = block_at(offset);
  Branch& b = branches_[block.branch()];
  --b.with_deadline;
  if (deadlines_.erase(block.deadline(), offset >> 3)) return;
  stales_.erase(hard_deadline(offset), offset >> 3);
  --b.stale;
}

bool Store::Impl::keep_stale(std::uint64_t offset, Millis now) {
  const Block block = block_at(offset);
  if (trailer(offset).stale() == 0) return false;
  const Millis hard = hard_deadline(offset);
  if (hard <= now || !ensure_pool()) return false;
  deadlines_.erase(block.deadline(), offset >> 3);
  stales_.insert(hard, offset >> 3);
  ++branches_[block.branch()].stale;
  return true;
}

// ---- looking -------------------------------------------------------------------------------------------------------

std::uint64_t Store::Impl::offset_of(const EntryView& entry) const {
  const auto at = static_cast<std::uint64_t>(entry.key.data() - segment_->base());
  const std::uint32_t c =
      arena_.kind_of(static_cast<std::uint32_t>(at >> layout::kPageShift)) - layout::kFirstBlockPage;
  const std::uint64_t page = at & ~std::uint64_t{layout::kPageSize - 1};
  return page + layout::block_number(static_cast<std::uint32_t>(at - page), c) * layout::kClassSizes[c];
}

RefreshView Store::Impl::refresh_view(std::uint64_t offset) const {
  const Trailer t = trailer(offset);
  return {view(offset), passed(block_at(offset)), t.stale(), t.compute_us()};
}

bool Store::find_stale(Database db, std::string_view key, RefreshView* found) {
  Impl& s = *impl_;
  if (!s.holds(db, key)) return false;
  const std::uint8_t branch = s.branch_of(db);
  const std::uint64_t offset = s.offset_at(branch, key, s.points_.hash(branch, key));
  if (offset == 0) {
    ++s.misses_;
    return false;
  }
  const Block block = s.block_at(offset);
  found->is_stale = s.passed(block);
  if (found->is_stale) [[unlikely]] {
    ++s.misses_;
    if (s.clock_->passed(s.hard_deadline(offset))) return false;
  } else {
    ++s.hits_;
  }
  if (s.marks_) s.arena_.mark(offset);
  const std::uint64_t refresh = block.has_trailer() ? Trailer(s.block_end(offset)).refresh() : 0;
  EntryView& e = found->entry;
  if (block.is_chained()) [[unlikely]] {
    s.view_into(offset, &e);
  } else {
    // Everything is read before anything is written, which might be the block for all that the compiler knows.
    const std::string_view own_key = block.key(), value = block.tail();
    const Version version = block.version();
    const Millis deadline = block.deadline();
    const ValueType type = block.type();
    layout::prefetch_value(value.data(), value.size());
    e.key = own_key;
    e.version = version;
    e.deadline = deadline;
    e.type = type;
    e.value_size = static_cast<std::uint32_t>(value.size());
    e.parts = {};
    e.tail = value;
  }
  found->stale = static_cast<std::uint32_t>(refresh >> 32);
  found->compute_us = static_cast<std::uint32_t>(refresh);
  return true;
}

std::optional<RefreshView> Store::find_stale(Database db, std::string_view key) {
  RefreshView found;
  return find_stale(db, key, &found) ? std::optional(found) : std::nullopt;
}

RefreshView Store::refresh_of(const EntryView& entry) const { return impl_->refresh_view(impl_->offset_of(entry)); }

void Store::for_each_tag(const EntryView& entry, const TagFn& f) const {
  const Impl& s = *impl_;
  const Trailer t = s.trailer(s.offset_of(entry));
  for (std::uint32_t i = 0, n = t.tag_count(); i < n; ++i) f(s.tags_.name(t.tag(i)));
}

std::vector<std::string> Store::tags_of(Database db, std::string_view key) const {
  std::vector<std::string> tags;
  if (const auto entry = peek(db, key)) for_each_tag(*entry, [&tags](std::string_view tag) { tags.emplace_back(tag); });
  return tags;
}

bool Store::has_tag(Database db, std::string_view key, std::span<const std::string_view> tags) const {
  const Impl& s = *impl_;
  if (!s.holds(db, key)) return false;
  const std::uint8_t branch = s.branch_of(db);
  const std::uint64_t offset = s.offset_at(branch, key, s.points_.hash(branch, key));
  if (offset == 0 || !s.block_at(offset).has_trailer()) return false;
  if (s.passed(s.block_at(offset)) && s.clock_->passed(s.hard_deadline(offset))) return false;
  return std::any_of(tags.begin(), tags.end(), [&](std::string_view tag) {
    const TagId id = s.tag_id(branch, tag);
    return id != 0 && s.has_tag(offset, id);
  });
}

std::uint64_t Store::count_tag(Database db, std::string_view tag) const {
  const Impl& s = *impl_;
  if (db >= s.options_.databases) return 0;
  const std::uint8_t branch = s.branch_of(db);
  const TagId id = s.tag_id(branch, tag);
  if (id == 0) return 0;
  const std::uint64_t members = s.tags_.size(id);
  if (s.branches_[branch].with_deadline == 0) return members;
  if (s.branches_[branch].stale <= members)
    return s.less_dead(members, [&](std::uint64_t offset) { return s.has_tag(offset, id); });
  std::uint64_t n = 0;
  s.tags_.walk(id, true, {}, [&](EntryRef ref) {
    n += !s.passed(s.block_at(ref << 3));
    return true;
  });
  return n;
}

void Store::scan_tag(Database db, std::string_view tag, std::optional<std::string_view> after, const ScanFn& f) const {
  const Impl& s = *impl_;
  if (db >= s.options_.databases) return;
  const TagId id = s.tag_id(s.branch_of(db), tag);
  if (id == 0) return;
  s.tags_.walk(id, !after, after.value_or(std::string_view{}),
               [&](EntryRef ref) { return s.passed(s.block_at(ref << 3)) || f(s.view(ref << 3)); });
}

// ---- invalidation --------------------------------------------------------------------------------------------------

bool Store::Impl::erase_some_tagged(TagId id, std::string_view from, Version newest, std::size_t budget,
                                    std::string* resume, std::uint64_t* removed) {
  // The tag has let go of what is removed, and may be gone itself.
  const auto front = [&](const OrderIndex::RangeVisitor& visitor) {
    const bool done = tags_.erase_front(id, from, budget, visitor, resume);
    released_ = id;
    return done;
  };
  const bool done = remove_front(newest, removed, front, [this](std::uint64_t offset) { remove(offset); });
  released_ = 0;
  return done;
}

TagErase Store::begin_invalidate_tags(Database db, std::span<const std::string_view> tags) {
  Impl& s = *impl_;
  TagErase erase;
  erase.done_ = db >= s.options_.databases || tags.empty();
  if (erase.done_) return erase;
  erase.branch_ = s.branch_of(db);
  erase.tags_.assign(tags.begin(), tags.end());
  erase.newest_ = s.next_version();
  if (s.listener_ != nullptr) s.listener_->on_invalidate_tags(db, tags, erase.newest_);
  return erase;
}

bool Store::step(TagErase& erase, std::size_t budget) {
  Impl& s = *impl_;
  if (budget < 1) budget = 1;
  while (!erase.done_) {
    const std::string& tag = erase.tags_[erase.current_];
    const TagId id = s.tag_id(erase.branch_, tag);
    const std::string from = std::move(erase.next_);
    erase.next_.clear();
    if (id == 0 || s.erase_some_tagged(id, from, erase.newest_, budget, &erase.next_, &erase.removed_)) {
      erase.next_.clear();
      erase.done_ = ++erase.current_ == erase.tags_.size();
      if (id == 0) continue;
    }
    break;
  }
  if (erase.done_ && s.both_.second != nullptr)
    if (const auto db = s.database_of(erase.branch_)) s.both_.second->on_tags_invalidated(*db, erase.newest_);
  return erase.done_;
}

std::uint64_t Store::invalidate_tags(Database db, std::span<const std::string_view> tags) {
  TagErase erase = begin_invalidate_tags(db, tags);
  while (!step(erase, 4096)) {
  }
  return erase.removed();
}

}  // namespace coppice
