// The memory under a store: one range of pages, private to the process or a sealed memfd that readers map.
//
// Thread safety: none; what it hands out follows layout.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "coppice/layout.h"

namespace coppice {

class Segment {
 public:
  // Reserves `bytes` (rounded down to pages) of address space, aligned to a huge page; memory is held as it is touched.
  // Null: `error` names the system call and the reason.
  static std::unique_ptr<Segment> create(std::uint64_t bytes, std::uint32_t databases, bool shared, std::string* error);
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  char* base() const { return base_; }
  std::uint64_t size() const { return size_; }
  bool shared() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  layout::SegmentHeader& header() const { return *reinterpret_cast<layout::SegmentHeader*>(base_); }
  layout::PageEntry* page_table() const {
    return reinterpret_cast<layout::PageEntry*>(base_ + header().page_table_offset);
  }
  std::atomic<std::uint32_t>* directory() const {
    return reinterpret_cast<std::atomic<std::uint32_t>*>(base_ + header().directory_offset);
  }
  char* page(std::uint32_t number) const { return base_ + (static_cast<std::uint64_t>(number) << layout::kPageShift); }

 private:
  Segment() = default;
  char* base_ = nullptr;
  std::uint64_t size_ = 0;
  void* reserved_ = nullptr;
  std::uint64_t reserved_size_ = 0;
  int descriptor_ = -1;
};

}  // namespace coppice
