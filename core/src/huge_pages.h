// Huge pages under an arena: asked for as it grows, and left alone where they are not to be had.
//
// Random reads of a large arena miss the processor's table of translations as often as its caches; one entry of that
// table reaches 2 MiB of a huge page and 4 KiB of another.
// - A private arena is advised, and the kernel gives a huge page at the first touch of a stretch. Where that takes long
//   (0.4 ms is usual; a page that has to be put together, or fetched by a hypervisor, took 6) the next stretches are
//   left at small pages.
// - A memfd, for which most systems have huge pages switched off, is collapsed stretch by stretch (MADV_COLLAPSE, Linux
//   6.1), by a thread that lives for that one call and is half a stretch ahead: the owner's loop never waits for it.
//   Readers that map the memfd at an aligned address get the huge pages, too.
//
// What is resident ahead of use is one stretch and a half at most, and never beyond the segment. Nothing here can fail.
// After a refusal the next attempt is 1, then 2, 4, … stretches later.
//
// Thread safety: none; the arena's one writer. The helping thread touches nothing of the object but through atomics.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "segment.h"

namespace coppice {

class HugePages {
 public:
  static constexpr std::uint64_t kStretch = layout::kHugePageSize;
  // Smaller segments are left alone: a stretch ahead would be much of them.
  static constexpr std::uint64_t kSmallestSegment = 4 * kStretch;

  HugePages(Segment& segment, bool wanted);
  ~HugePages();
  HugePages(const HugePages&) = delete;
  HugePages& operator=(const HugePages&) = delete;

  // Makes a page that was never used resident. Pages come in ascending order.
  void populate(std::uint32_t page);

 private:
  enum class Help : std::uint8_t { kNone, kRunning, kDone, kRefused, kUnknown };

  // Whole stretches of the segment; the rest behind them is too short for a huge page.
  std::uint64_t stretches() const { return segment_->size() / kStretch; }
  void help_with(std::uint64_t stretch);
  // Takes note of how the last attempt, at the stretch before next_, went.
  void note(Help outcome);
  void join();

  Segment* segment_;
  std::uint64_t next_;      // the first stretch that is still to be asked for; stretches() or more: none
  std::uint64_t skip_ = 1;  // stretches to leave out after the next failure
  std::thread helper_;
  std::atomic<Help> help_{Help::kNone};
};

}  // namespace coppice
