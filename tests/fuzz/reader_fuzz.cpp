// The reader on a segment that says anything. The input is a list of changes to a real segment: four bytes of offset
// (in units of 8), eight bytes to be there. Nothing outside the segment may be touched, no read may go on for ever, and
// what is returned must lie within what was promised.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "coppice/reader.h"
#include "coppice/store.h"

using namespace coppice;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

// A copy of a store's segment, kept writable here.
struct Segment {
  int fd = -1;
  char* base = nullptr;
  std::size_t size = 0;
  std::string original;
  std::vector<std::string> keys;

  Segment() {
    // The hash secret is random, so that a corpus cannot aim at slots; it finds blocks, the page table and the header.
    auto store = Store::create({.max_memory = 2 << 20, .databases = 2, .shared = true});
    require(store != nullptr);
    for (const std::uint32_t length : {0u, 5u, 100u, 1'000u, 60'000u, 70'000u, 200'000u}) {
      keys.push_back("key." + std::to_string(length));
      require(bool(store->set(0, keys.back(), {ValueType::kString, std::string(length, 'v')})));
    }
    keys.push_back("timed");
    require(bool(store->set(0, "timed", {ValueType::kString, "v"}, {.deadline = kNoDeadline - 1})));
    const std::string_view tags[] = {"a", "b", "c"};
    keys.push_back("refreshed");
    require(bool(store->set(0, "refreshed", {ValueType::kString, "v"},
                            {.deadline = kNoDeadline - 1, .compute_us = 7, .stale = 1000, .tags = tags})));
    keys.push_back("refreshed.large");
    require(bool(store->set(0, keys.back(), {ValueType::kString, std::string(90'000, 'v')},
                            {.compute_us = 7, .tags = {tags, 1}})));
    keys.push_back("missing");
    size = store->header().segment_size;
    void* from = mmap(nullptr, size, PROT_READ, MAP_SHARED, store->descriptor(), 0);
    require(from != MAP_FAILED);
    original.assign(static_cast<const char*>(from), size);
    munmap(from, size);

    fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    require(fd >= 0 && ftruncate(fd, static_cast<off_t>(size)) == 0);
    void* mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    require(mapped != MAP_FAILED);
    base = static_cast<char*>(mapped);
    std::memcpy(base, original.data(), size);
    require(fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SHRINK | F_SEAL_GROW) == 0);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Segment segment;
  static std::vector<char> buffer(1 << 20);
  std::vector<std::size_t> changed;
  // Half of the changes are made before the segment is mapped, half behind the reader's back.
  const std::size_t changes = size / 12;
  std::unique_ptr<Reader> reader;
  for (std::size_t i = 0; i <= changes; ++i) {
    if (i == changes / 2) {
      std::string error;
      reader = Reader::map(segment.fd, &error);
      require((reader == nullptr) == !error.empty());
      if (reader == nullptr) break;
    }
    if (i == changes) break;
    std::uint32_t offset;
    std::memcpy(&offset, data + i * 12, sizeof offset);
    // Mostly where something is: the header, the tables and the first pages.
    const std::size_t at = offset % (segment.size / 8) * 8;
    std::memcpy(segment.base + at, data + i * 12 + 4, 8);
    changed.push_back(at);
  }
  if (reader != nullptr) {
    for (const std::string& key : segment.keys) {
      for (Database db = 0; db < reader->databases() && db < 2; ++db) {
        ReadInfo info;
        std::uint32_t promised = 0;
        const ReadStatus status = reader->read(
            db, key, 1'000'000,
            [&](const ReadInfo& e) {
              promised = e.value_size;
              return e.value_size <= buffer.size() ? buffer.data() : nullptr;
            },
            &info);
        if (status == ReadStatus::kHit) require(info.value_size == promised);
        RefreshInfo refresh;
        const ReadStatus refreshed = reader->read_stale(
            db, key, 1'000'000,
            [&](const ReadInfo& e) {
              promised = e.value_size;
              return e.value_size <= buffer.size() ? buffer.data() : nullptr;
            },
            &refresh);
        if (refreshed == ReadStatus::kHit) require(refresh.value_size == promised);
        const std::string_view twice[] = {key, key};
        std::size_t answers = 0;
        reader->read_batch(
            db, twice, 1'000'000,
            [&](std::size_t, const ReadInfo& e) {
              promised = e.value_size;
              return e.value_size <= buffer.size() ? buffer.data() : nullptr;
            },
            &info,
            [&](std::size_t i, ReadStatus s) {
              require(i == answers++);
              if (s == ReadStatus::kHit) require(info.value_size == promised);
            });
        require(answers == 2);
      }
    }
    require(reader->resident_high_water() <= segment.size);
  }
  for (const std::size_t at : changed) std::memcpy(segment.base + at, segment.original.data() + at, 8);
  return 0;
}
