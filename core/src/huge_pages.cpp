#include "huge_pages.h"

#include <pthread.h>
#include <sys/mman.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>

namespace coppice {

namespace {

// Newer than the headers of some systems that are built on; an older kernel answers EINVAL.
constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, Linux 5.14
constexpr int kCollapse = 25;       // MADV_COLLAPSE, Linux 6.1

constexpr std::chrono::milliseconds kSlow(1);

// Whether the stretch is on a huge page now. What was never touched of it is filled with zeros, but one page must have
// been.
int collapse(char* at) {
  madvise(at, 1, kPopulateWrite);
  return madvise(at, HugePages::kStretch, kCollapse) == 0 ? 0 : errno;
}

}  // namespace

HugePages::HugePages(Segment& segment, bool wanted) : segment_(&segment), next_(stretches()) {
  if (!wanted || segment.size() < kSmallestSegment) return;
  // A private arena's first stretch stays as it is: there may be many processes with a few entries each.
  next_ = 1;
  if (segment.shared())
    note(collapse(segment.base()) == EINVAL ? Help::kUnknown
                                            : Help::kDone);  // the page table, which each read consults
  else
    madvise(segment.base() + kStretch, segment.size() - kStretch, MADV_HUGEPAGE);
}

HugePages::~HugePages() { join(); }

void HugePages::join() {
  if (helper_.joinable()) helper_.join();
}

void HugePages::populate(std::uint32_t page) {
  const std::uint64_t at = static_cast<std::uint64_t>(page) << layout::kPageShift;
  const std::uint64_t wanted = (at + (segment_->shared() ? kStretch / 2 : 0)) / kStretch;
  const bool enters = wanted >= next_ && wanted < stretches();
  if (enters && segment_->shared()) help_with(wanted);
  const auto start = std::chrono::steady_clock::now();
  // The page is held from now on either way: one call instead of sixteen faults of some microseconds each. Where the
  // kernel does not know it, faults do the work.
  madvise(segment_->page(page), layout::kPageSize, kPopulateWrite);
  if (!enters || segment_->shared()) return;
  next_ = wanted + 1;
  note(std::chrono::steady_clock::now() - start < kSlow ? Help::kDone : Help::kRefused);
}

void HugePages::help_with(std::uint64_t stretch) {
  if (help_.load() == Help::kRunning) return;  // it is late: so is this one
  join();
  note(help_.load(std::memory_order_relaxed));
  if (stretch < next_ || next_ >= stretches()) return;
  next_ = stretch + 1;
  help_.store(Help::kRunning, std::memory_order_relaxed);
  // Signals are for the threads of the process's own.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    helper_ = std::thread([this, at = segment_->base() + stretch * kStretch] {
      const int why = collapse(at);
      help_.store(why == 0 ? Help::kDone : why == EINVAL ? Help::kUnknown : Help::kRefused);
    });
  } catch (const std::system_error&) {
    help_.store(Help::kRefused, std::memory_order_relaxed);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void HugePages::note(Help outcome) {
  switch (outcome) {
    case Help::kNone:
    case Help::kRunning:
      break;
    case Help::kDone:
      skip_ = 1;
      break;
    case Help::kUnknown:
      next_ = stretches();
      break;
    case Help::kRefused: {
      const std::uint64_t left = stretches() > next_ ? stretches() - next_ : 0;
      const std::uint64_t out = skip_ < left ? skip_ : left;
      if (!segment_->shared() && out != 0)
        madvise(segment_->base() + next_ * kStretch, out * kStretch, MADV_NOHUGEPAGE);
      next_ += out;
      skip_ *= 2;
      break;
    }
  }
}

}  // namespace coppice
