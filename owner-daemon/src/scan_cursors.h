// SCAN's cursors: numbers in a bounded table of positions. A position is a key, not a rank, so whatever is deleted or
// added meanwhile, nothing that stays is skipped. A number that fell out of the table is an error for its owner, never
// a silent restart.
//
// Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "coppice/types.h"

namespace coppice::daemon {

class ScanCursors {
 public:
  static constexpr std::uint64_t kLargestCursor = (1ull << 53) - 1;  // what every client's numbers can hold

  explicit ScanCursors(std::size_t max_positions = 4096, std::size_t max_bytes = 4 << 20)
      : max_positions_(max_positions), max_bytes_(max_bytes) {}

  // A new cursor that goes on behind `position`; the least recently used ones make room. `scope`: the key whose
  // elements are walked (HSCAN), or nothing for a walk over keys.
  std::uint64_t add(Database db, std::string_view position, std::string_view scope = {});
  // The position to go on behind; nullopt: unknown, or of another database or scope. A cursor may be used again.
  std::optional<std::string> find(Database db, std::uint64_t cursor, std::string_view scope = {});

  std::size_t size() const { return by_number_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Position {
    std::uint64_t number;
    Database database;
    std::string key;
    std::string scope;
  };
  static std::size_t cost(const Position& p) { return p.key.size() + p.scope.size() + 160; }

  std::size_t max_positions_;
  std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  std::uint64_t next_ = 1;
  std::list<Position> recent_;  // most recently used first
  std::unordered_map<std::uint64_t, std::list<Position>::iterator> by_number_;
};

}  // namespace coppice::daemon
