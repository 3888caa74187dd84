// An entry's block as the store reads it. The store is the only writer, so these are plain reads.
#pragma once

#include <cstdint>
#include <string_view>

#include "coppice/layout.h"

namespace coppice {

// A live or retired block of an entry page. Wraps a pointer; copied freely.
class Block {
 public:
  explicit Block(char* at) : at_(at) {}

  layout::BlockHeader& header() const { return *reinterpret_cast<layout::BlockHeader*>(at_); }
  Version version() const { return header().version.load(std::memory_order_relaxed); }
  bool is_live() const { return version() != 0 && (version() & 1) == 0; }
  std::uint32_t key_length() const { return header().key_length_and_flags & layout::kKeyLengthMask; }
  std::uint32_t value_length() const { return header().value_length; }
  ValueType type() const { return header().type; }
  std::uint8_t branch() const { return header().branch; }
  bool has_deadline() const { return (header().key_length_and_flags & layout::kHasDeadline) != 0; }
  bool is_chained() const { return (header().key_length_and_flags & layout::kIsChained) != 0; }
  Millis deadline() const {
    if (!has_deadline()) return kNoDeadline;
    Millis d;
    std::memcpy(&d, at_ + sizeof(layout::BlockHeader), sizeof d);
    return d;
  }
  std::uint32_t data_pages() const { return is_chained() ? layout::chain_of(value_length()).pages : 0; }
  std::uint32_t* page_numbers() const { return reinterpret_cast<std::uint32_t*>(at_ + pages_at()); }
  std::string_view key() const { return {at_ + key_at(), key_length()}; }
  char* value_at() const { return at_ + key_at() + key_length(); }
  // The value, or its tail behind the data pages.
  std::string_view tail() const {
    const std::uint32_t n = is_chained() ? layout::chain_of(value_length()).tail : value_length();
    return {at_ + key_at() + key_length(), n};
  }
  std::uint32_t size() const { return layout::block_size(key_length(), value_length(), has_deadline(), is_chained()); }

 private:
  std::uint32_t pages_at() const { return sizeof(layout::BlockHeader) + (has_deadline() ? 8 : 0); }
  std::uint32_t key_at() const { return pages_at() + 4 * data_pages(); }

  char* at_;
};

// The key of the entry whose block begins at `block`; valid for as long as the entry keeps it.
inline std::string_view block_key(const char* block) { return Block(const_cast<char*>(block)).key(); }

}  // namespace coppice
