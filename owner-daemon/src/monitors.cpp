#include "monitors.h"

#include <algorithm>
#include <cstdio>

#include "commands/command.h"

namespace coppice::daemon {

namespace {

// Of an argument; Redis shows all of it.
constexpr std::size_t kMostBytes = 1024;
constexpr std::string_view kHidden = "(redacted)";

void append_quoted(std::string* line, std::string_view text) {
  *line += '"';
  for (const char c : text.substr(0, kMostBytes)) {
    switch (c) {
      case '"':
      case '\\':
        *line += '\\';
        *line += c;
        break;
      case '\n':
        *line += "\\n";
        break;
      case '\r':
        *line += "\\r";
        break;
      case '\t':
        *line += "\\t";
        break;
      case '\a':
        *line += "\\a";
        break;
      case '\b':
        *line += "\\b";
        break;
      default:
        if (c >= 0x20 && c < 0x7f) {
          *line += c;
        } else {
          *line += "\\x";
          *line += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
          *line += "0123456789abcdef"[static_cast<unsigned char>(c) & 15];
        }
    }
  }
  *line += '"';
  if (text.size() > kMostBytes) *line += "... (" + std::to_string(text.size() - kMostBytes) + " more bytes)";
}

}  // namespace

std::vector<std::string_view> shown_arguments(const CommandSpec& spec, std::span<const std::string_view> arguments) {
  std::vector<std::string_view> shown(arguments.begin(), arguments.end());
  const auto hide = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < std::min(to, shown.size()); ++i) shown[i] = kHidden;
  };
  if (spec.name == "auth") hide(1, shown.size());
  if (spec.name == "acl|setuser") hide(2, shown.size());
  if (spec.name == "hello")
    for (std::size_t i = 2; i < shown.size(); ++i)
      if (is_word(arguments[i], "auth")) hide(i + 1, i + 3);
  if (spec.name == "config|set")
    for (std::size_t i = 2; i < shown.size(); i += 2)
      if (is_word(arguments[i], "requirepass")) hide(i + 1, i + 2);
  return shown;
}

void Monitors::add(Session& session) {
  if (session.monitoring) return;
  session.monitoring = true;
  sessions_.push_back(&session);
}

void Monitors::forget(Session& session) {
  if (!session.monitoring) return;
  session.monitoring = false;
  std::erase(sessions_, &session);
}

void Monitors::show(const Session& by, const CommandSpec& spec, std::span<const std::string_view> arguments,
                    std::int64_t wall_us) {
  char time[48];
  std::snprintf(time, sizeof time, "+%lld.%06lld", static_cast<long long>(wall_us / 1'000'000),
                static_cast<long long>(wall_us % 1'000'000));
  std::string line = time;
  line += " [" + std::to_string(by.database) + " ";
  line += by.unix_socket ? "unix:" + by.address.substr(0, by.address.rfind(':')) : by.address;
  line += "]";
  for (const std::string_view argument : shown_arguments(spec, arguments)) {
    line += ' ';
    append_quoted(&line, argument);
  }
  line += "\r\n";
  for (Session* session : sessions_) session->sink->push(line);
}

}  // namespace coppice::daemon
