// One user: its passwords and what it may do, set by rules as Redis's ACL SETUSER takes them.
//
//   User user("web");
//   std::string why = user.apply("~shop.*");   // "" = done, else what is wrong with the rule
//   user.check(spec, arguments).denied         // kNothing = the command may be run
//
// Passwords are kept as SHA-256. Nothing here says whether a command is executed: Service asks before it is.
//
// Thread safety: none; the daemon's one loop.
#pragma once

#include <bitset>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "acl/access.h"
#include "resp/glob.h"

namespace coppice::daemon {

struct CommandSpec;

// More than there are: table.cpp sees to it.
inline constexpr std::size_t kMaxCommands = 1024;

enum class Denied : std::uint8_t { kNothing, kCommand, kKey, kChannel };

struct Verdict {
  Denied denied = Denied::kNothing;
  std::string_view object;  // the key or channel, of the arguments
};

class User {
 public:
  // May do nothing: off, no password, no commands, no keys.
  explicit User(std::string name) : name_(std::move(name)) {}

  // Applies one rule. Answers "" or, in Redis's words, what is wrong with it; then nothing is changed.
  std::string apply(std::string_view rule);

  const std::string& name() const { return name_; }
  bool enabled() const { return enabled_; }
  bool needs_password() const { return !no_password_; }
  // Takes the same time whichever password it is, and if it is none.
  bool has_password(std::string_view password) const;
  // Whether there is anything that the user may not do: if not, nothing needs checking.
  bool restricted() const { return restricted_; }

  Verdict check(const CommandSpec& spec, std::span<const std::string_view> arguments) const;
  bool may_run(const CommandSpec& spec) const;
  bool may_use(const KeyAccess& access) const;
  bool may_use_channel(std::string_view channel, bool pattern) const;

  // "on nopass", "~shop.* %R~all.*" and so on: the rules that make this user out of a new one.
  std::string flags() const;
  std::vector<std::string_view> passwords() const;
  std::string commands() const;
  std::string keys() const;
  std::string channels() const;
  // All of them, as ACL LIST and the configuration file have it, with the name first.
  std::string describe() const;

 private:
  struct Pattern {
    std::string text;
    std::uint8_t rights;
    resp::GlobRange range;
  };

  std::string apply_command(bool allow, std::string_view name);
  std::string apply_keys(std::string_view rule);
  std::string apply_channels(std::string_view pattern);
  std::string apply_password(std::string_view rule);
  void allow_all_commands(bool allow);
  void update();

  std::string name_;
  bool restricted_ = true;
  bool enabled_ = false;
  bool no_password_ = false;
  bool all_keys_ = false;
  bool all_channels_ = false;
  bool commands_from_all_ = false;          // the command rules begin with +@all, not -@all
  std::bitset<kMaxCommands> commands_;      // by command_index()
  std::vector<std::string> command_rules_;  // "+@read", "-get": what came after the first, no target twice
  std::vector<std::string> passwords_;      // SHA-256 in lower-case hexadecimal
  std::vector<Pattern> keys_;
  std::vector<std::string> channels_;
};

}  // namespace coppice::daemon
