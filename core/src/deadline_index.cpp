#include "deadline_index.h"

#include "judy.h"

namespace coppice {
namespace {

// libJudy orders unsigned words; flipping the sign bit keeps the order of signed ones.
constexpr std::uint64_t kSign = 1ull << 63;
std::uint64_t word_of(Millis deadline) { return static_cast<std::uint64_t>(deadline) ^ kSign; }
Millis deadline_of(std::uint64_t word) { return static_cast<Millis>(word ^ kSign); }

// A slot holds one reference, marked by the low bit, or the root of a Judy1 set of two or more.
bool is_single(const void* value) { return reinterpret_cast<std::uintptr_t>(value) & 1; }
void* single(EntryRef ref) { return reinterpret_cast<void*>(ref << 1 | 1); }
EntryRef single_ref(const void* value) { return reinterpret_cast<std::uintptr_t>(value) >> 1; }

}  // namespace

DeadlineIndex::~DeadlineIndex() {
  PoolScope scope(*pool_);
  std::uint64_t word = 0;
  for (void** slot = judy::map_first(root_, &word); slot; slot = judy::map_next(root_, &word))
    if (!is_single(*slot)) judy::set_clear(slot);
  judy::map_clear(&root_);
}

void DeadlineIndex::insert(Millis deadline, EntryRef ref) {
  PoolScope scope(*pool_);
  void** slot = judy::map_insert(&root_, word_of(deadline));
  if (!*slot) {
    *slot = single(ref);
  } else {
    if (is_single(*slot)) {
      const EntryRef other = single_ref(*slot);
      *slot = nullptr;
      judy::set_insert(slot, other);
    }
    judy::set_insert(slot, ref);
  }
  ++size_;
}

bool DeadlineIndex::erase(Millis deadline, EntryRef ref) {
  PoolScope scope(*pool_);
  void** slot = judy::map_get(root_, word_of(deadline));
  if (!slot) return false;
  if (is_single(*slot)) {
    if (single_ref(*slot) != ref) return false;
    judy::map_erase(&root_, word_of(deadline));
  } else {
    if (!judy::set_erase(slot, ref)) return false;
    std::uint64_t remaining = 0;
    judy::set_first(*slot, &remaining);
    std::uint64_t another = remaining;
    if (!judy::set_next(*slot, &another)) {
      judy::set_clear(slot);
      *slot = single(remaining);
    }
  }
  --size_;
  return true;
}

bool DeadlineIndex::replace(Millis deadline, EntryRef old, EntryRef ref) {
  PoolScope scope(*pool_);
  void** slot = judy::map_get(root_, word_of(deadline));
  if (!slot) return false;
  if (is_single(*slot)) {
    if (single_ref(*slot) != old) return false;
    *slot = single(ref);
    return true;
  }
  if (!judy::set_erase(slot, old)) return false;
  judy::set_insert(slot, ref);
  return true;
}

std::optional<DeadlineIndex::Due> DeadlineIndex::first() const {
  std::uint64_t word = 0;
  void** slot = judy::map_first(root_, &word);
  if (!slot) return std::nullopt;
  std::uint64_t ref = 0;
  if (is_single(*slot))
    ref = single_ref(*slot);
  else
    judy::set_first(*slot, &ref);
  return Due{deadline_of(word), ref};
}

std::optional<DeadlineIndex::Due> DeadlineIndex::next(const Due& d) const {
  std::uint64_t word = word_of(d.deadline);
  std::uint64_t ref = d.ref;
  if (void** slot = judy::map_get(root_, word)) {
    if (is_single(*slot)) {
      if (single_ref(*slot) > ref) return Due{d.deadline, single_ref(*slot)};
    } else if (judy::set_next(*slot, &ref)) {
      return Due{d.deadline, ref};
    }
  }
  void** slot = judy::map_next(root_, &word);
  if (!slot) return std::nullopt;
  ref = 0;
  if (is_single(*slot))
    ref = single_ref(*slot);
  else
    judy::set_first(*slot, &ref);
  return Due{deadline_of(word), ref};
}

}  // namespace coppice
