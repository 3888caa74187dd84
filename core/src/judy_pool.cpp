#include "judy_pool.h"

#include <array>
#include <bit>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "judy.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

namespace coppice {
namespace {

constexpr std::size_t kGranules = JudyPool::kPageBytes / JudyPool::kGranuleBytes;

// Every 8 bytes to 256, then a granule divided by a whole number. libJudy's own sizes (24, 40, 56, 88, 120, 184, 256,
// 376, 512 … 4096) waste at most 8 % in them.
constexpr std::size_t kClasses = 32 + 15;
constexpr std::array<std::uint16_t, kClasses> make_sizes() {
  std::array<std::uint16_t, kClasses> sizes{};
  std::size_t n = 0;
  for (std::size_t size = 8; size <= 256; size += 8) sizes[n++] = static_cast<std::uint16_t>(size);
  for (std::size_t parts = 15; parts >= 1; --parts)
    sizes[n++] = static_cast<std::uint16_t>(JudyPool::kGranuleBytes / parts / 8 * 8);
  return sizes;
}
constexpr auto kSizes = make_sizes();

constexpr std::array<std::uint8_t, JudyPool::kGranuleBytes / 8 + 1> make_class_table() {
  std::array<std::uint8_t, JudyPool::kGranuleBytes / 8 + 1> table{};
  std::size_t c = 0;
  for (std::size_t units = 0; units < table.size(); ++units) {
    while (kSizes[c] < units * 8) ++c;
    table[units] = static_cast<std::uint8_t>(c);
  }
  return table;
}
constexpr auto kClassTable = make_class_table();

std::size_t class_of(std::size_t bytes) { return kClassTable[(bytes + 7) / 8]; }

// A list that its members are linked into; which links is up to the list.
template <class T>
struct Links {
  T* before = nullptr;
  T* after = nullptr;
};

template <class T, Links<T> T::*links>
struct List {
  T* head = nullptr;
  T* tail = nullptr;

  void push_front(T* item) {
    (item->*links) = {nullptr, head};
    (head ? (head->*links).before : tail) = item;
    head = item;
  }
  void push_back(T* item) {
    (item->*links) = {tail, nullptr};
    (tail ? (tail->*links).after : head) = item;
    tail = item;
  }
  void remove(T* item) {
    const auto [before, after] = item->*links;
    (before ? (before->*links).after : head) = after;
    (after ? (after->*links).before : tail) = before;
  }
};

struct Granule {
  Links<Granule> partial;       // among the granules of its class that have a free slot
  std::uint16_t free_slot = 0;  // offset in the page / 8 of a freed slot, whose first two bytes name the next; 0: none
  std::uint16_t used = 0;       // slots handed out
  std::uint16_t fresh = 0;      // slots from here on were never handed out
  std::uint16_t capacity = 0;   // slots
  std::uint8_t size_class = 0;
};

struct Page {
  Links<Page> by_free;     // among the pages with as many free whole granules
  Links<Page> with_short;  // among the pages whose granule 0 is free
  std::uint16_t free_mask = 0xffff;
  bool own = false;  // an emergency page, from the system
  Granule granules[kGranules];
};
constexpr std::size_t kHeader = (sizeof(Page) + 63) / 64 * 64;
constexpr std::size_t kShortBytes = JudyPool::kGranuleBytes - kHeader;
static_assert(kShortBytes >= 3072);

constexpr std::uint16_t kWholeMask = 0xfffe;

Page* page_of(void* p) {
  return reinterpret_cast<Page*>(reinterpret_cast<std::uintptr_t>(p) & ~(JudyPool::kPageBytes - 1));
}
std::size_t granule_of(void* p) {
  return (reinterpret_cast<std::uintptr_t>(p) & (JudyPool::kPageBytes - 1)) / JudyPool::kGranuleBytes;
}
char* granule_start(Page* page, std::size_t g) {
  return reinterpret_cast<char*>(page) + (g == 0 ? kHeader : g * JudyPool::kGranuleBytes);
}
std::size_t granule_room(std::size_t g) { return g == 0 ? kShortBytes : JudyPool::kGranuleBytes; }
std::size_t whole_free(const Page* page) {
  return static_cast<std::size_t>(std::popcount(static_cast<unsigned>(page->free_mask & kWholeMask)));
}

}  // namespace

struct JudyPool::Impl {
  List<Granule, &Granule::partial> partial[kClasses];
  std::uint64_t partial_mask = 0;  // classes whose list is not empty
  static_assert(kClasses <= 64);
  List<Page, &Page::by_free> by_free[kGranules];  // 0 … 15 whole granules free
  List<Page, &Page::with_short> with_short;       // pages in use first, empty ones last
  std::size_t free_granules = 0;                  // whole ones
  std::size_t least_free = 0;
  std::size_t pages = 0;
  std::size_t bytes = 0;
  std::size_t emergencies = 0;

  void link(Page* page) {
    by_free[whole_free(page)].push_front(page);
    if (page->free_mask == 0xffff)
      with_short.push_back(page);
    else if (page->free_mask & 1)
      with_short.push_front(page);
  }
  void unlink(Page* page) {
    by_free[whole_free(page)].remove(page);
    if (page->free_mask & 1) with_short.remove(page);
  }

  void adopt(void* memory, bool own) {
    auto* page = new (memory) Page;
    page->own = own;
    free_granules += kGranules - 1;
    link(page);
  }
  // REQUIRES: nothing in the page is in use.
  void disown(Page* page) {
    unlink(page);
    free_granules -= kGranules - 1;
  }
  void emergency() {
    void* memory = std::aligned_alloc(kPageBytes, kPageBytes);
    if (!memory) {
      std::fputs("coppice: out of memory for the order index\n", stderr);
      std::abort();
    }
    ++emergencies;
    adopt(memory, true);
  }

  void set_free_mask(Page* page, std::uint16_t mask) {
    unlink(page);
    free_granules -= whole_free(page);
    page->free_mask = mask;
    free_granules += whole_free(page);
    link(page);
    if (free_granules < least_free) least_free = free_granules;
  }

  // A free granule for slots of `size` bytes, null if there is none. Pages that are fuller go first, so that others
  // run empty.
  Granule* take_granule(std::size_t c) {
    const std::size_t size = kSizes[c];
    Page* page = nullptr;
    std::size_t g = 0;
    for (std::size_t n = 1; n < kGranules && !page; ++n) page = by_free[n].head;
    Page* brief = size <= kShortBytes ? with_short.head : nullptr;
    if (brief && (brief->free_mask != 0xffff || !page || page->free_mask == 0xffff)) {
      page = brief;
    } else if (page) {
      g = static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(page->free_mask & kWholeMask)));
    } else {
      return nullptr;
    }
    set_free_mask(page, static_cast<std::uint16_t>(page->free_mask & ~(1u << g)));
    Granule* granule = &page->granules[g];
    granule->free_slot = 0;
    granule->used = 0;
    granule->fresh = 0;
    granule->capacity = static_cast<std::uint16_t>(granule_room(g) / size);
    granule->size_class = static_cast<std::uint8_t>(c);
    ASAN_POISON_MEMORY_REGION(granule_start(page, g), granule_room(g));
    partial[c].push_front(granule);
    partial_mask |= 1ull << c;
    return granule;
  }
  void release_granule(Page* page, std::size_t g) {
    ASAN_UNPOISON_MEMORY_REGION(granule_start(page, g), granule_room(g));
    set_free_mask(page, static_cast<std::uint16_t>(page->free_mask | 1u << g));
    if (page->own && page->free_mask == 0xffff) {
      disown(page);
      std::free(page);
    }
  }

  // Whose granule to take a slot from. A slightly larger slot that is already there comes before a new granule: sizes
  // go in and out of fashion as buckets fill and split. When free granules run short, any slot that is not much too
  // large does: so removals, which free a block for each that they need, go on without another page.
  Granule* granule_for(std::size_t c) {
    if (Granule* g = partial[c].head) return g;
    const std::uint64_t larger = partial_mask >> c << c;
    const auto next = static_cast<std::size_t>(std::countr_zero(larger));
    if (larger && kSizes[next] <= (free_granules < kReserve ? 4u * kSizes[c] : kSizes[c] + kSizes[c] / 4u))
      return partial[next].head;
    if (Granule* g = take_granule(c)) return g;
    if (larger) return partial[next].head;
    emergency();
    return take_granule(c);
  }

  void* allocate(std::size_t size, std::size_t* usable) {
    Granule* granule = granule_for(class_of(size));
    Page* page = page_of(granule);
    const std::size_t c = granule->size_class;
    char* slot;
    if (granule->free_slot) {
      slot = reinterpret_cast<char*>(page) + granule->free_slot * 8u;
      ASAN_UNPOISON_MEMORY_REGION(slot, kSizes[c]);
      std::memcpy(&granule->free_slot, slot, sizeof granule->free_slot);
    } else {
      const auto g = static_cast<std::size_t>(granule - page->granules);
      slot = granule_start(page, g) + std::size_t{granule->fresh++} * kSizes[c];
      ASAN_UNPOISON_MEMORY_REGION(slot, kSizes[c]);
    }
    if (++granule->used == granule->capacity) {
      partial[c].remove(granule);
      if (!partial[c].head) partial_mask &= ~(1ull << c);
    }
    bytes += kSizes[c];
    *usable = kSizes[c];
    return slot;
  }

  void free(void* p) {
    Page* page = page_of(p);
    const std::size_t g = granule_of(p);
    Granule* granule = &page->granules[g];
    const std::size_t c = granule->size_class;
    bytes -= kSizes[c];
    if (granule->used == granule->capacity) {
      partial[c].push_front(granule);
      partial_mask |= 1ull << c;
    }
    if (--granule->used == 0) {
      partial[c].remove(granule);
      if (!partial[c].head) partial_mask &= ~(1ull << c);
      release_granule(page, g);
      return;
    }
    std::memcpy(p, &granule->free_slot, sizeof granule->free_slot);
    granule->free_slot = static_cast<std::uint16_t>((static_cast<char*>(p) - reinterpret_cast<char*>(page)) / 8);
    ASAN_POISON_MEMORY_REGION(p, kSizes[c]);
  }

  // Blocks larger than a granule are a run of whole ones.
  void* allocate_run(std::size_t length) {
    for (;;) {
      for (std::size_t n = length; n < kGranules; ++n) {
        for (Page* page = by_free[n].head; page; page = page->by_free.after) {
          const unsigned wanted = (1u << length) - 1;
          for (std::size_t g = 1; g + length <= kGranules; ++g) {
            if ((page->free_mask >> g & wanted) != wanted) continue;
            set_free_mask(page, static_cast<std::uint16_t>(page->free_mask & ~(wanted << g)));
            bytes += length * kGranuleBytes;
            return granule_start(page, g);
          }
        }
      }
      emergency();
    }
  }
  void free_run(void* p, std::size_t length) {
    Page* page = page_of(p);
    bytes -= length * kGranuleBytes;
    set_free_mask(page, static_cast<std::uint16_t>(page->free_mask | ((1u << length) - 1) << granule_of(p)));
    if (page->own && page->free_mask == 0xffff) {
      disown(page);
      std::free(page);
    }
  }
};

namespace {
std::size_t run_length(std::size_t bytes) { return (bytes + JudyPool::kGranuleBytes - 1) / JudyPool::kGranuleBytes; }
}  // namespace

JudyPool::JudyPool() : impl_(new Impl) {}

JudyPool::~JudyPool() {
  for (auto& list : impl_->by_free) {
    for (Page* page = list.head; page;) {
      Page* after = page->by_free.after;
      ASAN_UNPOISON_MEMORY_REGION(page, kPageBytes);
      if (page->own) std::free(page);
      page = after;
    }
  }
  delete impl_;
}

bool JudyPool::ready() const { return impl_->free_granules >= kReserve; }
bool JudyPool::can_spare() const { return impl_->free_granules >= kReserve / 2; }

void JudyPool::add_page(void* page) {
  assert(page && reinterpret_cast<std::uintptr_t>(page) % kPageBytes == 0);
  impl_->adopt(page, false);
  ++impl_->pages;
}

void* JudyPool::surplus_page() {
  // Half a page more than what ready() needs must remain.
  if (impl_->free_granules < kReserve + (kGranules - 1) + kGranules / 2) return nullptr;
  for (Page* page = impl_->with_short.tail; page && page->free_mask == 0xffff; page = page->with_short.before) {
    if (page->own) continue;
    impl_->disown(page);
    --impl_->pages;
    return page;
  }
  return nullptr;
}

void* JudyPool::allocate(std::size_t bytes, std::size_t* usable) {
  assert(bytes >= 1 && bytes <= kLargest);
  std::size_t unwanted;
  if (!usable) usable = &unwanted;
  if (bytes <= kGranuleBytes) return impl_->allocate(bytes, usable);
  *usable = run_length(bytes) * kGranuleBytes;
  return impl_->allocate_run(run_length(bytes));
}

void JudyPool::free(void* p, std::size_t bytes) {
  if (bytes <= kGranuleBytes)
    impl_->free(p);
  else
    impl_->free_run(p, run_length(bytes));
}

std::size_t JudyPool::pages() const { return impl_->pages; }
std::size_t JudyPool::bytes_in_use() const { return impl_->bytes; }
std::size_t JudyPool::emergencies() const { return impl_->emergencies; }
std::size_t JudyPool::free_granules() const { return impl_->free_granules; }
std::size_t JudyPool::least_free() const { return impl_->least_free; }
void JudyPool::reset_least_free() { impl_->least_free = impl_->free_granules; }

namespace {
// In the thread's own block, since a module that is loaded late would call a function for each look at it.
[[gnu::tls_model("initial-exec")]] thread_local JudyPool* current_pool = nullptr;

JudyPool& pool_in_scope() {
  if (!current_pool) {
    std::fputs("coppice: libJudy was called outside of a PoolScope\n", stderr);
    std::abort();
  }
  return *current_pool;
}
}  // namespace

PoolScope::PoolScope(JudyPool& pool) : before_(current_pool) { current_pool = &pool; }
PoolScope::~PoolScope() { current_pool = before_; }

}  // namespace coppice

// libJudy's allocator, in words. All four, so that the linker has no reason to take libJudy's own.
extern "C" {
__attribute__((visibility("hidden"))) Word_t JudyMalloc(Word_t words) {
  return reinterpret_cast<Word_t>(coppice::pool_in_scope().allocate(words * sizeof(Word_t)));
}
__attribute__((visibility("hidden"))) void JudyFree(Pvoid_t p, Word_t words) {
  coppice::pool_in_scope().free(p, words * sizeof(Word_t));
}
__attribute__((visibility("hidden"))) Word_t JudyMallocVirtual(Word_t words) { return JudyMalloc(words); }
__attribute__((visibility("hidden"))) void JudyFreeVirtual(Pvoid_t p, Word_t words) { JudyFree(p, words); }
}
