#include "commands/entry_copy.h"

namespace coppice::daemon {

std::optional<EntryCopy> EntryCopy::of(Store& store, Database db, std::string_view key) {
  const auto entry = store.peek(db, key);
  if (!entry) return std::nullopt;
  const RefreshView refresh = store.refresh_of(*entry);
  EntryCopy copy;
  copy.type = entry->type;
  copy.value = entry->value();
  copy.deadline = entry->deadline;
  copy.stale = refresh.stale;
  copy.compute_us = refresh.compute_us;
  store.for_each_tag(*entry, [&](std::string_view tag) { copy.tags.emplace_back(tag); });
  return copy;
}

SetOptions EntryCopy::options(std::span<const std::string_view> names) const {
  SetOptions options;
  options.deadline = deadline;
  options.stale = stale;
  options.compute_us = compute_us;
  options.tags = names;
  return options;
}

Result<SetResult> EntryCopy::put(Store& store, Database db, std::string_view key) const {
  const std::vector<std::string_view> names(tags.begin(), tags.end());
  return store.set(db, key, {type, value}, options(names));
}

}  // namespace coppice::daemon
