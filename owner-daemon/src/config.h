// What coppiced is told: command line over TOML file over defaults. docs/configuration.md describes each option.
//
// Thread safety: a Config is a plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/types.h"

namespace coppice::daemon {

struct Endpoint {
  std::string host;
  std::uint16_t port = 0;
};

struct TlsOptions {
  enum class Auth : std::uint8_t { kNo, kOptional, kYes };

  std::optional<std::uint16_t> port;  // none: TLS is not served; 0: a free one
  std::string bind = "127.0.0.1";
  std::string cert_file;     // PEM, with the chain
  std::string key_file;      // PEM, without a passphrase
  std::string ca_cert_file;  // whose certificates clients may have
  Auth auth_clients = Auth::kYes;
};

struct Config {
  std::string socket;
  std::vector<Endpoint> listen;
  TlsOptions tls;
  std::uint64_t max_memory = kDefaultMaxMemory;
  std::uint32_t max_value = kDefaultMaxValue;
  Policy policy = Policy::kAllKeysLru;
  std::uint32_t databases = 16;
  bool huge_pages = true;
  std::uint32_t socket_mode = 0660;
  std::string socket_group;
  std::vector<std::uint32_t> allow_uid;  // empty: whoever the socket's mode lets in
  std::string snapshot;
  std::string config_file;
  std::string log_level = "info";
  std::string requirepass;
  std::vector<std::string> users;  // "name rule rule …", as ACL SETUSER takes them
  std::uint32_t acllog_max_len = 128;
  std::uint32_t max_clients = 10000;
  std::uint32_t timeout = 0;                      // seconds without a request after which a client is closed; 0: never
  std::int64_t slowlog_log_slower_than = 10'000;  // microseconds; negative: nothing is logged
  std::uint32_t slowlog_max_len = 128;
  std::int64_t latency_monitor_threshold = 0;  // milliseconds; 0: nothing is watched
  std::uint64_t max_bulk = 512ull << 20;       // one argument
  std::uint64_t input_limit = 1ull << 30;      // what a client may have sent and not yet had run
  std::uint64_t output_limit = 256ull << 20;   // replies that a client has not read
};

enum class ConfigOutcome : std::uint8_t {
  kRun,
  kPrintAndExit,  // help, version or the commands' document: `text` for standard output
  kRefused,       // `text` names the option and what was wrong with it
};

// Reads the command line, and the file that it names.
ConfigOutcome read_config(int argc, const char* const* argv, Config* config, std::string* text);

// "512", "64K", "256M", "2G", "1T" (powers of 1024; a trailing B is allowed). false: not a size.
bool parse_size(std::string_view text, std::uint64_t* bytes);
// "HOST:PORT", "[v6]:PORT". false: not an endpoint.
bool parse_endpoint(std::string_view text, Endpoint* endpoint);

}  // namespace coppice::daemon
