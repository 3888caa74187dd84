// Ranges, databases and upkeep.
#include <ctime>

#include "store_impl.h"

namespace coppice {

// ---- ranges --------------------------------------------------------------------------------------------------------

bool Store::Impl::erase_some(std::uint8_t branch, std::string_view prefix, std::string_view from, Version newest,
                             std::size_t budget, std::string* resume, std::uint64_t* removed) {
  const auto front = [&](const OrderIndex::RangeVisitor& visitor) {
    return branches_[branch].order->erase_front(prefix, from, budget, visitor, resume);
  };
  return remove_front(newest, removed, front, [this](std::uint64_t offset) { remove_ordered(offset); });
}

RangeErase Store::begin_erase_prefix(Database db, std::string_view prefix) {
  RangeErase erase;
  if (db >= impl_->options_.databases) {
    erase.done_ = true;
    return erase;
  }
  if (impl_->listener_ != nullptr) impl_->listener_->on_erase_prefix(db, prefix);
  erase.branch_ = impl_->branch_of(db);
  erase.prefix_ = prefix;
  erase.next_ = prefix;
  erase.newest_ = impl_->last_version_;
  return erase;
}

bool Store::step(RangeErase& erase, std::size_t budget) {
  if (erase.done_) return true;
  const std::string from = std::move(erase.next_);
  erase.next_.clear();
  erase.done_ = impl_->erase_some(erase.branch_, erase.prefix_, from, erase.newest_, budget < 1 ? 1 : budget,
                                  &erase.next_, &erase.removed_);
  if (erase.done_ && impl_->both_.second != nullptr)
    if (const auto db = impl_->database_of(erase.branch_)) impl_->both_.second->on_prefix_erased(*db, erase.prefix_);
  return erase.done_;
}

std::uint64_t Store::erase_prefix(Database db, std::string_view prefix) {
  RangeErase erase = begin_erase_prefix(db, prefix);
  while (!step(erase, 4096)) {
  }
  return erase.removed();
}

std::uint64_t Store::count_prefix(Database db, std::string_view prefix) const {
  const Impl& s = *impl_;
  if (db >= s.options_.databases) return 0;
  const std::uint8_t branch = s.branch_of(db);
  std::uint64_t n =
      prefix.empty() ? s.branches_[branch].order->size() : s.branches_[branch].order->count_prefix(prefix);
  if (n == 0 || s.branches_[branch].with_deadline == 0) return n;
  // A short range beside many entries in their stale windows is walked instead.
  if (s.branches_[branch].stale > n) {
    n = 0;
    scan(db, {.prefix = prefix}, [&n](const EntryView&) {
      ++n;
      return true;
    });
    return n;
  }
  return s.less_dead(n, [&](std::uint64_t offset) {
    const Block block = s.block_at(offset);
    return block.branch() == branch && block.key().substr(0, prefix.size()) == prefix;
  });
}

void Store::scan(Database db, const ScanRange& range, const ScanFn& f) const {
  const Impl& s = *impl_;
  if (db >= s.options_.databases) return;
  const OrderIndex& order = *s.branches_[s.branch_of(db)].order;
  OrderIndex::Position p;
  if (!range.reverse) {
    if (range.start && *range.start >= range.prefix)
      p = order.lower_bound(*range.start, !range.inclusive);
    else
      p = order.lower_bound(range.prefix);
  } else {
    const bool within = range.start && range.start->substr(0, range.prefix.size()) == range.prefix;
    if (within)
      p = order.upper_bound(*range.start, !range.inclusive);
    else if (!range.start || *range.start > range.prefix)
      p = order.last_of_prefix(range.prefix);
  }
  for (; p; p = range.reverse ? order.previous(p) : order.next(p)) {
    const std::uint64_t offset = order.at(p) << 3;
    const Block block = s.block_at(offset);
    if (block.key().substr(0, range.prefix.size()) != range.prefix) return;
    if (s.passed(block)) continue;
    if (!f(s.view(offset))) return;
  }
}

// ---- databases -----------------------------------------------------------------------------------------------------

std::uint8_t Store::Impl::take_branch() {
  // More flushes are waiting for their purge than there are branches: one of them has to be done with first.
  while (free_branches_.empty()) purge(4096);
  const std::uint8_t b = free_branches_.back();
  free_branches_.pop_back();
  if (branches_[b].order == nullptr) branches_[b].order = std::make_unique<OrderIndex>(pool_, KeySource{arena_.at(0)});
  return b;
}

void Store::Impl::map_database(Database db, std::uint8_t branch) {
  branch_of_[db] = branch;
  auto& word = segment_->header().database_map[db];
  const std::uint64_t changes = (word.load(std::memory_order_relaxed) >> 8) + 1;
  word.store(changes << 8 | branch, std::memory_order_release);  // (6)
}

void Store::flush(Database db) {
  Impl& s = *impl_;
  if (db >= s.options_.databases) return;
  if (s.order(s.branch_of(db)).size() != 0) {
    const std::uint8_t old = s.branch_of(db);
    s.map_database(db, s.take_branch());
    s.dead_branches_.push_back(old);
  }
  if (s.listener_ != nullptr) s.listener_->on_flush(db);
}

void Store::swap(Database a, Database b) {
  Impl& s = *impl_;
  if (a >= s.options_.databases || b >= s.options_.databases || a == b) return;
  const std::uint8_t branch_a = s.branch_of(a);
  s.map_database(a, s.branch_of(b));
  s.map_database(b, branch_a);
  // The first call may take the listener away.
  for (const Database db : {a, b})
    if (s.listener_ != nullptr) s.listener_->on_flush(db);
}

std::uint64_t Store::count(Database db) const {
  if (db >= impl_->options_.databases) return 0;
  const auto& branch = impl_->branches_[impl_->branch_of(db)];
  return branch.order->size() - branch.stale;
}

std::uint64_t Store::count_with_deadline(Database db) const {
  if (db >= impl_->options_.databases) return 0;
  const auto& branch = impl_->branches_[impl_->branch_of(db)];
  return branch.with_deadline - branch.stale;
}

std::optional<std::string> Store::random_key(Database db) {
  Impl& s = *impl_;
  if (count(db) == 0) return std::nullopt;
  const std::uint8_t branch = s.branch_of(db);
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t offset = s.points_.some_block(static_cast<std::uint64_t>(s.random_()) << 32 | s.random_());
    if (offset == 0) continue;
    const std::uint64_t owner = s.owner_of(offset);
    if (owner == 0) continue;
    const Block block = s.block_at(owner);
    if (block.branch() == branch && !s.passed(block)) return std::string(block.key());
  }
  std::optional<std::string> key;
  scan(db, {}, [&](const EntryView& e) {
    key = std::string(e.key);
    return false;
  });
  return key;
}

// ---- upkeep --------------------------------------------------------------------------------------------------------

bool Store::Impl::purge(std::size_t budget) {
  std::uint64_t removed = 0;
  const auto erase = [&](std::uint8_t branch, std::string_view prefix) {
    std::string resume;
    removed = 0;
    const std::uint64_t before = expired_;
    const bool done = erase_some(branch, prefix, "", ~Version{0}, budget, &resume, &removed);
    expired_ = before;
    budget -= std::min(budget, static_cast<std::size_t>(removed) + 1);
    return done;
  };
  while (!dead_branches_.empty() && budget > 0) {
    const std::uint8_t branch = dead_branches_.front();
    if (!erase(branch, "")) continue;
    dead_branches_.pop_front();
    free_branches_.push_back(branch);
  }
  while (!dead_collections_.empty() && budget > 0) {
    const bool done = erase(elements_branch_, packed::ElementKey(dead_collections_.front()));
    dead_elements_ -= removed;
    if (done) dead_collections_.pop_front();
  }
  return has_dead();
}

bool Store::purge(std::size_t budget) { return impl_->purge(budget); }

std::optional<Database> Store::Impl::database_of(std::uint8_t branch) const {
  for (Database db = 0; db < options_.databases; ++db)
    if (branch_of_[db] == branch) return db;
  return std::nullopt;
}

void Store::Impl::tell_expired(std::uint64_t offset) {
  const Block block = block_at(offset);
  // One in its stale window has expired before.
  if (block.has_trailer() && trailer(offset).stale() != 0 && !deadlines_.contains(block.deadline(), offset >> 3))
    return;
  if (const auto db = database_of(block.branch())) both_.second->on_expire(*db, block.key());
}

void Store::Impl::tell_evicted(std::uint64_t offset) {
  const Block block = block_at(offset);
  if (const auto db = database_of(block.branch())) both_.second->on_evict(*db, block.key());
}

bool Store::Impl::expire(std::size_t budget, std::uint64_t* removed) {
  auto due = deadlines_.first();
  auto over = stales_.first();
  if (!due && !over) return false;
  const Millis now = clock_->monotonic_ms();
  const auto drop = [&](EntryRef ref) {
    remove(ref << 3);
    ++expired_;
    if (removed != nullptr) ++*removed;
  };
  const auto is_over = [now](const auto& entry) { return (entry ? entry->deadline : kNoDeadline) <= now; };
  for (; budget > 0 && is_over(over); --budget, over = stales_.first()) drop(over->ref);
  for (; budget > 0 && is_over(due); --budget, due = deadlines_.first()) {
    if (both_.second != nullptr) tell_expired(due->ref << 3);
    if (!block_at(due->ref << 3).has_trailer() || !keep_stale(due->ref << 3, now)) drop(due->ref);
  }
  give_back_surplus();
  return is_over(due) || is_over(over);
}

bool Store::expire(std::size_t budget) { return impl_->expire(budget); }

std::uint64_t Store::prune() {
  std::uint64_t removed = 0;
  while (impl_->expire(4096, &removed)) {
  }
  return removed;
}

std::optional<Millis> Store::next_deadline() const {
  const auto due = impl_->deadlines_.first();
  const auto over = impl_->stales_.first();
  if (!due && !over) return std::nullopt;
  return std::min(due ? due->deadline : kNoDeadline, over ? over->deadline : kNoDeadline);
}

// ---- settings, sharing ---------------------------------------------------------------------------------------------

const StoreOptions& Store::options() const { return impl_->options_; }

Error Store::set_max_memory(std::uint64_t bytes) {
  if (bytes < kSmallestMaxMemory || bytes > impl_->segment_->size()) return Error::kOutOfMemory;
  impl_->options_.max_memory = bytes;
  impl_->arena_.set_limit(bytes);
  impl_->segment_->header().max_memory.store(bytes, std::memory_order_relaxed);
  return Error::kNone;
}

void Store::set_policy(Policy policy) {
  impl_->options_.policy = policy;
  impl_->marks_ = policy == Policy::kAllKeysLru || policy == Policy::kVolatileLru;
}

StoreStats Store::stats() const {
  const Impl& s = *impl_;
  StoreStats t;
  t.entries = s.visible_entries();
  t.elements = s.elements().size();
  t.entries_with_deadline = s.deadlines_.size() + s.stales_.size();
  t.used_memory = s.arena_.used_bytes();
  t.max_memory = s.options_.max_memory;
  t.entry_bytes = (s.arena_.block_pages() + s.arena_.pages_of(layout::kDataPage)) * layout::kPageSize;
  t.point_index_bytes = s.points_.pages() * layout::kPageSize;
  t.order_index_bytes = s.arena_.pages_of(layout::kOrderPage) * layout::kPageSize;
  t.fixed_bytes = s.arena_.fixed_bytes();
  t.free_bytes = s.arena_.free_bytes();
  t.hits = s.hits_;
  t.misses = s.misses_;
  t.sets = s.sets_;
  t.evicted = s.evicted_;
  t.expired = s.expired_;
  t.moved = s.moved_;
  t.stale = s.stales_.size();
  t.tags = s.tags_.tags();
  t.tag_memberships = s.tags_.memberships();
  t.tag_index_bytes = s.tags_.bytes();
  for (const std::uint8_t b : s.dead_branches_) t.pending_purge += s.branches_[b].order->size();
  t.pending_purge += s.dead_elements_;
  return t;
}

Version Store::newest_version() const { return impl_->last_version_; }
Version Store::take_version() { return impl_->next_version(); }
void Store::set_listener(StoreListener* listener) {
  impl_->both_.first = listener;
  impl_->listen();
}
void Store::set_observer(StoreListener* observer) {
  impl_->both_.second = observer;
  impl_->listen();
}
int Store::descriptor() const { return impl_->segment_->descriptor(); }
const layout::SegmentHeader& Store::header() const { return impl_->segment_->header(); }

void Store::renew_lease() {
  const Impl& s = *impl_;
  layout::SegmentHeader& h = s.segment_->header();
  h.lease_until.store(s.clock_->coarse_ms() + layout::kLease, std::memory_order_release);  // (9)
  h.entries.store(s.visible_entries(), std::memory_order_relaxed);
  h.used_memory.store(s.arena_.used_bytes(), std::memory_order_relaxed);
  h.evicted.store(s.evicted_, std::memory_order_relaxed);
  h.expired.store(s.expired_, std::memory_order_relaxed);
}

void Store::end_lease() { impl_->segment_->header().lease_until.store(0, std::memory_order_release); }  // (9)

void Store::absorb_hints(const layout::HintPage& page, std::uint64_t* seen) {
  Impl& s = *impl_;
  const std::uint64_t head = page.head.load(std::memory_order_relaxed);
  if (s.marks_) {
    // (11) Whatever the worker wrote there, this loop is bounded and only marks.
    std::uint64_t from = *seen;
    if (head - from > layout::HintPage::kMarks) from = head - layout::HintPage::kMarks;
    for (; from != head; ++from) {
      const std::uint64_t offset = page.marks[from % layout::HintPage::kMarks].load(std::memory_order_relaxed);
      const std::uint64_t p = offset >> layout::kPageShift;
      if (p < s.arena_.first_page() || p >= s.arena_.high_water()) continue;
      if (s.arena_.kind_of(static_cast<std::uint32_t>(p)) >= layout::kFirstBlockPage) s.arena_.mark(offset);
    }
  }
  *seen = head;
}

}  // namespace coppice
