#include "options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace coppice::php {

namespace {

bool fail(std::string* error, std::string text) {
  *error = std::move(text);
  return false;
}

std::string quoted(std::string_view text) { return "\"" + std::string(text.substr(0, 200)) + "\""; }

std::string lower(std::string_view text) {
  std::string s(text);
  for (char& c : s) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return s;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool percent_decode(std::string_view text, std::string* out) {
  out->clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out->push_back(text[i]);
      continue;
    }
    if (i + 2 >= text.size()) return false;
    const int high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return false;
    out->push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return true;
}

bool apply_query(Options& options, std::string_view query, std::string* error) {
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) return fail(error, "option " + quoted(pair) + " of the DSN has no value");
    std::string name, value;
    if (!percent_decode(pair.substr(0, equals), &name) || !percent_decode(pair.substr(equals + 1), &value))
      return fail(error, "option " + quoted(pair.substr(0, equals)) + " of the DSN is not percent-encoded properly");
    if (!apply_option(options, name, value, error)) return false;
  }
  return true;
}

bool apply_unix(Options& options, std::string_view rest, std::string* error) {
  const std::size_t path = rest.find('/');
  if (path == std::string_view::npos)
    return fail(error, "a unix: DSN needs an absolute path: unix:///run/coppice.sock");
  // The password may hold anything but these two when it is percent-encoded.
  const std::string_view authority = rest.substr(0, path);
  if (!authority.empty()) {
    if (authority.back() != '@') return fail(error, "a unix: DSN has no host: unix://user:password@/run/coppice.sock");
    const std::string_view user = authority.substr(0, authority.size() - 1);
    const std::size_t colon = std::min(user.find(':'), user.size());
    if (!percent_decode(user.substr(0, colon), &options.user) ||
        !percent_decode(user.substr(std::min(colon + 1, user.size())), &options.password))
      return fail(error, "the user and password of the DSN are not percent-encoded properly");
  }
  if (!percent_decode(rest.substr(path), &options.path))
    return fail(error, "the path of the DSN is not percent-encoded properly");
  if (options.path.size() > 107)
    return fail(error, "the socket's path " + quoted(options.path) + " is longer than 107 bytes");
  if (options.path.find('\0') != std::string::npos) return fail(error, "the socket's path contains a NUL byte");
  return true;
}

bool apply_class_list(Options& options, std::string_view value) {
  bool all;
  options.classes.clear();
  if (parse_bool(value, &all)) {
    options.all_classes = all;
    return true;
  }
  options.all_classes = false;
  while (!value.empty()) {
    const std::size_t end = std::min(value.find(','), value.size());
    std::string_view name = value.substr(0, end);
    value.remove_prefix(std::min(end + 1, value.size()));
    while (!name.empty() && (name.front() == ' ' || name.front() == '\\')) name.remove_prefix(1);
    while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
    if (name.empty()) return false;
    options.classes.push_back(lower(name));
  }
  return !options.classes.empty();
}

bool apply_common(Options& options, std::string_view name, std::string_view value, bool* known) {
  *known = true;
  if (name == "prefix") {
    options.prefix = value;
    return value.size() < kMaxKeyLength;
  }
  if (name == "on_error") {
    options.throw_on_error = value == "throw";
    return value == "throw" || value == "warn";
  }
  if (name == "serializer") {
    options.igbinary = value == "igbinary";
    return value == "igbinary" || value == "php";
  }
  if (name == "allowed_classes") return apply_class_list(options, value);
  *known = false;
  return true;
}

bool apply_local(Options& options, std::string_view name, std::string_view value, bool* known) {
  *known = true;
  std::uint64_t size;
  if (name == "max_memory") {
    if (!parse_size(value, &size) || size < kSmallestMaxMemory) return false;
    options.max_memory = size;
    return true;
  }
  if (name == "max_value") {
    if (!parse_size(value, &size) || size == 0 || size > kLargestMaxValue) return false;
    options.max_value = static_cast<std::uint32_t>(size);
    return true;
  }
  if (name == "policy") {
    Policy policy;
    if (!parse_policy(value, &policy)) return false;
    options.policy = policy;
    return true;
  }
  *known = false;
  return true;
}

bool apply_shared(Options& options, std::string_view name, std::string_view value, bool* known) {
  *known = true;
  std::int64_t number;
  if (name == "db") {
    if (!parse_integer(value, &number) || number < 0 || number >= kMaxDatabases) return false;
    options.database = static_cast<Database>(number);
    return true;
  }
  if (name == "timeout") {
    double seconds;
    const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), seconds);
    if (code != std::errc() || end != value.data() + value.size() || !(seconds > 0) || seconds > 3600) return false;
    options.timeout_ms = static_cast<int>(std::ceil(seconds * 1000));
    return true;
  }
  if (name == "prefault") return parse_bool(value, &options.prefault);
  if (name == "owner_uid") {
    if (!parse_integer(value, &number) || number < 0 || number > UINT32_MAX) return false;
    options.owner_uid = number;
    return true;
  }
  if (name == "user") {
    options.user = value;
    return true;
  }
  if (name == "password") {
    options.password = value;
    return true;
  }
  *known = false;
  return true;
}

}  // namespace

bool parse_size(std::string_view text, std::uint64_t* out) {
  unsigned shift = 0;
  if (!text.empty()) {
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
      default:
        break;
    }
    if (shift != 0) text.remove_suffix(1);
  }
  std::uint64_t n;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (code != std::errc() || end != text.data() + text.size() || n > (UINT64_MAX >> shift)) return false;
  *out = n << shift;
  return true;
}

bool parse_bool(std::string_view text, bool* out) {
  const std::string s = lower(text);
  for (const char* yes : {"1", "on", "yes", "true"})
    if (s == yes) return *out = true;
  for (const char* no : {"", "0", "off", "no", "false"})
    if (s == no) {
      *out = false;
      return true;
    }
  return false;
}

bool parse_integer(std::string_view text, std::int64_t* out) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), *out);
  return code == std::errc() && end == text.data() + text.size();
}

namespace {

// What an option can be, behind a message that says what it can't.
std::string possible(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kPossible[] = {
      {"on_error", "warn or throw"},
      {"serializer", "php or igbinary"},
      {"allowed_classes", "1, 0 or names of classes with commas between them"},
      {"max_memory", "a size from 2M on, such as 256M or 2G"},
      {"max_value", "a size up to 511M"},
      {"policy", "noeviction, allkeys-lru, volatile-lru, allkeys-random or volatile-ttl"},
      {"db", "a number from 0 to 63"},
      {"timeout", "seconds above 0, up to 3600"},
      {"prefault", "1 or 0"},
      {"owner_uid", "the number of a user"},
  };
  static_assert(kSmallestMaxMemory == 2u << 20 && kLargestMaxValue == 511u << 20 && kMaxDatabases == 64);
  for (const auto& [option, what] : kPossible)
    if (option == name) return ": " + std::string(what);
  return {};
}

}  // namespace

bool apply_option(Options& options, std::string_view name, std::string_view value, std::string* error) {
  bool known;
  bool good = apply_common(options, name, value, &known);
  if (!known)
    good = options.scheme == Scheme::kLocal ? apply_local(options, name, value, &known)
                                            : apply_shared(options, name, value, &known);
  if (!known)
    return fail(error,
                "unknown option " + quoted(name) + " for " + (options.scheme == Scheme::kLocal ? "local:" : "unix:"));
  if (good) return true;
  if (name == "prefix") return fail(error, "the prefix is longer than 4095 bytes");
  return fail(error, "option " + std::string(name) + " can't be " + quoted(value) + possible(name));
}

bool apply_dsn(Options& options, std::string_view dsn, std::string* error) {
  const std::size_t question = std::min(dsn.find('?'), dsn.size());
  const std::string_view query = dsn.substr(std::min(question + 1, dsn.size()));
  std::string_view place = dsn.substr(0, question);
  if (place.starts_with("local:")) {
    options.scheme = Scheme::kLocal;
    if (!percent_decode(place.substr(6), &options.name))
      return fail(error, "the name of the local store is not percent-encoded properly");
  } else if (place.starts_with("unix://")) {
    options.scheme = Scheme::kUnix;
    if (!apply_unix(options, place.substr(7), error)) return false;
  } else {
    const std::size_t colon = place.find(':');
    if (colon == std::string_view::npos) return fail(error, "the DSN has no scheme; local:, unix: and auto: are known");
    return fail(error, "unknown scheme " + quoted(place.substr(0, colon + 1)) +
                           " of the DSN; local:, unix: and auto: are known");
  }
  return apply_query(options, query, error);
}

}  // namespace coppice::php
