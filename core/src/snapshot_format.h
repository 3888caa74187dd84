// The bytes of a snapshot file, frozen by kSnapshotVersion. docs/snapshot.md has the grammar.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <istream>
#include <streambuf>
#include <string>
#include <string_view>

#include "coppice/layout.h"
#include "coppice/types.h"

namespace coppice::snapshot {

inline constexpr std::uint64_t kMagic = 0x50414e53'50504f43;  // "COPPSNAP"
inline constexpr std::uint32_t kSnapshotVersion = 3;
inline constexpr std::uint32_t kOldestVersion = 1;  // still read: entries without an EntryExtras
// Since version 3: a collection's entry holds elements as packed.h has them. A large one goes on in the entries behind
// it, of the same key and with this bit in their type.
inline constexpr std::uint8_t kGoesOn = 0x80;
inline constexpr std::size_t kPartTarget = 16u << 10;  // an entry's elements end with the one that reaches this
// What one element may need beside its value.
inline constexpr std::uint32_t kElementMost = static_cast<std::uint32_t>(kMaxElementName) + 32;
inline constexpr std::uint64_t kFresh = 0;
inline constexpr std::uint64_t kUsed = 1;

// Checked by hand before anything else is looked at.
struct FileHeader {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t header_size;
  std::uint64_t state;  // kFresh, or kUsed: overwritten in place, so not under the checksum
  std::int64_t written_us;
  std::uint64_t newest_version;
  std::uint32_t databases;
  std::uint32_t reserved;
  std::uint64_t file_size;
  std::uint64_t checksum;  // checksum_of(header)
};
static_assert(sizeof(FileHeader) == 64);

inline std::uint64_t checksum_of(FileHeader header) {
  header.state = 0;
  header.checksum = 0;
  return XXH3_64bits(&header, sizeof header);
}

// Before each chunk's payload. A chunk without entries is the last one.
struct ChunkHeader {
  std::uint64_t checksum;  // XXH3, seeded with the chunk's number from 0, of what follows: length, entries, payload
  std::uint32_t length;    // of the payload
  std::uint32_t entries;
};
static_assert(sizeof(ChunkHeader) == 16);

inline constexpr std::uint32_t kChunkTarget = 256u << 10;  // a chunk ends with the entry that reaches this
// The largest chunk that can be: the target not quite reached, then the largest entry.
inline constexpr std::uint32_t kLargestChunk = kChunkTarget + kLargestMaxValue +
                                               static_cast<std::uint32_t>(kMaxKeyLength) + 64 + kElementMost +
                                               static_cast<std::uint32_t>(kMaxTags * (kMaxTagLength + 2));

// `bytes` begins at ChunkHeader::length.
inline std::uint64_t checksum_of_chunk(std::uint64_t number, const char* bytes, std::size_t size) {
  return XXH3_64bits_withSeed(bytes, size, number);
}

// What cereal reads and writes of an entry. Behind it an EntryExtras, since version 2; the key's and then the value's
// bytes; the tags in bytewise order, each with its length (16 bits) before it.
struct EntryHead {
  std::uint32_t database = 0;
  std::uint8_t type = 0;
  std::int64_t deadline = kNoDeadline;  // wall clock, ms since 1970
  std::uint16_t key_length = 0;
  std::uint32_t value_length = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(database, type, deadline, key_length, value_length);
  }
};

struct EntryExtras {
  std::uint32_t stale = 0;  // the stale window, ms
  std::uint32_t compute_us = 0;
  std::uint16_t tags = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(stale, compute_us, tags);
  }
};

// Lets cereal write to the end of a string.
class AppendBuffer final : public std::streambuf {
 public:
  explicit AppendBuffer(std::string* to) : to_(to) {}

 protected:
  int_type overflow(int_type c) override {
    if (!traits_type::eq_int_type(c, traits_type::eof())) to_->push_back(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }
  std::streamsize xsputn(const char* from, std::streamsize n) override {
    to_->append(from, static_cast<std::size_t>(n));
    return n;
  }

 private:
  std::string* to_;
};

// Lets cereal read what lies in memory, and hands out views of the same bytes.
class ViewBuffer final : public std::streambuf {
 public:
  void reset(std::string_view bytes) {
    char* begin = const_cast<char*>(bytes.data());  // only ever read
    setg(begin, begin, begin + bytes.size());
  }
  std::size_t left() const { return static_cast<std::size_t>(egptr() - gptr()); }
  // REQUIRES: n <= left().
  std::string_view take(std::size_t n) {
    const std::string_view view(gptr(), n);
    setg(eback(), gptr() + n, egptr());
    return view;
  }
};

}  // namespace coppice::snapshot
