#include "scan_cursors.h"

namespace coppice::daemon {

std::uint64_t ScanCursors::add(Database db, std::string_view position, std::string_view scope) {
  const std::uint64_t number = next_;
  next_ = next_ == kLargestCursor ? 1 : next_ + 1;
  if (const auto old = by_number_.find(number); old != by_number_.end()) {
    bytes_ -= cost(*old->second);
    recent_.erase(old->second);
    by_number_.erase(old);
  }
  recent_.push_front({number, db, std::string(position), std::string(scope)});
  by_number_.emplace(number, recent_.begin());
  bytes_ += cost(recent_.front());
  while (recent_.size() > max_positions_ || (bytes_ > max_bytes_ && recent_.size() > 1)) {
    bytes_ -= cost(recent_.back());
    by_number_.erase(recent_.back().number);
    recent_.pop_back();
  }
  return number;
}

std::optional<std::string> ScanCursors::find(Database db, std::uint64_t cursor, std::string_view scope) {
  const auto found = by_number_.find(cursor);
  if (found == by_number_.end() || found->second->database != db || found->second->scope != scope) return std::nullopt;
  recent_.splice(recent_.begin(), recent_, found->second);
  return found->second->key;
}

}  // namespace coppice::daemon
