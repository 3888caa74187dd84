#include "acl/user.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <optional>

#include "acl/categories.h"
#include "commands/command.h"

namespace coppice::daemon {

namespace {

constexpr std::size_t kHashLength = 64;

constexpr std::string_view kSyntax = "Syntax error";
constexpr std::string_view kUnknown = "Unknown command or category name in ACL";
constexpr std::string_view kBadHash =
    "The password hash must be exactly 64 characters and contain only lowercase hexadecimal characters";
constexpr std::string_view kNoPassword = "The password you are trying to remove from the user does not exist";

std::string sha256_hex(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::string hex;
  for (const unsigned char byte : digest) {
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  return hex;
}

bool is_hash(std::string_view text) {
  return text.size() == kHashLength && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string after_all(std::string_view flag, std::string_view reset, std::string_view list) {
  return "Adding a pattern after the * pattern (or the '" + std::string(flag) +
         "' flag) is not valid and does not have any effect. Try '" + std::string(reset) +
         "' to start with an empty list of " + std::string(list);
}

// Names in a list of patterns are separated by spaces.
bool has_space(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return c == ' ' || (c >= '\t' && c <= '\r') || c == 0; });
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

void append_word(std::string* text, std::string_view word) {
  if (word.empty()) return;
  if (!text->empty()) *text += ' ';
  *text += word;
}

}  // namespace

std::string User::apply(std::string_view rule) {
  std::string why;
  if (is_word(rule, "on") || is_word(rule, "off")) {
    enabled_ = is_word(rule, "on");
  } else if (is_word(rule, "nopass") || is_word(rule, "resetpass")) {
    no_password_ = is_word(rule, "nopass");
    passwords_.clear();
  } else if (is_word(rule, "allkeys") || rule == "~*" || is_word(rule, "resetkeys")) {
    all_keys_ = !is_word(rule, "resetkeys");
    keys_.clear();
  } else if (is_word(rule, "allchannels") || rule == "&*" || is_word(rule, "resetchannels")) {
    all_channels_ = !is_word(rule, "resetchannels");
    channels_.clear();
  } else if (is_word(rule, "allcommands") || is_word(rule, "+@all")) {
    allow_all_commands(true);
  } else if (is_word(rule, "nocommands") || is_word(rule, "-@all")) {
    allow_all_commands(false);
  } else if (is_word(rule, "reset")) {
    *this = User(name_);
  } else if (is_word(rule, "sanitize-payload") || is_word(rule, "skip-sanitize-payload") ||
             is_word(rule, "clearselectors")) {
    // About RESTORE and selectors, which are not here: nothing to do.
  } else if (rule.empty() || has_space(rule.substr(0, rule.find_first_of("><(") == 0 ? 1 : rule.size()))) {
    why = kSyntax;
  } else {
    switch (rule[0]) {
      case '>':
      case '<':
      case '#':
      case '!':
        why = apply_password(rule);
        break;
      case '~':
      case '%':
        why = apply_keys(rule);
        break;
      case '&':
        why = apply_channels(rule.substr(1));
        break;
      case '+':
      case '-':
        why = apply_command(rule[0] == '+', rule.substr(1));
        break;
      case '(':
        why = "Selectors are not supported";
        break;
      default:
        why = kSyntax;
    }
  }
  update();
  return why;
}

std::string User::apply_password(std::string_view rule) {
  const bool plain = rule[0] == '>' || rule[0] == '<';
  const bool add = rule[0] == '>' || rule[0] == '#';
  if (!plain && !is_hash(rule.substr(1))) return std::string(kBadHash);
  const std::string hash = plain ? sha256_hex(rule.substr(1)) : std::string(rule.substr(1));
  const auto found = std::find(passwords_.begin(), passwords_.end(), hash);
  if (add) {
    if (found == passwords_.end()) passwords_.push_back(hash);
    no_password_ = false;
  } else {
    if (found == passwords_.end()) return std::string(kNoPassword);
    passwords_.erase(found);
  }
  return {};
}

std::string User::apply_keys(std::string_view rule) {
  std::uint8_t rights = rule[0] == '~' ? kReadKeys | kWriteKeys : kNoRights;
  std::size_t i = 1;
  if (rule[0] == '%') {
    for (; i < rule.size() && rule[i] != '~'; ++i) {
      if (rule[i] == 'R' || rule[i] == 'r')
        rights |= kReadKeys;
      else if (rule[i] == 'W' || rule[i] == 'w')
        rights |= kWriteKeys;
      else
        return std::string(kSyntax);
    }
    if (i++ == rule.size() || rights == kNoRights) return std::string(kSyntax);
  }
  const std::string_view text = rule.substr(i);
  if (all_keys_) return after_all("allkeys", "resetkeys", "patterns");
  if (text == "*" && rights == (kReadKeys | kWriteKeys)) {
    all_keys_ = true;
    keys_.clear();
    return {};
  }
  const auto same = std::find_if(keys_.begin(), keys_.end(), [&](const Pattern& p) { return p.text == text; });
  if (same != keys_.end())
    same->rights |= rights;
  else
    keys_.push_back({std::string(text), rights, resp::glob_range(text)});
  return {};
}

std::string User::apply_channels(std::string_view pattern) {
  if (all_channels_) return after_all("allchannels", "resetchannels", "channels");
  if (std::find(channels_.begin(), channels_.end(), pattern) == channels_.end()) channels_.emplace_back(pattern);
  return {};
}

std::string User::apply_command(bool allow, std::string_view name) {
  const std::string target = lower_case(name);
  std::bitset<kMaxCommands> meant;
  if (target.starts_with('@')) {
    const auto category = find_category(target.substr(1));
    if (!category) return std::string(kUnknown);
    for (const CommandSpec& spec : command_table())
      if ((categories_of(spec) & *category) != 0) meant.set(command_index(spec));
  } else {
    if (std::count(target.begin(), target.end(), '|') > 1) return "Allowing first-arg of a subcommand is not supported";
    const CommandSpec* named = find_command(target);
    if (named == nullptr) return std::string(kUnknown);
    for (const CommandSpec& spec : command_table())
      if (&spec == named || spec.name.starts_with(target + "|")) meant.set(command_index(spec));
  }
  commands_ = allow ? commands_ | meant : commands_ & ~meant;
  // What was said of the same target before, or of a part of it, does not matter any more.
  std::erase_if(command_rules_, [&](const std::string& rule) {
    const std::string_view other = std::string_view(rule).substr(1);
    return other == target || other.starts_with(target + "|");
  });
  command_rules_.push_back((allow ? "+" : "-") + target);
  return {};
}

void User::allow_all_commands(bool allow) {
  commands_.reset();
  if (allow)
    for (const CommandSpec& spec : command_table()) commands_.set(command_index(spec));
  commands_from_all_ = allow;
  command_rules_.clear();
}

void User::update() { restricted_ = !all_keys_ || !all_channels_ || commands_.count() < command_table().size(); }

bool User::has_password(std::string_view password) const {
  const std::string given = sha256_hex(password);
  bool found = false;
  for (const std::string& hash : passwords_) found |= CRYPTO_memcmp(hash.data(), given.data(), kHashLength) == 0;
  return found;
}

Verdict User::check(const CommandSpec& spec, std::span<const std::string_view> arguments) const {
  if (!may_run(spec)) return {Denied::kCommand, {}};
  Verdict verdict;
  if (!all_keys_) {
    for_each_key(spec, arguments, [&](const KeyAccess& access) {
      if (may_use(access)) return true;
      verdict = {Denied::kKey, access.key};
      return false;
    });
    if (verdict.denied != Denied::kNothing) return verdict;
  }
  if (all_channels_) return verdict;
  const ChannelAccess access = channels_of(spec, arguments);
  for (const std::string_view channel : access.channels)
    if (!may_use_channel(channel, access.patterns)) return {Denied::kChannel, channel};
  return verdict;
}

bool User::may_run(const CommandSpec& spec) const { return commands_.test(command_index(spec)); }

bool User::may_use(const KeyAccess& access) const {
  if (all_keys_) return true;
  return std::any_of(keys_.begin(), keys_.end(), [&](const Pattern& p) {
    if ((p.rights & access.rights) != access.rights) return false;
    if (p.range.whole_prefix) return access.key.starts_with(p.range.prefix);
    return !access.branch && (p.range.exact ? access.key == p.range.prefix : resp::glob_match(p.text, access.key));
  });
}

bool User::may_use_channel(std::string_view channel, bool pattern) const {
  if (all_channels_) return true;
  // Which channels a client's pattern would match can't be known: it must be one of the user's own.
  return std::any_of(channels_.begin(), channels_.end(),
                     [&](const std::string& own) { return pattern ? own == channel : resp::glob_match(own, channel); });
}

std::string User::flags() const {
  std::string text = enabled_ ? "on" : "off";
  if (no_password_) text += " nopass";
  return text;
}

std::vector<std::string_view> User::passwords() const { return {passwords_.begin(), passwords_.end()}; }

std::string User::commands() const {
  std::string text = commands_from_all_ ? "+@all" : "-@all";
  for (const std::string& rule : command_rules_) append_word(&text, rule);
  return text;
}

std::string User::keys() const {
  if (all_keys_) return "~*";
  std::string text;
  for (const Pattern& p : keys_)
    append_word(&text, (p.rights == kReadKeys ? "%R~" : p.rights == kWriteKeys ? "%W~" : "~") + p.text);
  return text;
}

std::string User::channels() const {
  if (all_channels_) return "&*";
  std::string text;
  for (const std::string& pattern : channels_) append_word(&text, "&" + pattern);
  return text;
}

std::string User::describe() const {
  std::string text = name_ + " " + flags();
  for (const std::string& hash : passwords_) append_word(&text, "#" + hash);
  append_word(&text, keys());
  if (!all_channels_) append_word(&text, "resetchannels");
  append_word(&text, channels());
  append_word(&text, commands());
  return text;
}

}  // namespace coppice::daemon
