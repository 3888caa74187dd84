#include "coppice/snapshot.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cereal/archives/portable_binary.hpp>
#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include "coppice/collections.h"
#include "packed.h"
#include "snapshot_format.h"

namespace coppice {

namespace {

using snapshot::AppendBuffer;
using snapshot::ChunkHeader;
using snapshot::EntryExtras;
using snapshot::EntryHead;
using snapshot::FileHeader;
using snapshot::ViewBuffer;

const Clock& clock_of(const Store& store) {
  return store.options().clock != nullptr ? *store.options().clock : system_clock();
}

std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

std::int64_t saturating_subtract(std::int64_t a, std::int64_t b) {
  std::int64_t difference;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return b < 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

class File {
 public:
  explicit File(int fd = -1) : fd_(fd) {}
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int get() const { return fd_; }
  void reset(int fd) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_;
};

bool write_fully(int fd, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ::write(fd, bytes, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

bool write_at(int fd, const void* bytes, std::size_t size, off_t offset) {
  ssize_t n;
  do {
    n = ::pwrite(fd, bytes, size, offset);
  } while (n < 0 && errno == EINTR);
  if (n >= 0 && n != static_cast<ssize_t>(size)) errno = EIO;
  return n == static_cast<ssize_t>(size);
}

// false with errno 0: the file ended before.
bool read_fully(int fd, char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ::read(fd, bytes, size);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = 0;
    if (n <= 0) return false;
    bytes += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

bool sync_directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  const File file(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return file.get() >= 0 && ::fsync(file.get()) == 0;
}

// Collects entries into chunks and writes each when it is full.
class ChunkWriter {
 public:
  ChunkWriter(const Store& store, int fd) : store_(store), fd_(fd), buffer_(&bytes_), stream_(&buffer_) { begin(); }

  bool add(Database db, const EntryView& entry, std::int64_t wall_deadline) {
    const auto type = static_cast<std::uint8_t>(entry.type);
    const auto collection = store_.open(entry);
    if (!collection || collection->is_packed()) return add_part(db, entry, entry, type, wall_deadline);
    std::vector<Element> elements;
    std::vector<std::string> values;  // those that are in pages
    std::size_t bytes = 0;
    bool first = true;
    const auto write = [&] {
      std::string part;
      packed::encode(entry.type, elements, &part);
      EntryView value;
      value.tail = part;
      value.value_size = static_cast<std::uint32_t>(part.size());
      const bool ok = add_part(db, entry, value, first ? type : type | snapshot::kGoesOn, wall_deadline);
      first = false;
      elements.clear();
      values.clear();
      bytes = 0;
      return ok;
    };
    for (auto p = collection->first(Collection::Order::kByName); p; p = collection->next(p)) {
      const ElementView e = collection->at(p);
      if (bytes > 0 && bytes + e.value.value_size > snapshot::kPartTarget && !write()) return false;
      std::string_view value = e.value.tail;
      if (!e.value.is_contiguous()) value = values.emplace_back(e.value.value());
      elements.push_back({e.name, value, e.score});
      bytes += e.name.size() + value.size();
      if (bytes >= snapshot::kPartTarget && !write()) return false;
    }
    return elements.empty() || write();
  }
  bool add_part(Database db, const EntryView& entry, const EntryView& value, std::uint8_t type,
                std::int64_t wall_deadline) {
    EntryHead head{db, type, wall_deadline, static_cast<std::uint16_t>(entry.key.size()), value.value_size};
    const RefreshView refresh = store_.refresh_of(entry);
    EntryExtras extras{refresh.stale, refresh.compute_us, 0};
    tags_.clear();
    store_.for_each_tag(entry, [&](std::string_view tag) {
      const auto length = static_cast<std::uint16_t>(tag.size());
      tags_.append(reinterpret_cast<const char*>(&length), sizeof length).append(tag);
      ++extras.tags;
    });
    (*archive_)(head, extras);
    archive_->saveBinary<1>(entry.key.data(), static_cast<std::streamsize>(entry.key.size()));
    value.for_each_part([&](std::string_view part) {
      archive_->saveBinary<1>(part.data(), static_cast<std::streamsize>(part.size()));
    });
    archive_->saveBinary<1>(tags_.data(), static_cast<std::streamsize>(tags_.size()));
    ++entries_;
    ++total_;
    return bytes_.size() < snapshot::kChunkTarget || flush();
  }

  // The open chunk and the one that says that no more come.
  bool finish() {
    if (entries_ > 0 && !flush()) return false;
    (*archive_)(total_);
    return flush();
  }
  std::uint64_t written() const { return written_; }

 private:
  void begin() {
    bytes_.assign(sizeof(ChunkHeader), '\0');
    entries_ = 0;
    archive_.emplace(stream_);
  }
  bool flush() {
    ChunkHeader header{0, static_cast<std::uint32_t>(bytes_.size() - sizeof(ChunkHeader)), entries_};
    std::memcpy(bytes_.data(), &header, sizeof header);
    header.checksum = snapshot::checksum_of_chunk(number_++, bytes_.data() + 8, bytes_.size() - 8);
    std::memcpy(bytes_.data(), &header, sizeof header);
    if (!write_fully(fd_, bytes_.data(), bytes_.size())) return false;
    written_ += bytes_.size();
    if (bytes_.capacity() > 4 * snapshot::kChunkTarget) std::string().swap(bytes_);
    begin();
    return true;
  }

  const Store& store_;
  int fd_;
  std::string tags_;  // scratch
  std::string bytes_;
  AppendBuffer buffer_;
  std::ostream stream_;
  std::optional<cereal::PortableBinaryOutputArchive> archive_;
  std::uint32_t entries_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t written_ = 0;
};

bool write_entries(const Store& store, int fd) {
  const Clock& clock = clock_of(store);
  FileHeader header{};
  header.magic = snapshot::kMagic;
  header.version = snapshot::kSnapshotVersion;
  header.header_size = sizeof header;
  header.state = snapshot::kFresh;
  header.written_us = clock.wall_us();
  header.newest_version = store.newest_version();
  header.databases = store.options().databases;
  // The place of the header: its magic comes last, so that a file that was never finished is no snapshot.
  const FileHeader blank{};
  if (!write_fully(fd, reinterpret_cast<const char*>(&blank), sizeof blank)) return false;

  const std::int64_t wall_less_monotonic = saturating_subtract(header.written_us / 1000, clock.monotonic_ms());
  ChunkWriter chunks(store, fd);
  bool ok = true;
  for (Database db = 0; db < header.databases && ok; ++db) {
    store.scan(db, {}, [&](const EntryView& entry) {
      const bool bounded = entry.deadline != kNoDeadline;
      ok = chunks.add(db, entry, bounded ? saturating_add(entry.deadline, wall_less_monotonic) : kNoDeadline);
      return ok;
    });
  }
  if (!ok || !chunks.finish()) return false;

  header.file_size = sizeof header + chunks.written();
  header.checksum = snapshot::checksum_of(header);
  return write_at(fd, &header, sizeof header, 0) && ::fsync(fd) == 0;
}

}  // namespace

bool write_snapshot(const Store& store, const std::string& path, std::string* error) {
  const std::string temporary = path + ".tmp";
  const auto failed = [&](const std::string& what) {
    *error = what + ": " + std::strerror(errno);
    return false;
  };
  if (::unlink(temporary.c_str()) != 0 && errno != ENOENT) return failed("cannot remove the old " + temporary);
  const File file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file.get() < 0) return failed("cannot create " + temporary);
  if (!write_entries(store, file.get())) {
    failed("cannot write " + temporary);
    ::unlink(temporary.c_str());
    return false;
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    failed("cannot rename " + temporary + " to " + path);
    ::unlink(temporary.c_str());
    return false;
  }
  if (!sync_directory_of(path)) return failed("cannot sync the directory of " + path);
  return true;
}

// ---- loading -------------------------------------------------------------------------------------------------------
struct SnapshotLoader::Impl {
  std::string path;
  State state = State::kNone;
  std::string message;
  std::string kept_as;
  std::uint64_t loaded = 0;
  std::uint64_t skipped = 0;
  std::uint64_t parts = 0;  // entries that another one goes on in
  Version newest_version = 0;
  std::uint32_t version = 0;  // of the file

  File file;
  std::uint64_t left = 0;    // bytes of the file behind what has been read
  std::uint64_t number = 0;  // of the next chunk
  std::string bytes;         // of the chunk in hand, from ChunkHeader::length on
  std::uint32_t entries_left = 0;
  std::vector<std::string_view> tags;  // of the entry in hand
  // The collection in hand: commit_collection() stores it, once it is known that it does not go on. Without a builder
  // it is left out.
  Store* store = nullptr;
  std::unique_ptr<CollectionBuilder> builder;
  bool is_collecting = false;
  Database collection_db = 0;
  ValueType collection_type = ValueType::kHash;
  std::string collection_key;
  std::vector<std::string> collection_tags;
  SetOptions collection_options;
  ViewBuffer source;
  std::istream stream{&source};
  std::optional<cereal::PortableBinaryInputArchive> archive;

  void open();
  bool check_header(const FileHeader& header, std::uint64_t size);
  bool next_chunk();
  bool finish();
  bool store_entry(std::int64_t monotonic_less_wall);
  bool collect(const EntryHead& head, std::string_view key, std::string_view value, const SetOptions& options);
  void commit_collection();
  bool reject(std::string why);
  void keep_aside();
};

// Always false.
bool SnapshotLoader::Impl::reject(std::string why) {
  state = State::kRejected;
  message = path + " is rejected: " + std::move(why);
  archive.reset();
  builder.reset();
  is_collecting = false;
  std::string().swap(bytes);
  keep_aside();
  file.reset(-1);
  return false;
}

void SnapshotLoader::Impl::keep_aside() {
  for (int n = 1; n < 10'000; ++n) {
    const std::string name = path + ".rejected-" + std::to_string(n);
    int result = ::renameat2(AT_FDCWD, path.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE);
    if (result != 0 && (errno == EINVAL || errno == ENOSYS)) {  // a file system without RENAME_NOREPLACE
      struct stat status;
      if (::lstat(name.c_str(), &status) == 0)
        errno = EEXIST;
      else
        result = ::rename(path.c_str(), name.c_str());
    }
    if (result == 0) {
      kept_as = name;
      message += "; kept as " + name;
      sync_directory_of(path);
      return;
    }
    if (errno != EEXIST) break;
  }
  message += "; it could not be renamed: " + std::string(std::strerror(errno));
}

bool SnapshotLoader::Impl::check_header(const FileHeader& header, std::uint64_t size) {
  if (header.magic != snapshot::kMagic) return reject("it is no snapshot of Coppice");
  if (header.version > snapshot::kSnapshotVersion)
    return reject("it has format version " + std::to_string(header.version) + ", newer than the " +
                  std::to_string(snapshot::kSnapshotVersion) + " that this program reads");
  if (header.version < snapshot::kOldestVersion || header.header_size != sizeof header ||
      header.checksum != snapshot::checksum_of(header) || header.state > snapshot::kUsed)
    return reject("its header is damaged");
  newest_version = header.newest_version;
  version = header.version;
  if (size < header.file_size)
    return reject("it is truncated: " + std::to_string(size) + " of " + std::to_string(header.file_size) + " bytes");
  if (size > header.file_size) return reject("there are bytes behind its end");
  return true;
}

void SnapshotLoader::Impl::open() {
  file.reset(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (file.get() < 0) {
    if (errno == ENOENT)
      message = "there is no " + path;
    else if (errno == ELOOP)
      reject("it is a symbolic link");
    else
      reject(std::string("it cannot be opened: ") + std::strerror(errno));
    return;
  }
  struct stat status;
  if (::fstat(file.get(), &status) != 0) {
    reject(std::string("fstat: ") + std::strerror(errno));
    return;
  }
  if (!S_ISREG(status.st_mode)) {
    reject("it is no regular file");
    return;
  }
  if ((status.st_uid != ::geteuid() && status.st_uid != 0) || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    reject("others may write it");
    return;
  }
  FileHeader header;
  if (!read_fully(file.get(), reinterpret_cast<char*>(&header), sizeof header)) {
    reject(errno == 0 ? std::string("it is truncated: shorter than a header")
                      : std::string("it cannot be read: ") + std::strerror(errno));
    return;
  }
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (!check_header(header, size)) return;
  if (header.state == snapshot::kUsed) {
    message = path + " was used already";
    file.reset(-1);
    return;
  }
  const std::uint64_t used = snapshot::kUsed;
  if (!write_at(file.get(), &used, sizeof used, offsetof(FileHeader, state)) || ::fsync(file.get()) != 0) {
    reject(std::string("it cannot be marked used: ") + std::strerror(errno));
    return;
  }
  left = size - sizeof header;
  state = State::kLoading;
}

// Lengths and the checksum are tested here, before cereal sees a byte of the chunk.
bool SnapshotLoader::Impl::next_chunk() {
  ChunkHeader header;
  const std::string name = "chunk " + std::to_string(number);
  if (left < sizeof header) return reject(name + " is truncated");
  if (!read_fully(file.get(), reinterpret_cast<char*>(&header), sizeof header))
    return reject(name + " cannot be read" + (errno != 0 ? std::string(": ") + std::strerror(errno) : ""));
  left -= sizeof header;
  if (header.length > left || header.length > snapshot::kLargestChunk)
    return reject(name + " is longer than the file or than a chunk can be");
  constexpr std::size_t kPrefix = sizeof header - offsetof(ChunkHeader, length);
  if (bytes.capacity() > 4 * snapshot::kChunkTarget) std::string().swap(bytes);
  bytes.resize(kPrefix + header.length);
  std::memcpy(bytes.data(), &header.length, kPrefix);
  if (!read_fully(file.get(), bytes.data() + kPrefix, header.length))
    return reject(name + " cannot be read" + (errno != 0 ? std::string(": ") + std::strerror(errno) : ""));
  left -= header.length;
  if (snapshot::checksum_of_chunk(number, bytes.data(), bytes.size()) != header.checksum)
    return reject(name + " has a wrong checksum");
  ++number;
  entries_left = header.entries;
  source.reset(std::string_view(bytes).substr(kPrefix));
  archive.emplace(stream);
  return entries_left > 0 || finish();
}

// The last chunk: how many entries there must have been, and nothing behind it.
bool SnapshotLoader::Impl::finish() {
  std::uint64_t total = 0;
  (*archive)(total);
  commit_collection();
  if (total != loaded + skipped + parts || source.left() > 0 || left > 0)
    return reject("its end does not fit what came before it");
  state = State::kDone;
  message = path + ": " + std::to_string(loaded) + " entries loaded, " + std::to_string(skipped) + " left out";
  archive.reset();
  std::string().swap(bytes);
  file.reset(-1);
  return false;
}

// Adds an entry's elements to the collection in hand, which begins here or goes on. false: they are damaged.
bool SnapshotLoader::Impl::collect(const EntryHead& head, std::string_view key, std::string_view value,
                                   const SetOptions& options) {
  const bool goes_on = (head.type & snapshot::kGoesOn) != 0;
  const auto type = static_cast<ValueType>(head.type & ~snapshot::kGoesOn);
  std::vector<Element> elements;
  packed::Reader reader(type, value);
  for (Element e; reader.next(&e);) {
    if (e.name.size() > kMaxElementName || e.score != e.score) return false;
    elements.push_back(e);
  }
  if (!reader.ended() || elements.empty()) return false;
  if (goes_on) {
    if (!is_collecting || head.database != collection_db || type != collection_type || key != collection_key)
      return false;
    ++parts;
  } else {
    commit_collection();
    is_collecting = true;
    collection_db = head.database;
    collection_type = type;
    collection_key = key;
    collection_tags.assign(options.tags.begin(), options.tags.end());
    collection_options = options;
    builder = std::make_unique<CollectionBuilder>(*store, type);
  }
  if (builder != nullptr && builder->add(elements) != Error::kNone) builder.reset();
  return true;
}

void SnapshotLoader::Impl::commit_collection() {
  if (!is_collecting) return;
  is_collecting = false;
  const std::vector<std::string_view> names(collection_tags.begin(), collection_tags.end());
  collection_options.tags = names;
  const bool stored = builder != nullptr && [&] {
    const auto done = builder->commit(collection_db, collection_key, collection_options);
    return done && done->version != 0;
  }();
  builder.reset();
  ++(stored ? loaded : skipped);
}

bool SnapshotLoader::Impl::store_entry(std::int64_t monotonic_less_wall) {
  EntryHead head;
  EntryExtras extras;
  (*archive)(head);
  if (version >= 2) (*archive)(extras);
  const auto broken = [&](const char* why) {
    return reject("chunk " + std::to_string(number - 1) + " has an entry " + why);
  };
  if (head.key_length == 0 || head.key_length > kMaxKeyLength) return broken("with an impossible key length");
  const bool has_elements = version >= 3 && is_collection(static_cast<ValueType>(head.type & ~snapshot::kGoesOn));
  if (head.type > kLastValueType && head.type != static_cast<std::uint8_t>(ValueType::kThrottle) && !has_elements)
    return broken("of an unknown type");
  if (head.value_length > kLargestMaxValue + (has_elements ? snapshot::kElementMost : 0))
    return broken("with an impossible value length");
  if (source.left() < std::size_t{head.key_length} + head.value_length) return broken("that goes beyond the chunk");
  const std::string_view key = source.take(head.key_length);
  const std::string_view value = source.take(head.value_length);
  if (extras.tags > kMaxTags) return broken("with too many tags");
  tags.clear();
  for (std::uint16_t i = 0; i < extras.tags; ++i) {
    std::uint16_t length = 0;
    (*archive)(length);
    if (length == 0 || length > kMaxTagLength) return broken("with an impossible tag");
    if (source.left() < length) return broken("that goes beyond the chunk");
    tags.push_back(source.take(length));
  }
  if (--entries_left == 0 && source.left() > 0) return broken("too few for its length");

  SetOptions options;
  options.stale = extras.stale;
  options.compute_us = extras.compute_us;
  options.tags = tags;
  if (head.deadline != kNoDeadline)
    options.deadline = std::min(saturating_add(head.deadline, monotonic_less_wall), kNoDeadline - 1);
  if (has_elements) return collect(head, key, value, options) || broken("with damaged elements");
  commit_collection();
  const Result<SetResult> result = store->set(head.database, key, {static_cast<ValueType>(head.type), value}, options);
  ++(result && result->version != 0 ? loaded : skipped);
  return true;
}

SnapshotLoader::SnapshotLoader(std::string path) : impl_(new Impl) {
  impl_->path = std::move(path);
  impl_->open();
}

SnapshotLoader::~SnapshotLoader() = default;

bool SnapshotLoader::step(Store& store, std::size_t entries) {
  if (impl_->state != State::kLoading) return false;
  impl_->store = &store;
  const Clock& clock = clock_of(store);
  const std::int64_t monotonic_less_wall = saturating_subtract(clock.monotonic_ms(), clock.wall_us() / 1000);
  bool going_on = true;
  try {
    for (std::size_t n = 0; n < entries && going_on; ++n) {
      going_on = impl_->entries_left > 0 || impl_->next_chunk();
      if (going_on) going_on = impl_->store_entry(monotonic_less_wall);
    }
  } catch (const cereal::Exception& e) {
    going_on = impl_->reject("chunk " + std::to_string(impl_->number - 1) + ": " + e.what());
  }
  if (impl_->state == State::kRejected) {
    for (Database db = 0; db < store.options().databases; ++db) store.flush(db);
  }
  return going_on;
}

SnapshotLoader::State SnapshotLoader::state() const { return impl_->state; }
const std::string& SnapshotLoader::message() const { return impl_->message; }
const std::string& SnapshotLoader::kept_as() const { return impl_->kept_as; }
std::uint64_t SnapshotLoader::loaded() const { return impl_->loaded; }
std::uint64_t SnapshotLoader::skipped() const { return impl_->skipped; }
Version SnapshotLoader::newest_version() const { return impl_->newest_version; }

}  // namespace coppice
