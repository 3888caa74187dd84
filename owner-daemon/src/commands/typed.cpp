#include "commands/typed.h"

#include <algorithm>
#include <limits>
#include <string>

#include "commands/expiry.h"
#include "commands/handlers.h"
#include "commands/range_options.h"
#include "resp/number.h"

namespace coppice::daemon {

bool parse_value(Call& call, std::string_view type, std::string_view bytes, Value* out) {
  std::int64_t number = 0;
  if (!resp::parse_int64(type, &number) || number < 0 || number > kLastValueType) {
    call.reply.error("ERR unknown value type '" + std::string(type.substr(0, 32)) + "'");
    return false;
  }
  *out = {static_cast<ValueType>(number), bytes};
  std::int64_t integer = 0;
  bool fits = true;
  switch (out->type) {
    case ValueType::kInteger:
      fits = resp::parse_int64(bytes, &integer);
      break;
    case ValueType::kNull:
    case ValueType::kFalse:
    case ValueType::kTrue:
      fits = bytes.empty();
      break;
    case ValueType::kDouble:
      fits = bytes.size() == 8;
      break;
    default:
      break;
  }
  if (!fits) call.reply.error("ERR the value's bytes do not fit its type " + std::to_string(number));
  return fits;
}

bool parse_integer(Call& call, std::string_view text, std::int64_t* out) {
  if (resp::parse_int64(text, out)) return true;
  not_an_integer(call);
  return false;
}

namespace handlers {

namespace {

constexpr std::size_t kReplyLimit = 1 << 20;  // of one TSCAN

std::int64_t ttl_of(const EntryView& entry, Millis now) {
  if (entry.deadline == kNoDeadline) return -1;
  return entry.deadline > now ? entry.deadline - now : 0;
}

void write_entry(Call& call, const EntryView& entry) {
  call.reply.array(4);
  call.reply.integer(static_cast<std::int64_t>(entry.type));
  call.reply.bulk(entry);
  call.reply.count(entry.version);
  call.reply.integer(ttl_of(entry, call.service.clock().monotonic_ms()));
}

}  // namespace

void tset(Call& call) {
  Value value;
  if (!parse_value(call, call[2], call[3], &value)) return;
  SetOptions options;
  std::int64_t ttl = -1;
  std::int64_t version = 0;
  std::int64_t cost = 0;
  for (std::size_t i = 4; i < call.size(); ++i) {
    const bool first = options.when == When::kAlways;
    if (is_word(call[i], "px") && i + 1 < call.size()) {
      if (!parse_integer(call, call[++i], &ttl)) return;
    } else if (is_word(call[i], "nx") && first) {
      options.when = When::kIfAbsent;
    } else if (is_word(call[i], "xx") && first) {
      options.when = When::kIfPresent;
    } else if (is_word(call[i], "ifver") && first && i + 1 < call.size()) {
      if (!parse_integer(call, call[++i], &version)) return;
      options.when = When::kIfVersion;
      options.version = static_cast<Version>(version);
    } else if (is_word(call[i], "keepttl")) {
      options.keep_deadline = true;
    } else if (is_word(call[i], "stale") && i + 1 < call.size()) {
      if (!parse_integer(call, call[++i], &options.stale)) return;
      if (options.stale < 0) return call.reply.error("ERR STALE must not be negative");
    } else if (is_word(call[i], "cost") && i + 1 < call.size()) {
      if (!parse_integer(call, call[++i], &cost)) return;
      if (cost < 0) return call.reply.error("ERR COST must not be negative");
      options.compute_us =
          static_cast<std::uint32_t>(std::min<std::int64_t>(cost, std::numeric_limits<std::uint32_t>::max()));
    } else if (is_word(call[i], "tags") && options.tags.empty() && i + 1 < call.size()) {
      if (!parse_tags(call, &i, &options.tags)) return;
    } else {
      return syntax_error(call);
    }
  }
  options.deadline = deadline_of_ttl(call.service.clock().monotonic_ms(), ttl);
  const auto done = call.store().set(call.db(), call[1], value, options);
  if (!done) return refuse_typed(call, done.error());
  if (!done->stored) return call.reply.null();
  call.reply.count(done->version);
}

void tmset(Call& call) {
  std::int64_t ttl = 0;
  std::int64_t count = 0;
  if (!parse_integer(call, call[1], &ttl) || !parse_integer(call, call[2], &count)) return;
  const auto announced = static_cast<std::uint64_t>(count);
  const std::size_t end = count < 1 || announced > (call.size() - 3) / 3 ? 0 : 3 + 3 * announced;
  SetOptions options;
  std::size_t tags = end;
  if (end != 0 && end + 1 < call.size() && is_word(call[end], "tags")) {
    if (!parse_tags(call, &tags, &options.tags)) return;
    ++tags;
  }
  if (end == 0 || tags != call.size())
    return call.reply.error("ERR TMSET was given another number of entries than it announced");
  options.deadline = deadline_of_ttl(call.service.clock().monotonic_ms(), ttl);
  // All is looked at before anything is stored, so that an error stores nothing.
  Value value;
  for (std::size_t i = 3; i < end; i += 3)
    if (!key_allowed(call, call[i]) || !parse_value(call, call[i + 1], call[i + 2], &value)) return;
  call.reply.array(static_cast<std::size_t>(count));
  for (std::size_t i = 3; i < end; i += 3) {
    (void)parse_value(call, call[i + 1], call[i + 2], &value);
    const auto done = call.store().set(call.db(), call[i], value, options);
    call.reply.count(done ? done->version : 0);
  }
}

void tget(Call& call) {
  if (call.size() > 2) {
    if (call.size() != 3 || !is_word(call[2], "stale")) return syntax_error(call);
    const auto found = call.store().find_stale(call.db(), call[1]);
    if (!found) return call.reply.null();
    if (!is_value(found->entry.type)) return refuse_typed(call, Error::kWrongType);
    // Behind the deadline the ttl is what has passed since, negative; but never -1, which is "for ever".
    const Millis now = call.service.clock().monotonic_ms();
    const std::int64_t ttl =
        found->is_stale ? std::min<Millis>(found->entry.deadline - now, -2) : ttl_of(found->entry, now);
    call.reply.array(6);
    call.reply.integer(static_cast<std::int64_t>(found->entry.type));
    call.reply.bulk(found->entry);
    call.reply.count(found->entry.version);
    call.reply.integer(ttl);
    call.reply.count(found->stale);
    call.reply.count(found->compute_us);
    return;
  }
  const auto entry = call.store().find(call.db(), call[1]);
  if (!entry) return call.reply.null();
  if (!is_value(entry->type)) return refuse_typed(call, Error::kWrongType);
  write_entry(call, *entry);
}

void tmget(Call& call) {
  const auto keys = call.arguments.subspan(1);
  call.reply.array(keys.size());
  call.store().find_many(call.db(), keys, [&call](std::size_t, const EntryView* entry) {
    if (entry != nullptr && is_value(entry->type))
      write_entry(call, *entry);
    else
      call.reply.null();
  });
}

void tpull(Call& call) {
  const auto entry = call.store().find(call.db(), call[1]);
  if (entry && !is_value(entry->type)) return refuse_typed(call, Error::kWrongType);
  if (entry)
    write_entry(call, *entry);
  else
    call.reply.null();
  // Also where there is nothing: somebody may be computing it.
  call.store().erase(call.db(), call[1]);
}

void tincr(Call& call) {
  std::int64_t by = 0;
  std::int64_t ttl = 0;
  IncrementOptions options;
  if (!parse_integer(call, call[2], &by) || !parse_integer(call, call[3], &options.initial) ||
      !parse_integer(call, call[4], &ttl))
    return;
  options.deadline_if_new = deadline_of_ttl(call.service.clock().monotonic_ms(), ttl);
  const auto done = call.store().increment(call.db(), call[1], by, options);
  if (!done) return refuse_typed(call, done.error());
  call.reply.integer(*done);
}

void ttouch(Call& call) {
  std::int64_t ttl = 0;
  if (!parse_integer(call, call[2], &ttl)) return;
  if (!key_allowed(call, call[1])) return;
  const Millis deadline = deadline_of_ttl(call.service.clock().monotonic_ms(), ttl);
  const auto done = call.store().set_deadline(call.db(), call[1], deadline);
  if (!done) return refuse_typed(call, done.error());
  call.reply.integer(*done ? 1 : 0);
}

void tscan(Call& call) {
  RangeOptions options;
  if (!parse_range_options(call, &options)) return;
  ScanRange range;
  range.prefix = call[1];
  if (options.after) range.start = *options.after;
  range.reverse = options.reverse;
  std::string body;
  resp::ReplyWriter writer(body, call.reply.protocol());
  std::uint64_t taken = 0;
  const Millis now = call.service.clock().monotonic_ms();
  if (options.limit > 0)
    call.store().scan(call.db(), range, [&](const EntryView& entry) {
      writer.bulk(entry.key);
      writer.integer(static_cast<std::int64_t>(entry.type));
      writer.bulk(entry);
      writer.count(entry.version);
      writer.integer(ttl_of(entry, now));
      return ++taken < options.limit && body.size() < kReplyLimit;
    });
  call.reply.array(taken * 5);
  call.reply.raw(body);
}

namespace {

class Prune final : public Job {
 public:
  bool step(Service& service, const Slice& slice) override {
    Store& store = service.store();
    const std::uint64_t before = store.stats().expired;
    const bool done = pace_.run(slice, [&](std::size_t entries) { return !store.expire(entries); });
    removed_ += store.stats().expired - before;
    return done;
  }
  void answer(Service&, resp::ReplyWriter& reply) override { reply.count(removed_); }

 private:
  std::uint64_t removed_ = 0;
  Pace pace_;
};

}  // namespace

void tprune(Call& call) { start(call, std::make_unique<Prune>()); }

void tstats(Call& call) {
  const StoreStats s = call.store().stats();
  const std::pair<std::string_view, std::uint64_t> fields[] = {
      {"entries", s.entries},
      {"entries_with_deadline", s.entries_with_deadline},
      {"used_memory", s.used_memory},
      {"max_memory", s.max_memory},
      {"entry_bytes", s.entry_bytes},
      {"point_index_bytes", s.point_index_bytes},
      {"order_index_bytes", s.order_index_bytes},
      {"fixed_bytes", s.fixed_bytes},
      {"free_bytes", s.free_bytes},
      {"hits", s.hits + call.service.counters().worker_hits},
      {"misses", s.misses + call.service.counters().worker_misses},
      {"sets", s.sets},
      {"evicted", s.evicted},
      {"expired", s.expired},
      {"moved", s.moved},
      {"pending_purge", s.pending_purge},
      {"stale", s.stale},
      {"tags", s.tags},
      {"tag_memberships", s.tag_memberships},
      {"tag_index_bytes", s.tag_index_bytes},
      {"connections", call.service.counters().connections},
      {"attached", call.service.counters().attached},
  };
  call.reply.array(std::size(fields) * 2);
  for (const auto& [name, value] : fields) {
    call.reply.bulk(name);
    call.reply.count(value);
  }
}

}  // namespace handlers

}  // namespace coppice::daemon
