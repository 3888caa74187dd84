#include "pubsub.h"

#include <memory>
#include <span>

#include "push_sink.h"
#include "resp/glob.h"
#include "resp/writer.h"
#include "session.h"

namespace coppice::daemon {

namespace {

// What a subscription takes besides its name, about.
constexpr std::size_t kOverhead = 200;

// One message in both protocols, each encoded when the first client needs it.
class Message {
 public:
  explicit Message(std::span<const std::string_view> words) : words_(words) {}

  std::uint64_t send_to(const std::map<std::uint64_t, Session*>& members) {
    for (const auto& [id, session] : members) session->sink->push(encoded(session->protocol));
    return members.size();
  }

 private:
  const std::string& encoded(int protocol) {
    std::string& text = encoded_[protocol >= 3 ? 1 : 0];
    if (!text.empty()) return text;
    std::size_t size = 64;
    for (const std::string_view word : words_) size += word.size() + 16;
    text.reserve(size);
    resp::ReplyWriter writer(text, protocol);
    writer.push(words_.size());
    for (const std::string_view word : words_) writer.bulk(word);
    return text;
  }

  std::span<const std::string_view> words_;
  std::string encoded_[2];
};

}  // namespace

bool PubSub::subscribe(Session& session, Kind kind, std::string_view name) {
  const std::size_t bytes = name.size() + kOverhead;
  if ((session.subscriptions == nullptr ? 0 : session.subscriptions->bytes_) + bytes > kMostBytes) return false;
  if (session.subscriptions == nullptr) {
    session.subscriptions = std::make_unique<Subscriptions>();
    ++clients_;
  }
  Subscriptions& own = *session.subscriptions;
  auto& names = own.names_[static_cast<std::size_t>(kind)];
  if (names.contains(name)) return true;
  const auto found = of(kind).try_emplace(std::string(name)).first;
  found->second.emplace(session.id, &session);
  names.insert(found->first);
  own.bytes_ += bytes;
  return true;
}

// `name` is gone afterwards if it was the last member's.
void PubSub::leave(Session& session, Kind kind, std::string_view name) {
  const auto found = of(kind).find(name);
  found->second.erase(session.id);
  if (found->second.empty()) of(kind).erase(found);
}

void PubSub::unsubscribe(Session& session, Kind kind, std::string_view name) {
  if (session.subscriptions == nullptr) return;
  Subscriptions& own = *session.subscriptions;
  if (own.names_[static_cast<std::size_t>(kind)].erase(name) == 0) return;
  own.bytes_ -= name.size() + kOverhead;
  leave(session, kind, name);
  if (!own.empty()) return;
  session.subscriptions.reset();
  --clients_;
}

void PubSub::forget(Session& session) {
  if (session.subscriptions == nullptr) return;
  const auto own = std::move(session.subscriptions);
  --clients_;
  for (std::size_t kind = 0; kind < kKinds; ++kind)
    for (const std::string_view name : own->names_[kind]) leave(session, static_cast<Kind>(kind), name);
}

std::uint64_t PubSub::send(Kind kind, std::string_view channel, std::string_view message) {
  const auto found = of(kind).find(channel);
  if (found == of(kind).end()) return 0;
  const std::array<std::string_view, 3> words{kind == Kind::kShard ? "smessage" : "message", channel, message};
  return Message(words).send_to(found->second);
}

std::uint64_t PubSub::publish(std::string_view channel, std::string_view message) {
  std::uint64_t receivers = send(Kind::kChannel, channel, message);
  for (const auto& [pattern, members] : of(Kind::kPattern)) {
    if (!resp::glob_match(pattern, channel)) continue;
    const std::array<std::string_view, 4> words{"pmessage", pattern, channel, message};
    receivers += Message(words).send_to(members);
  }
  return receivers;
}

std::uint64_t PubSub::publish_shard(std::string_view channel, std::string_view message) {
  return send(Kind::kShard, channel, message);
}

std::size_t PubSub::subscribers(Kind kind, std::string_view name) const {
  const auto found = of(kind).find(name);
  return found == of(kind).end() ? 0 : found->second.size();
}

void PubSub::for_each(Kind kind, const std::function<void(std::string_view)>& f) const {
  for (const auto& [name, members] : of(kind)) f(name);
}

}  // namespace coppice::daemon
