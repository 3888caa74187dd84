#include "message_settings.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "commands/command.h"
#include "resp/number.h"
#include "service.h"

namespace coppice::daemon {

namespace {

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text.empty()) return words;
    words.push_back(text.substr(0, text.find(' ')));
    text.remove_prefix(words.back().size());
  }
}

std::string limit_text(std::string_view name, const OutputLimit& limit) {
  return std::string(name) + " " + std::to_string(limit.hard) + " " + std::to_string(limit.soft) + " " +
         std::to_string(limit.soft_for / 1000);
}

OutputLimit* limit_of(OutputLimits& limits, std::string_view name) {
  if (is_word(name, "normal")) return &limits.normal;
  if (is_word(name, "pubsub")) return &limits.pubsub;
  return is_word(name, "slave") || is_word(name, "replica") ? &limits.replica : nullptr;
}

}  // namespace

std::string output_limits_of(Service& service) {
  const OutputLimits& limits = service.output_limits();
  return limit_text("normal", limits.normal) + " " + limit_text("slave", limits.replica) + " " +
         limit_text("pubsub", limits.pubsub);
}

std::string plan_output_limits(Service& service, std::string_view value, Application* apply) {
  OutputLimits limits = service.output_limits();
  const auto words = words_of(value);
  if (words.size() % 4 != 0) return "Wrong number of arguments in buffer limit configuration.";
  for (std::size_t i = 0; i < words.size(); i += 4) {
    OutputLimit* const limit = limit_of(limits, words[i]);
    if (limit == nullptr) return "Invalid client class specified in buffer limit configuration.";
    std::int64_t seconds = 0;
    if (!parse_memory(words[i + 1], &limit->hard) || !parse_memory(words[i + 2], &limit->soft) ||
        !resp::parse_int64(words[i + 3], &seconds) || seconds < 0 || seconds > std::numeric_limits<std::int32_t>::max())
      return "Error in hard, soft or soft_seconds setting in buffer limit configuration.";
    limit->soft_for = seconds * 1000;
  }
  *apply = [&service, limits] {
    service.output_limits() = limits;
    return std::string();
  };
  return {};
}

std::string events_of(Service& service) { return service.keyspace().notifications().letters(); }

std::string plan_events(Service& service, std::string_view value, Application* apply) {
  if (!Notifications(service.pubsub()).set(value)) return "Invalid event class character. Use 'Ag$lshzxeKEtmdn'.";
  *apply = [&service, letters = std::string(value)] {
    service.keyspace().notifications().set(letters);
    service.keyspace().update();
    return std::string();
  };
  return {};
}

std::string tracking_keys_of(Service& service) { return std::to_string(service.keyspace().tracking().most_keys()); }

std::string plan_tracking_keys(Service& service, std::string_view value, Application* apply) {
  std::int64_t keys = 0;
  if (!resp::parse_int64(value, &keys)) return "argument couldn't be parsed into an integer";
  if (keys < 0)
    return "argument must be between 0 and " + std::to_string(std::numeric_limits<std::int64_t>::max()) + " inclusive";
  *apply = [&service, keys] {
    service.keyspace().tracking().set_most_keys(static_cast<std::uint64_t>(keys));
    return std::string();
  };
  return {};
}

}  // namespace coppice::daemon
