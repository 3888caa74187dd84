// Bytes an entry costs beyond its key and value, for kinds of keys, as a line of JSON each.
//
//   memory_report [entries, by default 1000000]
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "coppice/store.h"
#include "keys.h"

namespace {

using coppice::Store;

constexpr std::string_view kText = "thirty bytes of a stored value";

std::uint64_t resident_bytes() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line))
    if (line.starts_with("VmRSS:")) return std::strtoull(line.c_str() + 6, nullptr, 10) * 1024;
  return 0;
}

template <class KeyOf>
bool report(const char* kind, std::uint64_t n, bool deadlines, KeyOf key_of) {
  const std::uint64_t resident_before = resident_bytes();
  coppice::StoreOptions options;
  options.max_memory = std::max<std::uint64_t>(64u << 20, n * 300);
  options.policy = coppice::Policy::kNoEviction;
  Store::CreateError error;
  const auto store = Store::create(options, &error);
  if (!store) {
    std::fprintf(stderr, "memory_report: %s\n", error.message.c_str());
    return false;
  }
  const auto empty = store->stats();
  const coppice::Millis now = coppice::system_clock().monotonic_ms();
  bench::RandomOrder order(n);
  std::uint64_t payload = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::uint64_t number = order.next();
    const std::string key = key_of(number);
    coppice::SetOptions set;
    if (deadlines) set.deadline = now + 3'600'000 + static_cast<coppice::Millis>(number % 600'000);
    if (!store->set(0, key, {coppice::ValueType::kString, kText}, set)) {
      std::fprintf(stderr, "memory_report: set was refused\n");
      return false;
    }
    payload += key.size() + kText.size();
  }
  const auto full = store->stats();
  const auto each = [n](std::uint64_t bytes) { return static_cast<double>(bytes) / static_cast<double>(n); };
  std::printf(
      "{\"bench\":\"memory\",\"keys\":\"%s\",\"n\":%llu,\"payload\":%.2f,\"beyond_payload\":%.2f,\"used\":%.2f,"
      "\"blocks\":%.2f,"
      "\"point_index\":%.2f,\"order_index\":%.2f,\"fixed\":%.2f,\"resident\":%.2f}\n",
      kind, static_cast<unsigned long long>(n), each(payload), each(full.used_memory - payload), each(full.used_memory),
      each(full.entry_bytes - empty.entry_bytes), each(full.point_index_bytes), each(full.order_index_bytes),
      each(full.fixed_bytes), each(resident_bytes() - resident_before));
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  if (n < 10 || n % 10 != 0) {
    std::fprintf(stderr, "usage: memory_report [entries, a multiple of ten]\n");
    return 2;
  }
  bench::StructuredKey structured;
  const auto structured_key = [&](std::uint64_t i) { return std::string(structured(i)); };
  const bool held = report("user.<uid>.item.<i>", n, false, structured_key) &&
                    report("prefix and 40 hex digits", n, false, bench::hashed_key) &&
                    report("uuids", n, false, bench::uuid_key) &&
                    report("user.<uid>.item.<i>, each with a deadline", n, true, structured_key);
  return held ? 0 : 1;
}
