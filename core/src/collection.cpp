// Collections: what is read. store_collections.cpp: what is written.
#include <algorithm>

#include "store_impl.h"

namespace coppice {

using packed::ElementKey;

// ---- the store's side ----------------------------------------------------------------------------------------------

ElementView Store::Impl::element_at(std::uint64_t offset, ValueType type) const {
  ElementView e;
  e.value = view(offset);
  e.name = packed::name_in(e.value.key);
  if (packed::is_by_score(e.value.key))
    e.score = packed::score_in(e.value.key);
  else if (type == ValueType::kSortedSet)
    std::memcpy(&e.score, e.value.tail.data(), sizeof e.score);
  return e;
}

std::optional<ElementView> Store::Impl::element(std::uint64_t id, ValueType type, std::string_view name) const {
  if (name.size() > kMaxElementName) return std::nullopt;
  const ElementKey key(id, name);
  const std::uint64_t offset = offset_at(elements_branch_, key, points_.hash(elements_branch_, key));
  if (offset == 0) return std::nullopt;
  return element_at(offset, type);
}

Result<std::optional<Collection>> Store::open(Database db, std::string_view key, ValueType type) {
  const auto entry = find(db, key);
  if (!entry) return std::optional<Collection>{};
  if (entry->type != type) return Error::kWrongType;
  return open(*entry);
}

std::optional<Collection> Store::open(const EntryView& entry) const {
  if (!is_collection(entry.type)) return std::nullopt;
  return Collection(*this, entry);
}

// ---- one collection ------------------------------------------------------------------------------------------------

namespace {

ElementView view_of(const Element& e) {
  ElementView v;
  v.name = e.name;
  v.value.tail = e.value;
  v.value.value_size = static_cast<std::uint32_t>(e.value.size());
  v.score = e.score;
  return v;
}

// A sorted set's packed elements stand for both orders.
constexpr char kPackedPlace = 0;

const OrderIndex::Bucket* bucket_of(const Collection::Position& p) {
  return static_cast<const OrderIndex::Bucket*>(p.in);
}
OrderIndex::Position place_of(const Collection::Position& p) {
  return {const_cast<OrderIndex::Bucket*>(bucket_of(p)), p.slot};
}

// What the keys of all elements in an order begin with.
ElementKey start_of(std::uint64_t id, Collection::Order order) {
  return order == Collection::Order::kByScore ? ElementKey::by_score(id) : ElementKey(id, "");
}

}  // namespace

Collection::Collection(const Store& store, const EntryView& entry) : store_(&store), entry_(entry) {
  if (packed::is_head(entry.tail)) {
    const packed::Head head = packed::head_of(entry.tail);
    id_ = head.id;
    size_ = head.count;
  } else {
    size_ = packed::Reader(entry.type, entry.tail).left();
  }
}

const std::vector<Element>& Collection::items() const {
  if (items_.size() == size_) return items_;
  items_.reserve(size_);
  packed::Reader reader(entry_.type, entry_.tail);
  for (Element e; reader.next(&e);) items_.push_back(e);
  return items_;
}

std::optional<ElementView> Collection::find(std::string_view name) const {
  if (id_ != 0) return store_->impl_->element(id_, entry_.type, name);
  Element e;
  if (!packed::find(entry_.type, entry_.tail, name, &e)) return std::nullopt;
  return view_of(e);
}

Collection::Position Collection::packed_at(std::size_t i, Order order) const {
  if (i >= items().size()) return {};
  return {&kPackedPlace, static_cast<std::uint32_t>(i), order};
}

// Whether a place of the hidden branch is still in this collection's order.
Collection::Position Collection::within(const void* bucket, std::uint32_t slot, Order order) const {
  if (bucket == nullptr) return {};
  const Position p{bucket, slot, order};
  const Store::Impl& s = *store_->impl_;
  const std::string_view key = s.block_at(s.elements().at(place_of(p)) << 3).key();
  return key.starts_with(start_of(id_, order)) ? p : Position{};
}

Collection::Position Collection::first(Order order) const {
  if (id_ == 0) return packed_at(0, order);
  const auto p = store_->impl_->elements().lower_bound(start_of(id_, order));
  return within(p.bucket, p.slot, order);
}

Collection::Position Collection::last(Order order) const {
  if (id_ == 0) return packed_at(items().size() - 1, order);
  const auto p = store_->impl_->elements().last_of_prefix(start_of(id_, order));
  return within(p.bucket, p.slot, order);
}

Collection::Position Collection::next(Position p) const {
  if (id_ == 0) return packed_at(p.slot + 1, p.order);
  const auto n = store_->impl_->elements().next(place_of(p));
  return within(n.bucket, n.slot, p.order);
}

Collection::Position Collection::previous(Position p) const {
  if (id_ == 0) return p.slot == 0 ? Position{} : packed_at(p.slot - 1, p.order);
  const auto n = store_->impl_->elements().previous(place_of(p));
  return within(n.bucket, n.slot, p.order);
}

ElementView Collection::at(Position p) const {
  if (id_ == 0) return view_of(items()[p.slot]);
  const Store::Impl& s = *store_->impl_;
  return s.element_at(s.elements().at(place_of(p)) << 3, entry_.type);
}

Collection::Position Collection::seek(std::string_view name, bool after) const {
  if (id_ == 0) {
    const auto& all = items();
    const auto at =
        std::find_if(all.begin(), all.end(), [&](const Element& e) { return after ? e.name > name : e.name >= name; });
    return packed_at(static_cast<std::size_t>(at - all.begin()), Order::kByName);
  }
  const auto p = store_->impl_->elements().lower_bound(ElementKey(id_, name), after);
  return within(p.bucket, p.slot, Order::kByName);
}

Collection::Position Collection::seek(double score, std::string_view name, bool after) const {
  if (id_ == 0) {
    const auto& all = items();
    const Element bound{name, {}, score};
    const auto at = after ? std::upper_bound(all.begin(), all.end(), bound, packed::comes_before)
                          : std::lower_bound(all.begin(), all.end(), bound, packed::comes_before);
    return packed_at(static_cast<std::size_t>(at - all.begin()), Order::kByScore);
  }
  // No element's name is as long: one that is cut to the same bytes comes before.
  if (name.size() > kMaxElementName) after = true;
  const auto p = store_->impl_->elements().lower_bound(ElementKey(id_, packed::sortable(score), name), after);
  return within(p.bucket, p.slot, Order::kByScore);
}

Collection::Position Collection::seek_above(double score) const {
  if (id_ == 0) {
    const auto& all = items();
    const auto at = std::find_if(all.begin(), all.end(), [score](const Element& e) { return e.score > score; });
    return packed_at(static_cast<std::size_t>(at - all.begin()), Order::kByScore);
  }
  const auto p = store_->impl_->elements().lower_bound(ElementKey(id_, packed::sortable(score) + 1, ""));
  return within(p.bucket, p.slot, Order::kByScore);
}

Collection::Position Collection::nth(std::uint64_t rank, Order order) const {
  if (rank >= size_) return {};
  if (id_ == 0) return packed_at(rank, order);
  const OrderIndex& index = store_->impl_->elements();
  const auto p = rank < size_ / 2 ? index.advance(place_of(first(order)), rank)
                                  : index.retreat(place_of(last(order)), size_ - 1 - rank);
  return {p.bucket, p.slot, order};
}

Collection::Position Collection::advance(Position p, std::uint64_t n) const {
  if (!p) return p;
  if (id_ == 0) return packed_at(p.slot + n, p.order);
  const auto to = store_->impl_->elements().advance(place_of(p), n);
  return within(to.bucket, to.slot, p.order);
}

std::uint64_t Collection::rank(Position p) const {
  if (!p) return size_;
  if (id_ == 0) return p.slot;
  return store_->impl_->elements().rank(place_of(p), place_of(first(p.order)), place_of(last(p.order)), size_);
}

}  // namespace coppice
