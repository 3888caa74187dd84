#include "coppice/leases.h"

#include <algorithm>
#include <cstring>

namespace coppice {

namespace {

// What a key, a wait and a logged tag take beside their strings: nodes of maps and lists, measured generously.
constexpr std::size_t kEntryBytes = 400;
constexpr std::size_t kWaitBytes = 350;
constexpr std::size_t kTagBytes = 100;

std::string logged_name(Database db, std::string_view tag) {
  std::string name(sizeof db, '\0');
  std::memcpy(name.data(), &db, sizeof db);
  name += tag;
  return name;
}

}  // namespace

Leases::Leases(Store& store, WaitGraph& graph, const LeaseLimits& limits)
    : store_(store), graph_(graph), limits_(limits) {}

Leases::~Leases() {
  if (listening_) store_.set_listener(nullptr);
  for (auto& [key, entry] : entries_)
    for (const Queued& wait : entry.queue) graph_.remove(wait);
}

Leases::Entry* Leases::find(Database db, std::string_view key) {
  const auto found = entries_.find(KeyRef{db, key});
  return found == entries_.end() ? nullptr : &found->second;
}

Result<LeaseAnswer> Leases::request(const LeaseRequest& request, Millis now) {
  if (request.key.empty()) return Error::kEmptyKey;
  if (request.key.size() > kMaxKeyLength) return Error::kKeyTooLong;
  if (request.db >= store_.options().databases) return Error::kBadDatabase;
  if (request.ceiling < 1 || request.ceiling > kLongestLease) return Error::kBadLease;
  settle(now);
  const Party party = WaitGraph::party_of(request.party, request.client);
  graph_.give_up_wait_of(party);

  const auto value = store_.peek(request.db, request.key);
  if (value && value->version != request.refresh) return LeaseAnswer{LeaseOutcome::kStored, 0};
  Entry* entry = find(request.db, request.key);
  if (entry != nullptr && entry->until <= now) {
    end(*entry, entry->until, now);
    entry = find(request.db, request.key);
  }
  if (entry != nullptr) return wait_for(*entry, request, party, now);

  const auto client = clients_.find(request.client);
  const std::size_t bytes = kEntryBytes + request.key.size();
  if (by_token_.size() >= limits_.leases || bytes_ + bytes > limits_.bytes ||
      (client != clients_.end() && client->second.leases.size() >= limits_.per_client))
    return LeaseAnswer{};
  const auto made = entries_.try_emplace(Key{request.db, std::string(request.key)}).first;
  bytes_ += bytes;
  made->second.self = made;
  grant(made->second, request.client, party, request.ceiling, now);
  return LeaseAnswer{LeaseOutcome::kGranted, made->second.token};
}

Result<LeaseAnswer> Leases::wait_for(Entry& entry, const LeaseRequest& request, Party party, Millis now) {
  if (request.wait <= 0 || entry.client == request.client) return LeaseAnswer{};
  const Millis limit = deadline_after(now, request.wait);
  if (graph_.closes_circle(party, entry, limit, false)) return LeaseAnswer{};
  if (waiting_ >= limits_.waits || bytes_ + kWaitBytes > limits_.bytes) return LeaseAnswer{};
  Queued& wait = entry.queue.emplace_back();
  wait.self = std::prev(entry.queue.end());
  wait.client = request.client;
  wait.party = party;
  wait.limit = limit;
  wait.held = &entry;
  wait.owner = this;
  wait.entry = &entry;
  wait.ceiling = request.ceiling;
  if (limit != kNoDeadline) wait.limit_at = wait_limits_.emplace(limit, &wait);
  clients_[request.client].waits.insert(&wait);
  graph_.add(wait);
  ++waiting_;
  bytes_ += kWaitBytes;
  return LeaseAnswer{LeaseOutcome::kWaiting, 0};
}

Result<std::optional<Version>> Leases::fill(const LeaseFill& fill, Millis now) {
  settle(now);
  const auto found = by_token_.find(fill.token);
  if (found == by_token_.end()) return std::optional<Version>();
  Entry& entry = *found->second;
  if (entry.self->first.db != fill.db || entry.self->first.key != fill.key) return std::optional<Version>();
  if (entry.until <= now || was_invalidated(fill.db, fill.options.tags, fill.token)) {
    end(entry, std::min(entry.until, now), now);
    return std::optional<Version>();
  }
  // The lease is over before the store hears of the value, so that it does not revoke itself; the entry stays, and with
  // it the key, for those who wait.
  let_go(entry);
  SetOptions options = fill.options;
  options.when = When::kAlways;
  const auto stored = store_.set(fill.db, fill.key, fill.value, options);
  if (!stored || stored->version == 0) {
    pass_on(entry, now, now);
    stop_listening_if_idle();
    if (!stored) return stored.error();
    return std::optional<Version>(0);
  }
  while (!entry.queue.empty()) {
    decide(entry.queue.front(), LeaseOutcome::kStored, 0);
    unqueue(entry.queue.front());
  }
  forget_if_idle(entry);
  stop_listening_if_idle();
  return std::optional<Version>(stored->version);
}

bool Leases::drop(std::uint64_t token, Millis now) {
  settle(now);
  const auto found = by_token_.find(token);
  if (found == by_token_.end()) return false;
  Entry& entry = *found->second;
  const bool in_time = entry.until > now;
  end(entry, std::min(entry.until, now), now);
  return in_time;
}

void Leases::client_gone(ClientId client, Millis now) {
  // Waits first: nothing must be passed on to it.
  if (const auto found = clients_.find(client); found != clients_.end())
    for (const auto waits = found->second.waits; Queued * wait : waits) unqueue(*wait);
  settle(now);
  std::erase_if(decisions_, [&](const LeaseDecision& d) { return d.client == client; });
  if (const auto found = clients_.find(client); found != clients_.end())
    for (const auto leases = found->second.leases; Entry * entry : leases) end(*entry, now, now);
}

bool Leases::end_waits(ClientId client) {
  const auto found = clients_.find(client);
  if (found == clients_.end() || found->second.waits.empty()) return false;
  for (const auto waits = found->second.waits; Queued * wait : waits) give_up(*wait);
  return true;
}

std::optional<Millis> Leases::next_deadline() const {
  if (ends_.empty() && wait_limits_.empty()) return std::nullopt;
  if (ends_.empty()) return wait_limits_.begin()->first;
  if (wait_limits_.empty()) return ends_.begin()->first;
  return std::min(ends_.begin()->first, wait_limits_.begin()->first);
}

bool Leases::advance(Millis now, std::size_t budget) {
  settle(now);
  for (;; --budget) {
    const auto next = next_deadline();
    if (!next || *next > now) return false;
    if (budget == 0) return true;
    if (!ends_.empty() && ends_.begin()->first == *next)
      end(*ends_.begin()->second, *next, now);
    else
      give_up(*wait_limits_.begin()->second);
  }
}

// ---- what the store tells -------------------------------------------------------------------------------------------

void Leases::on_change(Database db, std::string_view key, Change) {
  Entry* entry = find(db, key);
  if (entry != nullptr && entry->holder != kNoParty) revoke(*entry);
}

void Leases::on_erase_prefix(Database db, std::string_view prefix) {
  auto next = entries_.lower_bound(KeyRef{db, prefix});
  while (next != entries_.end() && next->first.db == db && next->first.key.starts_with(prefix)) {
    Entry& entry = next->second;
    ++next;
    if (entry.holder != kNoParty) revoke(entry);
  }
}

void Leases::on_invalidate_tags(Database db, std::span<const std::string_view> tags, Version version) {
  // An entry that goes with its tags is a key that is removed, whatever tags the next value will have.
  std::vector<Entry*> removed;
  for (auto next = entries_.lower_bound(KeyRef{db, {}}); next != entries_.end() && next->first.db == db; ++next)
    if (next->second.holder != kNoParty && store_.has_tag(db, next->first.key, tags)) removed.push_back(&next->second);
  for (Entry* entry : removed) revoke(*entry);
  if (by_token_.empty()) return;
  for (const std::string_view tag : tags) {
    std::string name = logged_name(db, tag);
    if (const auto found = logged_.find(name); found != logged_.end()) {
      found->second->version = version;
      log_.splice(log_.end(), log_, found->second);
      continue;
    }
    log_bytes_ += kTagBytes + name.size();
    log_.push_back({std::move(name), version});
    logged_.emplace(log_.back().tag, std::prev(log_.end()));
  }
  if (log_.size() <= limits_.tags && log_bytes_ <= limits_.tag_bytes) return;
  // What was forgotten may be a tag of any of them.
  while (!by_token_.empty()) revoke(*by_token_.begin()->second);
}

void Leases::revoke(Entry& entry) {
  ++revoked_;
  let_go(entry);
  if (entry.queue.empty()) {
    forget_if_idle(entry);
  } else if (!entry.pending) {
    // Who waits is served when the store's operation is over and the time is known.
    entry.pending = true;
    pending_.push_back(&entry);
  }
  // The store is about to go on calling its listener, so it is not taken away here.
  if ((pending_.empty() && !by_token_.empty()) || asked_ || !on_work_) return;
  asked_ = true;
  on_work_();
}

void Leases::settle(Millis now) {
  asked_ = false;
  for (Entry* entry : std::exchange(pending_, {})) {
    entry->pending = false;
    pass_on(*entry, now, now);
  }
  stop_listening_if_idle();
}

bool Leases::was_invalidated(Database db, std::span<const std::string_view> tags, Version since) const {
  if (log_.empty()) return false;
  return std::any_of(tags.begin(), tags.end(), [&](std::string_view tag) {
    const auto found = logged_.find(logged_name(db, tag));
    return found != logged_.end() && found->second->version >= since;
  });
}

void Leases::trim_log() {
  if (by_token_.empty()) return clear_log();
  const Version oldest = by_token_.begin()->first;
  while (!log_.empty() && log_.front().version < oldest) {
    log_bytes_ -= kTagBytes + log_.front().tag.size();
    logged_.erase(log_.front().tag);
    log_.pop_front();
  }
}

void Leases::clear_log() {
  logged_.clear();
  log_.clear();
  log_bytes_ = 0;
}

// ---- holding and waiting --------------------------------------------------------------------------------------------

void Leases::grant(Entry& entry, ClientId client, Party party, Millis ceiling, Millis now) {
  if (!listening_) store_.set_listener(this);
  listening_ = true;
  entry.holder = party;
  entry.client = client;
  entry.until = deadline_after(now, ceiling);
  entry.token = store_.take_version();
  entry.end_at = ends_.emplace(entry.until, &entry);
  by_token_.emplace_hint(by_token_.end(), entry.token, &entry);
  clients_[client].leases.insert(&entry);
}

void Leases::let_go(Entry& entry) {
  ends_.erase(entry.end_at);
  by_token_.erase(entry.token);
  clients_[entry.client].leases.erase(&entry);
  forget_client_if_idle(entry.client);
  entry.holder = kNoParty;
  entry.client = 0;
  entry.token = 0;
  entry.until = kNoDeadline;
  trim_log();
}

void Leases::stop_listening_if_idle() {
  if (!listening_ || !by_token_.empty()) return;
  listening_ = false;
  store_.set_listener(nullptr);
}

void Leases::end(Entry& entry, Millis freed, Millis now) {
  let_go(entry);
  pass_on(entry, freed, now);
  stop_listening_if_idle();
}

void Leases::pass_on(Entry& entry, Millis freed, Millis now) {
  while (!entry.queue.empty() && entry.queue.front().limit < freed) give_up(entry.queue.front());
  if (entry.queue.empty()) return forget_if_idle(entry);
  Queued& first = entry.queue.front();
  grant(entry, first.client, first.party, first.ceiling, now);
  decide(first, LeaseOutcome::kGranted, entry.token);
  unqueue(first);
}

void Leases::give_up(Wait& base) {
  Queued& wait = static_cast<Queued&>(base);
  decide(wait, LeaseOutcome::kSelf, 0);
  unqueue(wait);
}

void Leases::decide(const Queued& wait, LeaseOutcome outcome, std::uint64_t token) {
  decisions_.push_back({wait.client, outcome, token});
}

void Leases::unqueue(Queued& wait) {
  graph_.remove(wait);
  if (wait.limit != kNoDeadline) wait_limits_.erase(wait.limit_at);
  const ClientId client = wait.client;
  clients_[client].waits.erase(&wait);
  --waiting_;
  bytes_ -= kWaitBytes;
  wait.entry->queue.erase(wait.self);
  forget_client_if_idle(client);
}

void Leases::forget_if_idle(Entry& entry) {
  if (entry.holder != kNoParty || entry.pending || !entry.queue.empty()) return;
  bytes_ -= kEntryBytes + entry.self->first.key.size();
  entries_.erase(entry.self);
}

void Leases::forget_client_if_idle(ClientId client) {
  const auto found = clients_.find(client);
  if (found != clients_.end() && found->second.leases.empty() && found->second.waits.empty()) clients_.erase(found);
}

std::string Leases::check(Millis now) const {
  std::size_t out = 0, waiting = 0, bytes = 0, limited = 0;
  for (const auto& [key, entry] : entries_) {
    const std::string which = "lease of " + key.key + ": ";
    bytes += kEntryBytes + key.key.size();
    if (entry.holder == kNoParty && !entry.pending) return which + "kept without a holder";
    if (entry.holder != kNoParty) {
      ++out;
      if (entry.until <= now) return which + "its ceiling is over";
      const auto at = by_token_.find(entry.token);
      if (at == by_token_.end() || at->second != &entry) return which + "its token is unknown";
      if (entry.end_at->second != &entry || entry.end_at->first != entry.until) return which + "its end is misplaced";
      const auto client = clients_.find(entry.client);
      if (client == clients_.end() || !client->second.leases.contains(const_cast<Entry*>(&entry)))
        return which + "its client does not know";
    }
    for (const Queued& wait : entry.queue) {
      ++waiting;
      bytes += kWaitBytes;
      limited += wait.limit != kNoDeadline ? 1 : 0;
      if (wait.limit <= now) return which + "a wait is over its limit";
      if (wait.entry != &entry || wait.held != &entry) return which + "a wait belongs elsewhere";
      if (graph_.closes_circle(wait.party, entry, kNoDeadline, true)) return which + "a wait is part of a circle";
    }
  }
  std::size_t client_leases = 0, client_waits = 0;
  for (const auto& [id, client] : clients_) {
    client_leases += client.leases.size();
    client_waits += client.waits.size();
  }
  if (out != by_token_.size() || out != ends_.size() || out != client_leases) return "leases out are miscounted";
  if (waiting != waiting_ || waiting != client_waits || limited != wait_limits_.size()) return "waits are miscounted";
  if (bytes != bytes_) return "bytes are miscounted";
  if (by_token_.empty() && !log_.empty()) return "tags are logged while no lease is out";
  if (!log_.empty() && log_.front().version < by_token_.begin()->first) return "the log is longer than it must be";
  if (log_.size() != logged_.size()) return "the log's index does not fit it";
  return "";
}

}  // namespace coppice
