// The bytes of a collection's entry. Either all elements, packed, or the head of a large one:
//
//   packed  0x00, count, elements: name length, name, and of a hash value length, value, of a sorted set 8 bytes score
//   head    0x01, id (8 bytes), count (8 bytes)
//
// Counts and lengths are LEB128, other numbers little-endian. Packed elements lie in the order of their names, those of
// a sorted set by score and then name. The names of a large one's elements are keys of the hidden branch:
//
//   id (8 bytes, big-endian), 0x00, name                                      the value, or the score's 8 bytes
//   id (8 bytes, big-endian), 0x01, sortable score (8 bytes, big-endian), name   nothing; of sorted sets only
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "coppice/collections.h"

namespace coppice::packed {

inline constexpr char kPacked = 0;
inline constexpr char kHead = 1;
inline constexpr std::size_t kHeadSize = 17;
inline constexpr std::size_t kCountAt = 9;

struct Head {
  std::uint64_t id = 0;
  std::uint64_t count = 0;
};
inline bool is_head(std::string_view bytes) { return bytes.size() == kHeadSize && bytes[0] == kHead; }
// REQUIRES: is_head(bytes).
inline Head head_of(std::string_view bytes) {
  Head head;
  std::memcpy(&head.id, bytes.data() + 1, 8);
  std::memcpy(&head.count, bytes.data() + kCountAt, 8);
  return head;
}
inline void write_head(const Head& head, char* to) {
  to[0] = kHead;
  std::memcpy(to + 1, &head.id, 8);
  std::memcpy(to + kCountAt, &head.count, 8);
}

// Reads packed elements one by one; what is no packed collection ends early.
class Reader {
 public:
  Reader(ValueType type, std::string_view bytes) : type_(type), rest_(bytes) {
    if (rest_.empty() || rest_[0] != kPacked) return;
    rest_.remove_prefix(1);
    if (!number(&left_)) left_ = 0;
  }
  std::uint64_t left() const { return left_; }
  bool next(Element* element) {
    if (left_ == 0) return false;
    if (!bytes(&element->name)) return false;
    if (type_ == ValueType::kHash && !bytes(&element->value)) return false;
    if (type_ == ValueType::kSortedSet) {
      if (rest_.size() < 8) return false;
      std::memcpy(&element->score, rest_.data(), 8);
      rest_.remove_prefix(8);
    }
    --left_;
    return true;
  }
  // All was read, and nothing is behind it.
  bool ended() const { return left_ == 0 && rest_.empty(); }

 private:
  bool number(std::uint64_t* n) {
    *n = 0;
    for (unsigned shift = 0; shift < 35 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_[0]);
      rest_.remove_prefix(1);
      *n |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return true;
    }
    return false;
  }
  bool bytes(std::string_view* out) {
    std::uint64_t n = 0;
    if (!number(&n) || n > rest_.size()) return false;
    *out = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return true;
  }

  ValueType type_;
  std::string_view rest_;
  std::uint64_t left_ = 0;
};

// Appends; the elements must be in order and have different names.
void encode(ValueType type, std::span<const Element> elements, std::string* out);
// An element by its name.
bool find(ValueType type, std::string_view bytes, std::string_view name, Element* out);

inline bool fits(const Element& e) { return e.name.size() <= kPackedBytes && e.value.size() <= kPackedBytes; }
inline bool comes_before(const Element& a, const Element& b) {
  return a.score != b.score ? a.score < b.score : a.name < b.name;
}

// Orders as the scores do, as unsigned numbers. -0 is 0.
inline std::uint64_t sortable(double score) {
  const auto bits = std::bit_cast<std::uint64_t>(score == 0 ? 0.0 : score);
  return (bits & 1ull << 63) != 0 ? ~bits : bits | 1ull << 63;
}
inline double score_of(std::uint64_t sortable) {
  return std::bit_cast<double>((sortable & 1ull << 63) != 0 ? sortable & ~(1ull << 63) : ~sortable);
}

// A key of the hidden branch.
class ElementKey {
 public:
  static constexpr std::size_t kNameAt = 9;
  static constexpr std::size_t kScoredNameAt = 17;

  // All elements of the collection.
  explicit ElementKey(std::uint64_t id) { append(id); }
  // By name; without a name, before all of them.
  ElementKey(std::uint64_t id, std::string_view name) : ElementKey(id) {
    bytes_[size_++] = 0;
    append(name);
  }
  ElementKey(std::uint64_t id, std::uint64_t sortable_score, std::string_view name) : ElementKey(id) {
    bytes_[size_++] = 1;
    append(sortable_score);
    append(name);
  }
  static ElementKey by_score(std::uint64_t id) {
    ElementKey key(id);
    key.bytes_[key.size_++] = 1;
    return key;
  }
  operator std::string_view() const { return {bytes_, size_}; }

 private:
  void append(std::uint64_t n) {
    n = __builtin_bswap64(n);
    std::memcpy(bytes_ + size_, &n, 8);
    size_ += 8;
  }
  // Cut where no element's name is as long.
  void append(std::string_view name) {
    const std::size_t n = std::min(name.size(), sizeof bytes_ - size_);
    std::memcpy(bytes_ + size_, name.data(), n);
    size_ += n;
  }

  std::size_t size_ = 0;
  char bytes_[kMaxKeyLength];
};

// Of a key of the hidden branch. REQUIRES: it is one.
inline std::uint64_t id_of(std::string_view key) {
  std::uint64_t n;
  std::memcpy(&n, key.data(), 8);
  return __builtin_bswap64(n);
}
inline bool is_by_score(std::string_view key) { return key[8] == 1; }
inline double score_in(std::string_view key) {
  std::uint64_t n;
  std::memcpy(&n, key.data() + ElementKey::kNameAt, 8);
  return score_of(__builtin_bswap64(n));
}
inline std::string_view name_in(std::string_view key) {
  return key.substr(is_by_score(key) ? ElementKey::kScoredNameAt : ElementKey::kNameAt);
}

}  // namespace coppice::packed
