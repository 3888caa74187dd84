#include "tracking.h"

#include <algorithm>
#include <array>

#include "acl/access.h"
#include "commands/command.h"
#include "push_sink.h"
#include "resp/writer.h"
#include "session.h"

namespace coppice::daemon {

namespace {

// What a key in the table takes besides its name and its readers, about.
constexpr std::size_t kOverhead = 120;

// How a message begins: as a push, or to a RESP2 client as one of a channel.
void begin(resp::ReplyWriter& writer, bool as_message, std::string_view kind, std::string_view channel) {
  if (!as_message) {
    writer.push(2);
    return writer.bulk(kind);
  }
  writer.push(3);
  writer.bulk("message");
  writer.bulk(channel);
}

void begin_keys(resp::ReplyWriter& writer, bool as_message) {
  begin(writer, as_message, "invalidate", "__redis__:invalidate");
}

// Of keys and ranges, without those that `without` did (0: all).
std::string encode(const Tracking::Named& keys, const Tracking::Named& ranges, int protocol, bool as_message,
                   std::uint64_t without) {
  std::string text;
  resp::ReplyWriter writer(text, protocol);
  const auto append = [&](const Tracking::Named& names, const auto& begin_message) {
    const auto counts = [&](const auto& named) { return without == 0 || named.second != without; };
    const auto count = static_cast<std::size_t>(std::count_if(names.begin(), names.end(), counts));
    if (count == 0) return;
    begin_message();
    writer.array(count);
    for (const auto& named : names)
      if (counts(named)) writer.bulk(named.first);
  };
  append(keys, [&] { begin_keys(writer, as_message); });
  append(ranges, [&] { begin(writer, as_message, "invalidate-prefix", "__coppice__:invalidate-prefix"); });
  return text;
}

std::string encode_all(int protocol, bool as_message) {
  std::string text;
  resp::ReplyWriter writer(text, protocol);
  begin_keys(writer, as_message);
  writer.null();
  return text;
}

void note(Tracking::Named& names, std::string_view name, std::uint64_t origin) {
  const auto [at, added] = names.try_emplace(std::string(name), origin);
  if (!added && at->second != origin) at->second = 0;
}

}  // namespace

// ---- clients -------------------------------------------------------------------------------------------------------

void Tracking::enable(Session& session, Options options) {
  if (session.tracking == nullptr) session.tracking = std::make_unique<Client>();
  Client& client = *session.tracking;
  clients_.emplace(session.id, &session);
  auto before = std::exchange(client.options, std::move(options)).prefixes;
  client.redirect_broken = false;
  if (!client.options.broadcast) return;
  auto& names = client.options.prefixes;
  if (names.empty()) names.emplace_back();
  for (const std::string& name : names) {
    const auto [at, added] = prefixes_.try_emplace(name);
    if (added) ++lengths_[name.size()];
    at->second.clients.emplace(session.id, &session);
  }
  for (std::string& name : before)
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
}

void Tracking::disable(Session& session) {
  if (session.tracking == nullptr) return;
  for (const std::string& name : session.tracking->options.prefixes) {
    const auto found = prefixes_.find(name);
    if (found == prefixes_.end()) continue;
    found->second.clients.erase(session.id);
    if (!found->second.clients.empty()) continue;
    prefixes_.erase(found);
    const auto length = lengths_.find(name.size());
    if (--length->second == 0) lengths_.erase(length);
  }
  clients_.erase(session.id);
  session.tracking.reset();
  if (!clients_.empty()) return;
  ++epoch_;
  erasing_.clear();
}

void Tracking::trim(std::size_t budget) {
  if (!clients_.empty()) return;
  for (; budget > 0 && !table_.empty(); --budget) {
    account(*table_.begin(), false);
    table_.erase(table_.begin());
  }
}

// ---- what was read -------------------------------------------------------------------------------------------------

void Tracking::after(const Call& call) {
  Client& client = *call.session.tracking;
  const Options& options = client.options;
  if ((call.spec.flags & kReadOnly) != 0 && !options.broadcast &&
      (!options.opt_in || client.caching == Caching::kYes) && (!options.opt_out || client.caching != Caching::kNo))
    for_each_key(call.spec, call.arguments, [&](const KeyAccess& access) {
      if (!access.branch) remember(call.session, access.key);
      return true;
    });
  // Said of the next command, or of the next transaction.
  if (!call.session.queuing && !call.session.executing && !call.spec.name.starts_with("client|"))
    client.caching = Caching::kUnsaid;
  if (client.lost && target_of(call.session) != nullptr) ask_client(call.session);
}

void Tracking::account(const Table::value_type& entry, bool in) {
  const std::size_t items = entry.second.clients.size();
  const std::size_t bytes = kOverhead + entry.first.size() + items * sizeof(std::uint64_t);
  items_ = in ? items_ + items : items_ - items;
  bytes_ = in ? bytes_ + bytes : bytes_ - bytes;
}

void Tracking::remember(Session& session, std::string_view key) {
  if (key.size() > kMaxKeyLength) return;
  auto found = table_.find(key);
  if (found == table_.end())
    found = table_.try_emplace(std::string(key)).first;
  else
    account(*found, false);
  Readers& readers = found->second;
  if (readers.epoch != epoch_) readers.clients.clear();
  readers.epoch = epoch_;
  const auto at = std::lower_bound(readers.clients.begin(), readers.clients.end(), session.id);
  if (at == readers.clients.end() || *at != session.id) readers.clients.insert(at, session.id);
  account(*found, true);
  forget_some();
}

// Makes the table as small as it has to be: keys leave it in their order, round and round.
void Tracking::forget_some() {
  while ((most_keys_ != 0 && table_.size() > most_keys_) || bytes_ > kMostBytes) {
    auto next = table_.upper_bound(forgotten_);
    if (next == table_.end()) next = table_.begin();
    forgotten_ = next->first;
    tell_readers(next, 0);
  }
}

void Tracking::set_most_keys(std::uint64_t n) {
  most_keys_ = n;
  forget_some();
}

// ---- what happened -------------------------------------------------------------------------------------------------

// The entry is gone afterwards, unless its readers did it themselves and don't want to be told: they have a newer
// value.
void Tracking::tell_readers(Table::iterator entry, std::uint64_t origin) {
  account(*entry, false);
  auto& [key, readers] = *entry;
  if (readers.epoch != epoch_) readers.clients.clear();
  std::erase_if(readers.clients, [&, name = std::string_view(key)](std::uint64_t id) {
    const auto found = clients_.find(id);
    if (found == clients_.end()) return true;
    Client& client = *found->second->tracking;
    if (client.options.broadcast) return true;
    if (client.options.no_loop && id == origin) return false;
    if (client.keys.size() < kMostNamed)
      note(client.keys, name, origin);
    else
      client.all = true;
    ask_client(*found->second);
    return true;
  });
  if (readers.clients.empty())
    table_.erase(entry);
  else
    account(*entry, true);
}

void Tracking::tell_prefixes(std::string_view key, std::uint64_t origin) {
  for (const auto& [length, count] : lengths_) {
    if (length > key.size()) return;
    const auto found = prefixes_.find(key.substr(0, length));
    if (found == prefixes_.end()) continue;
    Prefix& prefix = found->second;
    if (prefix.keys.size() < kMostNamed)
      note(prefix.keys, key, origin);
    else
      prefix.all = true;
    ask_prefix(found->first, prefix);
  }
}

void Tracking::on_change(std::string_view key, std::uint64_t origin) {
  if (const auto found = table_.find(key); found != table_.end()) tell_readers(found, origin);
  tell_prefixes(key, origin);
}

void Tracking::on_flush() {
  ++epoch_;
  for (const auto& [id, session] : clients_) {
    session->tracking->all = true;
    ask_client(*session);
  }
}

void Tracking::list(Erasing& erasing, std::string_view key) {
  erasing.listed = erasing.keys.size() < kMostNamed;
  if (erasing.listed) erasing.keys.emplace_back(key);
}

void Tracking::on_erase_prefix(Database db, std::string_view prefix) {
  if (clients_.empty()) return;
  Erasing erasing{.db = db, .prefix = std::string(prefix), .listed = true};
  store_.scan(db, {.prefix = prefix}, [&](const EntryView& entry) {
    list(erasing, entry.key);
    return erasing.listed;
  });
  erasing_.push_back(std::move(erasing));
}

void Tracking::on_invalidate_tags(Database db, std::span<const std::string_view> tags, Version version) {
  if (clients_.empty()) return;
  Erasing erasing{.db = db, .version = version, .listed = true};
  for (const std::string_view tag : tags) {
    if (!erasing.listed) break;
    store_.scan_tag(db, tag, std::nullopt, [&](const EntryView& entry) {
      list(erasing, entry.key);
      return erasing.listed;
    });
  }
  erasing_.push_back(std::move(erasing));
}

void Tracking::on_prefix_erased(Database db, std::string_view prefix, std::uint64_t origin) {
  const auto begun = std::find_if(erasing_.begin(), erasing_.end(),
                                  [&](const Erasing& e) { return e.version == 0 && e.db == db && e.prefix == prefix; });
  Erasing erasing{.db = db, .prefix = std::string(prefix)};
  if (begun != erasing_.end()) {
    erasing = std::move(*begun);
    erasing_.erase(begun);
  }
  finish(erasing, origin);
}

void Tracking::on_tags_invalidated(Version version, std::uint64_t origin) {
  const auto begun =
      std::find_if(erasing_.begin(), erasing_.end(), [&](const Erasing& e) { return e.version == version; });
  Erasing erasing{.version = version};
  if (begun != erasing_.end()) {
    erasing = std::move(*begun);
    erasing_.erase(begun);
  }
  finish(erasing, origin);
}

void Tracking::finish(const Erasing& erasing, std::uint64_t origin) {
  if (clients_.empty()) return;
  if (erasing.listed) {
    for (const std::string& key : erasing.keys) on_change(key, origin);
    return;
  }
  // Tags say nothing about where their keys lie.
  const std::string_view range = erasing.prefix;
  tell_all_readers(range, origin);
  for (auto& [name, prefix] : prefixes_) {
    if (!name.starts_with(range) && !range.starts_with(name)) continue;
    if (erasing.version != 0 || prefix.ranges.size() >= kMostNamed)
      prefix.all = true;
    else
      note(prefix.ranges, range, origin);
    ask_prefix(name, prefix);
  }
}

// Of a removal that may have met any key with the prefix.
void Tracking::tell_all_readers(std::string_view prefix, std::uint64_t origin) {
  std::vector<Table::iterator> found;
  for (auto at = table_.lower_bound(prefix); at != table_.end() && at->first.starts_with(prefix); ++at) {
    if (found.size() == kMostNamed) {
      for (const auto& [id, session] : clients_) {
        Client& client = *session->tracking;
        if (client.options.broadcast || (client.options.no_loop && id == origin)) continue;
        if (client.options.ranges && !prefix.empty() && client.ranges.size() < kMostNamed)
          note(client.ranges, prefix, origin);
        else
          client.all = true;
        ask_client(*session);
      }
      return;
    }
    found.push_back(at);
  }
  for (const auto at : found) tell_readers(at, origin);
}

// ---- telling -------------------------------------------------------------------------------------------------------

void Tracking::wake() {
  if (woken_ || !wake_) return;
  woken_ = true;
  wake_();
}

void Tracking::ask_client(Session& session) {
  if (!std::exchange(session.tracking->pending, true)) pending_clients_.push_back(session.id);
  wake();
}

void Tracking::ask_prefix(const std::string& name, Prefix& prefix) {
  if (!std::exchange(prefix.pending, true)) pending_prefixes_.push_back(name);
  wake();
}

void Tracking::flush() {
  woken_ = false;
  for (const std::string& name : std::exchange(pending_prefixes_, {}))
    if (const auto found = prefixes_.find(name); found != prefixes_.end()) send_to_prefix(found->second);
  for (const std::uint64_t id : std::exchange(pending_clients_, {}))
    if (const auto found = clients_.find(id); found != clients_.end()) send_to_client(*found->second);
}

Session* Tracking::target_of(Session& session) {
  Client& client = *session.tracking;
  if (client.options.redirect == 0) return session.protocol >= 3 ? &session : nullptr;
  Session* target = find_session_ ? find_session_(client.options.redirect) : nullptr;
  if (target != nullptr) return target->protocol >= 3 || target->subscriptions != nullptr ? target : nullptr;
  if (!std::exchange(client.redirect_broken, true) && session.protocol >= 3) {
    std::string text;
    resp::ReplyWriter writer(text, session.protocol);
    writer.push(2);
    writer.bulk("tracking-redir-broken");
    writer.count(client.options.redirect);
    session.sink->push(text);
  }
  return nullptr;
}

template <class Encode>
void Tracking::deliver(Session& session, const Encode& encode) {
  Session* const target = target_of(session);
  if (target == nullptr) {
    session.tracking->lost = true;
    return;
  }
  const bool as_message = target->protocol < 3;
  if (std::exchange(session.tracking->lost, false))
    target->sink->push(encode_all(target->protocol, as_message));
  else
    target->sink->push(encode(target->protocol, as_message));
}

void Tracking::send_to_client(Session& session) {
  Client& client = *session.tracking;
  client.pending = false;
  const Named keys = std::exchange(client.keys, {}), ranges = std::exchange(client.ranges, {});
  if (std::exchange(client.all, false) || client.lost) return deliver(session, encode_all);
  if (keys.empty() && ranges.empty()) return;
  deliver(session, [&](int protocol, bool as_message) { return encode(keys, ranges, protocol, as_message, 0); });
}

void Tracking::send_to_prefix(Prefix& prefix) {
  prefix.pending = false;
  const bool all = std::exchange(prefix.all, false);
  const Named keys = std::exchange(prefix.keys, {}), ranges = std::exchange(prefix.ranges, {});
  if (!all && keys.empty() && ranges.empty()) return;
  // Nearly all clients get the same.
  std::array<std::string, 2> shared;
  for (const auto& [id, session] : prefix.clients) {
    const Options& options = session->tracking->options;
    const std::uint64_t without = options.no_loop ? id : 0;
    const auto by_others = [&](const auto& named) { return without == 0 || named.second != without; };
    const bool any_range = std::any_of(ranges.begin(), ranges.end(), by_others);
    if (all || (any_range && !options.ranges)) {
      deliver(*session, encode_all);
    } else if (any_range || std::any_of(keys.begin(), keys.end(), by_others)) {
      const auto by_it = [&](const auto& named) { return named.second == id; };
      const bool alone = options.no_loop && (std::any_of(keys.begin(), keys.end(), by_it) ||
                                             std::any_of(ranges.begin(), ranges.end(), by_it));
      deliver(*session, [&](int protocol, bool as_message) {
        if (alone) return encode(keys, ranges, protocol, as_message, without);
        std::string& text = shared[as_message ? 1 : 0];
        if (text.empty()) text = encode(keys, ranges, protocol, as_message, 0);
        return text;
      });
    }
  }
}

}  // namespace coppice::daemon
