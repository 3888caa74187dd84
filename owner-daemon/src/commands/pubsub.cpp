// SUBSCRIBE and its like, PUBLISH, PUBSUB.
#include <optional>
#include <string>
#include <vector>

#include "commands/handlers.h"
#include "resp/glob.h"

namespace coppice::daemon::handlers {

namespace {

using Kind = PubSub::Kind;

std::vector<std::string_view> names_of(const Call& call, Kind kind) {
  std::vector<std::string_view> names;
  if (call.session.subscriptions != nullptr)
    call.session.subscriptions->for_each(kind, [&](std::string_view name) { names.push_back(name); });
  return names;
}

// Each subscription, and the end of each, is a message of its own.
void confirm(Call& call, Kind kind, std::optional<std::string_view> name) {
  const PubSub::Subscriptions* own = call.session.subscriptions.get();
  call.reply.push(3);
  call.reply.bulk(call.spec.name);
  if (name)
    call.reply.bulk(*name);
  else
    call.reply.null();
  call.reply.count(own == nullptr ? 0 : kind == Kind::kShard ? own->count(kind) : own->count_plain());
}

void subscribe_to(Call& call, Kind kind) {
  if (call.session.sink == nullptr) return call.reply.error("ERR this client can't receive messages");
  for (const std::string_view name : call.arguments.subspan(1)) {
    if (!call.service.pubsub().subscribe(call.session, kind, name))
      return call.reply.error("ERR the client's subscriptions would take more than " +
                              std::to_string(PubSub::kMostBytes) + " bytes");
    confirm(call, kind, name);
  }
}

void unsubscribe_from(Call& call, Kind kind) {
  if (call.size() > 1) {
    for (const std::string_view name : call.arguments.subspan(1)) {
      call.service.pubsub().unsubscribe(call.session, kind, name);
      confirm(call, kind, name);
    }
    return;
  }
  const auto all = names_of(call, kind);
  for (const std::string_view view : all) {
    const std::string name(view);  // the view ends with the subscription
    call.service.pubsub().unsubscribe(call.session, kind, name);
    confirm(call, kind, name);
  }
  if (all.empty()) confirm(call, kind, std::nullopt);
}

void list_channels(Call& call, Kind kind) {
  if (call.size() > 3) return wrong_arity(call.reply, call.spec.name);
  std::vector<std::string_view> names;
  call.service.pubsub().for_each(kind, [&](std::string_view name) {
    if (call.size() < 3 || resp::glob_match(call[2], name)) names.push_back(name);
  });
  call.reply.array(names.size());
  for (const std::string_view name : names) call.reply.bulk(name);
}

void count_subscribers(Call& call, Kind kind) {
  const auto names = call.arguments.subspan(2);
  call.reply.array(2 * names.size());
  for (const std::string_view name : names) {
    call.reply.bulk(name);
    call.reply.count(call.service.pubsub().subscribers(kind, name));
  }
}

}  // namespace

void subscribe(Call& call) { subscribe_to(call, Kind::kChannel); }
void psubscribe(Call& call) { subscribe_to(call, Kind::kPattern); }
void ssubscribe(Call& call) { subscribe_to(call, Kind::kShard); }
void unsubscribe(Call& call) { unsubscribe_from(call, Kind::kChannel); }
void punsubscribe(Call& call) { unsubscribe_from(call, Kind::kPattern); }
void sunsubscribe(Call& call) { unsubscribe_from(call, Kind::kShard); }

void publish(Call& call) { call.reply.count(call.service.pubsub().publish(call[1], call[2])); }
void spublish(Call& call) { call.reply.count(call.service.pubsub().publish_shard(call[1], call[2])); }

void pubsub_channels(Call& call) { list_channels(call, Kind::kChannel); }
void pubsub_shardchannels(Call& call) { list_channels(call, Kind::kShard); }
void pubsub_numsub(Call& call) { count_subscribers(call, Kind::kChannel); }
void pubsub_shardnumsub(Call& call) { count_subscribers(call, Kind::kShard); }
void pubsub_numpat(Call& call) { call.reply.count(call.service.pubsub().names(Kind::kPattern)); }

void pubsub_help(Call& call) {
  constexpr std::string_view kLines[] = {
      "PUBSUB <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
      "CHANNELS [<pattern>]",
      "    The channels that have subscribers, those that match the pattern.",
      "NUMPAT",
      "    The number of patterns that are subscribed to.",
      "NUMSUB [<channel> ...]",
      "    The number of subscribers of each channel.",
      "SHARDCHANNELS [<pattern>]",
      "    The shard channels that have subscribers.",
      "SHARDNUMSUB [<channel> ...]",
      "    The number of subscribers of each shard channel.",
      "HELP",
      "    This text.",
  };
  call.reply.array(std::size(kLines));
  for (const std::string_view line : kLines) call.reply.simple(line);
}

}  // namespace coppice::daemon::handlers
