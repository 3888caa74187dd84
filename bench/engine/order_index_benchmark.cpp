// The order index alone: what a key costs in bytes, and each operation in time.
//
//   order_index_benchmark [Google Benchmark's options], e.g. --benchmark_filter='/structured/.*/1000000'
//
// The arguments are the number of keys and whether they come in order (1) or at random (0). `bytes_per_key` counts
// whole pages of the pool. Entries hold the key and a 30-byte value; the pool's pages and the entries are plain memory.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "block.h"
#include "judy_pool.h"
#include "keys.h"
#include "order_index.h"

namespace {

using coppice::EntryRef;
using coppice::JudyPool;
using coppice::OrderIndex;

enum Kind { kStructured, kHashed, kUuid };

std::string make_key(Kind kind, std::uint64_t number) {
  if (kind == kHashed) return bench::hashed_key(number);
  if (kind == kUuid) return bench::uuid_key(number);
  return std::string(bench::StructuredKey()(number));
}

struct FreePage {
  void operator()(void* p) const { std::free(p); }
};

// Keys, their entries in the order in which they came, and an index of them.
class Subject {
 public:
  Subject(Kind kind, std::size_t n, bool in_order) {
    keys.reserve(n);
    for (std::size_t i = 0; i < n; ++i) keys.push_back(make_key(kind, i));
    if (in_order)
      std::sort(keys.begin(), keys.end());
    else
      std::shuffle(keys.begin(), keys.end(), random_);
    constexpr std::size_t kHead = sizeof(coppice::layout::BlockHeader), kValue = 30;
    std::size_t bytes = 64;
    for (const std::string& key : keys) bytes += (kHead + key.size() + kValue + 7) / 8 * 8;
    arena_.reset(static_cast<char*>(std::calloc(bytes, 1)));
    std::size_t used = 64;
    for (const std::string& key : keys) {
      auto* header = reinterpret_cast<coppice::layout::BlockHeader*>(arena_.get() + used);
      header->value_length = kValue;
      header->key_length_and_flags = static_cast<std::uint16_t>(key.size());
      std::memcpy(arena_.get() + used + kHead, key.data(), key.size());
      refs.push_back(used / 8);
      used += (kHead + key.size() + kValue + 7) / 8 * 8;
    }
    probes.resize(n);
    std::iota(probes.begin(), probes.end(), 0u);
    std::shuffle(probes.begin(), probes.end(), random_);
    start();
  }
  ~Subject() {
    index.reset();
    pool.reset();
  }
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  // An empty index.
  void start() {
    index.reset();
    pool = std::make_unique<JudyPool>();
    pages_.clear();
    index = std::make_unique<OrderIndex>(*pool, coppice::KeySource{arena_.get()});
  }
  void insert(std::size_t i) {
    while (!pool->ready()) {
      pages_.emplace_back(std::aligned_alloc(JudyPool::kPageBytes, JudyPool::kPageBytes));
      pool->add_page(pages_.back().get());
    }
    index->insert(keys[i], refs[i]);
  }
  void fill() {
    for (std::size_t i = 0; i < keys.size(); ++i) insert(i);
  }
  const char* block(EntryRef ref) const { return arena_.get() + ref * 8; }

  std::vector<std::string> keys;
  std::vector<EntryRef> refs;
  std::vector<std::uint32_t> probes;  // all positions at random
  std::unique_ptr<JudyPool> pool;
  std::unique_ptr<OrderIndex> index;

 private:
  std::mt19937_64 random_{42};
  std::unique_ptr<char, FreePage> arena_;
  std::vector<std::unique_ptr<void, FreePage>> pages_;
};

// A filled subject of these arguments: the last one is kept, as benchmarks of the same arguments follow each other.
Subject& subject(Kind kind, const benchmark::State& state) {
  static std::unique_ptr<Subject> current;
  static std::tuple<Kind, std::int64_t, std::int64_t> made_for;
  const std::tuple wanted(kind, state.range(0), state.range(1));
  if (!current || made_for != wanted) {
    current.reset();
    current = std::make_unique<Subject>(kind, static_cast<std::size_t>(state.range(0)), state.range(1) != 0);
    made_for = wanted;
  }
  if (current->index->size() != current->keys.size()) {
    current->start();
    current->fill();
  }
  return *current;
}

// Time is for a key.
void insert(benchmark::State& state, Kind kind) {
  Subject& s = subject(kind, state);
  std::size_t next = s.keys.size();
  for (auto _ : state) {
    if (next == s.keys.size()) {
      state.PauseTiming();
      s.start();
      next = 0;
      state.ResumeTiming();
    }
    s.insert(next++);
  }
  while (next < s.keys.size()) s.insert(next++);
  state.counters["bytes_per_key"] = static_cast<double>(s.pool->pages() * JudyPool::kPageBytes) / s.keys.size();
}

void find(benchmark::State& state, Kind kind) {
  Subject& s = subject(kind, state);
  std::size_t i = 0;
  for (auto _ : state) {
    const std::uint32_t at = s.probes[i++ % s.probes.size()];
    if (s.index->find(s.keys[at]) != s.refs[at]) state.SkipWithError("a key was not found");
  }
}

// As the store does it: the entry's reference is known from the point index.
void replace(benchmark::State& state, Kind kind) {
  Subject& s = subject(kind, state);
  std::size_t i = 0;
  for (auto _ : state) {
    const std::uint32_t at = s.probes[i++ % s.probes.size()];
    if (!s.index->replace(s.keys[at], s.refs[at], s.refs[at])) state.SkipWithError("a key was not found");
  }
}

void erase_and_insert(benchmark::State& state, Kind kind) {
  Subject& s = subject(kind, state);
  std::size_t i = 0;
  for (auto _ : state) {
    const std::uint32_t at = s.probes[i++ % s.probes.size()];
    if (!s.index->erase(s.keys[at], s.refs[at])) state.SkipWithError("a key was not found");
    s.insert(at);
  }
}

// Time is for a key, which is read.
void walk(benchmark::State& state, Kind kind) {
  Subject& s = subject(kind, state);
  OrderIndex::Position p;
  for (auto _ : state) {
    if (!p) p = s.index->first();
    benchmark::DoNotOptimize(coppice::block_key(s.block(s.index->at(p))).back());
    p = s.index->next(p);
  }
}

// The ten keys of a user go; all are put back, with the clock stopped, when half of the users have none.
void erase_prefix_of_ten(benchmark::State& state) {
  Subject& s = subject(kStructured, state);
  const std::size_t users = s.keys.size() / 10;
  std::size_t taken = 0;
  const OrderIndex::RangeVisitor visitor{&taken, [](void*, EntryRef) { return false; },
                                         [](void* context, EntryRef) { ++*static_cast<std::size_t*>(context); }};
  std::string resume;
  bench::StructuredKey key;
  bench::RandomOrder order(users);
  std::size_t erased = 0;
  for (auto _ : state) {
    if (erased == users / 2) {
      state.PauseTiming();
      s.start();
      s.fill();
      erased = 0;
      state.ResumeTiming();
    }
    taken = 0;
    s.index->erase_front(key.prefix(order.next()), {}, 1000, visitor, &resume);
    if (taken != 10) state.SkipWithError("a user has not ten keys");
    ++erased;
  }
}

void arguments(benchmark::internal::Benchmark* b) {
  for (const std::int64_t n : {10000, 100000, 1000000})
    for (const std::int64_t in_order : {0, 1}) b->Args({n, in_order});
}

void add_benchmarks() {
  static constexpr std::pair<const char*, Kind> kKinds[] = {
      {"structured", kStructured}, {"hashed", kHashed}, {"uuid", kUuid}};
  static constexpr std::pair<const char*, void (*)(benchmark::State&, Kind)> kOperations[] = {
      {"insert", insert}, {"find", find}, {"replace", replace}, {"erase_and_insert", erase_and_insert}, {"walk", walk}};
  for (const auto& [kind_name, kind] : kKinds)
    for (const auto& [name, operation] : kOperations)
      arguments(benchmark::RegisterBenchmark((std::string(name) + '/' + kind_name).c_str(), operation, kind));
  arguments(benchmark::RegisterBenchmark("erase_prefix_of_ten/structured", erase_prefix_of_ten));
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  add_benchmarks();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
