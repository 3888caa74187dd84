#include "coppice/reader.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <bit>
#include <cerrno>
#include <cstring>

namespace coppice {

namespace {

// Copies of the header's layout fields, checked against the size that the kernel says the segment has.
std::string contradiction(const layout::SegmentHeader& h, std::uint64_t size) {
  if (h.magic != layout::kMagic) return "it is not a Coppice segment";
  if (h.format_version != layout::kFormatVersion)
    return "it has format " + std::to_string(h.format_version) + ", this reader knows " +
           std::to_string(layout::kFormatVersion);
  const std::uint64_t pages = size >> layout::kPageShift;
  const bool fits = h.header_size == layout::kHeaderSize && h.segment_size == size && size % layout::kPageSize == 0 &&
                    h.page_count == pages && h.page_table_offset == layout::kHeaderSize &&
                    h.directory_offset == h.page_table_offset + pages * sizeof(layout::PageEntry) &&
                    std::has_single_bit(h.directory_capacity) && h.directory_capacity <= 1ull << layout::kTagBits &&
                    h.first_page <= pages &&
                    h.directory_offset + 4 * h.directory_capacity <= h.first_page << layout::kPageShift &&
                    h.databases >= 1 && h.databases <= kMaxDatabases;
  return fits ? "" : "its header contradicts itself";
}

}  // namespace

std::unique_ptr<Reader> Reader::map(int fd, std::string* error) {
  struct stat st;
  if (fstat(fd, &st) != 0) {
    *error = std::string("fstat: ") + std::strerror(errno);
    return nullptr;
  }
  const int seals = fcntl(fd, F_GET_SEALS);
  constexpr int kWanted = F_SEAL_FUTURE_WRITE | F_SEAL_SHRINK | F_SEAL_GROW;
  if (seals < 0 || (seals & kWanted) != kWanted) {
    *error = "the segment is not sealed";
    return nullptr;
  }
  const auto size = static_cast<std::uint64_t>(st.st_size);
  if (st.st_size < layout::kHeaderSize) {
    *error = "the segment is shorter than its header";
    return nullptr;
  }
  void* mapped = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) {
    *error = std::string("mmap: ") + std::strerror(errno);
    return nullptr;
  }
  std::unique_ptr<Reader> r(new Reader);
  r->base_ = static_cast<const char*>(mapped);
  r->size_ = size;
  const layout::SegmentHeader& h = r->header();
  if (std::string bad = contradiction(h, size); !bad.empty()) {
    *error = "the segment cannot be used: " + bad;
    return nullptr;
  }
  r->page_count_ = size >> layout::kPageShift;
  r->first_page_ = h.first_page;
  r->page_table_ = reinterpret_cast<const layout::PageEntry*>(r->base_ + layout::kHeaderSize);
  r->directory_capacity_ = h.directory_capacity;
  r->directory_ = reinterpret_cast<const std::atomic<std::uint32_t>*>(r->base_ + layout::kHeaderSize +
                                                                      r->page_count_ * sizeof(layout::PageEntry));
  r->databases_ = h.databases;
  std::memcpy(r->secret_, h.hash_secret, sizeof r->secret_);
  std::memcpy(&r->generation_.first, h.generation, 8);
  std::memcpy(&r->generation_.second, h.generation + 8, 8);
  // Read once and bounded here: an owner that rewrites its header later spoils answers, not this process.
  if (r->databases_ > kMaxDatabases || r->first_page_ > r->page_count_ ||
      r->directory_capacity_ > 1ull << layout::kTagBits) {
    *error = "the segment cannot be used: its header changes";
    return nullptr;
  }
  return r;
}

Reader::~Reader() {
  if (base_ != nullptr) munmap(const_cast<char*>(base_), size_);
}

std::uint64_t Reader::resident_high_water() const { return page_limit() << layout::kPageShift; }

void Reader::prefault() const {
  // Only what the owner touched: populating a hole would allocate it. Old kernels refuse the advice, which costs
  // nothing but the faults.
#ifdef MADV_POPULATE_READ
  const std::uint64_t first = first_page_ << layout::kPageShift;
  const std::uint64_t end = resident_high_water();
  if (end > first) madvise(const_cast<char*>(base_) + first, end - first, MADV_POPULATE_READ);
#endif
}

}  // namespace coppice
