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
  bool has_trailer() const { return (header().key_length_and_flags & layout::kHasTrailer) != 0; }
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
  // Without the trailer.
  std::uint32_t size() const { return layout::block_size(key_length(), value_length(), has_deadline(), is_chained()); }

 private:
  std::uint32_t pages_at() const { return sizeof(layout::BlockHeader) + (has_deadline() ? 8 : 0); }
  std::uint32_t key_at() const { return pages_at() + 4 * data_pages(); }

  char* at_;
};

// The trailer of a block (layout.h), by the block's end. Of a block without one it is as if empty.
class Trailer {
 public:
  explicit Trailer(char* end) : end_(end), word_(end != nullptr ? load(end - 4) : 0) {}

  bool has_refresh() const { return (word_ & layout::kTrailerRefresh) != 0; }
  std::uint64_t refresh() const {
    if (!has_refresh()) return 0;
    std::uint64_t r;
    std::memcpy(&r, end_ - layout::kRefreshAt, 8);
    return r;
  }
  std::uint32_t stale() const { return static_cast<std::uint32_t>(refresh() >> 32); }
  std::uint32_t compute_us() const { return static_cast<std::uint32_t>(refresh()); }
  std::uint32_t tag_count() const {
    const std::uint32_t low = word_ & layout::kTagIdMask;
    return (word_ & layout::kTrailerList) != 0 ? low : low != 0 ? 1 : 0;
  }
  // REQUIRES: i < tag_count().
  std::uint32_t tag(std::uint32_t i) const {
    return (word_ & layout::kTrailerList) != 0 ? load(ids() + 4 * i) : word_ & layout::kTagIdMask;
  }
  void set_tag(std::uint32_t i, std::uint32_t id) {
    if ((word_ & layout::kTrailerList) != 0) {
      store(ids() + 4 * i, id);
    } else {
      word_ = (word_ & layout::kTrailerRefresh) | id;
      store(end_ - 4, word_);
    }
  }
  std::uint32_t size() const { return end_ != nullptr ? layout::trailer_size(tag_count(), has_refresh()) : 0; }

  // A trailer for `tags` tags, with ids to be set, in an unpublished block. REQUIRES: tags > 0 or refresh != 0.
  static Trailer make(char* end, std::uint32_t tags, std::uint64_t refresh) {
    std::uint32_t word = tags > 1 ? layout::kTrailerList | tags : 0;
    if (refresh != 0) {
      word |= layout::kTrailerRefresh;
      layout::write_shared(end - layout::kRefreshAt, reinterpret_cast<const char*>(&refresh), 8);
    }
    store(end - 4, word);
    return Trailer(end);
  }

 private:
  static std::uint32_t load(const char* at) {
    std::uint32_t w;
    std::memcpy(&w, at, 4);
    return w;
  }
  static void store(char* at, std::uint32_t w) { layout::write_shared(at, reinterpret_cast<const char*>(&w), 4); }
  char* ids() const { return end_ - 4 - (has_refresh() ? 8 : 0) - 4 * tag_count(); }

  char* end_;
  std::uint32_t word_;
};

// The key of the entry whose block begins at `block`; valid for as long as the entry keeps it.
inline std::string_view block_key(const char* block) { return Block(const_cast<char*>(block)).key(); }

}  // namespace coppice
