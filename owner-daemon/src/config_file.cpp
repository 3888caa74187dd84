#include "config_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

#include "service.h"
#include "settings.h"

namespace coppice::daemon {

namespace {

// toml++ counts lines and, within them, characters of UTF-8, both from 1.
std::size_t offset_of(std::string_view text, const toml::source_position& position) {
  std::size_t at = 0;
  for (toml::source_index line = 1; line < position.line; ++line) at = text.find('\n', at) + 1;
  const auto continues = [&](std::size_t i) { return (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80; };
  for (toml::source_index column = 1; column < position.column && at < text.size(); ++column) {
    ++at;
    while (at < text.size() && continues(at)) ++at;
  }
  return at;
}

std::optional<toml::table> parse(std::string_view text) {
  try {
    return std::optional<toml::table>(toml::parse(text));
  } catch (const toml::parse_error&) {
    return std::nullopt;
  }
}

std::string because(const std::string& what) { return what + ": " + std::strerror(errno); }

std::string write_beside(const std::string& path, const std::string& text) {
  struct stat old;
  if (stat(path.c_str(), &old) != 0) return because("cannot look at " + path);
  const std::string fresh = path + ".new";
  unlink(fresh.c_str());
  const int fd = open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return because("cannot write " + fresh);
  std::string why;
  std::size_t done = 0;
  while (done < text.size() && why.empty()) {
    const ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR)
      why = because("cannot write " + fresh);
    else if (n > 0)
      done += static_cast<std::size_t>(n);
  }
  // An owner that can't be given back: the file may hold passwords, so it is not opened wider than it was.
  if (why.empty() && (fchown(fd, old.st_uid, old.st_gid) != 0 && (old.st_uid != geteuid() || old.st_gid != getegid())))
    why = because("cannot give " + fresh + " its owner");
  if (why.empty() && (fchmod(fd, old.st_mode & 07777) != 0 || fsync(fd) != 0)) why = because("cannot write " + fresh);
  close(fd);
  if (why.empty() && rename(fresh.c_str(), path.c_str()) != 0) why = because("cannot replace " + path);
  if (!why.empty()) unlink(fresh.c_str());
  return why;
}

}  // namespace

std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04X", static_cast<unsigned>(static_cast<unsigned char>(c)));
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string edit_toml(std::string* text, const std::vector<std::pair<std::string, std::string>>& values) {
  std::string edited = *text;
  for (const auto& [key, value] : values) {
    const auto table = parse(edited);
    if (!table) return "the configuration file is not TOML any more";
    if (const toml::node* node = table->get(key)) {
      const std::size_t from = offset_of(edited, node->source().begin), to = offset_of(edited, node->source().end);
      edited.replace(from, to - from, value);
      continue;
    }
    // There are no tables: whatever is added at the end is a key of the top.
    if (!edited.empty() && edited.back() != '\n') edited += '\n';
    edited += key + " = " + value + "\n";
  }
  const auto table = parse(edited);
  const auto wanted = [&](const auto& pair) {
    const auto alone = parse(pair.first + " = " + pair.second);
    const toml::node* now = table ? table->get(pair.first) : nullptr;
    return alone && alone->size() == 1 && now != nullptr &&
           toml::table{{"v", *now}} == toml::table{{"v", *alone->get(pair.first)}};
  };
  if (!std::all_of(values.begin(), values.end(), wanted)) return "a value can't be written into the configuration file";
  *text = std::move(edited);
  return {};
}

std::string rewrite_config_file(Service& service) {
  const std::string& path = service.config().config_file;
  if (path.empty()) return "The server is running without a config file";
  std::ifstream file(path, std::ios::binary);
  std::ostringstream before;
  before << file.rdbuf();
  if (!file) return because("Rewriting config file: cannot read " + path);
  std::vector<std::pair<std::string, std::string>> values;
  for (const Setting* setting : service.changed_settings())
    if (!setting->option.empty()) values.emplace_back(setting->option, toml_string(setting->get(service)));
  if (service.acl().changed()) {
    std::string users = "[\n";
    for (const auto& [name, user] : service.acl().users()) users += "  " + toml_string(user.describe()) + ",\n";
    values.emplace_back("user", users + "]");
  }
  std::string text = before.str();
  std::string why = edit_toml(&text, values);
  if (why.empty() && text != before.str()) why = write_beside(path, text);
  return why.empty() ? why : "Rewriting config file: " + why;
}

}  // namespace coppice::daemon
