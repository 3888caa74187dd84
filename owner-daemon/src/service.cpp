#include "service.h"

#include <sys/random.h>

#include <algorithm>
#include <stdexcept>

#include "commands/clients.h"
#include "commands/command.h"

namespace coppice::daemon {

namespace {

std::string random_run_id() {
  unsigned char bytes[20] = {};
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return std::string(40, '0');
  std::string id;
  for (const unsigned char b : bytes) {
    id += "0123456789abcdef"[b >> 4];
    id += "0123456789abcdef"[b & 15];
  }
  return id;
}

// What Redis quotes of an unknown command: at most 128 bytes of the name, and about as many of its arguments.
std::string unknown_command(std::span<const std::string_view> arguments) {
  std::string quoted;
  for (std::size_t i = 1; i < arguments.size() && quoted.size() < 128; ++i) {
    const std::size_t room = 128 - quoted.size();
    quoted += '\'';
    quoted += arguments[i].substr(0, room);
    quoted += "' ";
  }
  return "ERR unknown command '" + std::string(arguments[0].substr(0, 128)) + "', with args beginning with: " + quoted;
}

bool may_run_subscribed(const CommandSpec& spec) {
  constexpr std::string_view kNames[] = {"ping",       "psubscribe",   "punsubscribe", "quit",       "reset",
                                         "ssubscribe", "sunsubscribe", "subscribe",    "unsubscribe"};
  return std::find(std::begin(kNames), std::end(kNames), spec.name) != std::end(kNames);
}

std::string no_permission(const CommandSpec& spec, const Verdict& verdict) {
  const std::string who = "NOPERM this user has no permissions to ";
  if (verdict.denied == Denied::kCommand) return who + "run the '" + std::string(spec.name) + "' command";
  return who + "access one of the " + (verdict.denied == Denied::kKey ? "keys" : "channels") + " used as arguments";
}

}  // namespace

Service::Service(Store& store, const Config& config, const Clock& clock)
    : store_(store),
      config_(config),
      clock_(clock),
      coordinator_(store, clock),
      keyspace_(store, pubsub_),
      run_id_(random_run_id()),
      started_us_(clock.wall_us()),
      command_stats_(command_table().size()) {
  update_thresholds();
  output_limits_.normal.hard = config.output_limit;
  if (!config.requirepass.empty()) acl_.set_default_password(config.requirepass);
  for (const std::string& line : config.users)
    if (const std::string why = acl_.set_line(line); !why.empty()) throw std::invalid_argument("--user: " + why);
  acl_.mark_as_configured();
}

void Service::begin(Session& session) {
  session.user = &acl_.default_user();
  session.authenticated = acl_.default_is_open();
}

void Service::execute(Session& session, std::span<const std::string_view> arguments, resp::ReplyWriter& reply,
                      Effects* effects) {
  const std::string_view name = arguments[0];
  const CommandSpec* spec = name.find('|') == std::string_view::npos ? find_command(name) : nullptr;
  if (spec == nullptr) {
    // A browser that was lured into talking to us must learn nothing.
    if (is_word(name, "post") || is_word(name, "host:")) {
      effects->next = Next::kCloseSilently;
      return;
    }
    return reject(session, reply, unknown_command(arguments));
  }
  if (arguments.size() > 1) {
    if ((spec->flags & kContainer) != 0 || spec->name == "command") {
      const CommandSpec* sub = find_subcommand(*spec, arguments[1]);
      if (sub == nullptr) {
        std::string container(spec->name);
        std::transform(container.begin(), container.end(), container.begin(), ::toupper);
        return reject(
            session, reply,
            "ERR unknown subcommand '" + std::string(arguments[1].substr(0, 128)) + "'. Try " + container + " HELP.");
      }
      spec = sub;
    }
  }
  if (!arity_fits(*spec, arguments.size())) return reject(session, reply, wrong_arity_text(spec->name), spec);
  if (!session.authenticated && (spec->flags & kWithoutAuth) == 0) {
    return reject(session, reply, "NOAUTH Authentication required.", spec);
  }
  if (session.user->restricted() && (spec->flags & kWithoutAuth) == 0) [[unlikely]] {
    const Verdict verdict = permit(session, *spec, arguments);
    if (verdict.denied != Denied::kNothing) return reject(session, reply, no_permission(*spec, verdict), spec);
  }
  if (session.subscriptions != nullptr && session.protocol < 3) [[unlikely]] {
    // Whatever comes is taken for a message by such a client.
    if (!may_run_subscribed(*spec))
      return reject(session, reply,
                    "ERR Can't execute '" + std::string(spec->name) +
                        "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context",
                    spec);
  }
  if (loading_ && (spec->flags & kWhileLoading) == 0) {
    return reject(session, reply, "LOADING Redis is loading the dataset in memory", spec);
  }
  if (pause_all_) [[unlikely]] {
    effects->next = Next::kHold;
    return;
  }
  if (session.queuing && (spec->flags & kNotQueued) == 0) return queue(session, *spec, arguments, reply);
  if (hold_ && (spec->flags & kWrite) != 0) {
    effects->next = Next::kHold;
    return;
  }
  run(session, *spec, arguments, reply, effects);
}

void Service::note_changed(const Setting& setting) {
  if (std::find(changed_settings_.begin(), changed_settings_.end(), &setting) == changed_settings_.end())
    changed_settings_.push_back(&setting);
  update_thresholds();
  slow_log_.shorten(config_.slowlog_max_len);
}

Verdict Service::permit(const Session& session, const CommandSpec& spec, std::span<const std::string_view> arguments) {
  const Verdict verdict = session.user->check(spec, arguments);
  switch (verdict.denied) {
    case Denied::kNothing:
      break;
    case Denied::kCommand:
      note_refusal(session, "command", spec.name, session.user->name());
      break;
    case Denied::kKey:
      note_refusal(session, "key", verdict.object, session.user->name());
      break;
    case Denied::kChannel:
      note_refusal(session, "channel", verdict.object, session.user->name());
      break;
  }
  return verdict;
}

void Service::note_refusal(const Session& session, std::string_view reason, std::string_view object,
                           std::string_view user) {
  ++counters_.denied;
  AclLogEntry entry;
  entry.reason = reason;
  entry.context = session.queuing || session.executing ? "multi" : "toplevel";
  entry.object = object.substr(0, AclLogEntry::kMost);
  entry.user = user.substr(0, AclLogEntry::kMost);
  entry.last_at = clock_.monotonic_ms();
  entry.client = describe_client(*this, session);
  acl_.note(std::move(entry), config_.acllog_max_len);
}

StoreStats Service::statistics() const {
  StoreStats stats = store_.stats();
  stats.hits -= reset_at_.hits;
  stats.misses -= reset_at_.misses;
  stats.sets -= reset_at_.sets;
  stats.evicted -= reset_at_.evicted;
  stats.expired -= reset_at_.expired;
  stats.moved -= reset_at_.moved;
  return stats;
}

void Service::reset_statistics() {
  reset_at_ = store_.stats();
  Counters fresh;
  fresh.connections = counters_.connections;
  fresh.waiting = counters_.waiting;
  fresh.attached = counters_.attached;
  counters_ = fresh;
  command_stats_.reset();
  peak_memory_ = 0;
}

void Service::tick() {
  set_ticked_at(clock_.monotonic_ms());
  tick_rate_.refine();
  update_thresholds();
  peak_memory_ = std::max(peak_memory_, store_.stats().used_memory);
  rates_.sample(ticked_at_, {counters_.commands, counters_.input_bytes, counters_.output_bytes});
}

void Service::pause(Millis length, bool all) {
  const Millis now = clock_.monotonic_ms();
  paused_until_ = std::max(paused_until_, length > kNoDeadline - now ? kNoDeadline : now + length);
  pause_all_ = pause_all_ || all;
  update_hold();
  if (on_pause_) on_pause_();
}

void Service::unpause() {
  const bool paused = paused_until_ != kNoPause;
  paused_until_ = kNoPause;
  pause_all_ = false;
  update_hold();
  if (paused && on_pause_) on_pause_();
}

void Service::update_thresholds() {
  std::uint64_t microseconds = ~std::uint64_t{0};
  if (config_.slowlog_log_slower_than >= 0) microseconds = static_cast<std::uint64_t>(config_.slowlog_log_slower_than);
  if (config_.latency_monitor_threshold > 0)
    microseconds = std::min(microseconds, static_cast<std::uint64_t>(config_.latency_monitor_threshold) * 1000);
  // Beyond a year, never.
  constexpr std::uint64_t kLongest = 31'536'000'000'000;
  slow_from_ = microseconds < kLongest ? tick_rate_.ticks_of(microseconds) : ~std::uint64_t{0};
}

void Service::note_slow(const Session& session, const CommandSpec& spec, std::span<const std::string_view> arguments,
                        std::uint64_t ticks) {
  const std::uint64_t microseconds = tick_rate_.microseconds(ticks);
  const std::int64_t unix_time = clock_.wall_us() / 1'000'000;
  if (config_.latency_monitor_threshold > 0 &&
      microseconds / 1000 >= static_cast<std::uint64_t>(config_.latency_monitor_threshold))
    latency_.add((spec.flags & kFast) != 0 ? "fast-command" : "command", unix_time, microseconds / 1000);
  // What EXEC ran is there already.
  if (config_.slowlog_log_slower_than < 0 || spec.name == "exec" ||
      microseconds < static_cast<std::uint64_t>(config_.slowlog_log_slower_than))
    return;
  SlowLogEntry entry;
  entry.unix_time = unix_time;
  entry.microseconds = microseconds;
  entry.address = session.address;
  entry.name = session.name;
  slow_log_.add(std::move(entry), shown_arguments(spec, arguments), config_.slowlog_max_len);
}

void Service::note_error(const CommandSpec* spec, std::string_view error) {
  ++counters_.errors;
  command_stats_.error(error);
  if (spec != nullptr) command_stats_.failed(command_index(*spec));
}

void Service::run(Session& session, const CommandSpec& spec, std::span<const std::string_view> arguments,
                  resp::ReplyWriter& reply, Effects* effects) {
  ++counters_.commands;
  session.last_command = &spec;
  const std::size_t mark = reply.mark();
  const std::uint64_t from = ticks_now();
  Call call{*this, session, reply, arguments, spec, *effects};
  const Call* const before = keyspace_.set_call(&call);
  spec.handler(call);
  const std::uint64_t ticks = ticks_now() - from;
  if (keyspace_.attentive()) [[unlikely]]
    keyspace_.after(call);
  keyspace_.set_call(before);
  command_stats_.ran(command_index(spec), ticks, tick_rate_);
  if (reply.is_error_at(mark)) [[unlikely]]
    note_error(&spec, reply.written_since(mark).substr(1));
  if (ticks >= slow_from_) [[unlikely]]
    note_slow(session, spec, arguments, ticks);
  if (!monitors_.empty() && (spec.flags & kAdmin) == 0) [[unlikely]]
    monitors_.show(session, spec, arguments, clock_.wall_us());
}

bool Service::step(Session& session, Job& job, const Slice& slice) {
  std::string unused;
  resp::ReplyWriter reply(unused, session.protocol);
  Effects effects;
  const Call call{*this, session, reply, {}, *session.last_command, effects};
  keyspace_.set_call(&call);
  const std::uint64_t from = ticks_now();
  const bool done = job.step(*this, slice);
  command_stats_.worked_on(command_index(*session.last_command), ticks_now() - from);
  keyspace_.set_call(nullptr);
  return done;
}

void Service::end_messages(Session& session) {
  pubsub_.forget(session);
  monitors_.forget(session);
  keyspace_.tracking().disable(session);
  keyspace_.update();
}

void Service::reject(Session& session, resp::ReplyWriter& reply, std::string_view error, const CommandSpec* spec) {
  ++counters_.errors;
  command_stats_.error(error);
  if (spec != nullptr) command_stats_.rejected(command_index(*spec));
  if (spec != nullptr && spec->name == "exec") {
    session.queuing = false;
    session.transaction.reset();
    if (error.starts_with("ERR ")) error.remove_prefix(4);
    return reply.error("EXECABORT Transaction discarded because of: " + std::string(error));
  }
  if (session.queuing) session.transaction->failed = true;
  reply.error(error);
}

void Service::queue(Session& session, const CommandSpec& spec, std::span<const std::string_view> arguments,
                    resp::ReplyWriter& reply) {
  Transaction& transaction = *session.transaction;
  if ((spec.flags & kNoMulti) != 0) return reject(session, reply, "ERR Command not allowed inside a transaction");
  // Of a transaction that will fail nothing need be kept.
  if (!transaction.failed) {
    if (transaction.bytes() > config_.input_limit)
      return reject(session, reply, "ERR the transaction is larger than the limit of a client's requests");
    transaction.queue(spec, arguments);
    transaction.writes |= (spec.flags & kWrite) != 0;
  }
  reply.simple("QUEUED");
}

}  // namespace coppice::daemon
