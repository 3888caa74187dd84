// The tag index: from a tag's name to its members, the entries that have it, sorted by key.
//
// One JudyL array maps a tag's id to its record. The id is made of a hash of branch and name, with the next free number
// after a collision, so that the same array answers for names (hash, then compare) and for the ids that entries keep
// in their trailers. Up to kSmall members lie in the record itself, five bytes each; more are an OrderIndex of the
// tag's own. A tag goes with its last member: nothing of it stays.
//
//   JudyL  id ─▶ │ header 5 │ name │ up to 64 references │
//          id ─▶ │ header 5 │ name │ ─▶ OrderIndex │
//
// Thread safety: none. Memory comes from the pool; before add() the store sees to pool.ready().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "judy_pool.h"
#include "order_index.h"

namespace coppice {

// 1 … 2^30 - 1; 0 is none.
using TagId = std::uint32_t;

class TagIndex {
 public:
  static constexpr std::uint32_t kIdBits = 30;
  static constexpr std::uint32_t kSmall = 64;

  // `secret`: layout::kSecretSize bytes that outlive the index. `id_bits`: fewer only in tests, for collisions.
  TagIndex(JudyPool& pool, KeySource keys, const std::uint8_t* secret, std::uint32_t id_bits = kIdBits)
      : pool_(&pool), keys_(keys), secret_(secret), last_id_((1u << id_bits) - 1) {}
  // The pool's pages go with everything that lies in them.
  ~TagIndex() = default;
  TagIndex(const TagIndex&) = delete;
  TagIndex& operator=(const TagIndex&) = delete;

  // 0: no such tag.
  TagId find(std::uint8_t branch, std::string_view name) const;
  // Makes the tag where it is new. 0: there is no free id.
  // REQUIRES: the pool is ready; the tag has no member with this key; key == key_of(ref).
  TagId add(std::uint8_t branch, std::string_view name, std::string_view key, EntryRef ref);

  // ---- of a tag that exists
  std::string_view name(TagId id) const;
  std::uint8_t branch(TagId id) const;
  std::uint64_t size(TagId id) const;
  bool has(TagId id, std::string_view key, EntryRef ref) const;
  // false: `ref` is no member. The tag goes with its last one. REQUIRES: key == key_of(ref), which need not be
  // readable.
  bool erase(TagId id, std::string_view key, EntryRef ref);
  // The member `old` is now `ref`, with the same key. false: it is no member. Never needs memory.
  bool replace(TagId id, std::string_view key, EntryRef old, EntryRef ref);
  // OrderIndex::erase_front() without a prefix. The tag goes with its last member.
  bool erase_front(TagId id, std::string_view from, std::size_t budget, const OrderIndex::RangeVisitor& visitor,
                   std::string* resume);
  // f(ref) -> bool for each member with a key above `after` (from the first on: `from_start`), in key order; false ends
  // the walk.
  template <class F>
  void walk(TagId id, bool from_start, std::string_view after, F&& f) const {
    const Record* r = record(id);
    if (OrderIndex* const large = r->large()) {
      for (auto p = from_start ? large->first() : large->lower_bound(after, true); p; p = large->next(p))
        if (!f(large->at(p))) return;
      return;
    }
    for (std::uint32_t i = from_start ? 0 : search(r, after, true); i < r->count; ++i)
      if (!f(r->ref(i))) return;
  }

  std::uint64_t tags() const { return tags_; }
  std::uint64_t memberships() const { return memberships_; }
  std::uint64_t bytes() const { return bytes_; }  // of the pool

  // For tests: the first contradiction within the index in words, or nullptr. O(n).
  const char* check() const;

 private:
  struct Record {
    static constexpr std::uint32_t kHeader = 5;
    static constexpr std::uint8_t kLarge = 255;
    static constexpr std::uint32_t kRefBytes = 5;

    std::uint16_t name_length;
    std::uint8_t branch;
    std::uint8_t count;  // kLarge: see large()
    std::uint8_t capacity;

    char* after_header() const { return reinterpret_cast<char*>(const_cast<Record*>(this)) + kHeader; }
    std::string_view name() const { return {after_header(), name_length}; }
    char* members() const { return after_header() + name_length; }
    std::size_t bytes() const {
      return kHeader + name_length + (count == kLarge ? sizeof(OrderIndex*) : std::size_t{capacity} * kRefBytes);
    }
    OrderIndex* large() const;
    EntryRef ref(std::uint32_t i) const;
    void set(std::uint32_t i, EntryRef ref);
  };
  class Count;  // keeps bytes_ while it lives

  TagId first_id(std::uint8_t branch, std::string_view name) const;
  TagId next_id(TagId id) const { return id == last_id_ ? 1 : id + 1; }
  TagId previous_id(TagId id) const { return id == 1 ? last_id_ : id - 1; }
  Record* record(TagId id) const;
  std::uint32_t search(const Record* r, std::string_view key, bool after) const;
  std::uint32_t slot_of(const Record* r, EntryRef ref) const;
  Record* make(std::uint8_t branch, std::string_view name, std::uint32_t room);
  // A record with another capacity in the place of `r`.
  Record* resize(TagId id, Record* r, std::uint32_t room);
  void make_large(TagId id, Record* r);
  void shrink(TagId id, Record* r);
  void destroy(TagId id, Record* r);

  JudyPool* pool_;
  KeySource keys_;
  const std::uint8_t* secret_;
  TagId last_id_;
  void* root_ = nullptr;
  std::uint64_t tags_ = 0;
  std::uint64_t memberships_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace coppice
