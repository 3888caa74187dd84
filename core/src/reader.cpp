#include "coppice/reader.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

// Maps the segment at a multiple of a huge page's size, so that what the owner has on huge pages is mapped by them.
void* map_aligned(int fd, std::uint64_t size) {
  const auto system_page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  size = (size + system_page - 1) / system_page * system_page;
  const std::uint64_t room = size + layout::kHugePageSize;
  void* const reserved = mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return reserved;
  char* const begin = static_cast<char*>(reserved);
  char* const start =
      begin + (layout::huge_aligned(reinterpret_cast<std::uintptr_t>(begin)) - reinterpret_cast<std::uintptr_t>(begin));
  void* const mapped = mmap(start, size, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0);
  if (mapped == MAP_FAILED) {
    const int why = errno;
    munmap(begin, room);
    errno = why;
    return mapped;
  }
  if (start != begin) munmap(begin, static_cast<std::size_t>(start - begin));
  if (start + size != begin + room) munmap(start + size, static_cast<std::size_t>(begin + room - (start + size)));
  return mapped;
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
  void* const mapped = map_aligned(fd, size);
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
