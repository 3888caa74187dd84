#include "acl/acl.h"

#include <algorithm>
#include <vector>

namespace coppice::daemon {

namespace {

constexpr Millis kSameWithin = 60'000;

bool is_user_name(std::string_view name) {
  return !name.empty() &&
         std::none_of(name.begin(), name.end(), [](char c) { return c == ' ' || (c >= '\t' && c <= '\r') || c == 0; });
}

}  // namespace

Acl::Acl() : default_(&users_.emplace("default", User("default")).first->second) {
  for (const std::string_view rule : {"on", "nopass", "allkeys", "allchannels", "allcommands"}) default_->apply(rule);
}

std::string Acl::set(std::string_view name, std::span<const std::string_view> rules) {
  if (!is_user_name(name)) return "Usernames can't contain spaces or null characters";
  const auto there = users_.find(name);
  User changed = there != users_.end() ? there->second : User(std::string(name));
  for (const std::string_view rule : rules)
    if (const std::string why = changed.apply(rule); !why.empty())
      return "Error in ACL SETUSER modifier '" + std::string(rule) + "': " + why;
  if (there != users_.end())
    there->second = std::move(changed);
  else
    users_.emplace(std::string(name), std::move(changed));
  changed_ = true;
  return {};
}

std::string Acl::set_line(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    if (end > 0) words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  if (words.empty()) return "a user's name is missing";
  const std::string_view name = words[0];
  words[0] = "reset";
  return set(name, words);
}

void Acl::set_default_password(std::string_view password) {
  default_->apply("resetpass");
  changed_ = true;
  default_->apply(password.empty() ? "nopass" : ">" + std::string(password));
}

void Acl::remove(std::string_view name) {
  if (const auto found = users_.find(name); found != users_.end()) {
    users_.erase(found);
    changed_ = true;
  }
}

const User* Acl::find(std::string_view name) const {
  const auto found = users_.find(name);
  return found == users_.end() ? nullptr : &found->second;
}

const User* Acl::authenticate(std::string_view name, std::string_view password) const {
  const User* user = find(name);
  // Of a name that is not there, too, the password is looked at.
  const bool right = (user != nullptr ? user : default_)->has_password(password);
  if (user == nullptr || !user->enabled()) return nullptr;
  return right || !user->needs_password() ? user : nullptr;
}

void Acl::note(AclLogEntry entry, std::size_t longest_log) {
  entry.object.resize(std::min(entry.object.size(), AclLogEntry::kMost));
  entry.user.resize(std::min(entry.user.size(), AclLogEntry::kMost));
  const auto same = std::find_if(log_.begin(), log_.end(), [&](const AclLogEntry& old) {
    return old.reason == entry.reason && old.context == entry.context && old.object == entry.object &&
           old.user == entry.user && entry.last_at - old.last_at <= kSameWithin;
  });
  if (same != log_.end()) {
    entry.count = same->count + 1;
    log_.erase(same);
  }
  log_.push_front(std::move(entry));
  while (log_.size() > longest_log) log_.pop_back();
}

}  // namespace coppice::daemon
