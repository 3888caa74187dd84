// INFO.
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <string>

#include "command_stats.h"
#include "commands/handlers.h"
#include "coppice/layout.h"
#include "version.h"

namespace coppice::daemon::handlers {

namespace {

std::string human(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> kUnits{"B", "K", "M", "G", "T"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f%s" : "%.2f%s", value, kUnits[unit]);
  return text;
}

std::uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  statm >> size >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// Builds INFO's text: sections of `name:value` lines.
class InfoText {
 public:
  // Whether the section is wanted; then its heading is written.
  bool section(std::string_view name, std::span<const std::string_view> wanted, bool by_default = true) {
    std::string lower;
    for (const char c : name) lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    bool yes = wanted.empty() && by_default;
    for (const std::string_view w : wanted)
      yes |=
          is_word(w, lower) || (is_word(w, "default") && by_default) || is_word(w, "all") || is_word(w, "everything");
    if (!yes) return false;
    if (!text_.empty()) text_ += "\r\n";
    text_ += "# ";
    text_ += name;
    text_ += "\r\n";
    return true;
  }
  void line(std::string_view name, std::string_view value) {
    text_ += name;
    text_ += ':';
    text_ += value;
    text_ += "\r\n";
  }
  void line(std::string_view name, const char* value) { line(name, std::string_view(value)); }
  void line(std::string_view name, std::uint64_t value) { line(name, std::string_view(std::to_string(value))); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string percent(std::uint64_t part, std::uint64_t whole) {
  char text[32];
  const double value = whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  std::snprintf(text, sizeof text, "%.2f%%", value);
  return text;
}

std::string ratio(std::uint64_t a, std::uint64_t b) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b));
  return text;
}

std::string kilobytes(std::uint64_t bytes) { return ratio(bytes, 1024); }

std::uint64_t system_memory() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::string executable() {
  char path[4096];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof path);
  return n > 0 ? std::string(path, static_cast<std::size_t>(n)) : std::string();
}

void commandstats(Service& service, InfoText* out) {
  for (const CommandSpec& spec : command_table()) {
    const CommandStats::One& one = service.command_stats().of(command_index(spec));
    if (one.calls == 0 && one.rejected == 0) continue;
    const std::uint64_t microseconds = service.tick_rate().microseconds(one.ticks);
    out->line("cmdstat_" + std::string(spec.name),
              "calls=" + std::to_string(one.calls) + ",usec=" + std::to_string(microseconds) +
                  ",usec_per_call=" + ratio(microseconds, one.calls) +
                  ",rejected_calls=" + std::to_string(one.rejected) + ",failed_calls=" + std::to_string(one.failed));
  }
}

void errorstats(Service& service, InfoText* out) {
  for (const auto& [code, count] : service.command_stats().errors())
    out->line("errorstat_" + code, "count=" + std::to_string(count));
}

void latencystats(Service& service, InfoText* out) {
  for (const CommandSpec& spec : command_table()) {
    const CommandStats::One& one = service.command_stats().of(command_index(spec));
    if (one.calls == 0) continue;
    const auto part = [&](double p) { return std::to_string(CommandStats::percentile(one, p)) + ".000"; };
    out->line("latency_percentiles_usec_" + std::string(spec.name),
              "p50=" + part(0.5) + ",p99=" + part(0.99) + ",p99.9=" + part(0.999));
  }
}

}  // namespace

void info(Call& call) {
  Service& service = call.service;
  const Config& config = service.config();
  const Counters& counters = service.counters();
  const StoreStats stats = service.statistics();
  const auto wanted = call.arguments.subspan(1);
  InfoText out;
  if (out.section("Server", wanted)) {
    const auto up = static_cast<std::uint64_t>((service.clock().wall_us() - service.started_us()) / 1'000'000);
    utsname system{};
    uname(&system);
    out.line("redis_version", kRedisVersion);
    out.line("redis_git_sha1", "00000000");
    out.line("redis_git_dirty", "0");
    out.line("redis_build_id", "0");
    out.line("coppice_version", kVersion);
    out.line("redis_mode", "standalone");
    out.line("os", std::string(system.sysname) + " " + system.release + " " + system.machine);
    out.line("arch_bits", "64");
    out.line("multiplexing_api", "epoll");
    out.line("process_id", static_cast<std::uint64_t>(getpid()));
    out.line("run_id", service.run_id());
    out.line("tcp_port", service.tcp_port());
    out.line("server_time_usec", static_cast<std::uint64_t>(service.clock().wall_us()));
    out.line("uptime_in_seconds", up);
    out.line("uptime_in_days", up / 86400);
    out.line("hz", static_cast<std::uint64_t>(1000 / layout::kLeaseRenewal));
    out.line("executable", executable());
    out.line("config_file", config.config_file);
    out.line("io_threads_active", "0");
  }
  if (out.section("Clients", wanted)) {
    out.line("connected_clients", counters.connections);
    out.line("maxclients", config.max_clients);
    out.line("cluster_connections", "0");
    out.line("blocked_clients", counters.waiting);
    out.line("pubsub_clients", service.pubsub().clients());
    out.line("monitor_clients", service.monitors().size());
    out.line("attached_workers", counters.attached);
  }
  if (out.section("Memory", wanted)) {
    const std::uint64_t resident = resident_bytes();
    out.line("used_memory", stats.used_memory);
    out.line("used_memory_human", human(stats.used_memory));
    out.line("used_memory_rss", resident);
    out.line("used_memory_rss_human", human(resident));
    const std::uint64_t peak = std::max(service.peak_memory(), stats.used_memory);
    const std::uint64_t overhead = stats.used_memory - stats.entry_bytes;
    out.line("used_memory_peak", peak);
    out.line("used_memory_peak_human", human(peak));
    out.line("used_memory_peak_perc", percent(stats.used_memory, peak));
    out.line("used_memory_overhead", overhead);
    out.line("used_memory_startup", stats.fixed_bytes);
    out.line("used_memory_dataset", stats.entry_bytes);
    out.line("used_memory_dataset_perc", percent(stats.entry_bytes, stats.used_memory));
    out.line("used_memory_point_index", stats.point_index_bytes);
    out.line("used_memory_order_index", stats.order_index_bytes);
    out.line("used_memory_fixed", stats.fixed_bytes);
    out.line("used_memory_scan_cursors", service.cursors().bytes());
    out.line("used_memory_lua", "0");
    out.line("number_of_cached_scripts", "0");
    out.line("total_system_memory", system_memory());
    out.line("total_system_memory_human", human(system_memory()));
    out.line("mem_fragmentation_ratio", ratio(resident, stats.used_memory));
    out.line("mem_fragmentation_bytes", resident > stats.used_memory ? resident - stats.used_memory : 0);
    out.line("mem_allocator", "coppice");
    out.line("active_defrag_running", "0");
    out.line("free_memory", stats.free_bytes);
    out.line("maxmemory", stats.max_memory);
    out.line("maxmemory_human", human(stats.max_memory));
    out.line("maxmemory_policy", policy_name(call.store().options().policy));
    out.line("lazyfree_pending_objects", stats.pending_purge);
  }
  if (out.section("Persistence", wanted)) {
    out.line("loading", service.loading() ? "1" : "0");
    out.line("async_loading", "0");
    for (const char* name : {"rdb_bgsave_in_progress", "rdb_saves", "aof_enabled", "aof_rewrite_in_progress",
                             "aof_rewrite_scheduled", "aof_rewrites", "module_fork_in_progress"})
      out.line(name, "0");
    out.line("rdb_last_bgsave_status", "ok");
    out.line("aof_last_bgrewrite_status", "ok");
    out.line("aof_last_write_status", "ok");
  }
  if (out.section("Stats", wanted)) {
    out.line("total_connections_received", counters.connections_received);
    out.line("total_commands_processed", counters.commands);
    const Rates& rates = service.rates();
    out.line("instantaneous_ops_per_sec", rates.per_second(Rates::kCommands));
    out.line("instantaneous_input_kbps", kilobytes(rates.per_second(Rates::kInput)));
    out.line("instantaneous_output_kbps", kilobytes(rates.per_second(Rates::kOutput)));
    out.line("total_net_input_bytes", counters.input_bytes);
    out.line("total_net_output_bytes", counters.output_bytes);
    out.line("rejected_connections", counters.connections_rejected);
    out.line("expired_keys", stats.expired);
    out.line("evicted_keys", stats.evicted);
    out.line("keyspace_hits", stats.hits + counters.worker_hits);
    out.line("keyspace_misses", stats.misses + counters.worker_misses);
    out.line("evicted_clients", "0");
    out.line("client_output_buffer_limit_disconnections", counters.output_limit_closed);
    out.line("pubsub_channels", service.pubsub().names(PubSub::Kind::kChannel));
    out.line("pubsub_patterns", service.pubsub().names(PubSub::Kind::kPattern));
    out.line("pubsubshard_channels", service.pubsub().names(PubSub::Kind::kShard));
    out.line("acl_access_denied", counters.denied);
    for (const char* name :
         {"sync_full", "sync_partial_ok", "sync_partial_err", "latest_fork_usec", "total_forks", "active_defrag_hits",
          "active_defrag_misses", "active_defrag_key_hits", "active_defrag_key_misses", "slave_expires_tracked_keys"})
      out.line(name, "0");
    out.line("total_error_replies", counters.errors);
    out.line("moved_entries", stats.moved);
    out.line("scan_cursors", service.cursors().size());
    out.line("leases", service.coordinator().leases().out());
    out.line("lease_waiters", service.coordinator().leases().waiting());
    out.line("revoked_leases", service.coordinator().leases().revoked());
    out.line("locks", service.coordinator().locks().held());
    out.line("lock_waiters", service.coordinator().locks().waiting());
  }
  if (out.section("Replication", wanted)) {
    out.line("role", "master");
    out.line("connected_slaves", "0");
    out.line("master_failover_state", "no-failover");
    out.line("master_replid", service.run_id());
    out.line("master_repl_offset", "0");
    out.line("second_repl_offset", "-1");
    out.line("repl_backlog_active", "0");
    out.line("repl_backlog_size", "0");
    out.line("repl_backlog_first_byte_offset", "0");
    out.line("repl_backlog_histlen", "0");
  }
  if (out.section("CPU", wanted)) {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    char text[32];
    std::snprintf(text, sizeof text, "%ld.%06ld", usage.ru_stime.tv_sec, usage.ru_stime.tv_usec);
    out.line("used_cpu_sys", text);
    std::snprintf(text, sizeof text, "%ld.%06ld", usage.ru_utime.tv_sec, usage.ru_utime.tv_usec);
    out.line("used_cpu_user", text);
    out.line("used_cpu_sys_children", "0.000000");
    out.line("used_cpu_user_children", "0.000000");
  }
  if (out.section("Modules", wanted)) {
  }
  if (out.section("Commandstats", wanted, false)) commandstats(service, &out);
  if (out.section("Errorstats", wanted)) errorstats(service, &out);
  if (out.section("Latencystats", wanted, false)) latencystats(service, &out);
  if (out.section("Cluster", wanted)) out.line("cluster_enabled", "0");
  if (out.section("Keyspace", wanted)) {
    for (Database db = 0; db < call.store().options().databases; ++db) {
      const std::uint64_t keys = call.store().count(db);
      if (keys == 0) continue;
      out.line("db" + std::to_string(db), "keys=" + std::to_string(keys) + ",expires=" +
                                              std::to_string(call.store().count_with_deadline(db)) + ",avg_ttl=0");
    }
  }
  call.reply.verbatim(out.text());
}

}  // namespace coppice::daemon::handlers
