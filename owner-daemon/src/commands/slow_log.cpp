// SLOWLOG, LATENCY and MONITOR.
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "commands/handlers.h"
#include "resp/number.h"

namespace coppice::daemon::handlers {

namespace {

constexpr std::int64_t kUsualLength = 10;
constexpr std::size_t kGraphHeight = 4;
constexpr std::size_t kGraphWidth = 80;

// "3s", "5m", "2h", "1d": how long ago.
std::string age(std::int64_t seconds) {
  if (seconds < 60) return std::to_string(seconds) + "s";
  if (seconds < 3600) return std::to_string(seconds / 60) + "m";
  if (seconds < 86400) return std::to_string(seconds / 3600) + "h";
  return std::to_string(seconds / 86400) + "d";
}

}  // namespace

void slowlog_get(Call& call) {
  std::int64_t count = kUsualLength;
  if (call.size() > 3)
    return call.reply.error("ERR unknown subcommand or wrong number of arguments for '" + std::string(call[1]) +
                            "'. Try SLOWLOG HELP.");
  if (call.size() == 3 && (!resp::parse_int64(call[2], &count) || count < -1))
    return call.reply.error("ERR count should be greater than or equal to -1");
  const auto& entries = call.service.slow_log().entries();
  const std::size_t shown = count < 0 ? entries.size() : std::min(static_cast<std::size_t>(count), entries.size());
  call.reply.array(shown);
  for (std::size_t i = 0; i < shown; ++i) {
    const SlowLogEntry& entry = entries[i];
    call.reply.array(6);
    call.reply.count(entry.id);
    call.reply.integer(entry.unix_time);
    call.reply.count(entry.microseconds);
    call.reply.array(entry.arguments.size());
    for (const std::string& argument : entry.arguments) call.reply.bulk(argument);
    call.reply.bulk(entry.address);
    call.reply.bulk(entry.name);
  }
}

void slowlog_len(Call& call) { call.reply.count(call.service.slow_log().entries().size()); }

void slowlog_reset(Call& call) {
  call.service.slow_log().clear();
  call.reply.ok();
}

void latency_latest(Call& call) {
  const auto& events = call.service.latency().events();
  call.reply.array(events.size());
  for (const auto& [name, event] : events) {
    call.reply.array(4);
    call.reply.bulk(name);
    call.reply.integer(event.samples.back().unix_time);
    call.reply.count(event.samples.back().milliseconds);
    call.reply.count(event.worst);
  }
}

void latency_history(Call& call) {
  const LatencyMonitor::Event* event = call.service.latency().find(call[2]);
  if (event == nullptr) return call.reply.array(0);
  call.reply.array(event->samples.size());
  for (const LatencyMonitor::Sample& sample : event->samples) {
    call.reply.array(2);
    call.reply.integer(sample.unix_time);
    call.reply.count(sample.milliseconds);
  }
}

void latency_reset(Call& call) {
  LatencyMonitor& latency = call.service.latency();
  if (call.size() == 2) return call.reply.count(latency.forget_all());
  std::uint64_t forgotten = 0;
  for (const std::string_view name : call.arguments.subspan(2)) forgotten += latency.forget(name) ? 1 : 0;
  call.reply.count(forgotten);
}

// One column a sample: a bar from the least to the most of those shown, and below it how long ago that was.
void latency_graph(Call& call) {
  const LatencyMonitor::Event* event = call.service.latency().find(call[2]);
  if (event == nullptr)
    return call.reply.error("ERR No samples available for event '" + std::string(call[2].substr(0, 128)) + "'");
  const std::size_t skipped = event->samples.size() - std::min(event->samples.size(), kGraphWidth);
  const std::vector<LatencyMonitor::Sample> samples(event->samples.begin() + static_cast<std::ptrdiff_t>(skipped),
                                                    event->samples.end());
  const auto [least, most] = std::minmax_element(
      samples.begin(), samples.end(), [](const auto& a, const auto& b) { return a.milliseconds < b.milliseconds; });
  std::string text = std::string(call[2]) + " - high " + std::to_string(most->milliseconds) + " ms, low " +
                     std::to_string(least->milliseconds) + " ms (all time high " + std::to_string(event->worst) +
                     " ms)\n" + std::string(kGraphWidth, '-') + "\n";
  const std::uint64_t span = std::max<std::uint64_t>(most->milliseconds - least->milliseconds, 1);
  const auto height = [&](const LatencyMonitor::Sample& s) {
    return (s.milliseconds - least->milliseconds) * (kGraphHeight * 2 - 1) / span;
  };
  for (std::size_t row = kGraphHeight; row-- > 0;) {
    for (const LatencyMonitor::Sample& s : samples)
      text += height(s) >= 2 * row + 1 ? '#' : height(s) == 2 * row ? '_' : height(s) > 2 * row ? '#' : ' ';
    text += '\n';
  }
  std::vector<std::string> ages;
  std::size_t longest = 0;
  for (const LatencyMonitor::Sample& s : samples) {
    ages.push_back(age(std::max<std::int64_t>(call.service.clock().wall_us() / 1'000'000 - s.unix_time, 0)));
    longest = std::max(longest, ages.back().size());
  }
  for (std::size_t i = 0; i < longest; ++i) {
    text += '\n';
    for (const std::string& a : ages) text += i < a.size() ? a[i] : ' ';
  }
  call.reply.verbatim(text + "\n");
}

void latency_doctor(Call& call) {
  const auto& events = call.service.latency().events();
  const std::int64_t threshold = call.service.config().latency_monitor_threshold;
  if (threshold == 0 && events.empty())
    return call.reply.verbatim(
        "Nothing is watched: CONFIG SET latency-monitor-threshold to the milliseconds that are too long.\n");
  if (events.empty()) return call.reply.verbatim("Nothing took " + std::to_string(threshold) + " ms or longer.\n");
  std::string text;
  for (const auto& [name, event] : events) {
    std::uint64_t sum = 0;
    for (const LatencyMonitor::Sample& s : event.samples) sum += s.milliseconds;
    text += name + ": " + std::to_string(event.samples.size()) + " times, " +
            std::to_string(sum / event.samples.size()) + " ms on average, at worst " + std::to_string(event.worst) +
            " ms.\n";
  }
  call.reply.verbatim(text +
                      "SLOWLOG GET shows which commands took long. Commands that cost what a range holds are done "
                      "in slices, and hold up nobody.\n");
}

// Of the commands that are named, or of all that were called: how many calls took up to so many microseconds.
void latency_histogram(Call& call) {
  std::vector<const CommandSpec*> wanted;
  const auto add = [&](const CommandSpec& spec) {
    if (call.service.command_stats().of(command_index(spec)).calls > 0) wanted.push_back(&spec);
  };
  if (call.size() == 2) {
    for (const CommandSpec& spec : command_table()) add(spec);
  } else {
    for (const std::string_view name : call.arguments.subspan(2)) {
      const CommandSpec* spec = find_command(name);
      if (spec == nullptr) continue;
      add(*spec);
      for (const CommandSpec& sub : command_table())
        if (sub.name.starts_with(std::string(spec->name) + "|")) add(sub);
    }
  }
  call.reply.map(wanted.size());
  for (const CommandSpec* spec : wanted) {
    const CommandStats::One& one = call.service.command_stats().of(command_index(*spec));
    call.reply.bulk(spec->name);
    call.reply.map(2);
    call.reply.bulk("calls");
    call.reply.count(one.calls);
    call.reply.bulk("histogram_usec");
    call.reply.map(static_cast<std::size_t>(
        std::count_if(one.durations.begin(), one.durations.end(), [](std::uint32_t n) { return n > 0; })));
    std::uint64_t so_far = 0;
    for (std::size_t b = 0; b < CommandStats::kBuckets; ++b) {
      if (one.durations[b] == 0) continue;
      so_far += one.durations[b];
      call.reply.count(std::uint64_t{1} << b);
      call.reply.count(so_far);
    }
  }
}

void monitor(Call& call) {
  if (call.session.executing) return call.reply.error("ERR MONITOR isn't allowed for DENY BLOCKING client");
  if (call.session.sink == nullptr) return call.reply.error("ERR this client can't be sent what others do");
  call.service.monitors().add(call.session);
  call.reply.ok();
}

}  // namespace coppice::daemon::handlers
