// The snapshot loader on any bytes. The first byte says what becomes of the rest: 0, it is the file; 1, it is a file
// whose lengths and checksums are made right first, so that what they guard is reached.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "coppice/snapshot.h"
#include "snapshot_format.h"

using namespace coppice;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

struct Place {
  std::string directory;
  Place() {
    // In memory where that can be had: the loader syncs what it marks.
    for (std::string name : {"/dev/shm/coppice-fuzz-XXXXXX", "/tmp/coppice-fuzz-XXXXXX"})
      if (directory.empty() && mkdtemp(name.data()) != nullptr) directory = name;
    require(!directory.empty());
  }
  ~Place() { std::filesystem::remove_all(directory); }
};

void seal(std::string& file) {
  snapshot::FileHeader header{};
  file.resize(std::max(file.size(), sizeof header));
  std::memcpy(&header, file.data(), sizeof header);
  header.magic = snapshot::kMagic;
  if (header.version != snapshot::kOldestVersion) header.version = snapshot::kSnapshotVersion;
  header.header_size = sizeof header;
  header.state = snapshot::kFresh;
  header.file_size = file.size();
  header.checksum = snapshot::checksum_of(header);
  std::memcpy(file.data(), &header, sizeof header);
  std::uint64_t number = 0;
  for (std::size_t at = sizeof header; file.size() - at >= sizeof(snapshot::ChunkHeader);) {
    snapshot::ChunkHeader chunk;
    std::memcpy(&chunk, file.data() + at, sizeof chunk);
    const std::size_t left = file.size() - at - sizeof chunk;
    if (chunk.length > left) break;
    chunk.checksum = snapshot::checksum_of_chunk(number++, file.data() + at + 8, 8 + std::size_t{chunk.length});
    std::memcpy(file.data() + at, &chunk, sizeof chunk);
    at += sizeof chunk + chunk.length;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Place place;
  static const ManualClock clock;
  static const std::unique_ptr<Store> store = Store::create({.max_memory = 8 << 20, .clock = &clock});
  if (size == 0) return 0;
  std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == 1) seal(bytes);

  const std::string path = place.directory + "/snapshot";
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  require(fd >= 0 && write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  close(fd);

  SnapshotLoader loader(path);
  while (loader.step(*store, 7)) {
  }
  std::uint64_t entries = 0;
  for (Database db = 0; db < store->options().databases; ++db) entries += store->count(db);
  switch (loader.state()) {
    case SnapshotLoader::State::kRejected:
      require(entries == 0);
      require(!loader.message().empty());
      require(unlink(loader.kept_as().c_str()) == 0);
      break;
    case SnapshotLoader::State::kDone:
      require(entries <= loader.loaded());  // a key may come twice, and the oldest may have been evicted
      require(unlink(path.c_str()) == 0);
      break;
    case SnapshotLoader::State::kNone:
      require(loader.loaded() == 0);
      require(unlink(path.c_str()) == 0);
      break;
    case SnapshotLoader::State::kLoading:
      std::abort();
  }
  for (Database db = 0; db < store->options().databases; ++db) store->flush(db);
  while (store->purge(1000)) {
  }
  return 0;
}
