// CONFIG SET and RESETSTAT.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "commands/handlers.h"
#include "resp/number.h"

namespace coppice::daemon::handlers {

namespace {

// "100", "100mb", "1g" as Redis reads them: k, m, g are powers of 1000, kb, mb, gb of 1024.
bool parse_memory(std::string_view text, std::uint64_t* bytes) {
  struct Unit {
    std::string_view name;
    std::int64_t factor;
  };
  constexpr std::array<Unit, 8> kUnits{{{"", 1},
                                        {"b", 1},
                                        {"k", 1000},
                                        {"kb", 1 << 10},
                                        {"m", 1'000'000},
                                        {"mb", 1 << 20},
                                        {"g", 1'000'000'000},
                                        {"gb", 1 << 30}}};
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  std::int64_t number = 0;
  if (!resp::parse_int64(text.substr(0, digits), &number)) return false;
  for (const Unit& unit : kUnits) {
    if (!is_word(text.substr(digits), unit.name)) continue;
    if (number > std::numeric_limits<std::int64_t>::max() / unit.factor) return false;
    *bytes = static_cast<std::uint64_t>(number * unit.factor);
    return true;
  }
  return false;
}

void failed(Call& call, std::string_view name, std::string_view why) {
  call.reply.error("ERR CONFIG SET failed (possibly related to argument '" + std::string(name) + "') - " +
                   std::string(why));
}

bool is_setting(std::string_view name) {
  for (const std::string_view known : setting_names())
    if (is_word(name, known)) return true;
  return false;
}

}  // namespace

void config_set(Call& call) {
  if (call.size() % 2 != 0) return syntax_error(call);
  std::optional<std::uint64_t> memory;
  std::optional<Policy> policy;
  // All is looked at before anything is set.
  for (std::size_t i = 2; i < call.size(); i += 2) {
    const std::string_view name = call[i], value = call[i + 1];
    if (is_word(name, "maxmemory")) {
      if (memory) return failed(call, name, "duplicate parameter");
      if (!parse_memory(value, &memory.emplace())) return failed(call, name, "argument must be a memory value");
      const std::uint64_t most = call.store().options().max_memory;
      if (*memory < kSmallestMaxMemory || *memory > most)
        return failed(call, name,
                      "argument must be between " + std::to_string(kSmallestMaxMemory) + " and " +
                          std::to_string(most) + ", for which the segment was made");
    } else if (is_word(name, "maxmemory-policy")) {
      if (policy) return failed(call, name, "duplicate parameter");
      if (!parse_policy(value, &policy.emplace()))
        return failed(call, name,
                      "argument(s) must be one of the following: noeviction, allkeys-lru, volatile-lru, "
                      "allkeys-random, volatile-ttl");
    } else if (is_setting(name)) {
      return failed(call, name, "can't set immutable config");
    } else {
      return call.reply.error("ERR Unknown option or number of arguments for CONFIG SET - '" + std::string(name) + "'");
    }
  }
  if (memory) {
    const Error error = call.store().set_max_memory(*memory);
    if (error != Error::kNone) return failed(call, "maxmemory", error_message(error));
  }
  if (policy) call.store().set_policy(*policy);
  call.reply.ok();
}

void config_resetstat(Call& call) {
  call.service.reset_statistics();
  call.reply.ok();
}

}  // namespace coppice::daemon::handlers
