#include "config.h"

#include <grp.h>
#include <toml++/toml.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <istream>
#include <limits>
#include <optional>
#include <set>
#include <sstream>

#include "acl/acl.h"
#include "commands/document.h"
#include "resp/number.h"
#include "version.h"

namespace coppice::daemon {

namespace {

constexpr std::array<std::string_view, 7> kLogLevels{"trace", "debug", "info", "warning", "error", "critical", "off"};

// TOML for CLI11: every key is an option's name without its dashes.
class TomlConfig final : public CLI::Config {
 public:
  explicit TomlConfig(const CLI::App& app) : app_(app) {}

  std::string to_config(const CLI::App*, bool, bool, std::string) const override { return {}; }

  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
    std::vector<CLI::ConfigItem> items;
    toml::table table;
    try {
      table = toml::parse(input);
    } catch (const toml::parse_error& e) {
      std::ostringstream message;
      message << e.description() << " at line " << e.source().begin.line;
      throw CLI::FileError(message.str());
    }
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      if (name == "config" || app_.get_option_no_throw("--" + name) == nullptr)
        throw CLI::FileError("unknown option '" + name + "'");
      CLI::ConfigItem item;
      item.name = name;
      if (const auto* list = node.as_array()) {
        for (const auto& element : *list) item.inputs.push_back(scalar(name, element));
      } else {
        item.inputs.push_back(scalar(name, node));
      }
      items.push_back(std::move(item));
    }
    return items;
  }

 private:
  static std::string scalar(const std::string& name, const toml::node& node) {
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* integer = node.as_integer()) {
      // 0o660 in TOML is written in octal again, as the command line has it.
      if (name == "socket-mode") {
        std::ostringstream octal;
        octal << std::oct << integer->get();
        return octal.str();
      }
      return std::to_string(integer->get());
    }
    throw CLI::FileError("option '" + name + "' must be a string, an integer or a list of them");
  }

  const CLI::App& app_;
};

template <class T>
CLI::Option* add_size(CLI::App& app, const std::string& name, T* out, std::uint64_t least, std::uint64_t most,
                      const std::string& help) {
  return app
      .add_option_function<std::string>(
          name,
          [=](const std::string& text) {
            std::uint64_t bytes = 0;
            if (!parse_size(text, &bytes))
              throw CLI::ValidationError(name, "'" + text + "' is not a size such as 256M or 2G");
            if (bytes < least || bytes > most)
              throw CLI::ValidationError(name, "'" + text + "' is outside " + std::to_string(least) + " to " +
                                                   std::to_string(most) + " bytes");
            *out = static_cast<T>(bytes);
          },
          help)
      ->type_name("SIZE");
}

// A whole number without sign, or nothing.
std::optional<std::uint64_t> parse_number(std::string_view text, int base = 10) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void add_number(CLI::App& app, const std::string& name, std::uint32_t* out, std::uint32_t least, std::uint32_t most,
                const std::string& help) {
  app.add_option_function<std::string>(
         name,
         [=](const std::string& text) {
           const auto value = parse_number(text);
           if (!value || *value < least || *value > most)
             throw CLI::ValidationError(
                 name, "'" + text + "' is not a number from " + std::to_string(least) + " to " + std::to_string(most));
           *out = static_cast<std::uint32_t>(*value);
         },
         help)
      ->type_name("N");
}

void add_signed(CLI::App& app, const std::string& name, std::int64_t* out, std::int64_t least,
                const std::string& help) {
  app.add_option_function<std::string>(
         name,
         [=](const std::string& text) {
           std::int64_t value = 0;
           if (!resp::parse_int64(text, &value) || value < least)
             throw CLI::ValidationError(name, "'" + text + "' is not a number from " + std::to_string(least));
           *out = value;
         },
         help)
      ->type_name("N");
}

}  // namespace

bool parse_size(std::string_view text, std::uint64_t* bytes) {
  if (!text.empty() && (text.back() == 'B' || text.back() == 'b')) text.remove_suffix(1);
  if (text.empty()) return false;
  int shift = 0;
  switch (text.back()) {
    case 'k':
    case 'K':
      shift = 10;
      break;
    case 'm':
    case 'M':
      shift = 20;
      break;
    case 'g':
    case 'G':
      shift = 30;
      break;
    case 't':
    case 'T':
      shift = 40;
      break;
    default:
      break;
  }
  if (shift != 0) text.remove_suffix(1);
  const auto value = parse_number(text);
  if (!value || *value > (~0ull >> shift)) return false;
  *bytes = *value << shift;
  return true;
}

bool parse_endpoint(std::string_view text, Endpoint* endpoint) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  std::string_view host = text.substr(0, colon);
  if (host.front() == '[') {
    if (host.size() < 3 || host.back() != ']') return false;
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return false;
  }
  const auto port = parse_number(text.substr(colon + 1));
  if (!port || *port > 65535) return false;
  *endpoint = {std::string(host), static_cast<std::uint16_t>(*port)};
  return true;
}

ConfigOutcome read_config(int argc, const char* const* argv, Config* config, std::string* text) {
  CLI::App app{"coppiced: the owner of a Coppice cache", "coppiced"};
  app.set_version_flag("--version", std::string("coppiced ") + kVersion);
  bool dump_commands = false;
  app.add_flag("--dump-commands", dump_commands, "Write the commands' document to standard output and exit")
      ->configurable(false);

  app.add_option("--socket", config->socket, "Path of the unix socket")->type_name("PATH");
  app.add_option_function<std::vector<std::string>>(
         "--listen",
         [config](const std::vector<std::string>& values) {
           config->listen.clear();
           for (const std::string& value : values) {
             Endpoint endpoint;
             if (!parse_endpoint(value, &endpoint))
               throw CLI::ValidationError("--listen", "'" + value + "' is not HOST:PORT");
             config->listen.push_back(std::move(endpoint));
           }
         },
         "Serve TCP there too; beyond loopback only with a password")
      ->type_name("HOST:PORT");
  app.add_option_function<std::string>(
         "--tls-port",
         [config](const std::string& text) {
           const auto port = parse_number(text);
           if (!port || *port > 65535) throw CLI::ValidationError("--tls-port", "'" + text + "' is not a port");
           config->tls.port = static_cast<std::uint16_t>(*port);
         },
         "Serve TLS on this TCP port, too")
      ->type_name("PORT");
  app.add_option("--tls-bind", config->tls.bind, "The address of the TLS port [127.0.0.1]")->type_name("HOST");
  app.add_option("--tls-cert-file", config->tls.cert_file, "Certificate and its chain, PEM")->type_name("FILE");
  app.add_option("--tls-key-file", config->tls.key_file, "Key of the certificate, PEM")->type_name("FILE");
  app.add_option("--tls-ca-cert-file", config->tls.ca_cert_file, "Who may sign clients' certificates, PEM")
      ->type_name("FILE");
  app.add_option_function<std::string>(
         "--tls-auth-clients",
         [config](const std::string& use) {
           if (use != "yes" && use != "no" && use != "optional")
             throw CLI::ValidationError("--tls-auth-clients", "'" + use + "' is none of yes, no, optional");
           config->tls.auth_clients = use == "yes"  ? TlsOptions::Auth::kYes
                                      : use == "no" ? TlsOptions::Auth::kNo
                                                    : TlsOptions::Auth::kOptional;
         },
         "Whether clients must have certificates: yes, no, optional [yes]")
      ->type_name("USE");
  add_size(app, "--max-memory", &config->max_memory, kSmallestMaxMemory, 1ull << 38,
           "Memory for entries and indexes [256M]");
  add_size(app, "--max-value", &config->max_value, 1, kLargestMaxValue, "The largest value [64M]");
  app.add_option_function<std::string>(
         "--policy",
         [config](const std::string& name) {
           if (!parse_policy(name, &config->policy))
             throw CLI::ValidationError("--policy", "'" + name +
                                                        "' is none of noeviction, allkeys-lru, volatile-lru, "
                                                        "allkeys-random, volatile-ttl");
         },
         "What to do when memory is full [allkeys-lru]")
      ->type_name("NAME");
  add_number(app, "--databases", &config->databases, 1, kMaxDatabases, "Number of databases [16]");
  app.add_option_function<std::string>(
         "--huge-pages",
         [config](const std::string& use) {
           if (use != "auto" && use != "off")
             throw CLI::ValidationError("--huge-pages", "'" + use + "' is neither auto nor off");
           config->huge_pages = use == "auto";
         },
         "Huge pages where the system has them: auto, off [auto]")
      ->type_name("USE");
  app.add_option_function<std::string>(
         "--socket-mode",
         [config](const std::string& mode) {
           const auto value = parse_number(mode, 8);
           if (!value || *value > 0777)
             throw CLI::ValidationError("--socket-mode", "'" + mode + "' is not an octal mode such as 0660");
           config->socket_mode = static_cast<std::uint32_t>(*value);
         },
         "Permissions of the socket [0660]")
      ->type_name("MODE");
  app.add_option_function<std::string>(
         "--socket-group",
         [config](const std::string& name) {
           if (getgrnam(name.c_str()) == nullptr)
             throw CLI::ValidationError("--socket-group", "there is no group '" + name + "'");
           config->socket_group = name;
         },
         "Group of the socket")
      ->type_name("G");
  app.add_option_function<std::vector<std::string>>(
         "--allow-uid",
         [config](const std::vector<std::string>& values) {
           config->allow_uid.clear();
           for (const std::string& value : values) {
             const auto uid = parse_number(value);
             if (!uid || *uid > 0xfffffffe)
               throw CLI::ValidationError("--allow-uid", "'" + value + "' is not a user id");
             config->allow_uid.push_back(static_cast<std::uint32_t>(*uid));
           }
         },
         "Only these users may connect over the unix socket, besides root and the owner's own")
      ->type_name("UID");
  app.add_option("--snapshot", config->snapshot, "Kept over a clean stop in this file")->type_name("FILE");
  app.add_option_function<std::string>(
         "--log-level",
         [config](const std::string& level) {
           if (std::find(kLogLevels.begin(), kLogLevels.end(), level) == kLogLevels.end())
             throw CLI::ValidationError("--log-level",
                                        "'" + level + "' is none of trace, debug, info, warning, error, critical, off");
           config->log_level = level;
         },
         "trace, debug, info, warning, error, critical, off [info]")
      ->type_name("L");
  app.add_option("--requirepass", config->requirepass, "Password that clients must give")->type_name("PASSWORD");
  app.add_option_function<std::vector<std::string>>(
         "--user",
         [config](const std::vector<std::string>& lines) {
           Acl acl;
           std::set<std::string> names;
           for (const std::string& line : lines)
             if (const std::string why = acl.set_line(line); !why.empty()) throw CLI::ValidationError("--user", why);
           for (const std::string& line : lines)
             if (const std::string name = line.substr(0, line.find(' ')); !names.insert(name).second)
               throw CLI::ValidationError("--user", "the user '" + name + "' is given twice");
           config->users = lines;
         },
         "A user and its rules, as ACL SETUSER takes them; may be given several times")
      ->type_name("'NAME RULE…'");
  add_number(app, "--acllog-max-len", &config->acllog_max_len, 0, 100'000, "Refusals that ACL LOG keeps [128]");
  add_number(app, "--max-clients", &config->max_clients, 1, 1'000'000, "Connections at a time [10000]");
  add_number(app, "--timeout", &config->timeout, 0, std::numeric_limits<std::int32_t>::max(),
             "Seconds after which an idle client is closed; 0: never [0]");
  add_signed(app, "--slowlog-log-slower-than", &config->slowlog_log_slower_than, -1,
             "Microseconds beyond which a command is logged by SLOWLOG; -1: none [10000]");
  add_number(app, "--slowlog-max-len", &config->slowlog_max_len, 0, 1'000'000, "Commands that SLOWLOG keeps [128]");
  add_signed(app, "--latency-monitor-threshold", &config->latency_monitor_threshold, 0,
             "Milliseconds beyond which LATENCY notes an event; 0: none [0]");
  add_size(app, "--max-bulk", &config->max_bulk, 16384, 512ull << 20, "The largest argument of a command [512M]");
  add_size(app, "--input-limit", &config->input_limit, 64 << 10, 64ull << 30,
           "A client that sent this much without it being run is closed [1G]");
  add_size(app, "--output-limit", &config->output_limit, 64 << 10, 64ull << 30,
           "A client that left this much unread is closed [256M]");

  app.set_config("--config", "", "TOML file of options by the same names, without dashes in front")->type_name("FILE");
  app.config_formatter(std::make_shared<TomlConfig>(app));

  try {
    app.parse(argc, argv);
    if (dump_commands) {
      *text = commands_document();
      return ConfigOutcome::kPrintAndExit;
    }
    if (const CLI::Option* option = app.get_config_ptr(); option != nullptr && option->count() > 0)
      config->config_file = option->as<std::string>();
    if (config->socket.empty()) throw CLI::RequiredError("--socket PATH");
    if (config->socket.size() > 100)
      throw CLI::ValidationError("--socket", "the path is longer than 100 bytes, more than a unix socket may have");
    if (config->tls.port) {
      for (const auto& [option, file] :
           {std::pair("--tls-cert-file", &config->tls.cert_file), std::pair("--tls-key-file", &config->tls.key_file)})
        if (file->empty()) throw CLI::ValidationError(option, "is needed by --tls-port");
      if (config->tls.auth_clients != TlsOptions::Auth::kNo && config->tls.ca_cert_file.empty())
        throw CLI::ValidationError("--tls-ca-cert-file",
                                   "is needed by --tls-port, or --tls-auth-clients no, which asks clients for none");
    }
    if (config->input_limit < config->max_bulk)
      throw CLI::ValidationError("--input-limit", "must not be below --max-bulk");
    if (config->output_limit < config->max_value)
      throw CLI::ValidationError("--output-limit", "must not be below --max-value");
  } catch (const CLI::CallForHelp&) {
    *text = app.help();
    return ConfigOutcome::kPrintAndExit;
  } catch (const CLI::CallForVersion& e) {
    *text = std::string(e.what()) + "\n";
    return ConfigOutcome::kPrintAndExit;
  } catch (const CLI::FileError& e) {
    const CLI::Option* option = app.get_config_ptr();
    *text = "--config " + (option->count() > 0 ? option->as<std::string>() : std::string()) + ": " + e.what();
    return ConfigOutcome::kRefused;
  } catch (const CLI::ParseError& e) {
    *text = e.what();
    return ConfigOutcome::kRefused;
  }
  return ConfigOutcome::kRun;
}

}  // namespace coppice::daemon
