// Snapshots: the whole store in a file, written at a clean stop and read at the next start. Format: docs/snapshot.md.
//
//   write_snapshot(*store, "/var/lib/coppice/coppice.snapshot", &error);
//   SnapshotLoader loader(path); while (loader.step(*store, 1000)) {}
//
// cereal's portable binary archive: a versioned header, then entries in key order in checksummed chunks. A snapshot is
// marked used before its first entry is stored, so a crash later can never bring back what was invalidated meanwhile.
// Deadlines go on by the wall clock. Lengths and checksums are tested before cereal sees a byte.
//
// Thread safety: as the store's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "coppice/store.h"

namespace coppice {

// Writes to a temporary file beside `path` (0600, links not followed), fsyncs, renames, fsyncs the directory.
// false: `error` names the step and the reason; a snapshot that was there before is left as it was.
bool write_snapshot(const Store& store, const std::string& path, std::string* error);

class SnapshotLoader {
 public:
  enum class State : std::uint8_t {
    kNone,     // there is no file, or it was used already: start empty
    kLoading,  // call step()
    kDone,
    kRejected,  // truncated, foreign, newer, unreadable: message() says which; the file was kept aside as kept_as()
  };
  // Opens, checks the header and marks the file used.
  explicit SnapshotLoader(std::string path);
  ~SnapshotLoader();

  // Stores about `entries` more entries; true while more is waiting. A damaged chunk rejects the whole file: the store
  // is flushed.
  bool step(Store& store, std::size_t entries);
  State state() const;
  const std::string& message() const;
  const std::string& kept_as() const;
  std::uint64_t loaded() const;
  std::uint64_t skipped() const;  // expired meanwhile, or refused by the store (no room, too large, no such database)
  // The newest version of the store that wrote the file, 0 if there is none: StoreOptions::version_floor for the next,
  // so that versions do not repeat though the wall clock was set back. Known from a used file too.
  Version newest_version() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace coppice
