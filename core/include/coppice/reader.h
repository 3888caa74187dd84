// Reads entries straight from a shared segment that this process cannot write.
//
//   auto reader = Reader::map(fd, &error);
//   std::string value;
//   auto status = reader->read(0, "user.42.name", [&](const ReadInfo& e) { value.resize(e.value_size); return value.data(); }, &info);
//
// Protocol and invariants: docs/shared-memory.md. Nothing that the segment says is trusted: every offset and length is
// checked before it is used.
//
// Thread safety: read() is const and may run in many threads at once. The Reader itself is immutable after map().
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "coppice/layout.h"
#include "coppice/types.h"

namespace coppice {

enum class ReadStatus : std::uint8_t {
  kHit,
  kMiss,
  kAskOwner,  // the entry kept moving, or the segment contradicts itself: only the owner knows
};

// What a hit is, before its bytes are copied; a guess until read() returned kHit.
struct ReadInfo {
  Version version = 0;
  Millis deadline = kNoDeadline;
  ValueType type = ValueType::kString;
  std::uint32_t value_size = 0;
  std::uint64_t block = 0;         // offset, for the hint page
  std::uint32_t held_bytes = 0;
};

class Reader {
 public:
  // Checks seals, size and header, maps read-only. Null: `error` says what was wrong. Does not own `fd`.
  static std::unique_ptr<Reader> map(int fd, std::string* error);
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // dest(const ReadInfo&) -> char*: room for value_size bytes, or null for "do not copy" (the caller holds this version
  // already). It may be called several times, each call making the one before void. `now` is CLOCK_MONOTONIC_COARSE.
  // REQUIRES: key has 1 … kMaxKeyLength bytes; db < databases().
  template <class Dest>
  ReadStatus read(Database db, std::string_view key, Millis now, Dest&& dest, ReadInfo* info) const;
  // Fetches the lines that read() of this key will need.
  void prefetch_slot(Database db, std::string_view key) const;
  void prefetch_block(Database db, std::string_view key) const;

  // false once the lease ran out at `now` (CLOCK_MONOTONIC_COARSE): see whether the owner still lives.
  bool lease_valid(Millis now) const;
  std::uint32_t databases() const;
  const layout::SegmentHeader& header() const;
  std::uint64_t resident_high_water() const;  // bytes of the mapping that may be touched
  // Faults in everything below the high-water marks.
  void prefault() const;

 private:
  Reader() = default;
  const char* base_ = nullptr;
  std::uint64_t size_ = 0;
  // Taken from the header at map() and checked then: the header's own copies are not believed again.
  std::uint64_t page_count_ = 0;
  std::uint64_t first_page_ = 0;
  const layout::PageEntry* page_table_ = nullptr;
  const std::atomic<std::uint32_t>* directory_ = nullptr;
  std::uint64_t directory_capacity_ = 0;
  std::uint32_t databases_ = 0;
  std::uint8_t secret_[layout::kSecretSize] = {};
};

}  // namespace coppice

#include "coppice/reader_inl.h"
