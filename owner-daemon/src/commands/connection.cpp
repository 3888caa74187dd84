#include <string>

#include "commands/handlers.h"
#include "coppice/client.h"
#include "resp/number.h"
#include "version.h"

namespace coppice::daemon::handlers {

namespace {

// false: the error is written.
bool authenticate(Call& call, std::string_view name, std::string_view password) {
  const User* user = call.service.acl().authenticate(name, password);
  if (user == nullptr) {
    call.service.note_refusal(call.session, "auth", call[0], name);
    call.reply.error("WRONGPASS invalid username-password pair or user is disabled.");
    return false;
  }
  call.session.user = user;
  call.session.authenticated = true;
  return true;
}

bool printable(std::string_view text) {
  for (const char c : text)
    if (c < '!' || c > '~') return false;
  return true;
}

bool set_name(Call& call, std::string_view name) {
  if (!printable(name)) {
    call.reply.error("ERR Client names cannot contain spaces, newlines or special characters.");
    return false;
  }
  call.session.name = std::string(name);
  return true;
}

}  // namespace

void ping(Call& call) {
  if (call.size() > 2) return wrong_arity(call.reply, call.spec.name);
  // To a client that takes everything for messages it answers as one.
  if (call.session.subscriptions != nullptr && call.session.protocol < 3) {
    call.reply.array(2);
    call.reply.bulk("pong");
    return call.reply.bulk(call.size() == 2 ? call[1] : "");
  }
  if (call.size() == 2) return call.reply.bulk(call[1]);
  call.reply.simple("PONG");
}

void echo(Call& call) { call.reply.bulk(call[1]); }

void quit(Call& call) {
  call.reply.ok();
  call.effects.next = Next::kCloseAfter;
}

void auth(Call& call) {
  if (call.size() > 3) return syntax_error(call);
  if (call.size() == 2 && !call.service.acl().default_user().needs_password())
    return call.reply.error(
        "ERR AUTH <password> called without any password configured for the default user. Are you sure your "
        "configuration is correct?");
  if (authenticate(call, call.size() == 3 ? call[1] : "default", call[call.size() - 1])) call.reply.ok();
}

void hello(Call& call) {
  std::int64_t protocol = call.session.protocol;
  std::size_t i = 1;
  if (call.size() > 1) {
    if (!resp::parse_int64(call[i++], &protocol))
      return call.reply.error("ERR Protocol version is not an integer or out of range");
    if (protocol < 2 || protocol > 3) return call.reply.error("NOPROTO unsupported protocol version");
  }
  std::string_view name;
  bool named = false;
  for (; i < call.size(); ++i) {
    const std::size_t left = call.size() - 1 - i;
    if (is_word(call[i], "auth") && left >= 2) {
      if (!authenticate(call, call[i + 1], call[i + 2])) return;
      i += 2;
    } else if (is_word(call[i], "setname") && left >= 1) {
      name = call[++i];
      named = true;
    } else {
      return call.reply.error("ERR Syntax error in HELLO option '" + std::string(call[i]) + "'");
    }
  }
  if (!call.session.authenticated)
    return call.reply.error(
        "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO AUTH <user> "
        "<pass> option can be used to authenticate the client and select the RESP protocol version at the same time");
  if (named && !set_name(call, name)) return;
  call.session.protocol = static_cast<int>(protocol);
  call.reply.set_protocol(call.session.protocol);
  call.reply.map(7);
  call.reply.bulk("server");
  call.reply.bulk("redis");
  call.reply.bulk("version");
  call.reply.bulk(kRedisVersion);
  call.reply.bulk("proto");
  call.reply.integer(protocol);
  call.reply.bulk("id");
  call.reply.count(call.session.id);
  call.reply.bulk("mode");
  call.reply.bulk("standalone");
  call.reply.bulk("role");
  call.reply.bulk("master");
  call.reply.bulk("modules");
  call.reply.array(0);
}

void select(Call& call) {
  std::int64_t index = 0;
  if (!resp::parse_int64(call[1], &index)) return not_an_integer(call);
  if (index < 0 || index >= call.store().options().databases) return call.reply.error("ERR DB index is out of range");
  call.session.database = static_cast<Database>(index);
  call.reply.ok();
}

void reset(Call& call) {
  if (call.session.coordinated) call.service.coordinator().client_gone(call.session.id);
  call.service.end_messages(call.session);
  call.session.database = 0;
  call.session.protocol = 2;
  call.session.name.clear();
  call.service.begin(call.session);
  call.session.queuing = false;
  call.session.replies = Replies::kOn;
  call.session.transaction.reset();
  call.reply.set_protocol(2);
  call.reply.simple("RESET");
}

void client_id(Call& call) { call.reply.count(call.session.id); }

void client_setname(Call& call) {
  if (set_name(call, call[2])) call.reply.ok();
}

void client_getname(Call& call) {
  if (call.session.name.empty()) return call.reply.null();
  call.reply.bulk(call.session.name);
}

void client_setinfo(Call& call) {
  const bool is_name = is_word(call[2], "lib-name");
  if (!is_name && !is_word(call[2], "lib-ver"))
    return call.reply.error("ERR Unrecognized option '" + std::string(call[2]) + "'");
  if (!printable(call[3]))
    return call.reply.error(std::string("ERR ") + (is_name ? "lib-name" : "lib-ver") +
                            " cannot contain spaces, newlines or special characters.");
  (is_name ? call.session.library_name : call.session.library_version) = std::string(call[3]);
  call.reply.ok();
}

void attach(Call& call) {
  if (!call.session.unix_socket) return call.reply.error("ERR ATTACH needs the unix socket");
  if (call[1] != std::to_string(kAttachProtocol))
    return call.reply.error("NOPROTO unsupported ATTACH protocol " + std::string(call[1].substr(0, 32)) +
                            "; this owner speaks " + std::to_string(kAttachProtocol));
  // The segment shows every value of every database.
  const User& user = *call.session.user;
  if (user.restricted() && (!user.may_use({"", kReadKeys, true}) || !user.may_run(*find_command("tget"))))
    return call.reply.error("NOPERM this user may not read every key, which ATTACH needs");
  if (call.session.attached) return call.reply.error("ERR this connection is attached already");
  call.effects.next = Next::kAttach;
}

}  // namespace coppice::daemon::handlers
