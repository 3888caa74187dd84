#include "local_backend.h"

#include <atomic>
#include <ctime>
#include <map>

namespace coppice::php {

namespace {

// 5 ns a call where the fine clock takes 23; 4 ms coarse.
class CoarseClock final : public Clock {
 public:
  Millis monotonic_ms() const override {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    const Millis now = static_cast<Millis>(t.tv_sec) * 1000 + t.tv_nsec / 1'000'000;
    last_.store(now, std::memory_order_relaxed);
    return now;
  }
  Millis last() const { return last_.load(std::memory_order_relaxed); }
  std::int64_t wall_us() const override { return system_clock().wall_us(); }

 private:
  mutable std::atomic<Millis> last_{0};
};
const CoarseClock coarse_clock;

struct Registry {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<LocalBackend>> stores;
};
Registry& registry() {
  static Registry r;
  return r;
}

}  // namespace

Millis last_local_time() { return coarse_clock.last(); }

Millis deadline_after_now(Ttl ttl) { return ttl <= 0 ? 0 : deadline_after(coarse_clock.monotonic_ms(), ttl); }

Outcome refuse(Error error, Failure* failure) {
  using Kind = Failure::Kind;
  Kind kind = Kind::kOther;
  switch (error) {
    case Error::kValueTooLarge:
    case Error::kOutOfMemory:
      kind = Kind::kRefused;
      break;
    case Error::kTooManyTags:
      kind = Kind::kBadArgument;
      break;
    case Error::kNotInteger:
      kind = Kind::kNotInteger;
      break;
    case Error::kOverflow:
      kind = Kind::kOverflow;
      break;
    case Error::kWrongType:
      kind = Kind::kWrongType;
      break;
    default:
      break;
  }
  failure->set(kind, error_message(error));
  return Outcome::kFailed;
}

namespace {

// The first option that asks for something else than the store has, in words.
std::string contradiction(const Options& wanted, const StoreOptions& open) {
  const auto differs = [&](const char* option, const std::string& have, const std::string& want) {
    return "the local store \"" + wanted.name + "\" is open in this process with " + option + "=" + have + ", not " +
           want + "; give another name: local:name?" + option + "=" + want;
  };
  if (wanted.max_memory && *wanted.max_memory != open.max_memory)
    return differs("max_memory", std::to_string(open.max_memory), std::to_string(*wanted.max_memory));
  if (wanted.max_value && *wanted.max_value != open.max_value)
    return differs("max_value", std::to_string(open.max_value), std::to_string(*wanted.max_value));
  if (wanted.policy && *wanted.policy != open.policy)
    return differs("policy", std::string(policy_name(open.policy)), std::string(policy_name(*wanted.policy)));
  return {};
}

}  // namespace

void Failure::set(Kind k, std::string_view message) {
  kind = k;
  const std::size_t n = message.size() < sizeof text ? message.size() : sizeof text - 1;
  std::memcpy(text, message.data(), n);
  text[n] = '\0';
}

LocalBackend* LocalBackend::open(const Options& options, std::string* error) {
  Registry& r = registry();
  const std::lock_guard guard(r.mutex);
  const auto found = r.stores.find(options.name);
  if (found != r.stores.end()) {
    *error = contradiction(options, found->second->store_->options());
    return error->empty() ? found->second.get() : nullptr;
  }
  StoreOptions wanted;
  wanted.max_memory = options.max_memory.value_or(options.default_max_memory);
  if (options.max_value) wanted.max_value = *options.max_value;
  if (options.policy) wanted.policy = *options.policy;
  wanted.databases = 1;
  wanted.clock = &coarse_clock;
  Store::CreateError failed;
  auto store = Store::create(wanted, &failed);
  if (store == nullptr) {
    *error = failed.message;
    return nullptr;
  }
  auto backend = std::unique_ptr<LocalBackend>(new LocalBackend(std::move(store)));
  return (r.stores[options.name] = std::move(backend)).get();
}

void LocalBackend::close_all() {
  const std::lock_guard guard(registry().mutex);
  registry().stores.clear();
}

std::size_t LocalBackend::open_stores() {
  const std::lock_guard guard(registry().mutex);
  return registry().stores.size();
}

void LocalBackend::upkeep() {
  if ((++writes_ & 15) != 0) return;
  store_->expire(64);
  store_->purge(64);
}

[[gnu::hot]] Outcome LocalBackend::write_locked(std::string_view key, const Write& write, Failure* failure) {
  SetOptions options;
  options.when = static_cast<When>(write.when);
  options.version = write.version;
  options.deadline = deadline_of(write.ttl);
  options.tags = write.tags;
  const Result<SetResult> result = store_->set(0, key, {write.type, write.bytes}, options);
  if (!result) return refuse(result.error(), failure);
  upkeep();
  if (write.stored != nullptr) *write.stored = result->version;
  return result->stored ? Outcome::kDone : Outcome::kNot;
}
static_assert(static_cast<int>(Write::When::kAlways) == static_cast<int>(When::kAlways) &&
              static_cast<int>(Write::When::kIfAbsent) == static_cast<int>(When::kIfAbsent) &&
              static_cast<int>(Write::When::kIfPresent) == static_cast<int>(When::kIfPresent) &&
              static_cast<int>(Write::When::kIfVersion) == static_cast<int>(When::kIfVersion));

[[gnu::hot]] Outcome LocalBackend::write(std::string_view key, const Write& write, Failure* failure) {
  const std::lock_guard<Mutex> guard(mutex_);
  return write_locked(key, write, failure);
}

Outcome LocalBackend::write_many(std::span<const KeyValue> values, Ttl ttl, std::span<const std::string_view> tags,
                                 Failure* failure) {
  const std::lock_guard<Mutex> guard(mutex_);
  bool all = true;
  for (const KeyValue& v : values) {
    const Write write{.type = v.type, .bytes = v.bytes, .ttl = ttl, .tags = tags};
    if (write_locked(v.key, write, failure) != Outcome::kFailed) continue;
    if (failure->kind == Failure::Kind::kBadArgument) return Outcome::kFailed;
    all = false;
  }
  return all ? Outcome::kDone : Outcome::kNot;
}

Outcome LocalBackend::erase_many(std::span<const std::string_view> keys, Failure*) {
  const std::lock_guard<Mutex> guard(mutex_);
  for (const std::string_view key : keys) store_->erase(0, key);
  upkeep();
  return Outcome::kDone;
}

Outcome LocalBackend::increment(std::string_view key, std::int64_t by, std::int64_t initial, Ttl ttl_if_new,
                                std::int64_t* value, Failure* failure) {
  const std::lock_guard<Mutex> guard(mutex_);
  const Result<std::int64_t> result =
      store_->increment(0, key, by, {.initial = initial, .deadline_if_new = deadline_of(ttl_if_new)});
  if (!result) return refuse(result.error(), failure);
  upkeep();
  *value = *result;
  return Outcome::kDone;
}

Outcome LocalBackend::touch(std::string_view key, Ttl ttl, Failure* failure) {
  const std::lock_guard<Mutex> guard(mutex_);
  const Result<bool> result = store_->set_deadline(0, key, deadline_of(ttl));
  if (!result) return refuse(result.error(), failure);
  return *result ? Outcome::kDone : Outcome::kNot;
}

Outcome LocalBackend::clear(std::string_view prefix, Failure*) {
  const std::lock_guard<Mutex> guard(mutex_);
  if (prefix.empty())
    store_->flush(0);
  else
    store_->erase_prefix(0, prefix);
  store_->purge(1024);
  return Outcome::kDone;
}

Outcome LocalBackend::erase_prefix(std::string_view prefix, std::int64_t* removed, Failure*) {
  const std::lock_guard<Mutex> guard(mutex_);
  *removed = static_cast<std::int64_t>(store_->erase_prefix(0, prefix));
  return Outcome::kDone;
}

Outcome LocalBackend::count_prefix(std::string_view prefix, std::int64_t* count, Failure*) {
  const std::lock_guard<Mutex> guard(mutex_);
  *count = static_cast<std::int64_t>(store_->count_prefix(0, prefix));
  return Outcome::kDone;
}

Outcome LocalBackend::prune(std::int64_t* removed, Failure*) {
  const std::lock_guard<Mutex> guard(mutex_);
  *removed = static_cast<std::int64_t>(store_->prune());
  return Outcome::kDone;
}

Outcome LocalBackend::stats(Stats* stats, Failure*) {
  const std::lock_guard<Mutex> guard(mutex_);
  const StoreStats s = store_->stats();
  stats->entries = static_cast<std::int64_t>(s.entries);
  stats->used_memory = static_cast<std::int64_t>(s.used_memory);
  stats->max_memory = static_cast<std::int64_t>(s.max_memory);
  stats->hits = static_cast<std::int64_t>(s.hits);
  stats->misses = static_cast<std::int64_t>(s.misses);
  stats->evicted = static_cast<std::int64_t>(s.evicted);
  stats->expired = static_cast<std::int64_t>(s.expired);
  stats->tags = static_cast<std::int64_t>(s.tags);
  stats->tag_memberships = static_cast<std::int64_t>(s.tag_memberships);
  return Outcome::kDone;
}

Outcome LocalBackend::scan(std::string_view prefix, bool has_after, std::string_view after, std::size_t limit,
                           bool with_values, Page* page, Failure*) {
  const std::lock_guard<Mutex> guard(mutex_);
  page->items.clear();
  page->last = true;
  std::size_t bytes = 0;
  ScanRange range;
  range.prefix = prefix;
  if (has_after) range.start = after;
  store_->scan(0, range, [&](const EntryView& e) {
    if (page->items.size() == limit || bytes >= 1u << 20) {
      page->last = false;
      return false;
    }
    Page::Item& item = page->items.emplace_back();
    item.key = e.key;
    item.type = e.type;
    item.version = e.version;
    if (with_values) item.bytes = e.value();
    bytes += e.key.size() + item.bytes.size();
    return true;
  });
  return Outcome::kDone;
}

}  // namespace coppice::php
