// CLIENT LIST, INFO, KILL, REPLY, PAUSE and UNBLOCK.
#include "commands/clients.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "commands/handlers.h"
#include "resp/number.h"

namespace coppice::daemon {

namespace {

std::string flags_of(const Session& client) {
  std::string flags;
  if (client.subscriptions != nullptr) flags += 'P';
  if (client.monitoring) flags += 'O';
  if (client.queuing) flags += 'x';
  if (client.tracking != nullptr) {
    flags += 't';
    if (client.tracking->redirect_broken) flags += 'R';
    if (client.tracking->options.broadcast) flags += 'B';
  }
  if (client.unix_socket) flags += 'U';
  return flags.empty() ? "N" : flags;
}

std::string redirect_of(const Session& client) {
  return client.tracking == nullptr ? "-1" : std::to_string(client.tracking->options.redirect);
}

}  // namespace

std::string describe_client(const Service& service, const Session& client) {
  const auto seconds_since = [&](Millis then) {
    return std::to_string(std::max<Millis>(service.clock().monotonic_ms() - then, 0) / 1000);
  };
  const std::string commands = client.queuing ? std::to_string(client.transaction->size()) : "-1";
  std::string line = "id=" + std::to_string(client.id) + " addr=" + client.address + " name=" + client.name +
                     " age=" + seconds_since(client.connected_at) + " idle=" + seconds_since(client.active_at);
  line += " flags=" + flags_of(client) + " db=" + std::to_string(client.database);
  const auto subscribed = [&](PubSub::Kind kind) {
    return std::to_string(client.subscriptions == nullptr ? 0 : client.subscriptions->count(kind));
  };
  line += " sub=" + subscribed(PubSub::Kind::kChannel) + " psub=" + subscribed(PubSub::Kind::kPattern);
  line += " ssub=" + subscribed(PubSub::Kind::kShard) + " multi=" + commands;
  line += " cmd=" + std::string(client.last_command != nullptr ? client.last_command->name : "NULL");
  line += " user=" + client.user->name() + " redir=" + redirect_of(client) + " resp=" + std::to_string(client.protocol);
  line += " lib-name=" + client.library_name + " lib-ver=" + client.library_version;
  return line;
}

}  // namespace coppice::daemon

namespace coppice::daemon::handlers {

namespace {

std::vector<const Session*> all_clients(const Call& call) {
  std::vector<const Session*> clients;
  if (const ClientDirectory* directory = call.service.clients())
    directory->for_each([&](const Session& client) { clients.push_back(&client); });
  std::sort(clients.begin(), clients.end(), [](const Session* a, const Session* b) { return a->id < b->id; });
  return clients;
}

// The types of clients that Redis names. There are no masters and replicas.
bool is_client_type(std::string_view word) {
  return is_word(word, "normal") || is_word(word, "master") || is_word(word, "replica") || is_word(word, "slave") ||
         is_word(word, "pubsub");
}

// Which clients are wanted: those with subscriptions, those without, both or none.
struct TypeFilter {
  bool normal = true;
  bool pubsub = true;
  bool takes(const Session& client) const { return client.subscriptions != nullptr ? pubsub : normal; }
};

bool parse_type(Call& call, std::string_view word, TypeFilter* filter) {
  if (!is_client_type(word)) {
    call.reply.error("ERR Unknown client type '" + std::string(word) + "'");
    return false;
  }
  *filter = {is_word(word, "normal"), is_word(word, "pubsub")};
  return true;
}

bool parse_client_id(Call& call, std::string_view text, std::string_view message, std::uint64_t* id) {
  std::int64_t number = 0;
  if (resp::parse_int64(text, &number) && number > 0) {
    *id = static_cast<std::uint64_t>(number);
    return true;
  }
  call.reply.error(message);
  return false;
}

// Ends the clients, the calling one once it has its reply; answers how many they are.
std::uint64_t kill(Call& call, const std::vector<std::uint64_t>& ids) {
  std::uint64_t killed = 0;
  for (const std::uint64_t id : ids) {
    if (id == call.session.id) {
      call.effects.next = Next::kCloseAfter;
      ++killed;
    } else if (call.service.clients()->disconnect(id)) {
      ++killed;
    }
  }
  return killed;
}

}  // namespace

void client_info(Call& call) { call.reply.verbatim(describe_client(call.service, call.session) + "\n"); }

void client_list(Call& call) {
  std::vector<std::uint64_t> ids;
  TypeFilter type;
  if (call.size() == 4 && is_word(call[2], "type")) {
    if (!parse_type(call, call[3], &type)) return;
  } else if (call.size() > 3 && is_word(call[2], "id")) {
    for (const std::string_view text : call.arguments.subspan(3))
      if (!parse_client_id(call, text, "ERR Invalid client ID", &ids.emplace_back())) return;
  } else if (call.size() > 2) {
    return syntax_error(call);
  }
  std::string text;
  for (const Session* client : all_clients(call))
    if (type.takes(*client) && (ids.empty() || std::find(ids.begin(), ids.end(), client->id) != ids.end()))
      text += describe_client(call.service, *client) + "\n";
  call.reply.verbatim(text);
}

void client_kill(Call& call) {
  std::vector<std::uint64_t> ids;
  if (call.size() == 3) {
    for (const Session* client : all_clients(call))
      if (client->address == call[2]) ids.push_back(client->id);
    if (kill(call, ids) == 0) return call.reply.error("ERR No such client");
    return call.reply.ok();
  }
  std::uint64_t id = 0;
  std::optional<std::string_view> address;
  const User* user = nullptr;
  TypeFilter type;
  bool skip_me = true;
  for (std::size_t i = 2; i < call.size(); i += 2) {
    if (i + 1 >= call.size()) return syntax_error(call);
    const std::string_view value = call[i + 1];
    if (is_word(call[i], "id")) {
      if (!parse_client_id(call, value, "ERR client-id should be greater than 0", &id)) return;
    } else if (is_word(call[i], "addr")) {
      address = value;
    } else if (is_word(call[i], "type")) {
      if (!parse_type(call, value, &type)) return;
    } else if (is_word(call[i], "user")) {
      user = call.service.acl().find(value);
      if (user == nullptr) return call.reply.error("ERR No such user '" + std::string(value) + "'");
    } else if (is_word(call[i], "skipme") && (is_word(value, "yes") || is_word(value, "no"))) {
      skip_me = is_word(value, "yes");
    } else {
      return syntax_error(call);
    }
  }
  for (const Session* client : all_clients(call))
    if (type.takes(*client) && (id == 0 || client->id == id) && (!address || client->address == *address) &&
        (user == nullptr || client->user == user) && (!skip_me || client != &call.session))
      ids.push_back(client->id);
  call.reply.count(kill(call, ids));
}

void client_reply(Call& call) {
  if (is_word(call[2], "on")) {
    call.session.replies = Replies::kOn;
    return call.reply.ok();
  }
  if (is_word(call[2], "off")) {
    call.session.replies = Replies::kOff;
  } else if (is_word(call[2], "skip")) {
    if (call.session.replies != Replies::kOff) call.session.replies = Replies::kSkipNext;
  } else {
    syntax_error(call);
  }
}

void client_pause(Call& call) {
  std::int64_t length = 0;
  bool all = true;
  if (call.size() > 4) return syntax_error(call);
  if (call.size() == 4) {
    if (!is_word(call[3], "write") && !is_word(call[3], "all"))
      return call.reply.error("ERR CLIENT PAUSE mode must be WRITE or ALL");
    all = is_word(call[3], "all");
  }
  if (!resp::parse_int64(call[2], &length)) return call.reply.error("ERR timeout is not an integer or out of range");
  if (length < 0) return call.reply.error("ERR timeout is negative");
  call.service.pause(length, all);
  call.reply.ok();
}

void client_unpause(Call& call) {
  call.service.unpause();
  call.reply.ok();
}

void client_unblock(Call& call) {
  bool with_error = false;
  if (call.size() > 4) return syntax_error(call);
  if (call.size() == 4) {
    if (!is_word(call[3], "timeout") && !is_word(call[3], "error"))
      return call.reply.error("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
    with_error = is_word(call[3], "error");
  }
  std::int64_t id = 0;
  if (!resp::parse_int64(call[2], &id)) return not_an_integer(call);
  ClientDirectory* clients = call.service.clients();
  call.reply.integer(clients != nullptr && id > 0 && clients->unblock(static_cast<std::uint64_t>(id), with_error));
}

// No client is ever ended for want of memory but at its own limits.
void client_no_evict(Call& call) {
  if (!is_word(call[2], "on") && !is_word(call[2], "off")) return syntax_error(call);
  call.reply.ok();
}

}  // namespace coppice::daemon::handlers
