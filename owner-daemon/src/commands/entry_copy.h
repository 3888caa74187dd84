// A whole entry taken out of the store, to be put back under another key or into another database.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/store.h"

namespace coppice::daemon {

struct EntryCopy {
  ValueType type = ValueType::kString;
  std::string value;
  Millis deadline = kNoDeadline;
  Millis stale = 0;
  std::uint32_t compute_us = 0;
  std::vector<std::string> tags;

  static std::optional<EntryCopy> of(Store& store, Database db, std::string_view key);
  // `names`: tags, for as long as the options are used.
  SetOptions options(std::span<const std::string_view> names) const;
  Result<SetResult> put(Store& store, Database db, std::string_view key) const;
};

}  // namespace coppice::daemon
