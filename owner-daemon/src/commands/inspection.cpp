// OBJECT and MEMORY: what is known of one key's entry.
#include <algorithm>
#include <string>
#include <utility>

#include "commands/collections.h"
#include "commands/handlers.h"
#include "coppice/layout.h"
#include "resp/number.h"

namespace coppice::daemon::handlers {

namespace {

// Redis keeps strings up to this length together with the key.
constexpr std::uint32_t kEmbeddedLength = 44;
constexpr std::uint32_t kLongestInteger = 20;
// Beside the entry's block: a slot of the point index at its usual load, and a reference in the order index.
constexpr std::uint64_t kIndexBytes = 16 + 8;

// As Redis would call it; once large, always large.
std::string_view encoding_of(const Collection& collection) {
  if (collection.type() != ValueType::kSet) {
    if (collection.is_packed()) return "listpack";
    return collection.type() == ValueType::kHash ? "hashtable" : "skiplist";
  }
  if (!collection.is_packed()) return "hashtable";
  for (auto p = collection.first(Collection::Order::kByName); p; p = collection.next(p)) {
    std::int64_t unused = 0;
    if (!resp::parse_int64(collection.at(p).name, &unused)) return "hashtable";
  }
  return "intset";
}

std::string_view encoding_of(const EntryView& entry) {
  std::int64_t unused = 0;
  if (is_plain(entry.type) && entry.value_size <= kLongestInteger && resp::parse_int64(entry.value(), &unused))
    return "int";
  return entry.value_size <= kEmbeddedLength ? "embstr" : "raw";
}

// The pages and the block that hold the entry, without its tags' records.
std::uint64_t bytes_of(const EntryView& entry) {
  const auto key = static_cast<std::uint32_t>(entry.key.size());
  const bool chained = !entry.is_contiguous();
  const std::uint32_t block = layout::block_size(key, entry.value_size, entry.deadline != kNoDeadline, chained);
  const std::uint64_t pages = std::uint64_t{entry.parts.page_count} << layout::kPageShift;
  return pages + layout::kClassSizes[layout::class_of(block)] + kIndexBytes;
}

}  // namespace

namespace {

// The elements of a large collection by the first ones of them; 0 samples: by all.
std::uint64_t bytes_of_elements(const Collection& collection, std::uint64_t samples) {
  if (collection.is_packed() || collection.size() == 0) return 0;
  const bool scored = collection.type() == ValueType::kSortedSet;
  if (samples == 0 || samples > collection.size()) samples = collection.size();
  std::uint64_t bytes = 0, seen = 0;
  for (auto p = collection.first(Collection::Order::kByName); p && seen < samples; p = collection.next(p), ++seen) {
    bytes += bytes_of(collection.at(p).value);
    // A sorted set has the member a second time, by its score.
    if (scored) bytes += bytes_of(collection.at(p).value);
  }
  return seen == 0 ? 0 : bytes * collection.size() / seen;
}

}  // namespace

void object_encoding(Call& call) {
  const auto entry = call.store().peek(call.db(), call[2]);
  if (!entry) return call.reply.null();
  const auto collection = call.store().open(*entry);
  call.reply.bulk(collection ? encoding_of(*collection) : encoding_of(*entry));
}

void object_refcount(Call& call) {
  if (!call.store().peek(call.db(), call[2])) return call.reply.null();
  call.reply.integer(1);
}

void object_freq(Call& call) {
  if (!call.store().peek(call.db(), call[2])) return call.reply.null();
  call.reply.error(
      "ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when switching "
      "between policies at runtime LRU and LFU data will take some time to adjust.");
}

void object_idletime(Call& call) {
  if (!call.store().peek(call.db(), call[2])) return call.reply.null();
  call.reply.error("ERR idle time not tracked: the policy knows only whether an entry was read since the hand passed");
}

void memory_usage(Call& call) {
  std::int64_t samples = 5;
  if (call.size() > 3) {
    if (call.size() != 5 || !is_word(call[3], "samples")) return syntax_error(call);
    if (!resp::parse_int64(call[4], &samples)) return not_an_integer(call);
    if (samples < 0) return syntax_error(call);
  }
  const auto entry = call.store().peek(call.db(), call[2]);
  if (!entry) return call.reply.null();
  const auto collection = call.store().open(*entry);
  const std::uint64_t elements = collection ? bytes_of_elements(*collection, static_cast<std::uint64_t>(samples)) : 0;
  call.reply.count(bytes_of(*entry) + elements);
}

void memory_doctor(Call& call) {
  const StoreStats stats = call.store().stats();
  std::string text;
  if (stats.used_memory > stats.max_memory - stats.max_memory / 10)
    text += "More than nine tenths of maxmemory are used: entries are evicted, or writes refused, soon.\n";
  if (stats.evicted > stats.sets / 10)
    text += "More than one entry in ten that was written has been evicted: maxmemory is small for what is stored.\n";
  if (stats.free_bytes > stats.used_memory && stats.free_bytes > (64u << 20))
    text += "More memory is free within the segment than is used; MEMORY PURGE does not give it back.\n";
  call.reply.verbatim(text.empty() ? "Nothing is wrong with the memory of this store.\n" : text);
}

void memory_purge(Call& call) { call.reply.ok(); }

void memory_stats(Call& call) {
  const StoreStats stats = call.store().stats();
  const std::pair<std::string_view, std::uint64_t> counts[] = {
      {"peak.allocated", std::max(call.service.peak_memory(), stats.used_memory)},
      {"total.allocated", stats.used_memory},
      {"startup.allocated", stats.fixed_bytes},
      {"replication.backlog", 0},
      {"clients.slaves", 0},
      {"cluster.links", 0},
      {"aof.buffer", 0},
      {"lua.caches", 0},
      {"functions.caches", 0},
      {"overhead.total", stats.used_memory - stats.entry_bytes},
      {"point-index.bytes", stats.point_index_bytes},
      {"order-index.bytes", stats.order_index_bytes},
      {"free.bytes", stats.free_bytes},
      {"keys.count", stats.entries},
      {"keys.bytes-per-key", stats.entries == 0 ? 0 : (stats.used_memory - stats.fixed_bytes) / stats.entries},
      {"dataset.bytes", stats.entry_bytes},
  };
  call.reply.map(std::size(counts));
  for (const auto& [name, count] : counts) {
    call.reply.bulk(name);
    call.reply.count(count);
  }
}

}  // namespace coppice::daemon::handlers
