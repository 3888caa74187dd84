// How long a GET takes while the owner is busy with a million other keys (W5).
//
//   tail_latency --socket PATH --during idle|delprefix|deltag|expire|grow [--keys 1000000] [--rate 5000]
//
// GETs are sent on a schedule, and each one's time counts from when it was due, so that a stall is seen by every
// request that it held up. One line of JSON: the percentiles over the event in microseconds, and "idle_p999" of two
// seconds before it, with nothing else going on: what the machine itself does to a GET.
//
// What is to go is read until then: some hypervisors take memory away that lies idle for a second, and each entry would
// cost a page fault of up to a millisecond, which is no property of the server.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "connection.h"

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::duration;
using std::chrono::milliseconds;

constexpr long kStaying = 100'000;
const std::string kValue(100, 'v');

void load(bench::Connection& c, const std::string& prefix, long from, long count, long long deadline_ms,
          const std::string& tag = "") {
  for (long i = from; i < from + count; ++i) {
    const std::string key = prefix + std::to_string(i);
    if (deadline_ms > 0)
      c.append({"SET", key, kValue, "PXAT", std::to_string(deadline_ms + i % 1000)});
    else if (!tag.empty())
      c.append({"SET", key, kValue, "TAGS", "1", tag});
    else
      c.append({"SET", key, kValue});
    if (i % 500 == 499) c.drain();
  }
  c.drain();
}

long long wall_ms() {
  return std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Reads what is to go, once or until `end`.
void keep_warm(bench::Connection& c, long keys, Clock::time_point end) {
  for (long i = 0; i < keys; ++i) {
    c.append({"GET", "gone." + std::to_string(i)});
    if (i % 500 != 499 && i + 1 != keys) continue;
    c.drain();
    if (Clock::now() >= end) return;
    if (i + 1 == keys && end != Clock::time_point::max()) i = -1;
  }
}

// GETs on schedule from `begin` until `over` says so: their times in microseconds, in order of size.
template <class Over>
std::vector<double> measure(bench::Connection& c, long rate, Clock::time_point begin, Over&& over) {
  std::vector<double> times;
  times.reserve(1 << 20);
  const auto interval = std::chrono::duration_cast<Clock::duration>(duration<double>(1.0 / static_cast<double>(rate)));
  std::uint64_t x = 1;
  for (long i = 0; i < 1000; ++i) c.call({"GET", "stay." + std::to_string(i)});
  for (auto due = begin; !over(); due += interval) {
    while (Clock::now() < due) {
    }
    x = x * 6364136223846793005u + 1442695040888963407u;
    const bench::Reply r = c.call({"GET", "stay." + std::to_string((x >> 33) % kStaying)});
    times.push_back(duration<double, std::micro>(Clock::now() - due).count());
    if (r->type != REDIS_REPLY_STRING || r->len != kValue.size()) bench::fail("GET gave a wrong value");
  }
  std::sort(times.begin(), times.end());
  return times;
}

double percentile(const std::vector<double>& times, double part) {
  return times[std::min(times.size() - 1, static_cast<std::size_t>(part * static_cast<double>(times.size())))];
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(
      argc, argv, "tail_latency --socket PATH --during idle|delprefix|deltag|expire|grow [--keys N] [--rate N]");
  const std::string socket = arguments.text("socket");
  const std::string during = arguments.text("during");
  const long keys = static_cast<long>(arguments.number("keys", 1'000'000));
  const long rate = static_cast<long>(arguments.number("rate", 5'000));
  if (during != "idle" && during != "delprefix" && during != "deltag" && during != "expire" && during != "grow")
    bench::fail("--during knows no '" + during + "'");

  bench::Connection c(socket);
  c.call({"FLUSHALL"});
  load(c, "stay.", 0, kStaying, 0);
  const auto quiet_until = Clock::now() + std::chrono::seconds(2);
  const std::vector<double> idle = measure(c, rate, Clock::now(), [&] { return Clock::now() >= quiet_until; });
  long long deadline = 0;
  if (during == "expire") deadline = wall_ms() + 5000 + keys / 100;  // time enough to load them
  if (during != "grow") load(c, "gone.", 0, keys, deadline, during == "deltag" ? "gone" : "");
  if (deadline > 0 && wall_ms() >= deadline) bench::fail("loading took longer than the deadlines");
  if (during == "delprefix" || during == "deltag") keep_warm(c, keys, Clock::time_point::max());
  if (deadline > 0) keep_warm(c, keys, Clock::now() + milliseconds(deadline - wall_ms() - 200));

  // The event: when it begins, and whether it is over.
  std::atomic<bool> over{false};
  long long event_result = -1;
  double event_ms = 0;
  const auto begin = Clock::now() + milliseconds(deadline > 0 ? std::max<long long>(0, deadline - wall_ms()) : 200);
  std::thread event([&] {
    bench::Connection other(socket);
    std::this_thread::sleep_until(begin);
    const auto start = Clock::now();
    if (during == "delprefix") {
      event_result = other.call({"DELPREFIX", "gone."})->integer;
    } else if (during == "deltag") {
      event_result = other.call({"DELTAG", "gone"})->integer;
    } else if (during == "grow") {
      load(other, "more.", 0, keys, 0);
    } else if (during == "expire") {
      // Over when the deadlines have passed and nothing is left of them.
      std::this_thread::sleep_until(begin + milliseconds(1000));
      while (other.call({"DBSIZE"})->integer > kStaying && Clock::now() < begin + std::chrono::seconds(30))
        std::this_thread::sleep_for(milliseconds(5));
    } else {
      std::this_thread::sleep_for(std::chrono::seconds(2));
    }
    event_ms = duration<double, std::milli>(Clock::now() - start).count();
    over = true;
  });

  const std::vector<double> times = measure(c, rate, begin, [&] { return over.load(); });
  event.join();
  if ((during == "delprefix" || during == "deltag") && event_result != keys)
    bench::fail("the removal answered " + std::to_string(event_result));
  if (during == "expire" && c.call({"DBSIZE"})->integer != kStaying)
    bench::fail("entries that are due are still there");

  std::printf(
      "{\"bench\":\"tail\",\"during\":\"%s\",\"keys\":%ld,\"event_ms\":%.1f,\"gets\":%zu,\"p50\":%.1f,\"p99\":%.1f,"
      "\"p999\":%.1f,\"max\":%.1f,\"idle_p999\":%.1f}\n",
      during.c_str(), keys, event_ms, times.size(), percentile(times, 0.5), percentile(times, 0.99),
      percentile(times, 0.999), times.back(), percentile(idle, 0.999));
  return 0;
}
