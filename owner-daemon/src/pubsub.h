// Who has subscribed to what, and what is published to them.
//
//   pubsub.subscribe(session, PubSub::Kind::kChannel, "news");
//   pubsub.publish("news", "text");             // goes to the sinks of the sessions at once
//   pubsub.forget(session);                     // before the session ends
//
// Channels, patterns and shard channels are three worlds: publish() reaches channels and patterns, publish_shard() the
// third. What one client may subscribe to is bounded in bytes.
//
// Thread safety: none; the daemon's one loop.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace coppice::daemon {

struct Session;

class PubSub {
 public:
  enum class Kind : std::uint8_t { kChannel, kPattern, kShard };
  static constexpr std::size_t kKinds = 3;

  // What one client has subscribed to. Its session owns it.
  class Subscriptions {
   public:
    std::size_t count(Kind kind) const { return names_[static_cast<std::size_t>(kind)].size(); }
    // What Redis counts together.
    std::size_t count_plain() const { return count(Kind::kChannel) + count(Kind::kPattern); }
    bool empty() const { return count_plain() + count(Kind::kShard) == 0; }
    template <class F>
    void for_each(Kind kind, F&& f) const {
      for (const std::string_view name : names_[static_cast<std::size_t>(kind)]) f(name);
    }

   private:
    friend class PubSub;
    // Keys of names_ in PubSub, which outlive the membership.
    std::array<std::unordered_set<std::string_view>, kKinds> names_;
    std::size_t bytes_ = 0;
  };

  // false: more than one client may subscribe to. REQUIRES: the session has a sink, and stays where it is until
  // forget().
  bool subscribe(Session& session, Kind kind, std::string_view name);
  void unsubscribe(Session& session, Kind kind, std::string_view name);
  void forget(Session& session);

  // The number of clients that got it, counted again for each of their patterns that matches.
  std::uint64_t publish(std::string_view channel, std::string_view message);
  std::uint64_t publish_shard(std::string_view channel, std::string_view message);

  // ---- figures
  std::size_t names(Kind kind) const { return names_[static_cast<std::size_t>(kind)].size(); }
  std::size_t subscribers(Kind kind, std::string_view name) const;
  void for_each(Kind kind, const std::function<void(std::string_view)>& f) const;
  std::size_t clients() const { return clients_; }

  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;  // of one client's subscriptions

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  using Members = std::map<std::uint64_t, Session*>;  // by the client's number
  using Names = std::unordered_map<std::string, Members, Hash, std::equal_to<>>;

  Names& of(Kind kind) { return names_[static_cast<std::size_t>(kind)]; }
  const Names& of(Kind kind) const { return names_[static_cast<std::size_t>(kind)]; }
  void leave(Session& session, Kind kind, std::string_view name);
  std::uint64_t send(Kind kind, std::string_view channel, std::string_view message);

  std::array<Names, kKinds> names_;
  std::size_t clients_ = 0;
};

}  // namespace coppice::daemon
