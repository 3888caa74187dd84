// What a DSN, the settings and open()'s options say.
//
//   Options o; std::string error;
//   if (!apply_dsn(o, "unix:///run/coppice.sock?prefix=shop.", &error)) throw_invalid(error);
//
// Knows nothing of PHP. Errors name what was wrong, and never contain a password.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/types.h"

namespace coppice::php {

enum class Scheme : std::uint8_t { kLocal, kUnix };

struct Options {
  Scheme scheme = Scheme::kLocal;
  std::string prefix;
  bool throw_on_error = false;
  bool igbinary = false;
  bool all_classes = true;  // else only those of `classes`
  std::vector<std::string> classes;

  // ---- local
  std::string name;  // which of the process's stores
  std::optional<std::uint64_t> max_memory;
  std::optional<std::uint32_t> max_value;
  std::optional<Policy> policy;
  std::uint64_t default_max_memory = kDefaultMaxMemory;

  // ---- unix
  std::string path;
  std::string user;
  std::string password;
  Database database = 0;
  int timeout_ms = 2000;
  bool prefault = false;
  std::int64_t owner_uid = -1;
};

// `local:[name][?…]` or `unix://[user:password@]/path[?…]`; values of the query are percent-decoded.
bool apply_dsn(Options& options, std::string_view dsn, std::string* error);
// One option by its name in DSNs. REQUIRES: the scheme is set.
bool apply_option(Options& options, std::string_view name, std::string_view value, std::string* error);

// "256M" and the like; suffixes K, M, G (of 1,024), bytes without. false: not a size, or it overflows.
bool parse_size(std::string_view text, std::uint64_t* out);
// yes/no, on/off, true/false, 1/0.
bool parse_bool(std::string_view text, bool* out);
bool parse_integer(std::string_view text, std::int64_t* out);

}  // namespace coppice::php
