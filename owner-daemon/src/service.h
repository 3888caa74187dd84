// Runs commands: the store and whatever else a command may see or change, without any socket.
//
//   Effects effects;
//   service.execute(session, arguments, reply, &effects);   // effects.next says how to go on
//
// Thread safety: none; the daemon's one loop.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "acl/acl.h"
#include "client_directory.h"
#include "command_stats.h"
#include "config.h"
#include "coordinator.h"
#include "coppice/clock.h"
#include "coppice/store.h"
#include "keyspace.h"
#include "latency_monitor.h"
#include "monitors.h"
#include "output_limits.h"
#include "pubsub.h"
#include "rates.h"
#include "resp/writer.h"
#include "scan_cursors.h"
#include "scripts.h"
#include "session.h"
#include "slow_log.h"
#include "ticks.h"

namespace coppice::daemon {

class Service;
struct CommandSpec;
struct Setting;

// How long one piece of background work may keep the loop.
class Slice {
 public:
  explicit Slice(std::chrono::microseconds length) : end_(std::chrono::steady_clock::now() + length) {}
  bool over() const { return over_at(std::chrono::steady_clock::now()); }
  bool over_at(std::chrono::steady_clock::time_point now) const { return now >= end_; }

 private:
  std::chrono::steady_clock::time_point end_;
};

// How many entries are worked on between two looks at the clock. An entry takes a third of a microsecond, or up to a
// millisecond where its memory was taken away and has to be fetched again; so after a slow batch it is one by one.
class Pace {
 public:
  // Calls work(entries) -> bool until it says that all is done, or the slice is over: whether all is done.
  template <class Work>
  bool run(const Slice& slice, Work&& work) {
    auto before = std::chrono::steady_clock::now();
    for (;;) {
      if (work(entries_)) return true;
      const auto after = std::chrono::steady_clock::now();
      entries_ = after - before > kSlow ? 1 : std::min(2 * entries_, kMost);
      if (slice.over_at(after)) return false;
      before = after;
    }
  }

 private:
  static constexpr std::chrono::microseconds kSlow{25};
  static constexpr std::size_t kMost = 16;
  std::size_t entries_ = 1;
};

// The work of a command that costs what a range holds: done in slices between other clients' requests.
class Job {
 public:
  virtual ~Job() = default;
  // Works until it is done (true) or the slice is over. Makes some progress in any case.
  virtual bool step(Service& service, const Slice& slice) = 0;
  // REQUIRES: step() answered true.
  virtual void answer(Service& service, resp::ReplyWriter& reply) = 0;
};

enum class Next : std::uint8_t {
  kGoOn,
  kHold,           // not run: writes are not acknowledged yet, try it again later
  kJob,            // `job` answers; the client's later requests wait
  kWait,           // the reply comes when it is decided; the client's later requests wait, its end is noticed
  kWatch,          // go on, and notice when the client's process ends
  kAttach,         // the connection sends the descriptors and the reply
  kCloseAfter,     // close once the replies are out
  kCloseSilently,  // close at once
  kStop,           // end the daemon; `save` says whether to write the snapshot
};

struct Effects {
  Next next = Next::kGoOn;
  std::unique_ptr<Job> job;
  bool save = true;
};

struct Counters {
  std::uint64_t commands = 0;
  std::uint64_t errors = 0;
  std::uint64_t connections_received = 0;
  std::uint64_t connections_rejected = 0;
  std::uint64_t connections = 0;  // open now
  std::uint64_t waiting = 0;      // of them, for a job, a lease or a lock
  std::uint64_t attached = 0;     // of them, workers that read the segment
  std::uint64_t worker_hits = 0;  // reads that workers reported in their hint pages
  std::uint64_t worker_misses = 0;
  std::uint64_t input_bytes = 0;
  std::uint64_t output_bytes = 0;
  std::uint64_t denied = 0;               // commands and logins that a user was refused
  std::uint64_t output_limit_closed = 0;  // clients that left too much unread
};

class Service {
 public:
  // The references must outlive the service.
  Service(Store& store, const Config& config, const Clock& clock);

  void execute(Session& session, std::span<const std::string_view> arguments, resp::ReplyWriter& reply,
               Effects* effects);

  // A client that has just come, or starts anew: the default user, logged in if that needs no password.
  void begin(Session& session);
  // Whether the session's user may run the command; what is refused is noted. REQUIRES: the arity is right.
  Verdict permit(const Session& session, const CommandSpec& spec, std::span<const std::string_view> arguments);
  // Notes in ACL's log that something was refused. `user`: as whom.
  void note_refusal(const Session& session, std::string_view reason, std::string_view object, std::string_view user);

  // One command whose name and number of arguments are right, whatever else may be against it.
  void run(Session& session, const CommandSpec& spec, std::span<const std::string_view> arguments,
           resp::ReplyWriter& reply, Effects* effects);
  // A slice of a job that the session waits for; see Job::step().
  bool step(Session& session, Job& job, const Slice& slice);

  Store& store() { return store_; }
  const Config& config() const { return config_; }
  // For those who change a setting while the daemon runs: it is looked at whenever it matters.
  Config& settings() { return config_; }
  // CONFIG SET changed it; CONFIG REWRITE will write it.
  void note_changed(const Setting& setting);
  const std::vector<const Setting*>& changed_settings() const { return changed_settings_; }
  const Clock& clock() const { return clock_; }
  ScanCursors& cursors() { return cursors_; }
  Scripts& scripts() { return scripts_; }
  // Null: unknown who is connected.
  ClientDirectory* clients() const { return clients_; }
  void set_clients(ClientDirectory* clients) { clients_ = clients; }
  // The time as of the last tick: free to look at.
  Millis ticked_at() const { return ticked_at_; }
  void set_ticked_at(Millis when) { ticked_at_ = when; }
  // A few times a second: the figures that change by themselves.
  void tick();
  // The store's figures since they were last reset.
  StoreStats statistics() const;
  void reset_statistics();
  Acl& acl() { return acl_; }
  Coordinator& coordinator() { return coordinator_; }
  PubSub& pubsub() { return pubsub_; }
  Keyspace& keyspace() { return keyspace_; }
  // The client gets no messages any more.
  void end_messages(Session& session);
  CommandStats& command_stats() { return command_stats_; }
  const TickRate& tick_rate() const { return tick_rate_; }
  SlowLog& slow_log() { return slow_log_; }
  LatencyMonitor& latency() { return latency_; }
  Monitors& monitors() { return monitors_; }
  const Rates& rates() const { return rates_; }
  std::uint64_t peak_memory() const { return peak_memory_; }
  OutputLimits& output_limits() { return output_limits_; }
  Counters& counters() { return counters_; }
  const std::string& run_id() const { return run_id_; }
  std::int64_t started_us() const { return started_us_; }
  std::uint16_t tcp_port() const { return tcp_port_; }
  void set_tcp_port(std::uint16_t port) { tcp_port_ = port; }
  // 0: TLS is not served.
  std::uint16_t tls_port() const { return tls_port_; }
  void set_tls_port(std::uint16_t port) { tls_port_ = port; }

  // A request that comes while background work is done waits this long at most.
  std::chrono::microseconds slice_length() const { return slice_length_; }
  void set_slice_length(std::chrono::microseconds length) { slice_length_ = length; }

  // While a snapshot is read, all but a few commands answer -LOADING.
  bool loading() const { return loading_; }
  void set_loading(bool yes) { loading_ = yes; }
  // While readers may still believe in the segment of an owner that ended without a word, no write is acknowledged.
  bool holding_writes() const { return holding_writes_; }
  void set_holding_writes(bool yes) {
    holding_writes_ = yes;
    update_hold();
  }
  // For this long no client's command is run, or none that writes: it waits. The longer and the stricter of two holds.
  void pause(Millis length, bool all);
  void unpause();
  Millis pause_left() const { return paused_until_ == kNoPause ? 0 : paused_until_ - clock_.monotonic_ms(); }
  // `f` is to see to it that unpause() is called in time, and that those who wait are run again.
  void set_on_pause(std::function<void()> f) { on_pause_ = std::move(f); }
  // Whether a command must wait for either.
  bool holds(bool write) const { return pause_all_ || (hold_ && write); }

 private:
  static constexpr Millis kNoPause = 0;

  void update_hold() { hold_ = holding_writes_ || paused_until_ != kNoPause; }
  void note_slow(const Session& session, const CommandSpec& spec, std::span<const std::string_view> arguments,
                 std::uint64_t ticks);
  void note_error(const CommandSpec* spec, std::string_view error);
  void update_thresholds();
  // A command that is not run; of EXEC its transaction is not either. `spec`: null if there is no such command.
  void reject(Session& session, resp::ReplyWriter& reply, std::string_view error, const CommandSpec* spec = nullptr);
  void queue(Session& session, const CommandSpec& spec, std::span<const std::string_view> arguments,
             resp::ReplyWriter& reply);

  Store& store_;
  Config config_;
  std::vector<const Setting*> changed_settings_;
  const Clock& clock_;
  ScanCursors cursors_;
  Scripts scripts_;
  Acl acl_;
  Coordinator coordinator_;
  PubSub pubsub_;
  Keyspace keyspace_;
  OutputLimits output_limits_;
  Counters counters_;
  std::string run_id_;
  std::int64_t started_us_;
  std::uint16_t tcp_port_ = 0;
  std::uint16_t tls_port_ = 0;
  ClientDirectory* clients_ = nullptr;
  Millis ticked_at_ = 0;
  StoreStats reset_at_;  // the store counts on
  std::chrono::microseconds slice_length_{50};
  bool loading_ = false;
  bool holding_writes_ = false;
  bool pause_all_ = false;
  bool hold_ = false;  // one of them: not every command has to be looked at
  Millis paused_until_ = kNoPause;
  std::function<void()> on_pause_;
  CommandStats command_stats_;
  TickRate tick_rate_;
  std::uint64_t slow_from_ = ~std::uint64_t{0};  // ticks from which on a command is noted as slow
  SlowLog slow_log_;
  LatencyMonitor latency_;
  Monitors monitors_;
  Rates rates_;
  std::uint64_t peak_memory_ = 0;
};

}  // namespace coppice::daemon
