// OBJECT and MEMORY: what is known of one key's entry.
#include <string>

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

void object_encoding(Call& call) {
  const auto entry = call.store().peek(call.db(), call[2]);
  if (!entry) return call.reply.null();
  call.reply.bulk(encoding_of(*entry));
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
  if (call.size() > 3) {
    std::int64_t samples = 0;
    if (call.size() != 5 || !is_word(call[3], "samples")) return syntax_error(call);
    if (!resp::parse_int64(call[4], &samples)) return not_an_integer(call);
    if (samples < 0) return syntax_error(call);
  }
  const auto entry = call.store().peek(call.db(), call[2]);
  if (!entry) return call.reply.null();
  call.reply.count(bytes_of(*entry));
}

}  // namespace coppice::daemon::handlers
