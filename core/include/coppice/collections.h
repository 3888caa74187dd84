// Hashes, sets and sorted sets: keys that hold elements, each with a name of its own.
//
//   const Element fields[] = {{"name", "Ada"}, {"born", "1815"}};
//   store->put_elements(0, "user.42", ValueType::kHash, fields);
//   if (auto user = store->open(0, "user.42", ValueType::kHash); user && *user)
//     if (auto name = (*user)->find("name")) use(name->value);
//
// A small collection is one entry; a larger one is an entry that counts, and an entry for each element, so that what is
// done to one element costs the same whatever the collection holds. Elements are in the bytewise order of their names,
// those of a sorted set also by score, and by name where scores are equal. A collection goes with its last element.
//
// Thread safety: as the store's.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/store.h"

namespace coppice {

// Beyond either, a collection is kept as entries of its own for ever after.
inline constexpr std::size_t kPackedElements = 128;
inline constexpr std::size_t kPackedBytes = 64;  // of a name or value

// An element to be written. Not owned; must not point into the store.
struct Element {
  std::string_view name{};
  std::string_view value{};  // of a hash
  double score = 0;          // of a sorted set; no NaN
};

// An element as the store holds it. Valid until the next call that changes the store.
struct ElementView {
  std::string_view name;
  EntryView value;  // of a hash: the value's bytes, nothing else
  double score = 0;
};

// What a key holds, to be read. Valid until the next call that changes the store.
class Collection {
 public:
  enum class Order : std::uint8_t { kByName, kByScore };
  // The place of an element in one of the orders. Ends compare equal to {}.
  struct Position {
    const void* in = nullptr;
    std::uint32_t slot = 0;
    Order order = Order::kByName;
    explicit operator bool() const { return in != nullptr; }
  };

  ValueType type() const { return entry_.type; }
  const EntryView& entry() const { return entry_; }
  std::uint64_t size() const { return size_; }
  bool is_packed() const { return id_ == 0; }

  std::optional<ElementView> find(std::string_view name) const;

  Position first(Order order) const;
  Position last(Order order) const;
  Position next(Position p) const;
  Position previous(Position p) const;
  ElementView at(Position p) const;
  // The first element with a name >= (or > when `after`) this.
  Position seek(std::string_view name, bool after = false) const;
  // The first element of a sorted set at or (when `after`) behind this score and name.
  Position seek(double score, std::string_view name, bool after = false) const;
  // The first one with a score above this one.
  Position seek_above(double score) const;
  // The element before the place; of {} the last one.
  Position before(Position p, Order order) const { return p ? previous(p) : last(order); }
  // Number `rank` from 0. O(elements / 64), from the nearer end. {}: there are fewer.
  Position nth(std::uint64_t rank, Order order) const;
  // `n` places further on. O(n / 64).
  Position advance(Position p, std::uint64_t n) const;
  // How many elements are before the place; of {}, all. O(elements / 64), from the nearer end.
  std::uint64_t rank(Position p) const;

 private:
  friend class Store;
  friend class CollectionBuilder;
  Collection(const Store& store, const EntryView& entry);
  const std::vector<Element>& items() const;  // of a packed one, in its order
  Position packed_at(std::size_t i, Order order) const;
  Position within(const void* bucket, std::uint32_t slot, Order order) const;

  const Store* store_;
  EntryView entry_;
  std::uint64_t size_ = 0;
  std::uint64_t id_ = 0;  // 0: packed
  mutable std::vector<Element> items_;
};

// A collection that is being made, in slices if need be. Nobody sees it before commit(); what is not committed goes.
class CollectionBuilder {
 public:
  // The store must outlive the builder.
  CollectionBuilder(Store& store, ValueType type) : store_(&store), type_(type) {}
  ~CollectionBuilder();
  CollectionBuilder(const CollectionBuilder&) = delete;
  CollectionBuilder& operator=(const CollectionBuilder&) = delete;

  // Of elements with the same name the last one counts. A refusal leaves what was there before.
  Error add(std::span<const Element> elements);
  // Makes it a large one, whatever it holds.
  Error enlarge();
  std::uint64_t size() const { return id_ != 0 ? size_ : small_.size(); }
  // Puts it in place of whatever the key holds; an empty one removes that. The builder is empty then. kOutOfMemory
  // leaves key and builder as they were.
  Result<SetResult> commit(Database db, std::string_view key, const SetOptions& options = {});

 private:
  struct Owned {
    std::string value;
    double score = 0;
  };
  Store* store_;
  ValueType type_;
  std::map<std::string, Owned, std::less<>> small_;
  std::uint64_t id_ = 0;  // of a large one
  std::uint64_t size_ = 0;
};

}  // namespace coppice
