#include "settings.h"

#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <optional>

#include "commands/command.h"
#include "descriptors.h"
#include "message_settings.h"
#include "resp/number.h"
#include "service.h"

namespace coppice::daemon {

namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

std::string between(std::uint64_t least, std::uint64_t most) {
  return "argument must be between " + std::to_string(least) + " and " + std::to_string(most) + " inclusive";
}

// A whole number in a range, stored into a member of the configuration.
template <class T>
std::string plan_number(std::string_view value, std::int64_t least, std::int64_t most, T* where, Application* apply) {
  std::int64_t number = 0;
  if (!resp::parse_int64(value, &number)) return "argument couldn't be parsed into an integer";
  if (number < least || number > most) {
    return "argument must be between " + std::to_string(least) + " and " + std::to_string(most) + " inclusive";
  }
  *apply = [where, number] {
    *where = static_cast<T>(number);
    return std::string();
  };
  return {};
}

std::string plan_memory(std::string_view value, std::uint64_t least, std::uint64_t most, std::uint64_t* where,
                        Application* apply) {
  std::uint64_t bytes = 0;
  if (!parse_memory(value, &bytes)) return "argument must be a memory value";
  if (bytes < least || bytes > most) return between(least, most);
  *apply = [where, bytes] {
    *where = bytes;
    return std::string();
  };
  return {};
}

// A setting that Redis has and that can only be what it is here.
template <const char* kValue>
std::string get_fixed(Service&) {
  return kValue;
}
template <const char* kValue>
std::string plan_fixed(Service&, std::string_view value, Application* apply) {
  if (value != kValue) return std::string("only '") + kValue + "' is supported";
  *apply = [] { return std::string(); };
  return {};
}
constexpr char kEmpty[] = "";
constexpr char kNo[] = "no";

std::string plan_maxmemory(Service& service, std::string_view value, Application* apply) {
  std::uint64_t bytes = 0;
  if (!parse_memory(value, &bytes)) return "argument must be a memory value";
  const std::uint64_t most = service.config().max_memory;
  if (bytes < kSmallestMaxMemory || bytes > most)
    return "argument must be between " + std::to_string(kSmallestMaxMemory) + " and " + std::to_string(most) +
           ", for which the segment was made";
  *apply = [&service, bytes] {
    const Error error = service.store().set_max_memory(bytes);
    return error == Error::kNone ? std::string() : std::string(error_message(error));
  };
  return {};
}

std::string plan_policy(Service& service, std::string_view value, Application* apply) {
  Policy policy;
  if (!parse_policy(value, &policy))
    return "argument(s) must be one of the following: noeviction, allkeys-lru, volatile-lru, allkeys-random, "
           "volatile-ttl";
  *apply = [&service, policy] {
    service.store().set_policy(policy);
    return std::string();
  };
  return {};
}

std::string plan_maxclients(Service& service, std::string_view value, Application* apply) {
  std::uint32_t most = 0;
  if (std::string why = plan_number(value, 1, 1'000'000, &most, apply); !why.empty()) return why;
  std::int64_t wanted = 0;
  resp::parse_int64(value, &wanted);
  *apply = [&service, wanted] {
    const std::uint64_t possible = allow_descriptors(static_cast<std::uint64_t>(wanted));
    if (possible < static_cast<std::uint64_t>(wanted))
      return "The operating system is not able to handle the specified number of clients, try with " +
             std::to_string(possible);
    service.settings().max_clients = static_cast<std::uint32_t>(wanted);
    return std::string();
  };
  return {};
}

std::string plan_loglevel(Service& service, std::string_view value, Application* apply) {
  constexpr std::array<std::string_view, 7> kLevels{"trace", "debug", "info", "warning", "error", "critical", "off"};
  if (std::find(kLevels.begin(), kLevels.end(), value) == kLevels.end())
    return "argument(s) must be one of the following: trace, debug, info, warning, error, critical, off";
  *apply = [&service, level = std::string(value)] {
    service.settings().log_level = level;
    spdlog::set_level(spdlog::level::from_str(level));
    return std::string();
  };
  return {};
}

std::string plan_requirepass(Service& service, std::string_view value, Application* apply) {
  *apply = [&service, password = std::string(value)] {
    service.settings().requirepass = password;
    service.acl().set_default_password(password);
    return std::string();
  };
  return {};
}

std::string bind_of(Service& service) {
  std::string hosts;
  for (const Endpoint& e : service.config().listen) hosts += (hosts.empty() ? "" : " ") + e.host;
  return hosts;
}

std::string socket_mode_of(Service& service) {
  char mode[8];
  std::snprintf(mode, sizeof mode, "%o", service.config().socket_mode);
  return mode;
}

constexpr auto kSettings = std::to_array<Setting>({
    {"acllog-max-len", [](Service& s) { return std::to_string(s.config().acllog_max_len); },
     [](Service& s, std::string_view v, Application* apply) {
       return plan_number(v, 0, 100'000, &s.settings().acllog_max_len, apply);
     },
     "acllog-max-len"},
    {"appendonly", get_fixed<kNo>, plan_fixed<kNo>},
    {"bind", bind_of},
    {"client-output-buffer-limit", output_limits_of, plan_output_limits},
    {"client-query-buffer-limit", [](Service& s) { return std::to_string(s.config().input_limit); },
     [](Service& s, std::string_view v, Application* apply) {
       return plan_memory(v, s.config().max_bulk, 64ull << 30, &s.settings().input_limit, apply);
     },
     "input-limit"},
    {"databases", [](Service& s) { return std::to_string(s.config().databases); }},
    {"latency-monitor-threshold", [](Service& s) { return std::to_string(s.config().latency_monitor_threshold); },
     [](Service& s, std::string_view v, Application* apply) {
       return plan_number(v, 0, kNoLimit, &s.settings().latency_monitor_threshold, apply);
     },
     "latency-monitor-threshold"},
    {"loglevel", [](Service& s) { return s.config().log_level; }, plan_loglevel, "log-level"},
    {"max-value", [](Service& s) { return std::to_string(s.config().max_value); }},
    {"maxclients", [](Service& s) { return std::to_string(s.config().max_clients); }, plan_maxclients, "max-clients"},
    {"maxmemory", [](Service& s) { return std::to_string(s.store().stats().max_memory); }, plan_maxmemory,
     "max-memory"},
    {"maxmemory-policy", [](Service& s) { return std::string(policy_name(s.store().options().policy)); }, plan_policy,
     "policy"},
    {"notify-keyspace-events", events_of, plan_events},
    {"port", [](Service& s) { return std::to_string(s.tcp_port()); }},
    // Of clients that come from then on.
    {"proto-max-bulk-len", [](Service& s) { return std::to_string(s.config().max_bulk); },
     [](Service& s, std::string_view v, Application* apply) {
       return plan_memory(v, 1 << 20, std::min<std::uint64_t>(s.config().input_limit, 512ull << 20),
                          &s.settings().max_bulk, apply);
     },
     "max-bulk"},
    {"requirepass", [](Service& s) { return s.config().requirepass; }, plan_requirepass, "requirepass"},
    {"save", get_fixed<kEmpty>, plan_fixed<kEmpty>},
    {"slowlog-log-slower-than", [](Service& s) { return std::to_string(s.config().slowlog_log_slower_than); },
     [](Service& s, std::string_view v, Application* apply) {
       return plan_number(v, -1, kNoLimit, &s.settings().slowlog_log_slower_than, apply);
     },
     "slowlog-log-slower-than"},
    {"slowlog-max-len", [](Service& s) { return std::to_string(s.config().slowlog_max_len); },
     [](Service& s, std::string_view v, Application* apply) {
       return plan_number(v, 0, 1'000'000, &s.settings().slowlog_max_len, apply);
     },
     "slowlog-max-len"},
    {"timeout", [](Service& s) { return std::to_string(s.config().timeout); },
     [](Service& s, std::string_view v, Application* apply) {
       return plan_number(v, 0, std::numeric_limits<std::int32_t>::max(), &s.settings().timeout, apply);
     },
     "timeout"},
    {"tls-auth-clients",
     [](Service& s) {
       const TlsOptions::Auth auth = s.config().tls.auth_clients;
       return std::string(auth == TlsOptions::Auth::kNo    ? "no"
                          : auth == TlsOptions::Auth::kYes ? "yes"
                                                           : "optional");
     }},
    {"tls-ca-cert-file", [](Service& s) { return s.config().tls.ca_cert_file; }},
    {"tls-cert-file", [](Service& s) { return s.config().tls.cert_file; }},
    {"tls-key-file", [](Service& s) { return s.config().tls.key_file; }},
    {"tls-port", [](Service& s) { return std::to_string(s.tls_port()); }},
    {"tracking-table-max-keys", tracking_keys_of, plan_tracking_keys},
    {"unixsocket", [](Service& s) { return s.config().socket; }},
    {"unixsocketperm", socket_mode_of},
});

}  // namespace

std::span<const Setting> all_settings() { return kSettings; }

const Setting* find_setting(std::string_view name) {
  for (const Setting& setting : kSettings)
    if (is_word(name, setting.name)) return &setting;
  return nullptr;
}

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

}  // namespace coppice::daemon
