// The comparison of all structures, for tests.
#include <map>

#include "store_impl.h"

namespace coppice {

using packed::Head;

std::string Store::Impl::check_collections() const {
  std::map<std::uint64_t, Head> heads;
  std::map<std::uint64_t, ValueType> types;
  for (std::size_t b = 0; b < branches_.size(); ++b) {
    const auto& branch = branches_[b];
    if (branch.order == nullptr || b == elements_branch_) continue;
    for (auto p = branch.order->first(); p; p = branch.order->next(p)) {
      const std::uint64_t offset = branch.order->at(p) << 3;
      const Head head = head_at(offset);
      if (head.id == 0) continue;
      if (!heads.emplace(head.id, head).second) return "two entries are heads of one collection";
      if (head_of(head.id) != offset) return "a collection's head is not where its id leads to";
      types[head.id] = block_at(offset).type();
    }
  }
  if (heads.size() != heads_.size()) return "an id leads to a head that is not there";
  std::map<std::uint64_t, std::uint64_t> by_name, by_score;
  std::uint64_t dead_elements = 0;
  const OrderIndex& order = elements();
  for (auto p = order.first(); p; p = order.next(p)) {
    const std::uint64_t offset = order.at(p) << 3;
    const std::string_view key = block_at(offset).key();
    const std::uint64_t id = packed::id_of(key);
    const bool dead = std::find(dead_collections_.begin(), dead_collections_.end(), id) != dead_collections_.end();
    dead_elements += dead;
    if (dead || is_held(id)) continue;
    if (heads.count(id) == 0) return "an element's collection is gone";
    ++(packed::is_by_score(key) ? by_score : by_name)[id];
    if (!packed::is_by_score(key)) continue;
    const auto e = element(id, ValueType::kSortedSet, packed::name_in(key));
    if (!e || e->score != packed::score_in(key)) return "a member has another score than its place";
  }
  if (dead_elements != dead_elements_) return "the count of elements that are still to go is wrong";
  for (const auto& [id, head] : heads) {
    if (by_name[id] != head.count) return "a collection's count of elements is wrong";
    if (by_score[id] != (types[id] == ValueType::kSortedSet ? head.count : 0)) return "members are missing by score";
  }
  return "";
}

std::string Store::check() const {
  const Impl& s = *impl_;
  if (std::string bad = s.arena_.check(); !bad.empty()) return bad;
  if (s.arena_.used_bytes() > s.options_.max_memory) return "more memory is held than max_memory";
  if (s.pool_.emergencies() != 0) return "the pool for the order index was not given room beforehand";
  std::uint64_t entries = 0, timed = 0, stale = 0, memberships = 0;
  for (std::size_t b = 0; b < s.branches_.size(); ++b) {
    const auto& branch = s.branches_[b];
    if (branch.order == nullptr) continue;
    if (const char* bad = branch.order->check()) return bad;
    std::uint64_t branch_timed = 0;
    stale += branch.stale;
    for (auto p = branch.order->first(); p; p = branch.order->next(p)) {
      const std::uint64_t offset = branch.order->at(p) << 3;
      const Block block = s.block_at(offset);
      if (!block.is_live()) return "the order index refers to a block that is not live";
      if (block.branch() != b) return "an entry is in another branch's order index";
      PointIndex::Slot* slot = s.points_.find(block.branch(), block.key(), s.points_.hash(block.branch(), block.key()));
      if (slot == nullptr) return "an entry is missing from the point index";
      if (layout::slot_offset(slot->load(std::memory_order_relaxed)) != offset) return "the indexes disagree";
      branch_timed += block.has_deadline();
      const Trailer t = s.trailer(offset);
      if (block.has_trailer() && block.size() + t.size() > s.class_size_at(offset)) return "a trailer has no room";
      for (std::uint32_t i = 0; i < t.tag_count(); ++i, ++memberships) {
        if (t.tag(i) == 0 || s.tags_.branch(t.tag(i)) != b) return "an entry has a tag of another branch";
        if (i > 0 && s.tags_.name(t.tag(i - 1)) >= s.tags_.name(t.tag(i))) return "an entry's tags are not in order";
        if (!s.tags_.has(t.tag(i), block.key(), offset >> 3)) return "an entry is no member of its tag";
      }
      ++entries;
    }
    if (branch_timed != branch.with_deadline) return "a branch's count of deadlines is wrong";
    timed += branch_timed;
  }
  if (entries != s.entries_) return "the count of entries is wrong";
  if (timed != s.deadlines_.size() + s.stales_.size()) return "the deadline index holds another number of entries";
  if (stale != s.stales_.size()) return "the branches' counts of stale entries are wrong";
  std::uint64_t walked = 0;
  for (auto due = s.deadlines_.first(); due; due = s.deadlines_.next(*due), ++walked) {
    const Block block = s.block_at(due->ref << 3);
    if (!block.is_live() || block.deadline() != due->deadline) return "the deadline index is wrong";
  }
  for (auto due = s.stales_.first(); due; due = s.stales_.next(*due), ++walked) {
    const Block block = s.block_at(due->ref << 3);
    if (!block.is_live() || s.hard_deadline(due->ref << 3) != due->deadline) return "the stale index is wrong";
  }
  if (walked != timed) return "the deadline index's walk is wrong";
  if (std::string bad = s.check_collections(); !bad.empty()) return bad;
  if (const char* bad = s.tags_.check()) return bad;
  // Each entry is a member of each of its tags; there being no more memberships, there are no others.
  if (memberships != s.tags_.memberships()) return "a tag has a member that does not have it";
  return s.points_.check(entries);
}

}  // namespace coppice
