#include "tag_index.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "block.h"
#include "coppice/layout.h"
#include "judy.h"

namespace coppice {

namespace {

// In the place of a tag that went while its neighbour above was there, which a search might have to pass it for.
void* const kGone = reinterpret_cast<void*>(std::uintptr_t{2});

// Members that a full record gets room for. In few steps: each size that records pass through leaves holes in the pool.
// At 1M entries, ten to a tag in random order, a membership costs 11.4 bytes of pages so, and 14.2 with room for one
// more each time, though less of them is in use then.
std::uint32_t next_room(std::uint32_t count) {
  if (count < 3) return 3;
  if (count < 10) return 10;
  return std::min(count + count / 4, TagIndex::kSmall);
}

std::string_view key_of(KeySource keys, EntryRef ref) { return block_key(keys.base + ref * 8); }

}  // namespace

class TagIndex::Count {
 public:
  explicit Count(TagIndex& index) : index_(index), before_(index.pool_->bytes_in_use()) {}
  ~Count() { index_.bytes_ += index_.pool_->bytes_in_use() - before_; }
  Count(const Count&) = delete;
  Count& operator=(const Count&) = delete;

 private:
  TagIndex& index_;
  std::size_t before_;
};

// ---- records -------------------------------------------------------------------------------------------------------

OrderIndex* TagIndex::Record::large() const {
  if (count != kLarge) return nullptr;
  OrderIndex* index;
  std::memcpy(&index, members(), sizeof index);
  return index;
}

EntryRef TagIndex::Record::ref(std::uint32_t i) const {
  const char* at = members() + i * kRefBytes;
  std::uint32_t low;
  std::memcpy(&low, at, 4);
  return static_cast<EntryRef>(static_cast<unsigned char>(at[4])) << 32 | low;
}

void TagIndex::Record::set(std::uint32_t i, EntryRef ref) {
  char* at = members() + i * kRefBytes;
  const auto low = static_cast<std::uint32_t>(ref);
  std::memcpy(at, &low, 4);
  at[4] = static_cast<char>(ref >> 32);
}

TagIndex::Record* TagIndex::make(std::uint8_t branch, std::string_view name, std::uint32_t room) {
  std::size_t usable;
  const std::size_t fixed = Record::kHeader + name.size();
  auto* r = static_cast<Record*>(pool_->allocate(fixed + std::size_t{room} * Record::kRefBytes, &usable));
  r->name_length = static_cast<std::uint16_t>(name.size());
  r->branch = branch;
  r->count = 0;
  r->capacity = static_cast<std::uint8_t>(std::min<std::size_t>((usable - fixed) / Record::kRefBytes, kSmall));
  std::memcpy(r->after_header(), name.data(), name.size());
  return r;
}

TagIndex::Record* TagIndex::resize(TagId id, Record* r, std::uint32_t room) {
  Record* other = make(r->branch, r->name(), room);
  other->count = r->count;
  std::memcpy(other->members(), r->members(), std::size_t{r->count} * Record::kRefBytes);
  *judy::map_get(root_, id) = other;
  pool_->free(r, r->bytes());
  return other;
}

void TagIndex::make_large(TagId id, Record* r) {
  auto* index = new (pool_->allocate(sizeof(OrderIndex))) OrderIndex(*pool_, keys_);
  for (std::uint32_t i = 0; i < r->count; ++i) index->insert(key_of(keys_, r->ref(i)), r->ref(i));
  Record* other = make(r->branch, r->name(), (sizeof index + Record::kRefBytes - 1) / Record::kRefBytes);
  other->count = Record::kLarge;
  std::memcpy(other->members(), &index, sizeof index);
  *judy::map_get(root_, id) = other;
  pool_->free(r, r->bytes());
}

// Costs a little memory before it frees any: left out when the pool can't spare it.
void TagIndex::shrink(TagId id, Record* r) {
  if (r->capacity >= r->count + 16u && pool_->can_spare()) resize(id, r, r->count);
}

void TagIndex::destroy(TagId id, Record* r) {
  if (OrderIndex* const index = r->large()) {
    index->~OrderIndex();
    pool_->free(index, sizeof(OrderIndex));
  }
  pool_->free(r, r->bytes());
  --tags_;
  if (judy::map_get(root_, next_id(id)) != nullptr) {
    *judy::map_get(root_, id) = kGone;
    return;
  }
  // Nobody will search beyond here: those gone before it, side by side, have nothing to be passed for either.
  do {
    judy::map_erase(&root_, id);
    id = previous_id(id);
    void** const slot = judy::map_get(root_, id);
    if (slot == nullptr || *slot != kGone) return;
  } while (true);
}

// ---- names ---------------------------------------------------------------------------------------------------------

TagId TagIndex::first_id(std::uint8_t branch, std::string_view name) const {
  std::uint64_t h = XXH3_64bits_withSecret(name.data(), name.size(), secret_, layout::kSecretSize);
  h ^= (static_cast<std::uint64_t>(branch) + 1) * 0x9e3779b97f4a7c15ull;
  h *= 0xd6e8feb86659fd93ull;
  return static_cast<TagId>((h >> 32) % last_id_) + 1;
}

TagIndex::Record* TagIndex::record(TagId id) const { return static_cast<Record*>(*judy::map_get(root_, id)); }

TagId TagIndex::find(std::uint8_t branch, std::string_view name) const {
  TagId id = first_id(branch, name);
  for (TagId tries = 0; tries < last_id_; ++tries, id = next_id(id)) {
    void** const slot = judy::map_get(root_, id);
    if (slot == nullptr) return 0;
    if (*slot == kGone) continue;
    const auto* r = static_cast<const Record*>(*slot);
    if (r->branch == branch && r->name() == name) return id;
  }
  return 0;
}

std::string_view TagIndex::name(TagId id) const { return record(id)->name(); }
std::uint8_t TagIndex::branch(TagId id) const { return record(id)->branch; }

std::uint64_t TagIndex::size(TagId id) const {
  const Record* r = record(id);
  const OrderIndex* index = r->large();
  return index != nullptr ? index->size() : r->count;
}

// ---- members -------------------------------------------------------------------------------------------------------

std::uint32_t TagIndex::search(const Record* r, std::string_view key, bool after) const {
  std::uint32_t low = 0, high = r->count;
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    const int order = key_of(keys_, r->ref(middle)).compare(key);
    if (order < 0 || (after && order == 0))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

std::uint32_t TagIndex::slot_of(const Record* r, EntryRef ref) const {
  std::uint32_t i = 0;
  while (i < r->count && r->ref(i) != ref) ++i;
  return i;
}

TagId TagIndex::add(std::uint8_t branch, std::string_view name, std::string_view key, EntryRef ref) {
  const Count count(*this);
  PoolScope scope(*pool_);
  // One walk finds the tag, or the first place for it.
  TagId id = first_id(branch, name), place = 0;
  Record* r = nullptr;
  for (TagId tries = 0; tries < last_id_; ++tries, id = next_id(id)) {
    void** const slot = judy::map_get(root_, id);
    if (slot != nullptr && *slot != kGone) {
      auto* other = static_cast<Record*>(*slot);
      if (other->branch != branch || other->name() != name) continue;
      r = other;
      break;
    }
    if (place == 0) place = id;
    if (slot == nullptr) break;
  }
  if (r == nullptr) {
    if (place == 0) return 0;
    id = place;
    r = make(branch, name, 1);
    *judy::map_insert(&root_, id) = r;
    ++tags_;
  }
  ++memberships_;
  if (r->count == kSmall) {
    make_large(id, r);
    r = record(id);
  }
  if (OrderIndex* const index = r->large()) {
    index->insert(key, ref);
    return id;
  }
  if (r->count == r->capacity) r = resize(id, r, next_room(r->count));
  // Keys mostly come in order.
  const std::uint32_t n = r->count;
  const std::uint32_t at = n > 0 && key_of(keys_, r->ref(n - 1)) < key ? n : search(r, key, false);
  std::memmove(r->members() + (at + 1) * Record::kRefBytes, r->members() + at * Record::kRefBytes,
               std::size_t{n - at} * Record::kRefBytes);
  r->set(at, ref);
  ++r->count;
  return id;
}

bool TagIndex::has(TagId id, std::string_view key, EntryRef ref) const {
  const Record* const r = record(id);
  if (const OrderIndex* const index = r->large()) return index->find(key) == ref;
  return slot_of(r, ref) < r->count;
}

bool TagIndex::erase(TagId id, std::string_view key, EntryRef ref) {
  Record* const r = record(id);
  if (OrderIndex* const index = r->large()) {
    const Count count(*this);
    PoolScope scope(*pool_);
    if (!index->erase(key, ref)) return false;
    --memberships_;
    if (index->size() == 0) destroy(id, r);
    return true;
  }
  const std::uint32_t i = slot_of(r, ref);
  if (i == r->count) return false;
  const Count count(*this);
  PoolScope scope(*pool_);
  --memberships_;
  --r->count;
  std::memmove(r->members() + i * Record::kRefBytes, r->members() + (i + 1) * Record::kRefBytes,
               std::size_t{r->count - i} * Record::kRefBytes);
  if (r->count == 0)
    destroy(id, r);
  else
    shrink(id, r);
  return true;
}

bool TagIndex::replace(TagId id, std::string_view key, EntryRef old, EntryRef ref) {
  Record* const r = record(id);
  if (OrderIndex* const index = r->large()) return index->replace(key, old, ref);
  const std::uint32_t i = slot_of(r, old);
  if (i == r->count) return false;
  r->set(i, ref);
  return true;
}

bool TagIndex::erase_front(TagId id, std::string_view from, std::size_t budget, const OrderIndex::RangeVisitor& visitor,
                           std::string* resume) {
  const Count count(*this);
  PoolScope scope(*pool_);
  Record* const r = record(id);
  if (OrderIndex* const index = r->large()) {
    const std::size_t before = index->size();
    const bool done = index->erase_front("", from, budget, visitor, resume);
    memberships_ -= before - index->size();
    if (index->size() == 0) destroy(id, r);
    return done;
  }
  std::uint32_t i = from.empty() ? 0 : search(r, from, false);
  std::uint32_t kept = i;
  for (; i < r->count && budget > 0; ++i, --budget) {
    const EntryRef ref = r->ref(i);
    if (visitor.keep(visitor.context, ref))
      r->set(kept++, ref);
    else
      visitor.taken(visitor.context, ref);
  }
  const bool done = i == r->count;
  if (!done) resume->assign(key_of(keys_, r->ref(i)));
  std::memmove(r->members() + kept * Record::kRefBytes, r->members() + i * Record::kRefBytes,
               std::size_t{r->count - i} * Record::kRefBytes);
  r->count = static_cast<std::uint8_t>(r->count - (i - kept));
  memberships_ -= i - kept;
  if (r->count == 0)
    destroy(id, r);
  else
    shrink(id, r);
  return done;
}

// ---- for tests -----------------------------------------------------------------------------------------------------

const char* TagIndex::check() const {
  std::uint64_t tags = 0, memberships = 0;
  std::uint64_t word = 0;
  for (void** slot = judy::map_first(root_, &word); slot != nullptr; slot = judy::map_next(root_, &word)) {
    const auto id = static_cast<TagId>(word);
    if (id == 0 || id > last_id_) return "a tag has an impossible id";
    if (*slot == kGone) {
      if (judy::map_get(root_, next_id(id)) == nullptr) return "a place is kept for a tag that is gone";
      continue;
    }
    ++tags;
    const auto* r = static_cast<const Record*>(*slot);
    if (find(r->branch, r->name()) != id) return "a tag is not found by its name";
    if (const OrderIndex* const index = r->large()) {
      if (const char* bad = index->check()) return bad;
      if (index->size() == 0) return "a tag without members is kept";
      memberships += index->size();
      continue;
    }
    if (r->count == 0) return "a tag without members is kept";
    if (r->count > r->capacity || r->capacity > kSmall) return "a tag's record is over-full";
    for (std::uint32_t i = 1; i < r->count; ++i)
      if (key_of(keys_, r->ref(i - 1)) >= key_of(keys_, r->ref(i))) return "a tag's members are not in order";
    memberships += r->count;
  }
  if (tags != tags_) return "the count of tags is wrong";
  if (memberships != memberships_) return "the count of memberships is wrong";
  return nullptr;
}

}  // namespace coppice
