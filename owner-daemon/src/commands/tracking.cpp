// CLIENT TRACKING, CACHING, TRACKINGINFO, GETREDIR.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "acl/user.h"
#include "commands/handlers.h"
#include "resp/number.h"

namespace coppice::daemon::handlers {

namespace {

// false: the error is written.
bool parse_options(Call& call, Tracking::Options* out) {
  for (std::size_t i = 3; i < call.size(); ++i) {
    const bool more = i + 1 < call.size();
    if (is_word(call[i], "redirect") && more) {
      if (out->redirect != 0) {
        call.reply.error("ERR A client can only redirect to a single other client");
        return false;
      }
      std::int64_t id = 0;
      if (!resp::parse_int64(call[++i], &id)) {
        not_an_integer(call);
        return false;
      }
      out->redirect = static_cast<std::uint64_t>(id);
      if (id < 1 || !call.service.keyspace().tracking().exists(out->redirect)) {
        call.reply.error("ERR The client ID you want redirect to does not exist");
        return false;
      }
    } else if (is_word(call[i], "bcast")) {
      out->broadcast = true;
    } else if (is_word(call[i], "optin")) {
      out->opt_in = true;
    } else if (is_word(call[i], "optout")) {
      out->opt_out = true;
    } else if (is_word(call[i], "noloop")) {
      out->no_loop = true;
    } else if (is_word(call[i], "ranges")) {
      out->ranges = true;
    } else if (is_word(call[i], "prefix") && more) {
      out->prefixes.emplace_back(call[++i]);
    } else {
      syntax_error(call);
      return false;
    }
  }
  return true;
}

// What keeps the options from being those of this client; "": nothing.
std::string contradiction(const Tracking::Options& wanted, const Tracking::Client* client) {
  constexpr const char* kBefore =
      " before disabling tracking for this client, and then re-enabling it with a different mode.";
  if (!wanted.broadcast && !wanted.prefixes.empty()) return "PREFIX option requires BCAST mode to be enabled";
  if (client != nullptr && client->options.broadcast != wanted.broadcast)
    return std::string("You can't switch BCAST mode on/off") + kBefore;
  if (wanted.broadcast && (wanted.opt_in || wanted.opt_out)) return "OPTIN and OPTOUT are not compatible with BCAST";
  if (wanted.opt_in && wanted.opt_out) return "You can't specify both OPTIN mode and OPTOUT mode";
  if (client != nullptr && ((wanted.opt_in && client->options.opt_out) || (wanted.opt_out && client->options.opt_in)))
    return std::string("You can't switch OPTIN/OPTOUT mode") + kBefore;
  return "";
}

bool overlap(std::string_view a, std::string_view b) { return a.starts_with(b) || b.starts_with(a); }

// What is wrong with the prefixes; "": nothing.
std::string collision(const std::vector<std::string>& wanted, const Tracking::Client* client) {
  const std::size_t have = client == nullptr ? 0 : client->options.prefixes.size();
  if (wanted.size() + have > Tracking::kMostPrefixes)
    return "a client can have " + std::to_string(Tracking::kMostPrefixes) + " prefixes";
  const auto message = [](std::string_view a, std::string_view which, std::string_view b) {
    return "Prefix '" + std::string(a) + "' overlaps with " + std::string(which) + " prefix '" + std::string(b) +
           "'. Prefixes for a single client must not overlap.";
  };
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].size() > kMaxKeyLength) return "the prefix is longer than a key can be";
    if (client != nullptr)
      for (const std::string& old : client->options.prefixes)
        if (overlap(wanted[i], old)) return message(wanted[i], "an existing", old);
    for (std::size_t j = i + 1; j < wanted.size(); ++j)
      if (overlap(wanted[i], wanted[j])) return message(wanted[i], "another provided", wanted[j]);
  }
  return "";
}

// Who broadcasts learns the names of keys that it never asked for.
bool may_learn_names(const Call& call, const Tracking::Options& wanted) {
  const User& user = *call.session.user;
  const auto may = [&](std::string_view prefix) {
    return user.may_use({.key = prefix, .rights = kReadKeys, .branch = true});
  };
  if (!user.restricted() || !wanted.broadcast) return true;
  if (wanted.prefixes.empty()) return may("");
  return std::all_of(wanted.prefixes.begin(), wanted.prefixes.end(), may);
}

}  // namespace

void client_tracking(Call& call) {
  Tracking::Options wanted;
  if (!parse_options(call, &wanted)) return;
  const Tracking::Client* client = call.session.tracking.get();
  if (is_word(call[2], "off")) {
    call.service.keyspace().tracking().disable(call.session);
  } else if (is_word(call[2], "on")) {
    if (const std::string why = contradiction(wanted, client); !why.empty()) return call.reply.error("ERR " + why);
    if (const std::string why = collision(wanted.prefixes, client); !why.empty()) return call.reply.error("ERR " + why);
    if (!may_learn_names(call, wanted))
      return call.reply.error("NOPERM this user has no permissions to access one of the keys used as arguments");
    if (call.session.sink == nullptr) return call.reply.error("ERR this client can't receive messages");
    call.service.keyspace().tracking().enable(call.session, std::move(wanted));
  } else {
    return syntax_error(call);
  }
  call.service.keyspace().update();
  call.reply.ok();
}

void client_caching(Call& call) {
  Tracking::Client* const client = call.session.tracking.get();
  if (client == nullptr)
    return call.reply.error(
        "ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled");
  const bool yes = is_word(call[2], "yes");
  if (!yes && !is_word(call[2], "no")) return syntax_error(call);
  if (yes && !client->options.opt_in)
    return call.reply.error("ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.");
  if (!yes && !client->options.opt_out)
    return call.reply.error("ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.");
  client->caching = yes ? Tracking::Caching::kYes : Tracking::Caching::kNo;
  call.reply.ok();
}

void client_getredir(Call& call) {
  if (call.session.tracking == nullptr) return call.reply.integer(-1);
  call.reply.count(call.session.tracking->options.redirect);
}

void client_trackinginfo(Call& call) {
  const Tracking::Client* const client = call.session.tracking.get();
  std::vector<std::string_view> flags{client == nullptr ? "off" : "on"};
  const auto flag = [&](bool given, std::string_view name) {
    if (client != nullptr && given) flags.push_back(name);
  };
  static const Tracking::Client kOff;
  const Tracking::Client& state = client == nullptr ? kOff : *client;
  flag(state.options.broadcast, "bcast");
  flag(state.options.opt_in, "optin");
  flag(state.caching == Tracking::Caching::kYes, "caching-yes");
  flag(state.options.opt_out, "optout");
  flag(state.caching == Tracking::Caching::kNo, "caching-no");
  flag(state.options.no_loop, "noloop");
  flag(state.redirect_broken, "broken_redirect");
  flag(state.options.ranges, "ranges");
  call.reply.map(3);
  call.reply.bulk("flags");
  call.reply.set(flags.size());
  for (const std::string_view name : flags) call.reply.bulk(name);
  call.reply.bulk("redirect");
  if (client == nullptr)
    call.reply.integer(-1);
  else
    call.reply.count(state.options.redirect);
  call.reply.bulk("prefixes");
  call.reply.array(state.options.prefixes.size());
  for (const std::string& prefix : state.options.prefixes) call.reply.bulk(prefix);
}

}  // namespace coppice::daemon::handlers
