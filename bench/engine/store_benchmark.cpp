// Each operation of the engine at several sizes, keys in random order, 30-byte values.
//
//   store_benchmark [--sizes=10000,100000,1000000,10000000] [Google Benchmark's options]
//
// Every benchmark of one size uses the same store and leaves it as it found it.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "coppice/store.h"
#include "keys.h"

namespace {

using coppice::Result;
using coppice::SetOptions;
using coppice::SetResult;
using coppice::Store;
using coppice::ValueType;
using coppice::When;

constexpr std::string_view kText = "thirty bytes of a stored value";

void must(bool held, const char* what) {
  if (held) return;
  std::fprintf(stderr, "store_benchmark: %s\n", what);
  std::abort();
}

SetOptions options(When when) {
  SetOptions o;
  o.when = when;
  return o;
}

class Subject {
 public:
  explicit Subject(std::uint64_t n) : n(n) {
    coppice::StoreOptions o;
    o.max_memory = std::max<std::uint64_t>(64u << 20, n * 200);
    o.policy = coppice::Policy::kNoEviction;
    Store::CreateError error;
    store = Store::create(o, &error);
    if (!store) must(false, error.message.c_str());
    bench::RandomOrder users(n / 10);
    bench::StructuredKey key;
    for (std::uint64_t u = 0; u < n / 10; ++u) {
      const std::uint64_t user = users.next();
      for (std::uint64_t i = 0; i < 10; ++i) set(key(user * 10 + i));
    }
    must(store->count(0) == n, "the fill is not complete");
  }
  void set(std::string_view key) { must(bool(store->set(0, key, {ValueType::kString, kText})), "set was refused"); }

  std::uint64_t n;
  std::unique_ptr<Store> store;
};

Subject& subject(std::uint64_t n) {
  static std::unique_ptr<Subject> current;
  if (!current || current->n != n) {
    current.reset();
    current = std::make_unique<Subject>(n);
  }
  return *current;
}

using Body = void (*)(benchmark::State&, Subject&);

void find_hit(benchmark::State& state, Subject& s) {
  bench::RandomOrder order(s.n, 7);
  bench::StructuredKey key;
  for (auto _ : state) {
    auto e = s.store->find(0, key(order.next()));
    must(e.has_value(), "find missed");
    char first = e->contiguous_value().front();
    benchmark::DoNotOptimize(first);
  }
}

void find_miss(benchmark::State& state, Subject& s) {
  bench::RandomOrder order(s.n, 7);
  bench::StructuredKey key;
  for (auto _ : state) benchmark::DoNotOptimize(s.store->find(0, key(s.n + order.next())));
}

void find_many_of_user(benchmark::State& state, Subject& s) {
  bench::RandomOrder order(s.n / 10, 7);
  std::array<bench::StructuredKey, 10> keys;
  std::array<std::string_view, 10> views;
  std::uint64_t found = 0;
  const Store::FindFn count = [&](std::size_t, const coppice::EntryView* e) { found += e != nullptr; };
  for (auto _ : state) {
    const std::uint64_t user = order.next();
    for (std::size_t i = 0; i < 10; ++i) views[i] = keys[i](user * 10 + i);
    s.store->find_many(0, views, count);
  }
  must(found == 10 * static_cast<std::uint64_t>(state.iterations()), "find_many missed");
  state.SetItemsProcessed(10 * state.iterations());
}

void set_overwrite(benchmark::State& state, Subject& s) {
  bench::RandomOrder order(s.n, 7);
  bench::StructuredKey key;
  for (auto _ : state) s.set(key(order.next()));
}

void set_new_and_erase(benchmark::State& state, Subject& s) {
  bench::RandomOrder order(s.n, 7);
  bench::StructuredKey key;
  for (auto _ : state) {
    const std::string_view k = key(order.next());
    must(s.store->erase(0, k), "erase missed");
    s.set(k);
  }
}

void set_if_version(benchmark::State& state, Subject& s) {
  bench::RandomOrder order(s.n, 7);
  bench::StructuredKey key;
  for (auto _ : state) {
    const std::string_view k = key(order.next());
    SetOptions o = options(When::kIfVersion);
    o.version = s.store->find(0, k)->version;
    auto r = s.store->set(0, k, {ValueType::kString, kText}, o);
    must(r && r->stored, "compare-and-set failed");
  }
}

void set_if_absent_refused(benchmark::State& state, Subject& s) {
  bench::RandomOrder order(s.n, 7);
  bench::StructuredKey key;
  const SetOptions o = options(When::kIfAbsent);
  for (auto _ : state) {
    auto r = s.store->set(0, key(order.next()), {ValueType::kString, kText}, o);
    must(r && !r->stored, "set replaced an entry");
  }
}

void increment(benchmark::State& state, Subject& s) {
  for (int i = 0; i < 1000; ++i)
    must(bool(s.store->increment(0, "counter." + std::to_string(i), 1)), "increment was refused");
  std::uint64_t x = 0;
  char key[16] = "counter.";
  for (auto _ : state) {
    const auto end = std::to_chars(key + 8, key + sizeof key, x = (x * 5 + 1) % 1000).ptr;
    benchmark::DoNotOptimize(s.store->increment(0, {key, static_cast<std::size_t>(end - key)}, 1));
  }
  s.store->erase_prefix(0, "counter.");
}

void touch(benchmark::State& state, Subject& s) {
  bench::RandomOrder order(s.n, 7);
  bench::StructuredKey key;
  const coppice::Millis now = coppice::system_clock().monotonic_ms();
  for (auto _ : state) {
    const std::uint64_t number = order.next();
    must(bool(s.store->set_deadline(0, key(number), now + 3'600'000 + static_cast<coppice::Millis>(number % 100'000))),
         "touch failed");
  }
  // What has a deadline now loses it again: in the order in which it got it.
  bench::RandomOrder again(s.n, 7);
  for (std::int64_t i = 0; i < std::min<std::int64_t>(state.iterations(), static_cast<std::int64_t>(s.n)); ++i)
    must(bool(s.store->set_deadline(0, key(again.next()), coppice::kNoDeadline)), "persist failed");
}

void erase_prefix_of_ten(benchmark::State& state, Subject& s) {
  bench::RandomOrder order(s.n / 10, 7);
  bench::StructuredKey key;
  std::vector<double> times;
  for (auto _ : state) {
    const std::uint64_t user = order.next();
    const auto start = std::chrono::steady_clock::now();
    const std::uint64_t gone = s.store->erase_prefix(0, key.prefix(user));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    must(gone == 10, "erase_prefix did not remove ten");
    state.SetIterationTime(took.count());
    times.push_back(took.count());
    for (std::uint64_t i = 0; i < 10; ++i) s.set(key(user * 10 + i));
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  state.counters["median_ns"] = times[times.size() / 2] * 1e9;
}

void count_prefix_of_ten(benchmark::State& state, Subject& s) {
  bench::RandomOrder order(s.n / 10, 7);
  bench::StructuredKey key;
  for (auto _ : state) must(s.store->count_prefix(0, key.prefix(order.next())) == 10, "count_prefix is wrong");
}

void count_prefix_of_a_ninth(benchmark::State& state, Subject& s) {
  for (auto _ : state) benchmark::DoNotOptimize(s.store->count_prefix(0, "user.3"));
  state.counters["entries"] = static_cast<double>(s.store->count_prefix(0, "user.3"));
}

void scan_hundred(benchmark::State& state, Subject& s, bool reverse) {
  bench::RandomOrder order(s.n, 7);
  bench::StructuredKey key;
  for (auto _ : state) {
    coppice::ScanRange range;
    range.start = key(order.next());
    range.reverse = reverse;
    int left = 100;
    std::size_t bytes = 0;
    s.store->scan(0, range, [&](const coppice::EntryView& e) {
      bytes += e.key.size();
      return --left > 0;
    });
    benchmark::DoNotOptimize(bytes);
  }
  state.SetItemsProcessed(100 * state.iterations());
}

void scan_hundred_forward(benchmark::State& state, Subject& s) { scan_hundred(state, s, false); }
void scan_hundred_reverse(benchmark::State& state, Subject& s) { scan_hundred(state, s, true); }

void expire_one(benchmark::State& state, Subject& s) {
  // Entries that are due, a thousand at a time; each iteration sweeps one.
  int left = 0;
  for (auto _ : state) {
    if (left == 0) {
      state.PauseTiming();
      const coppice::Millis soon = coppice::system_clock().monotonic_ms() + 1;
      for (left = 0; left < 1000; ++left) {
        SetOptions o;
        o.deadline = soon;
        must(bool(s.store->set(0, "due." + std::to_string(left), {ValueType::kString, kText}, o)), "set was refused");
      }
      while (coppice::system_clock().monotonic_ms() <= soon + 1) {
      }
      state.ResumeTiming();
    }
    s.store->expire(1);
    --left;
  }
  s.store->prune();
}

const struct {
  const char* name;
  Body body;
  bool manual = false;
} kBenchmarks[] = {
    {"find", find_hit},
    {"find_miss", find_miss},
    {"find_many_of_user", find_many_of_user},
    {"set_overwrite", set_overwrite},
    {"erase_and_set_new", set_new_and_erase},
    {"find_and_set_if_version", set_if_version},
    {"set_if_absent_refused", set_if_absent_refused},
    {"increment", increment},
    {"set_deadline", touch},
    {"erase_prefix_of_ten", erase_prefix_of_ten, true},
    {"count_prefix_of_ten", count_prefix_of_ten},
    {"count_prefix_of_a_ninth", count_prefix_of_a_ninth},
    {"scan_hundred", scan_hundred_forward},
    {"scan_hundred_reverse", scan_hundred_reverse},
    {"expire_one", expire_one},
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::uint64_t> sizes;
  std::string list = "10000,100000,1000000,10000000";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (!argument.starts_with("--sizes=")) continue;
    list = argument.substr(8);
    std::copy(argv + i + 1, argv + argc, argv + i);
    --argc;
    break;
  }
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    const std::uint64_t n = std::strtoull(list.substr(at, comma - at).c_str(), nullptr, 10);
    if (n < 1000 || n % 10 != 0) {
      std::fprintf(stderr, "store_benchmark: a size is a multiple of ten from 1000: %s\n", list.c_str());
      return 2;
    }
    sizes.push_back(n);
    at = comma + 1;
  }
  for (const std::uint64_t n : sizes) {
    for (const auto& b : kBenchmarks) {
      auto* registered =
          benchmark::RegisterBenchmark((std::string(b.name) + "/" + std::to_string(n)).c_str(),
                                       [n, body = b.body](benchmark::State& state) { body(state, subject(n)); });
      if (b.manual) registered->UseManualTime();
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
