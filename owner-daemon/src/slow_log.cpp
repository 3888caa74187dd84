#include "slow_log.h"

namespace coppice::daemon {

void SlowLog::add(SlowLogEntry entry, std::span<const std::string_view> arguments, std::size_t longest) {
  entry.id = next_++;
  const bool cut = arguments.size() > SlowLogEntry::kMostArguments;
  const std::size_t shown = cut ? SlowLogEntry::kMostArguments - 1 : arguments.size();
  for (const std::string_view argument : arguments.first(shown)) {
    std::string& text = entry.arguments.emplace_back(argument.substr(0, SlowLogEntry::kMostBytes));
    if (argument.size() > SlowLogEntry::kMostBytes)
      text += "... (" + std::to_string(argument.size() - SlowLogEntry::kMostBytes) + " more bytes)";
  }
  if (cut) entry.arguments.push_back("... (" + std::to_string(arguments.size() - shown) + " more arguments)");
  entries_.push_front(std::move(entry));
  shorten(longest);
}

}  // namespace coppice::daemon
