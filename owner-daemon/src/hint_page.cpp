#include "hint_page.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace coppice::daemon {

std::unique_ptr<HintPage> HintPage::create(std::string* error) {
  std::unique_ptr<HintPage> page(new HintPage);
  const auto failed = [&](const char* call) {
    *error = std::string(call) + " of a hint page: " + std::strerror(errno);
    return nullptr;
  };
  page->fd_ = memfd_create("coppice-hints", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (page->fd_ < 0) return failed("memfd_create");
  if (ftruncate(page->fd_, layout::kHintSize) != 0) return failed("ftruncate");
  if (fcntl(page->fd_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) return failed("F_ADD_SEALS");
  void* at = mmap(nullptr, layout::kHintSize, PROT_READ, MAP_SHARED, page->fd_, 0);
  if (at == MAP_FAILED) return failed("mmap");
  page->page_ = static_cast<const layout::HintPage*>(at);
  return page;
}

HintPage::~HintPage() {
  if (page_ != nullptr) munmap(const_cast<layout::HintPage*>(page_), layout::kHintSize);
  close_descriptor();
}

void HintPage::close_descriptor() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

namespace {

// A broken worker may write anything: a count that runs backwards or leaps is left out.
std::uint64_t grown(std::uint64_t now, std::uint64_t* before) {
  const std::uint64_t by = now - *before;
  *before = now;
  return by < 1ull << 32 ? by : 0;
}

}  // namespace

void HintPage::absorb(Store& store, std::uint64_t* hits, std::uint64_t* misses) {
  store.absorb_hints(*page_, &seen_);
  *hits += grown(page_->hits.load(std::memory_order_relaxed), &hits_);
  *misses += grown(page_->misses.load(std::memory_order_relaxed), &misses_);
}

}  // namespace coppice::daemon
