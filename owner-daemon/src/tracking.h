// Client-side caching: which client may have cached which key, and the messages that tell it to forget one.
//
//   tracking.enable(session, options);
//   tracking.after(call);               // a command was run: what a tracking client read is remembered
//   tracking.on_change("key", origin);  // who is to be told is noted …
//   tracking.flush();                   // … and told, once a turn of the loop
//
// A client in the default mode is told once of each key that it read; one that broadcasts is told of every key with its
// prefixes. Each client gets one message a turn for what it read, each prefix one for what it covers, without doubles,
// behind the replies of that turn. What would be too many keys for a message is a null message, which says to forget
// everything, or to those who can take it (the option RANGES) one that names the prefix. Names of keys alone count, not
// their databases.
//
// The table of what was read is bounded in keys and in bytes: what has to leave it is told to its readers. A message
// that can't be delivered (the client that it is redirected to is gone, or has not subscribed) is made up for by a null
// message as soon as one can.
//
// Thread safety: none; the daemon's one loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "coppice/store.h"

namespace coppice::daemon {

struct Call;
struct Session;

class Tracking {
 public:
  // A key or an erased prefix, and the client that did it; 0: none, or several.
  using Named = std::map<std::string, std::uint64_t, std::less<>>;

  struct Options {
    bool broadcast = false;
    bool opt_in = false;   // only what is read right after CLIENT CACHING YES
    bool opt_out = false;  // all but what is read right after CLIENT CACHING NO
    bool no_loop = false;  // not what the client does itself
    bool ranges = false;   // takes messages that name a prefix
    std::uint64_t redirect = 0;
    std::vector<std::string> prefixes;  // for `broadcast`, added to those that the client has
  };
  enum class Caching : std::uint8_t { kUnsaid, kYes, kNo };

  // What one client asked for. Its session owns it.
  struct Client {
    Options options;
    Caching caching = Caching::kUnsaid;
    bool redirect_broken = false;

   private:
    friend class Tracking;
    bool lost = false;     // a message could not be delivered
    bool pending = false;  // is to get a message
    bool all = false;      // to forget everything
    Named keys;
    Named ranges;
  };

  explicit Tracking(Store& store) : store_(store) {}

  // REQUIRES: the options agree with each other and with what the client has. The session stays where it is until
  // disable().
  void enable(Session& session, Options options);
  void disable(Session& session);
  // A command was run by a client that tracks.
  void after(const Call& call);

  // `origin`: the client that did it; 0: none.
  void on_change(std::string_view key, std::uint64_t origin);
  void on_flush();
  void on_erase_prefix(Database db, std::string_view prefix);
  void on_prefix_erased(Database db, std::string_view prefix, std::uint64_t origin);
  void on_invalidate_tags(Database db, std::span<const std::string_view> tags, Version version);
  void on_tags_invalidated(Version version, std::uint64_t origin);

  // Sends what has gathered.
  void flush();
  // Gives back, at most `budget` keys at a time, what nobody needs any more.
  void trim(std::size_t budget);
  // `f` is to have flush() called soon, from the loop.
  void set_wake(std::function<void()> f) { wake_ = std::move(f); }
  // Where a client is by its number; null: gone.
  void set_find_session(std::function<Session*(std::uint64_t)> f) { find_session_ = std::move(f); }
  bool exists(std::uint64_t client) const { return find_session_ && find_session_(client) != nullptr; }

  // ---- figures, and the bound
  std::size_t clients() const { return clients_.size(); }
  std::size_t keys() const { return table_.size(); }
  std::size_t items() const { return items_; }  // each reader of each key
  std::size_t prefixes() const { return prefixes_.size(); }
  std::uint64_t most_keys() const { return most_keys_; }
  void set_most_keys(std::uint64_t n);  // 0: as many as there is room for

  static constexpr std::size_t kMostBytes = std::size_t{256} << 20;  // of the table
  static constexpr std::size_t kMostNamed = 1000;                    // keys of one message
  static constexpr std::size_t kMostPrefixes = 1000;                 // of one client

 private:
  struct Readers {
    std::vector<std::uint64_t> clients;  // sorted; those that are gone are taken out when the key changes
    std::uint32_t epoch = 0;             // read before the last flush: nobody has it any more
  };
  using Table = std::map<std::string, Readers, std::less<>>;
  // The clients that broadcast for one prefix, and what they are to be told.
  struct Prefix {
    std::map<std::uint64_t, Session*> clients;
    bool pending = false;
    bool all = false;
    Named keys;
    Named ranges;
  };
  // A removal that is being done: clients are told when it is over, since what it removes can be read until then.
  struct Erasing {
    Database db = 0;
    std::string prefix{};  // unless it is by tags
    Version version = 0;   // if it is
    bool listed = false;   // `keys` are all that it removes
    std::vector<std::string> keys{};
  };

  void remember(Session& session, std::string_view key);
  void forget_some();
  void account(const Table::value_type& entry, bool in);
  void tell_readers(Table::iterator entry, std::uint64_t origin);
  void tell_all_readers(std::string_view prefix, std::uint64_t origin);
  void tell_prefixes(std::string_view key, std::uint64_t origin);
  void ask_client(Session& session);
  void ask_prefix(const std::string& name, Prefix& prefix);
  void list(Erasing& erasing, std::string_view key);
  void finish(const Erasing& erasing, std::uint64_t origin);
  void wake();
  void send_to_client(Session& session);
  void send_to_prefix(Prefix& prefix);
  // Where the client's messages go now; null: nowhere. Tells a client that its redirection is broken.
  Session* target_of(Session& session);
  // encode(protocol, as_message) -> the message.
  template <class Encode>
  void deliver(Session& session, const Encode& encode);

  Store& store_;
  std::unordered_map<std::uint64_t, Session*> clients_;
  Table table_;
  std::size_t items_ = 0;
  std::size_t bytes_ = 0;
  std::uint32_t epoch_ = 0;
  std::string forgotten_;  // where forget_some() goes on
  std::uint64_t most_keys_ = 1'000'000;
  std::map<std::string, Prefix, std::less<>> prefixes_;
  std::map<std::size_t, std::size_t> lengths_;  // how many prefixes have each length
  std::list<Erasing> erasing_;
  std::vector<std::uint64_t> pending_clients_;
  std::vector<std::string> pending_prefixes_;
  bool woken_ = false;
  std::function<void()> wake_;
  std::function<Session*(std::uint64_t)> find_session_;
};

}  // namespace coppice::daemon
