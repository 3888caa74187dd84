#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <utility>
#include <vector>

#include "commands/handlers.h"
#include "resp/glob.h"
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
  bool section(std::string_view name, std::span<const std::string_view> wanted) {
    std::string lower;
    for (const char c : name) lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    bool yes = wanted.empty();
    for (const std::string_view w : wanted)
      yes |= is_word(w, lower) || is_word(w, "default") || is_word(w, "all") || is_word(w, "everything");
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
    out.line("config_file", config.config_file);
  }
  if (out.section("Clients", wanted)) {
    out.line("connected_clients", counters.connections);
    out.line("maxclients", config.max_clients);
    out.line("blocked_clients", counters.waiting);
    out.line("attached_workers", counters.attached);
  }
  if (out.section("Memory", wanted)) {
    const std::uint64_t resident = resident_bytes();
    out.line("used_memory", stats.used_memory);
    out.line("used_memory_human", human(stats.used_memory));
    out.line("used_memory_rss", resident);
    out.line("used_memory_rss_human", human(resident));
    out.line("used_memory_dataset", stats.entry_bytes);
    out.line("used_memory_point_index", stats.point_index_bytes);
    out.line("used_memory_order_index", stats.order_index_bytes);
    out.line("used_memory_fixed", stats.fixed_bytes);
    out.line("used_memory_scan_cursors", service.cursors().bytes());
    out.line("free_memory", stats.free_bytes);
    out.line("maxmemory", stats.max_memory);
    out.line("maxmemory_human", human(stats.max_memory));
    out.line("maxmemory_policy", policy_name(call.store().options().policy));
    out.line("lazyfree_pending_objects", stats.pending_purge);
  }
  if (out.section("Persistence", wanted)) {
    out.line("loading", service.loading() ? "1" : "0");
    out.line("rdb_bgsave_in_progress", "0");
    out.line("aof_enabled", "0");
  }
  if (out.section("Stats", wanted)) {
    out.line("total_connections_received", counters.connections_received);
    out.line("total_commands_processed", counters.commands);
    out.line("total_net_input_bytes", counters.input_bytes);
    out.line("total_net_output_bytes", counters.output_bytes);
    out.line("rejected_connections", counters.connections_rejected);
    out.line("expired_keys", stats.expired);
    out.line("evicted_keys", stats.evicted);
    out.line("keyspace_hits", stats.hits + counters.worker_hits);
    out.line("keyspace_misses", stats.misses + counters.worker_misses);
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
  }
  if (out.section("CPU", wanted)) {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    char text[32];
    std::snprintf(text, sizeof text, "%ld.%06ld", usage.ru_stime.tv_sec, usage.ru_stime.tv_usec);
    out.line("used_cpu_sys", text);
    std::snprintf(text, sizeof text, "%ld.%06ld", usage.ru_utime.tv_sec, usage.ru_utime.tv_usec);
    out.line("used_cpu_user", text);
  }
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

void time(Call& call) {
  const std::int64_t now = call.service.clock().wall_us();
  call.reply.array(2);
  call.reply.bulk(std::to_string(now / 1'000'000));
  call.reply.bulk(std::to_string(now % 1'000'000));
}

void shutdown(Call& call) {
  bool save = true;
  bool chosen = false;
  for (std::size_t i = 1; i < call.size(); ++i) {
    if ((is_word(call[i], "nosave") || is_word(call[i], "save")) && !chosen) {
      save = is_word(call[i], "save");
      chosen = true;
    } else if (!is_word(call[i], "now") && !is_word(call[i], "force")) {
      return syntax_error(call);
    }
  }
  call.effects.next = Next::kStop;
  call.effects.save = save;
}

}  // namespace coppice::daemon::handlers
