// ACL and its subcommands. Rules and rights are in acl/.
#include "acl/acl.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "acl/categories.h"
#include "commands/handlers.h"
#include "resp/number.h"

namespace coppice::daemon::handlers {

namespace {

constexpr std::int64_t kMostBits = 4096;
constexpr std::int64_t kUsualBits = 256;
constexpr std::int64_t kUsualLog = 10;

// Ends those who are the user; the calling client once it has its reply.
void end_sessions_of(Call& call, const User* user) {
  std::vector<std::uint64_t> ids;
  if (ClientDirectory* clients = call.service.clients()) {
    clients->for_each([&](const Session& session) {
      if (session.user == user && session.id != call.session.id) ids.push_back(session.id);
    });
    for (const std::uint64_t id : ids) clients->disconnect(id);
  }
  if (call.session.user != user) return;
  call.service.begin(call.session);
  call.session.authenticated = false;
  call.effects.next = Next::kCloseAfter;
}

}  // namespace

void acl_cat(Call& call) {
  if (call.size() > 3) return wrong_arity(call.reply, call.spec.name);
  if (call.size() == 2) {
    call.reply.array(category_names().size());
    for (const std::string_view name : category_names()) call.reply.bulk(name);
    return;
  }
  const auto category = find_category(call[2]);
  if (!category) return call.reply.error("ERR Unknown category '" + std::string(call[2]) + "'");
  std::vector<std::string_view> names;
  for (const CommandSpec& spec : command_table())
    if ((categories_of(spec) & *category) != 0) names.push_back(spec.name);
  call.reply.array(names.size());
  for (const std::string_view name : names) call.reply.bulk(name);
}

void acl_deluser(Call& call) {
  const auto names = call.arguments.subspan(2);
  if (std::find(names.begin(), names.end(), "default") != names.end())
    return call.reply.error("ERR The 'default' user cannot be removed");
  std::uint64_t removed = 0;
  Acl& acl = call.service.acl();
  for (const std::string_view name : names) {
    const User* user = acl.find(name);
    if (user == nullptr) continue;
    end_sessions_of(call, user);
    acl.remove(name);
    ++removed;
  }
  call.reply.count(removed);
}

void acl_dryrun(Call& call) {
  const User* user = call.service.acl().find(call[2]);
  if (user == nullptr) return call.reply.error("ERR User '" + std::string(call[2]) + "' not found");
  const auto inner = call.arguments.subspan(3);
  const CommandSpec* spec = resolve_command(inner);
  if (spec == nullptr) return call.reply.error("ERR Command '" + std::string(inner[0].substr(0, 128)) + "' not found");
  if (!arity_fits(*spec, inner.size())) return wrong_arity(call.reply, spec->name);
  const Verdict verdict = user->check(*spec, inner);
  const std::string object(verdict.object);
  const std::string who = "This user has no permissions to ";
  switch (verdict.denied) {
    case Denied::kNothing:
      return call.reply.ok();
    case Denied::kCommand:
      return call.reply.bulk(who + "run the '" + std::string(spec->name) + "' command");
    case Denied::kKey:
      return call.reply.bulk(who + "access the '" + object + "' key");
    case Denied::kChannel:
      return call.reply.bulk(who + "access the '" + object + "' channel");
  }
}

void acl_genpass(Call& call) {
  if (call.size() > 3) return wrong_arity(call.reply, call.spec.name);
  std::int64_t bits = kUsualBits;
  if (call.size() == 3 && !resp::parse_int64(call[2], &bits)) return not_an_integer(call);
  if (bits <= 0 || bits > kMostBits)
    return call.reply.error(
        "ERR ACL GENPASS argument must be the number of bits for the output password, a positive number up to 4096");
  std::array<unsigned char, kMostBits / 8> bytes;
  const auto digits = static_cast<std::size_t>((bits + 3) / 4);
  const std::size_t wanted = (digits + 1) / 2;
  for (std::size_t have = 0; have < wanted;) {
    const ssize_t n = getrandom(bytes.data() + have, wanted - have, 0);
    if (n <= 0) return call.reply.error("ERR no random numbers can be had from the system");
    have += static_cast<std::size_t>(n);
  }
  std::string password;
  for (std::size_t i = 0; i < digits; ++i)
    password += "0123456789abcdef"[i % 2 == 0 ? bytes[i / 2] >> 4 : bytes[i / 2] & 15];
  call.reply.bulk(password);
}

void acl_getuser(Call& call) {
  const User* user = call.service.acl().find(call[2]);
  if (user == nullptr) return call.reply.null();
  call.reply.map(6);
  call.reply.bulk("flags");
  call.reply.set(user->needs_password() ? 1 : 2);
  call.reply.bulk(user->enabled() ? "on" : "off");
  if (!user->needs_password()) call.reply.bulk("nopass");
  call.reply.bulk("passwords");
  const auto passwords = user->passwords();
  call.reply.array(passwords.size());
  for (const std::string_view hash : passwords) call.reply.bulk(hash);
  call.reply.bulk("commands");
  call.reply.bulk(user->commands());
  call.reply.bulk("keys");
  call.reply.bulk(user->keys());
  call.reply.bulk("channels");
  call.reply.bulk(user->channels());
  call.reply.bulk("selectors");
  call.reply.array(0);
}

void acl_list(Call& call) {
  const auto& users = call.service.acl().users();
  call.reply.array(users.size());
  for (const auto& [name, user] : users) call.reply.bulk("user " + user.describe());
}

void acl_load(Call& call) {
  call.reply.error(
      "ERR This Redis instance is not configured to use an ACL file. You may want to specify users via the ACL SETUSER "
      "command and then issue a CONFIG REWRITE (assuming you have a Redis configuration file set) in order to store "
      "users in the Redis configuration.");
}

void acl_log(Call& call) {
  if (call.size() > 3) return wrong_arity(call.reply, call.spec.name);
  Acl& acl = call.service.acl();
  std::int64_t count = kUsualLog;
  if (call.size() == 3) {
    if (is_word(call[2], "reset")) {
      acl.clear_log();
      return call.reply.ok();
    }
    if (!resp::parse_int64(call[2], &count)) return not_an_integer(call);
  }
  const std::size_t shown = std::min(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)), acl.log().size());
  call.reply.array(shown);
  for (std::size_t i = 0; i < shown; ++i) {
    const AclLogEntry& entry = acl.log()[i];
    call.reply.map(7);
    call.reply.bulk("count");
    call.reply.count(entry.count);
    call.reply.bulk("reason");
    call.reply.bulk(entry.reason);
    call.reply.bulk("context");
    call.reply.bulk(entry.context);
    call.reply.bulk("object");
    call.reply.bulk(entry.object);
    call.reply.bulk("username");
    call.reply.bulk(entry.user);
    call.reply.bulk("age-seconds");
    char age[32];
    const double seconds = static_cast<double>(call.service.clock().monotonic_ms() - entry.last_at) / 1000;
    call.reply.bulk(std::string_view(age, std::to_chars(age, age + sizeof age, seconds).ptr));
    call.reply.bulk("client-info");
    call.reply.bulk(entry.client);
  }
}

void acl_setuser(Call& call) {
  const std::string why = call.service.acl().set(call[2], call.arguments.subspan(3));
  if (!why.empty()) return call.reply.error("ERR " + why);
  call.reply.ok();
}

void acl_users(Call& call) {
  const auto& users = call.service.acl().users();
  call.reply.array(users.size());
  for (const auto& [name, user] : users) call.reply.bulk(name);
}

void acl_whoami(Call& call) { call.reply.bulk(call.session.user->name()); }

}  // namespace coppice::daemon::handlers
