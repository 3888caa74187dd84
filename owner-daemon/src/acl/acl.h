// All users, who may log in as whom, and what was refused to them lately.
//
// The user `default` is who every connection is at first; it always exists. Sessions point to their user: a change of
// its rules holds for them at once, and whoever removes a user ends its sessions first.
//
// Thread safety: none; the daemon's one loop.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "acl/user.h"
#include "coppice/types.h"

namespace coppice::daemon {

struct AclLogEntry {
  std::uint64_t count = 1;
  std::string_view reason;   // command, key, channel, auth
  std::string_view context;  // toplevel, multi
  std::string object;        // cut to kMost bytes, as is the name
  std::string user;
  Millis last_at = 0;
  std::string client;  // as CLIENT INFO describes it

  static constexpr std::size_t kMost = 256;
};

class Acl {
 public:
  // `default` may do everything, without a password.
  Acl();

  // Makes or changes a user: all of the rules or none. "" = done, else an error without its code, as Redis words it.
  std::string set(std::string_view name, std::span<const std::string_view> rules);
  // "name rule rule …": all of a user's rules. "" = done, else why not.
  std::string set_line(std::string_view line);
  // What --requirepass means: the only password of `default`; none if it is empty.
  void set_default_password(std::string_view password);
  // REQUIRES: not the default user, and no session is this user any more.
  void remove(std::string_view name);

  // Whether set() or remove() changed anything since the start. REQUIRES: mark_as_configured() at the start.
  bool changed() const { return changed_; }
  void mark_as_configured() { changed_ = false; }

  const User* find(std::string_view name) const;
  const User& default_user() const { return *default_; }
  const std::map<std::string, User, std::less<>>& users() const { return users_; }
  // Whether a connection is `default` at once, without a password.
  bool default_is_open() const { return default_->enabled() && !default_->needs_password(); }
  // Null: the name or the password is wrong, or the user is off; which of them does not show.
  const User* authenticate(std::string_view name, std::string_view password) const;

  // Newest first. The same again within a minute only counts up.
  const std::deque<AclLogEntry>& log() const { return log_; }
  void note(AclLogEntry entry, std::size_t longest_log);
  void clear_log() { log_.clear(); }

 private:
  std::map<std::string, User, std::less<>> users_;
  User* default_;
  bool changed_ = false;
  std::deque<AclLogEntry> log_;
};

}  // namespace coppice::daemon
