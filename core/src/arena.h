// Pages and blocks: who holds which page of the segment, and the free blocks of each size class.
//
// Memory is counted as pages held. Freed pages are handed out again before new ones are touched. The bookkeeping lives
// outside the segment, where no reader sees it.
//
// Thread safety: one writer. Readers see only page words and block versions, in the order that invariants 3 and 12 of
// docs/shared-memory.md ask for.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "block.h"
#include "coppice/layout.h"
#include "huge_pages.h"
#include "segment.h"

namespace coppice {

class Arena {
 public:
  // `limit`: bytes that may be held, fixed parts and bookkeeping included. `huge`: ask for huge pages.
  Arena(Segment& segment, std::uint64_t limit, bool huge);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // ---- pages. Page numbers are never 0.
  std::uint32_t take_page(std::uint16_t kind);  // 0: none within the limit
  void free_page(std::uint32_t page);
  std::uint64_t pages_available() const;  // how many take_page() calls would succeed now
  std::uint64_t used_bytes() const;
  std::uint64_t free_bytes() const { return free_pages_ * layout::kPageSize; }
  std::uint64_t pages_of(std::uint16_t kind) const;  // for kinds below kFirstBlockPage
  std::uint64_t block_pages() const { return block_pages_; }
  std::uint64_t fixed_bytes() const;
  std::uint64_t limit() const { return limit_; }
  void set_limit(std::uint64_t bytes) { limit_ = bytes; }
  std::uint16_t kind_of(std::uint32_t page) const { return meta_[page].kind; }
  std::uint32_t high_water() const { return high_water_; }
  std::uint32_t first_page() const { return first_page_; }

  // ---- blocks. Offsets into the segment; 0 is none.
  bool has_free_block(std::uint32_t size_class) const { return classes_[size_class].levels != 0; }
  // The class itself, or the next one with a free block whose blocks are at most half as large again; kClassCount:
  // none. A store with few pages and values of many sizes would otherwise evict a page's worth for each class.
  std::uint32_t class_with_block(std::uint32_t size_class) const;
  // A block from a page of the class; 0: take a page first with grow().
  std::uint64_t take_block(std::uint32_t size_class);
  bool grow(std::uint32_t size_class);
  // (3) Makes readers of the block retry; only then may its bytes change.
  void retire(std::uint64_t offset);
  // REQUIRES: retired.
  void free_block(std::uint64_t offset);
  // Gives back one page that is kept although it is empty. false: there is none.
  bool release_empty_page();

  // ---- moving entries out of a page, so that it can serve another class
  // The page worth emptying: the one with the fewest live blocks among the classes whose free blocks elsewhere can take
  // them all. 0: there is none.
  std::uint32_t page_to_empty() const;
  // Takes the page out of allocation. Until end_emptying() its free blocks are not handed out.
  void begin_emptying(std::uint32_t page);
  // Frees the page if nothing lives in it any more, else puts it back. Either way its generation has changed, so that
  // a moved entry, which keeps its version, can come back to the same block without being taken for the old one.
  void end_emptying(std::uint32_t page);

  // Calls f(offset) for each live block of an entry page from block number `from` on; f returns false to stop, and may
  // free the block it was called for. Returns the block number to go on from, or blocks_per_page at the end.
  template <class F>
  std::uint32_t for_each_block(std::uint32_t page, std::uint32_t from, F&& f) {
    const std::uint32_t c = meta_[page].kind - layout::kFirstBlockPage;
    const std::uint32_t size = layout::kClassSizes[c];
    const std::uint64_t start = static_cast<std::uint64_t>(page) << layout::kPageShift;
    for (std::uint32_t i = from; i < meta_[page].fresh; ++i) {
      const std::uint64_t offset = start + static_cast<std::uint64_t>(i) * size;
      if (!Block(segment_->base() + offset).is_live()) continue;
      if (!f(offset)) return i + 1;
      if (meta_[page].kind != c + layout::kFirstBlockPage) break;
    }
    return layout::blocks_per_page(c);
  }
  std::uint32_t live_blocks(std::uint32_t page) const { return meta_[page].live; }

  // ---- visited marks: one bit for each 32 bytes, so that no two blocks share one
  void mark(std::uint64_t offset) {
    std::uint64_t& word = visited_[offset >> 11];
    const std::uint64_t bit = 1ull << (offset >> 5 & 63);
    if ((word & bit) == 0) word |= bit;
  }
  bool is_marked(std::uint64_t offset) const { return (visited_[offset >> 11] >> (offset >> 5 & 63) & 1) != 0; }
  void unmark(std::uint64_t offset) { visited_[offset >> 11] &= ~(1ull << (offset >> 5 & 63)); }

  char* at(std::uint64_t offset) const { return segment_->base() + offset; }
  // An index page's own count and depth, kept with the page's bookkeeping.
  std::uint16_t& slots_in_use(std::uint32_t page) { return meta_[page].live; }
  std::uint8_t& index_depth(std::uint32_t page) { return meta_[page].level; }

  std::string check() const;

 private:
  struct PageMeta {
    std::uint16_t kind;
    std::uint16_t live;       // live blocks; in an index page, slots in use
    std::uint16_t fresh;      // blocks from this number on were never used
    std::uint16_t free_head;  // number + 1 of the first free block below `fresh`
    std::uint32_t previous;   // neighbours in the list of its class and level; in the free list, `next`
    std::uint32_t next;
    std::uint8_t level;  // which of the class's lists; in an index page, its depth
    bool listed;
    bool emptying;
  };
  static constexpr std::uint32_t kLevels = 8;
  struct ClassState {
    std::array<std::uint32_t, kLevels> heads;
    std::uint32_t levels;       // bit l: heads[l] is not empty
    std::uint64_t free_blocks;  // in listed pages
    std::uint32_t empty_page;   // one page may stay although it is empty, against thrashing; 0: none
  };
  static constexpr std::uint64_t kBookkeeping = sizeof(PageMeta) + layout::kPageSize / 256;

  void link(std::uint32_t page);
  void unlink(std::uint32_t page);
  void relevel(std::uint32_t page);
  std::uint32_t capacity(std::uint32_t page) const {
    return layout::blocks_per_page(meta_[page].kind - layout::kFirstBlockPage);
  }
  void set_word(std::uint32_t page, std::uint16_t kind, std::memory_order order);

  Segment* segment_;
  HugePages huge_pages_;
  layout::PageEntry* table_;
  PageMeta* meta_ = nullptr;
  std::uint64_t* visited_ = nullptr;
  std::uint64_t meta_bytes_ = 0;
  std::uint64_t visited_bytes_ = 0;
  std::uint32_t first_page_;
  std::uint32_t page_count_;
  std::uint32_t high_water_;
  std::uint64_t limit_;
  std::uint32_t free_head_ = 0;
  std::uint64_t free_pages_ = 0;
  std::uint64_t used_pages_ = 0;
  std::uint64_t block_pages_ = 0;
  std::array<std::uint64_t, 4> kind_pages_{};
  std::array<ClassState, layout::kClassCount> classes_{};
};

}  // namespace coppice
