#include "segment.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>

namespace coppice {

namespace {

std::string failed(const char* call) { return std::string(call) + ": " + std::strerror(errno); }

constexpr std::uint64_t kPage = layout::kPageSize;

}  // namespace

std::unique_ptr<Segment> Segment::create(std::uint64_t bytes, std::uint32_t databases, bool shared,
                                         std::string* error) {
  std::unique_ptr<Segment> s(new Segment);
  s->size_ = bytes / kPage * kPage;
  s->reserved_size_ = s->size_ + layout::kHugePageSize;
  s->reserved_ = mmap(nullptr, s->reserved_size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (s->reserved_ == MAP_FAILED) {
    s->reserved_ = nullptr;
    *error = failed("mmap");
    return nullptr;
  }
  // libJudy's pool finds a node's page by masking its address, and huge pages lie at multiples of their size.
  const std::uintptr_t start = layout::huge_aligned(reinterpret_cast<std::uintptr_t>(s->reserved_));
  int flags = MAP_FIXED | MAP_NORESERVE;
  if (shared) {
    s->descriptor_ = memfd_create("coppice", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (s->descriptor_ < 0) {
      *error = failed("memfd_create");
      return nullptr;
    }
    if (ftruncate(s->descriptor_, static_cast<off_t>(s->size_)) != 0) {
      *error = failed("ftruncate");
      return nullptr;
    }
    flags |= MAP_SHARED;
  } else {
    flags |= MAP_PRIVATE | MAP_ANONYMOUS;
  }
  void* mapped = mmap(reinterpret_cast<void*>(start), s->size_, PROT_READ | PROT_WRITE, flags, s->descriptor_, 0);
  if (mapped == MAP_FAILED) {
    *error = failed("mmap");
    return nullptr;
  }
  s->base_ = static_cast<char*>(mapped);
  // (1) From here on no mapping but this one can be writable.
  if (shared &&
      fcntl(s->descriptor_, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    *error = failed("fcntl(F_ADD_SEALS)");
    return nullptr;
  }

  auto* h = new (s->base_) layout::SegmentHeader{};
  h->header_size = layout::kHeaderSize;
  h->segment_size = s->size_;
  h->page_count = s->size_ / kPage;
  h->page_table_offset = layout::kHeaderSize;
  h->directory_offset = h->page_table_offset + h->page_count * sizeof(layout::PageEntry);
  // Index pages split when five eighths full and keys spread evenly, so four entries a page are never needed.
  h->directory_capacity = std::bit_ceil(4 * h->page_count);
  if (h->directory_capacity > (1ull << layout::kTagBits)) h->directory_capacity = 1ull << layout::kTagBits;
  h->first_page = (h->directory_offset + h->directory_capacity * 4 + kPage - 1) / kPage;
  h->databases = databases;
  if (getrandom(h->generation, sizeof h->generation, 0) != sizeof h->generation ||
      getrandom(h->hash_secret, sizeof h->hash_secret, 0) != sizeof h->hash_secret) {
    *error = failed("getrandom");
    return nullptr;
  }
  h->high_water.store(h->first_page, std::memory_order_relaxed);
  h->format_version = layout::kFormatVersion;
  h->magic = layout::kMagic;
  return s;
}

Segment::~Segment() {
  if (reserved_ != nullptr) munmap(reserved_, reserved_size_);
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace coppice
