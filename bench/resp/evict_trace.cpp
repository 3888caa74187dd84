// The hit ratio of a cache that is too small (W4): GET, and SET on a miss, over a trace of keys.
//
//   evict_trace --socket PATH --trace zipf0.9|zipf1.0|scans|shift [--requests 4000000] [--keys 1000000]
//
//   zipf0.9, zipf1.0   independent draws by Zipf's law
//   scans              Zipf 1.0; after each 10,000 draws 2,000 keys that come once, in order
//   shift              Zipf 1.0; after each tenth of the trace the popular keys are others
//
// A value has 50 to 500 bytes, always the same for a key. The first quarter of the trace warms up and does not count.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "connection.h"

namespace {

constexpr long kBatch = 32;

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
  return x ^ (x >> 32);
}

// Draws ranks 0 … n-1 by Zipf's law.
class Zipf {
 public:
  Zipf(long n, double exponent) : cumulative_(static_cast<std::size_t>(n)) {
    double sum = 0;
    for (long i = 0; i < n; ++i)
      cumulative_[static_cast<std::size_t>(i)] = sum += std::pow(static_cast<double>(i + 1), -exponent);
  }
  template <class Generator>
  std::uint64_t operator()(Generator& g) {
    const double x = std::uniform_real_distribution<double>(0, cumulative_.back())(g);
    return static_cast<std::uint64_t>(std::lower_bound(cumulative_.begin(), cumulative_.end(), x) -
                                      cumulative_.begin());
  }

 private:
  std::vector<double> cumulative_;
};

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(
      argc, argv, "evict_trace --socket PATH --trace zipf0.9|zipf1.0|scans|shift [--requests N] [--keys N]");
  const std::string trace = arguments.text("trace");
  const long requests = static_cast<long>(arguments.number("requests", 4'000'000));
  const long keys = static_cast<long>(arguments.number("keys", 1'000'000));
  if (trace != "zipf0.9" && trace != "zipf1.0" && trace != "scans" && trace != "shift")
    bench::fail("no trace '" + trace + "'");

  bench::Connection c(arguments.text("socket"));
  c.call({"FLUSHALL"});
  const std::string filler(500, 'x');
  Zipf zipf(keys, trace == "zipf0.9" ? 0.9 : 1.0);
  std::mt19937_64 random(20240611);
  std::uint64_t once = 1ull << 40;

  const auto number_at = [&](long i) -> std::uint64_t {
    if (trace == "scans" && i % 12'000 >= 10'000) return once++;
    const std::uint64_t rank = zipf(random);
    if (trace == "shift") return mix(rank + static_cast<std::uint64_t>(i / (requests / 10)) * 7'000'003);
    return mix(rank);
  };
  long hits = 0, counted = 0;
  long long most_used = 0;
  std::vector<std::uint64_t> numbers;
  std::vector<std::string> names;
  for (long i = 0; i < requests; i += kBatch) {
    numbers.clear();
    names.clear();
    for (long k = 0; k < kBatch; ++k) {
      numbers.push_back(number_at(i + k));
      names.push_back("object:" + std::to_string(numbers.back()));
      c.append({"GET", names.back()});
    }
    std::size_t missed[kBatch], misses = 0;
    for (std::size_t k = 0; k < kBatch; ++k) {
      const bench::Reply r = c.next();
      const std::size_t size = 50 + numbers[k] % 451;
      if (r->type == REDIS_REPLY_STRING && r->len != size) bench::fail("GET gave a value of another size");
      if (r->type != REDIS_REPLY_STRING) missed[misses++] = k;
    }
    for (std::size_t m = 0; m < misses; ++m)
      c.append({"SET", names[missed[m]], std::string_view(filler).substr(0, 50 + numbers[missed[m]] % 451)});
    c.drain();
    if (i >= requests / 4) {
      counted += kBatch;
      hits += kBatch - static_cast<long>(misses);
    }
    if (i % (kBatch * 1000) == 0) most_used = std::max(most_used, c.info("memory", "used_memory"));
  }
  std::printf(
      "{\"bench\":\"evict\",\"trace\":\"%s\",\"requests\":%ld,\"keys\":%ld,\"hit_ratio\":%.5f,\"entries\":%lld,\"most_"
      "used\":%lld}\n",
      trace.c_str(), requests, keys, static_cast<double>(hits) / static_cast<double>(counted),
      c.call({"DBSIZE"})->integer, most_used);
  return 0;
}
