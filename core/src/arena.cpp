#include "arena.h"

#include <sys/mman.h>

#include <bit>
#include <new>

namespace coppice {

namespace {

// Zero pages that are held as they are touched.
void* reserve(std::uint64_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  return p;
}

// A private arena keeps this much freed memory for itself before it gives pages back to the system.
constexpr std::uint64_t kKeptFreePages = 64;

}  // namespace

Arena::Arena(Segment& segment, std::uint64_t limit, bool huge)
    : segment_(&segment),
      huge_pages_(segment, huge),
      table_(segment.page_table()),
      first_page_(static_cast<std::uint32_t>(segment.header().first_page)),
      page_count_(static_cast<std::uint32_t>(segment.header().page_count)),
      high_water_(first_page_),
      limit_(limit) {
  meta_bytes_ = page_count_ * sizeof(PageMeta);
  visited_bytes_ = segment.size() / 256;
  meta_ = static_cast<PageMeta*>(reserve(meta_bytes_));
  visited_ = static_cast<std::uint64_t*>(reserve(visited_bytes_));
}

Arena::~Arena() {
  if (meta_ != nullptr) munmap(meta_, meta_bytes_);
  if (visited_ != nullptr) munmap(visited_, visited_bytes_);
}

std::uint64_t Arena::fixed_bytes() const {
  return static_cast<std::uint64_t>(first_page_) * layout::kPageSize + high_water_ * kBookkeeping;
}

std::uint64_t Arena::used_bytes() const { return fixed_bytes() + used_pages_ * layout::kPageSize; }

std::uint64_t Arena::pages_available() const {
  const std::uint64_t used = used_bytes();
  if (used >= limit_) return 0;
  const std::uint64_t fresh = page_count_ - high_water_;
  const std::uint64_t by_limit = (limit_ - used) / layout::kPageSize;
  const std::uint64_t held = free_pages_ + fresh;
  if (by_limit <= free_pages_) return by_limit;
  // Fresh pages bring bookkeeping with them.
  const std::uint64_t beyond =
      (limit_ - used - free_pages_ * layout::kPageSize) / (layout::kPageSize + kBookkeeping) + free_pages_;
  return beyond < held ? beyond : held;
}

std::uint64_t Arena::pages_of(std::uint16_t kind) const { return kind_pages_[kind]; }

void Arena::set_word(std::uint32_t page, std::uint16_t kind, std::memory_order order) {
  const std::uint64_t generation = (table_[page].word.load(std::memory_order_relaxed) >> 16) + 1;
  table_[page].word.store(generation << 16 | kind, order);
}

std::uint32_t Arena::take_page(std::uint16_t kind) {
  if (pages_available() == 0) return 0;
  std::uint32_t page = free_head_;
  const bool fresh = page == 0;
  if (fresh) {
    page = high_water_++;
    huge_pages_.populate(page);
    // Readers never touch what lies beyond: reading a hole would allocate it.
    segment_->header().high_water.store(high_water_, std::memory_order_release);  // (5)
  } else {
    free_head_ = meta_[page].next;
    --free_pages_;
  }
  ++used_pages_;
  PageMeta& m = meta_[page];
  m = PageMeta{};
  m.kind = kind;
  char* const bytes = segment_->page(page);
  if (kind == layout::kIndexPage) {
    ++kind_pages_[kind];
    if (!fresh)
      for (std::uint32_t i = 0; i < layout::kSlotsPerPage; ++i)
        reinterpret_cast<std::atomic<std::uint64_t>*>(bytes)[i].store(0, std::memory_order_relaxed);
  } else if (kind >= layout::kFirstBlockPage) {
    ++block_pages_;
    const std::uint32_t c = kind - layout::kFirstBlockPage;
    // (12) What an earlier use left where versions will be must not pass for a living entry.
    if (!fresh)
      for (std::uint32_t i = 0; i < layout::blocks_per_page(c); ++i)
        Block(bytes + static_cast<std::uint64_t>(i) * layout::kClassSizes[c])
            .header()
            .version.store(0, std::memory_order_relaxed);
    classes_[c].free_blocks += layout::blocks_per_page(c);
    link(page);
  } else {
    ++kind_pages_[kind];
  }
  set_word(page, kind, std::memory_order_release);  // (12)
  return page;
}

void Arena::free_page(std::uint32_t page) {
  PageMeta& m = meta_[page];
  if (m.kind >= layout::kFirstBlockPage) {
    --block_pages_;
    if (m.listed) {
      classes_[m.kind - layout::kFirstBlockPage].free_blocks -= capacity(page) - m.live;
      unlink(page);
    }
  } else {
    --kind_pages_[m.kind];
  }
  set_word(page, layout::kFreePage, std::memory_order_relaxed);  // (12)
  layout::release_fence();                                       // (12)
  m = PageMeta{};
  m.next = free_head_;
  free_head_ = page;
  ++free_pages_;
  --used_pages_;
  if (!segment_->shared() && free_pages_ > kKeptFreePages)
    madvise(segment_->page(page), layout::kPageSize, MADV_DONTNEED);
}

void Arena::link(std::uint32_t page) {
  PageMeta& m = meta_[page];
  ClassState& c = classes_[m.kind - layout::kFirstBlockPage];
  m.level = static_cast<std::uint8_t>(m.live * kLevels / capacity(page));
  m.previous = 0;
  m.next = c.heads[m.level];
  if (m.next != 0) meta_[m.next].previous = page;
  c.heads[m.level] = page;
  c.levels |= 1u << m.level;
  m.listed = true;
}

void Arena::unlink(std::uint32_t page) {
  PageMeta& m = meta_[page];
  ClassState& c = classes_[m.kind - layout::kFirstBlockPage];
  if (m.next != 0) meta_[m.next].previous = m.previous;
  if (m.previous != 0)
    meta_[m.previous].next = m.next;
  else
    c.heads[m.level] = m.next;
  if (c.heads[m.level] == 0) c.levels &= ~(1u << m.level);
  m.listed = false;
  if (c.empty_page == page) c.empty_page = 0;
}

[[gnu::hot]] void Arena::relevel(std::uint32_t page) {
  PageMeta& m = meta_[page];
  const std::uint32_t most = capacity(page);
  if (m.live == most) {
    if (m.listed) unlink(page);
    return;
  }
  // Whether it is in the list that link() would choose, without a division.
  const std::uint32_t above = m.live * kLevels - m.level * most;
  if (m.listed && above < most) return;
  if (m.listed) unlink(page);
  link(page);
}

bool Arena::grow(std::uint32_t size_class) {
  return take_page(static_cast<std::uint16_t>(layout::kFirstBlockPage + size_class)) != 0;
}

[[gnu::hot]] std::uint32_t Arena::class_with_block(std::uint32_t size_class) const {
  const std::uint32_t largest = layout::kClassSizes[size_class] * 3 / 2;
  for (std::uint32_t c = size_class; c < layout::kClassCount && layout::kClassSizes[c] <= largest; ++c)
    if (has_free_block(c)) return c;
  return layout::kClassCount;
}

[[gnu::hot]] std::uint64_t Arena::take_block(std::uint32_t size_class) {
  ClassState& c = classes_[size_class];
  if (c.levels == 0) return 0;
  // The fullest page first, so that the emptiest run empty.
  const std::uint32_t page = c.heads[std::bit_width(c.levels) - 1];
  PageMeta& m = meta_[page];
  const std::uint64_t start = static_cast<std::uint64_t>(page) << layout::kPageShift;
  std::uint32_t number;
  if (m.free_head != 0) {
    number = m.free_head - 1u;
    m.free_head =
        __atomic_load_n(reinterpret_cast<std::uint16_t*>(at(start + number * layout::kClassSizes[size_class]) + 8),
                        __ATOMIC_RELAXED);  // (4)
  } else {
    number = m.fresh++;
  }
  ++m.live;
  --c.free_blocks;
  if (c.empty_page == page) c.empty_page = 0;
  relevel(page);
  return start + static_cast<std::uint64_t>(number) * layout::kClassSizes[size_class];
}

[[gnu::hot]] void Arena::retire(std::uint64_t offset) {
  auto& version = Block(at(offset)).header().version;
  version.store(version.load(std::memory_order_relaxed) | 1, std::memory_order_relaxed);  // (3)
  layout::release_fence();                                                                // (3)
}

[[gnu::hot]] void Arena::free_block(std::uint64_t offset) {
  const auto page = static_cast<std::uint32_t>(offset >> layout::kPageShift);
  PageMeta& m = meta_[page];
  const std::uint32_t size_class = m.kind - layout::kFirstBlockPage;
  const std::uint32_t number = layout::block_number(offset & (layout::kPageSize - 1), size_class);
  unmark(offset);
  --m.live;
  __atomic_store_n(reinterpret_cast<std::uint16_t*>(at(offset) + 8), m.free_head, __ATOMIC_RELAXED);  // (4)
  m.free_head = static_cast<std::uint16_t>(number + 1);
  ClassState& c = classes_[size_class];
  if (m.emptying) return;
  ++c.free_blocks;
  relevel(page);
  if (m.live != 0) return;
  if (c.empty_page == 0 && used_bytes() < limit_ / 2)
    c.empty_page = page;
  else
    free_page(page);
}

bool Arena::release_empty_page() {
  for (ClassState& c : classes_) {
    if (c.empty_page == 0) continue;
    free_page(c.empty_page);
    return true;
  }
  return false;
}

std::uint32_t Arena::page_to_empty() const {
  std::uint32_t best = 0;
  std::uint32_t best_level = kLevels;
  for (std::uint32_t i = 0; i < layout::kClassCount; ++i) {
    const ClassState& c = classes_[i];
    if (c.levels == 0 || c.free_blocks < layout::blocks_per_page(i)) continue;
    const auto level = static_cast<std::uint32_t>(std::countr_zero(c.levels));
    if (level < best_level) {
      best_level = level;
      best = c.heads[level];
    }
  }
  return best;
}

void Arena::begin_emptying(std::uint32_t page) {
  PageMeta& m = meta_[page];
  m.emptying = true;
  if (m.listed) {
    classes_[m.kind - layout::kFirstBlockPage].free_blocks -= capacity(page) - m.live;
    unlink(page);
  }
}

void Arena::end_emptying(std::uint32_t page) {
  PageMeta& m = meta_[page];
  m.emptying = false;
  if (m.live == 0) {
    free_page(page);
    return;
  }
  set_word(page, m.kind, std::memory_order_relaxed);  // (12)
  layout::release_fence();                            // (12)
  if (m.live == capacity(page)) return;
  classes_[m.kind - layout::kFirstBlockPage].free_blocks += capacity(page) - m.live;
  link(page);
}

std::string Arena::check() const {
  std::uint64_t used = 0, blocks = 0, free = 0;
  std::array<std::uint64_t, layout::kClassCount> free_blocks{};
  for (std::uint32_t p = first_page_; p < high_water_; ++p) {
    const PageMeta& m = meta_[p];
    if (layout::page_kind(table_[p].word.load(std::memory_order_relaxed)) != m.kind) return "a page's word is wrong";
    if (m.kind == layout::kFreePage) {
      ++free;
      continue;
    }
    ++used;
    if (m.kind < layout::kFirstBlockPage) continue;
    ++blocks;
    const std::uint32_t c = m.kind - layout::kFirstBlockPage;
    std::uint32_t live = 0;
    for (std::uint32_t i = 0; i < m.fresh; ++i)
      live += Block(segment_->page(p) + static_cast<std::uint64_t>(i) * layout::kClassSizes[c]).is_live();
    if (live != m.live) return "a page's count of live blocks is wrong";
    if ((m.live == layout::blocks_per_page(c)) == m.listed) return "a page is in the wrong list";
    free_blocks[c] += layout::blocks_per_page(c) - m.live;
  }
  if (used != used_pages_ || free != free_pages_ || blocks != block_pages_) return "page counts are wrong";
  for (std::uint32_t c = 0; c < layout::kClassCount; ++c)
    if (free_blocks[c] != classes_[c].free_blocks) return "a class's count of free blocks is wrong";
  return "";
}

}  // namespace coppice
