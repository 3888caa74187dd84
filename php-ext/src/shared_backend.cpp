#include "shared_backend.h"

#include <cstring>

#include "scratch.h"
#include "wire.h"

namespace coppice::php {

namespace {

constexpr std::size_t kChunk = 1u << 20;  // bytes of a request before it is sent

Failure::Kind kind_of(std::string_view error) {
  using Kind = Failure::Kind;
  const std::string_view code = error.substr(0, error.find(' '));
  if (code == "LOADING") return Kind::kLoading;
  if (code == "OOM" || code == "TOOLARGE") return Kind::kRefused;
  if (code == "NOTINT") return Kind::kNotInteger;
  if (code == "OVERFLOW") return Kind::kOverflow;
  if (code == "WRONGTYPE") return Kind::kWrongType;
  if (code == "BADTAG") return Kind::kBadArgument;
  return Kind::kOther;
}

Outcome copy_value(const std::string& bytes, Scratch* value) {
  char* room = value->begin_value(bytes.size());
  if (room == nullptr) throw std::bad_alloc();
  std::memcpy(room, bytes.data(), bytes.size());
  return Outcome::kDone;
}

void append_tags(std::vector<std::string_view>& arguments, std::string_view count,
                 std::span<const std::string_view> tags) {
  arguments.insert(arguments.end(), {"TAGS", count});
  arguments.insert(arguments.end(), tags.begin(), tags.end());
}

// Moves one `type, value, version, ttl` of an answer.
bool take_entry(const Reply* item, ReadInfo* info) {
  using Kind = Reply::Kind;
  if (item[0].kind != Kind::kInteger || item[1].kind != Kind::kBulk || item[2].kind != Kind::kInteger ||
      item[3].kind != Kind::kInteger || item[0].integer < 0 || item[0].integer > 255)
    return false;
  info->type = static_cast<ValueType>(item[0].integer);
  info->value_size = static_cast<std::uint32_t>(item[1].text.size());
  info->version = static_cast<Version>(item[2].integer);
  info->deadline = item[3].integer < 0 ? kNoDeadline : deadline_after(coarse_now(), item[3].integer);
  return true;
}

}  // namespace

void SharedBackend::no_owner(Failure* failure) const {
  const bool loading = client_.link_state() == LinkState::kLoading;
  failure->set(loading ? Failure::Kind::kLoading : Failure::Kind::kUnreachable, client_.last_failure());
}

std::optional<Reply> SharedBackend::call(std::span<const std::string_view> arguments, Failure* failure,
                                         Millis patience) {
  std::optional<Reply> reply = client_.call(arguments, patience);
  if (!reply) {
    no_owner(failure);
  } else if (reply->is_error()) {
    failure->set(kind_of(reply->text), reply->text);
    reply.reset();
  }
  return reply;
}

Outcome SharedBackend::ask(std::string_view key, bool take, ReadInfo* info, Scratch* value, Failure* failure) {
  const auto reply = call({take ? "TPULL" : "TGET", key}, failure);
  if (!reply) return Outcome::kFailed;
  if (reply->kind == Reply::Kind::kNil) return Outcome::kNot;
  if (reply->kind != Reply::Kind::kArray || reply->items.size() != 4 || !take_entry(reply->items.data(), info))
    return odd_answer(failure);
  return copy_value(reply->items[1].text, value);
}

Outcome SharedBackend::ask_refreshable(std::string_view key, RefreshInfo* info, Scratch* value, Failure* failure) {
  const auto reply = call({"TGET", key, "STALE"}, failure);
  if (!reply) return Outcome::kFailed;
  if (reply->kind == Reply::Kind::kNil) return Outcome::kNot;
  if (reply->kind != Reply::Kind::kArray || reply->items.size() != 6 || !take_entry(reply->items.data(), info) ||
      reply->items[4].kind != Reply::Kind::kInteger || reply->items[5].kind != Reply::Kind::kInteger)
    return odd_answer(failure);
  const std::int64_t ttl = reply->items[3].integer;
  info->is_stale = ttl < -1;
  info->has_tags = true;  // it is not said
  if (info->is_stale) info->deadline = coarse_now() + ttl;
  info->stale = static_cast<std::uint32_t>(reply->items[4].integer);
  info->compute_us = static_cast<std::uint32_t>(reply->items[5].integer);
  return copy_value(reply->items[1].text, value);
}

Outcome SharedBackend::write(std::string_view key, const Write& write, Failure* failure) {
  std::string_view arguments[9] = {"TSET", key, type_argument(write.type), write.bytes};
  std::size_t n = 4;
  const Decimal ttl(wire_ttl(write.ttl));
  const Decimal version(write.version);
  if (write.ttl != kNoDeadline) {
    arguments[n++] = "PX";
    arguments[n++] = ttl;
  }
  switch (write.when) {
    case Write::When::kAlways:
      break;
    case Write::When::kIfAbsent:
      arguments[n++] = "NX";
      break;
    case Write::When::kIfPresent:
      arguments[n++] = "XX";
      break;
    case Write::When::kIfVersion:
      arguments[n++] = "IFVER";
      arguments[n++] = version;
      break;
  }
  std::span<const std::string_view> all(arguments, n);
  const Decimal tag_count(write.tags.size());
  if (!write.tags.empty()) {
    arguments_.assign(all.begin(), all.end());
    append_tags(arguments_, tag_count, write.tags);
    all = arguments_;
  }
  const auto reply = call(all, failure);
  if (!reply) return Outcome::kFailed;
  if (reply->kind == Reply::Kind::kNil) return Outcome::kNot;
  if (reply->kind != Reply::Kind::kInteger) return odd_answer(failure);
  if (write.stored != nullptr) *write.stored = static_cast<Version>(reply->integer);
  return Outcome::kDone;
}

Outcome SharedBackend::write_many(std::span<const KeyValue> values, Ttl ttl, std::span<const std::string_view> tags,
                                  Failure* failure) {
  const Decimal ttl_argument(wire_ttl(ttl));
  const Decimal tag_count(tags.size());
  bool all = true;
  for (std::size_t i = 0; i < values.size();) {
    arguments_.assign({"TMSET", ttl_argument, {}});
    std::size_t bytes = 0, count = 0;
    for (; i < values.size() && (count == 0 || bytes + values[i].bytes.size() < kChunk); ++i, ++count) {
      arguments_.insert(arguments_.end(), {values[i].key, type_argument(values[i].type), values[i].bytes});
      bytes += values[i].key.size() + values[i].bytes.size() + 24;
    }
    const Decimal count_argument(count);
    arguments_[2] = count_argument;
    if (!tags.empty()) append_tags(arguments_, tag_count, tags);
    const auto reply = call(arguments_, failure);
    if (!reply) return Outcome::kFailed;
    if (reply->kind != Reply::Kind::kArray || reply->items.size() != count) return odd_answer(failure);
    // 0 is a refusal, unless the TTL asked for removal.
    if (wire_ttl(ttl) == 0) continue;
    for (const Reply& item : reply->items)
      if (item.kind != Reply::Kind::kInteger || item.integer == 0) all = false;
  }
  if (all) return Outcome::kDone;
  failure->set(Failure::Kind::kRefused, "the owner refused a value: it is too large, or there is no room");
  return Outcome::kNot;
}

Outcome SharedBackend::erase_many(std::span<const std::string_view> keys, Failure* failure) {
  for (std::size_t i = 0; i < keys.size();) {
    arguments_.assign({"DEL"});
    std::size_t bytes = 0;
    for (; i < keys.size() && bytes < kChunk; ++i) {
      arguments_.push_back(keys[i]);
      bytes += keys[i].size() + 16;
    }
    if (!call(arguments_, failure)) return Outcome::kFailed;
  }
  return Outcome::kDone;
}

Outcome SharedBackend::count_of(std::initializer_list<std::string_view> arguments, std::int64_t* count,
                                Failure* failure) {
  const auto reply = call(arguments, failure);
  if (!reply) return Outcome::kFailed;
  if (reply->kind != Reply::Kind::kInteger) return odd_answer(failure);
  *count = reply->integer;
  return Outcome::kDone;
}

Outcome SharedBackend::increment(std::string_view key, std::int64_t by, std::int64_t initial, Ttl ttl_if_new,
                                 std::int64_t* value, Failure* failure) {
  return count_of({"TINCR", key, Decimal(by), Decimal(initial), Decimal(wire_ttl(ttl_if_new))}, value, failure);
}

Outcome SharedBackend::touch(std::string_view key, Ttl ttl, Failure* failure) {
  std::int64_t found = 0;
  const Outcome outcome = count_of({"TTOUCH", key, Decimal(wire_ttl(ttl))}, &found, failure);
  return outcome == Outcome::kDone && found == 0 ? Outcome::kNot : outcome;
}

Outcome SharedBackend::clear(std::string_view prefix, Failure* failure) {
  if (!prefix.empty()) {
    std::int64_t removed;
    return erase_prefix(prefix, &removed, failure);
  }
  return call({"FLUSHDB"}, failure) ? Outcome::kDone : Outcome::kFailed;
}

Outcome SharedBackend::erase_prefix(std::string_view prefix, std::int64_t* removed, Failure* failure) {
  return count_of({"DELPREFIX", prefix}, removed, failure);
}

Outcome SharedBackend::count_prefix(std::string_view prefix, std::int64_t* count, Failure* failure) {
  return count_of({"COUNTPREFIX", prefix}, count, failure);
}

Outcome SharedBackend::prune(std::int64_t* removed, Failure* failure) { return count_of({"TPRUNE"}, removed, failure); }

Outcome SharedBackend::stats(Stats* stats, Failure* failure) {
  const auto reply = call({"TSTATS"}, failure);
  if (!reply) return Outcome::kFailed;
  if (reply->kind != Reply::Kind::kArray || reply->items.size() % 2 != 0) return odd_answer(failure);
  const std::pair<std::string_view, std::int64_t*> names[] = {{"entries", &stats->entries},
                                                              {"used_memory", &stats->used_memory},
                                                              {"max_memory", &stats->max_memory},
                                                              {"hits", &stats->hits},
                                                              {"misses", &stats->misses},
                                                              {"evicted", &stats->evicted},
                                                              {"expired", &stats->expired},
                                                              {"tags", &stats->tags},
                                                              {"tag_memberships", &stats->tag_memberships}};
  for (std::size_t i = 0; i < reply->items.size(); i += 2)
    for (const auto& [name, target] : names)
      if (reply->items[i].text == name) *target = reply->items[i + 1].integer;
  if (const Reader* reader = client_.reader(); reader != nullptr) {
    stats->mapping_size = static_cast<std::int64_t>(reader->header().segment_size);
    stats->mapping_bytes = static_cast<std::int64_t>(reader->resident_high_water());
  }
  return Outcome::kDone;
}

Outcome SharedBackend::scan(std::string_view prefix, bool has_after, std::string_view after, std::size_t limit,
                            bool with_values, Page* page, Failure* failure) {
  page->items.clear();
  const Decimal limit_argument(limit);
  std::string_view arguments[6] = {with_values ? "TSCAN" : "SCANPREFIX", prefix};
  std::size_t n = 2;
  if (has_after) {
    arguments[n++] = "AFTER";
    arguments[n++] = after;
  }
  arguments[n++] = "LIMIT";
  arguments[n++] = limit_argument;
  auto reply = call(std::span<const std::string_view>(arguments, n), failure);
  if (!reply) return Outcome::kFailed;
  page->generation = generation();
  const std::size_t step = with_values ? 5 : 1;
  if (reply->kind != Reply::Kind::kArray || reply->items.size() % step != 0) return odd_answer(failure);
  for (std::size_t i = 0; i < reply->items.size(); i += step) {
    Page::Item& item = page->items.emplace_back();
    item.key = std::move(reply->items[i].text);
    if (!with_values) continue;
    ReadInfo info;
    if (!take_entry(&reply->items[i + 1], &info)) return odd_answer(failure);
    item.type = info.type;
    item.version = info.version;
    item.bytes = std::move(reply->items[i + 2].text);
  }
  page->last = page->items.empty();
  return Outcome::kDone;
}

}  // namespace coppice::php
