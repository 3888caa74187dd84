// How long a GET takes while the owner is busy with a million other keys (W5).
//
//   tail_latency --socket PATH --during idle|delprefix|expire|grow [--keys 1000000] [--rate 5000]
//
// GETs are sent on a schedule, and each one's time counts from when it was due, so that a stall is seen by every
// request that it held up. One line of JSON: the percentiles over the event in microseconds.
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

void load(bench::Connection& c, const std::string& prefix, long from, long count, long long deadline_ms) {
  for (long i = from; i < from + count; ++i) {
    const std::string key = prefix + std::to_string(i);
    if (deadline_ms > 0)
      c.append({"SET", key, kValue, "PXAT", std::to_string(deadline_ms + i % 1000)});
    else
      c.append({"SET", key, kValue});
    if (i % 500 == 499) c.drain();
  }
  c.drain();
}

long long wall_ms() {
  return std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(
      argc, argv, "tail_latency --socket PATH --during idle|delprefix|expire|grow [--keys N] [--rate N]");
  const std::string socket = arguments.text("socket");
  const std::string during = arguments.text("during");
  const long keys = static_cast<long>(arguments.number("keys", 1'000'000));
  const long rate = static_cast<long>(arguments.number("rate", 5'000));
  if (during != "idle" && during != "delprefix" && during != "expire" && during != "grow")
    bench::fail("--during knows no '" + during + "'");

  bench::Connection c(socket);
  c.call({"FLUSHALL"});
  load(c, "stay.", 0, kStaying, 0);
  long long deadline = 0;
  if (during == "expire") deadline = wall_ms() + 5000 + keys / 100;  // time enough to load them
  if (during != "grow") load(c, "gone.", 0, keys, deadline);
  if (deadline > 0 && wall_ms() >= deadline) bench::fail("loading took longer than the deadlines");

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

  std::vector<double> times;
  times.reserve(1 << 20);
  const auto interval = std::chrono::duration_cast<Clock::duration>(duration<double>(1.0 / static_cast<double>(rate)));
  std::uint64_t x = 1;
  for (long i = 0; i < 1000; ++i) c.call({"GET", "stay." + std::to_string(i)});
  auto due = begin;
  while (!over) {
    while (Clock::now() < due) {
    }
    x = x * 6364136223846793005u + 1442695040888963407u;
    const bench::Reply r = c.call({"GET", "stay." + std::to_string((x >> 33) % kStaying)});
    times.push_back(duration<double, std::micro>(Clock::now() - due).count());
    if (r->type != REDIS_REPLY_STRING || r->len != kValue.size()) bench::fail("GET gave a wrong value");
    due += interval;
  }
  event.join();
  if (during == "delprefix" && event_result != keys) bench::fail("DELPREFIX removed " + std::to_string(event_result));
  if (during == "expire" && c.call({"DBSIZE"})->integer != kStaying)
    bench::fail("entries that are due are still there");

  std::sort(times.begin(), times.end());
  const auto at = [&](double part) {
    return times[std::min(times.size() - 1, static_cast<std::size_t>(part * static_cast<double>(times.size())))];
  };
  std::printf(
      "{\"bench\":\"tail\",\"during\":\"%s\",\"keys\":%ld,\"event_ms\":%.1f,\"gets\":%zu,\"p50\":%.1f,\"p99\":%.1f,"
      "\"p999\":%.1f,"
      "\"max\":%.1f}\n",
      during.c_str(), keys, event_ms, times.size(), at(0.5), at(0.99), at(0.999), times.back());
  return 0;
}
