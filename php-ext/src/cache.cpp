// Coppice\Cache, one key at a time.
#include "cache_object.h"
#include "tag_list.h"
#include "ttl.h"
#include "value.h"

namespace coppice::php {

namespace {

zend_object_handlers cache_handlers;

zend_object* create_cache(zend_class_entry* ce) {
  auto* cache = static_cast<CacheObject*>(zend_object_alloc(sizeof(CacheObject), ce));
  cache->backend = nullptr;
  cache->is_shared = cache->throws = cache->igbinary = false;
  cache->allowed_classes = nullptr;
  cache->prefix = ZSTR_EMPTY_ALLOC();
  zend_object_std_init(&cache->std, ce);
  object_properties_init(&cache->std, ce);
  cache->std.handlers = &cache_handlers;
  return &cache->std;
}

void free_cache(zend_object* object) {
  CacheObject* cache = cache_of(object);
  zend_string_release(cache->prefix);
  if (cache->allowed_classes != nullptr) zend_array_release(cache->allowed_classes);
  zend_object_std_dtor(object);
}

// true: done. false: not, and where the reason was a failure it has been reported.
bool settle(const CacheObject& cache, Outcome outcome, const Failure& failure) {
  if (outcome == Outcome::kFailed) report_failure(failure, cache.throws);
  return outcome == Outcome::kDone;
}

// get() and pull().
template <bool kTake>
void fetch(INTERNAL_FUNCTION_PARAMETERS) {
  zend_string* key;
  zval* fallback = nullptr;
  ZEND_PARSE_PARAMETERS_START(1, 2)
  Z_PARAM_STR(key)
  Z_PARAM_OPTIONAL
  Z_PARAM_ZVAL(fallback)
  ZEND_PARSE_PARAMETERS_END();
  CacheObject& cache = *COPPICE_THIS();
  WholeKey whole;
  if (!whole.make(cache, key)) RETURN_THROWS();
  guarded([&] {
    Raw raw;
    Failure failure;
    const Outcome outcome =
        kTake ? take_raw(cache, whole.get(), &raw, &failure) : read_raw(cache, whole.get(), &raw, &failure);
    if (EXPECTED(outcome == Outcome::kDone)) {
      if (EXPECTED(decode_raw(cache, whole.get(), &raw, return_value))) return;
    } else {
      settle(cache, outcome, failure);
    }
    if (!EG(exception) && fallback != nullptr) ZVAL_COPY_DEREF(return_value, fallback);
  });
}

// set(), add(), replace() and cas().
[[gnu::hot]] void store(INTERNAL_FUNCTION_PARAMETERS, zend_string* key, Write write, zval* value, zval* ttl,
                        std::uint32_t ttl_argument, zend_array* tags) {
  CacheObject& cache = *COPPICE_THIS();
  WholeKey whole;
  if (!whole.make(cache, key) || !parse_ttl(ttl, ttl_argument, &write.ttl)) RETURN_THROWS();
  if (UNEXPECTED(tags != nullptr) && !check_tags(tags)) RETURN_THROWS();
  guarded([&] {
    Encoded encoded;
    Failure failure;
    if (!encode_value(cache, whole.get(), value, &encoded)) return;
    write.type = encoded.type;
    write.bytes = encoded.bytes;
    if (UNEXPECTED(tags != nullptr)) write.tags = tag_views(tags);
    Version version = 0;
    write.stored = &version;
    const Outcome outcome = cache.backend->write(whole.get(), write, &failure);
    encoded.release();
    if (outcome == Outcome::kDone && version != 0)
      keep_stored(cache, whole.get(), write.type, write.bytes.size(), version, value);
    RETVAL_BOOL(settle(cache, outcome, failure));
  });
}

[[gnu::hot]] void store_if(INTERNAL_FUNCTION_PARAMETERS, Write::When when) {
  zend_string* key;
  zval* value;
  zval* ttl = nullptr;
  zend_array* tags = nullptr;
  ZEND_PARSE_PARAMETERS_START(2, 4)
  Z_PARAM_STR(key)
  Z_PARAM_ZVAL(value)
  Z_PARAM_OPTIONAL
  Z_PARAM_ZVAL(ttl)
  Z_PARAM_ARRAY_HT(tags)
  ZEND_PARSE_PARAMETERS_END();
  store(INTERNAL_FUNCTION_PARAM_PASSTHRU, key, Write{.when = when}, value, ttl, 3, tags);
}

// Whether the owner has the key, without copying its value.
Outcome find_shared(CacheObject& cache, std::string_view key, Failure* failure) {
  ReadInfo info;
  const ReadStatus status = cache.shared().read(
      key, [](const ReadInfo&) -> char* { return nullptr; }, &info, failure);
  if (status == ReadStatus::kHit) return Outcome::kDone;
  Outcome outcome = failure->kind == Failure::Kind::kNone ? Outcome::kNot : Outcome::kFailed;
  if (status == ReadStatus::kAskOwner) outcome = cache.shared().ask(key, false, &info, &thread_state().value, failure);
  return failure->kind == Failure::Kind::kLoading ? Outcome::kNot : outcome;
}

void count(INTERNAL_FUNCTION_PARAMETERS, bool down) {
  zend_string* key;
  zend_long by = 1, initial = 0;
  zval* ttl = nullptr;
  ZEND_PARSE_PARAMETERS_START(1, 4)
  Z_PARAM_STR(key)
  Z_PARAM_OPTIONAL
  Z_PARAM_LONG(by)
  Z_PARAM_LONG(initial)
  Z_PARAM_ZVAL(ttl)
  ZEND_PARSE_PARAMETERS_END();
  CacheObject& cache = *COPPICE_THIS();
  WholeKey whole;
  Ttl ttl_if_new;
  if (!whole.make(cache, key) || !parse_ttl(ttl, 4, &ttl_if_new)) RETURN_THROWS();
  if (down && by == ZEND_LONG_MIN) {
    zend_throw_exception(classes.overflow, "a decrement by the smallest integer does not fit into 64 bits", 0);
    RETURN_THROWS();
  }
  guarded([&] {
    Failure failure;
    std::int64_t value = 0;
    // A counter that can't count has no harmless answer.
    if (cache.backend->increment(whole.get(), down ? -by : by, initial, ttl_if_new, &value, &failure) != Outcome::kDone)
      return throw_failure(failure);
    RETVAL_LONG(value);
  });
}

}  // namespace

void throw_bad_key(std::size_t prefix, std::size_t length) {
  if (length == 0)
    zend_throw_exception(classes.invalid_key, "the key is empty", 0);
  else
    zend_throw_exception_ex(classes.invalid_key, 0, "the key has %zu bytes%s; 4096 are the limit", prefix + length,
                            prefix == 0 ? "" : " with its prefix");
}

void make_view(zval* out, const CacheObject& of, zend_string* prefix) {
  object_init_ex(out, classes.cache);
  CacheObject* cache = cache_of(Z_OBJ_P(out));
  cache->backend = of.backend;
  cache->is_shared = of.is_shared;
  cache->throws = of.throws;
  cache->igbinary = of.igbinary;
  cache->prefix = prefix;
  cache->allowed_classes = of.allowed_classes;
  if (cache->allowed_classes != nullptr) GC_ADDREF(cache->allowed_classes);
}

void register_cache_class() {
  classes.cache->create_object = create_cache;
  std::memcpy(&cache_handlers, &std_object_handlers, sizeof cache_handlers);
  cache_handlers.offset = offsetof(CacheObject, std);
  cache_handlers.free_obj = free_cache;
  cache_handlers.clone_obj = nullptr;
}

extern "C" {

ZEND_METHOD(Coppice_Cache, __construct) { ZEND_PARSE_PARAMETERS_NONE(); }

ZEND_METHOD(Coppice_Cache, get) { fetch<false>(INTERNAL_FUNCTION_PARAM_PASSTHRU); }

ZEND_METHOD(Coppice_Cache, pull) { fetch<true>(INTERNAL_FUNCTION_PARAM_PASSTHRU); }

ZEND_METHOD(Coppice_Cache, set) { store_if(INTERNAL_FUNCTION_PARAM_PASSTHRU, Write::When::kAlways); }

ZEND_METHOD(Coppice_Cache, add) { store_if(INTERNAL_FUNCTION_PARAM_PASSTHRU, Write::When::kIfAbsent); }

ZEND_METHOD(Coppice_Cache, replace) { store_if(INTERNAL_FUNCTION_PARAM_PASSTHRU, Write::When::kIfPresent); }

ZEND_METHOD(Coppice_Cache, cas) {
  zend_string* key;
  zend_long version;
  zval* value;
  zval* ttl = nullptr;
  ZEND_PARSE_PARAMETERS_START(3, 4)
  Z_PARAM_STR(key)
  Z_PARAM_LONG(version)
  Z_PARAM_ZVAL(value)
  Z_PARAM_OPTIONAL
  Z_PARAM_ZVAL(ttl)
  ZEND_PARSE_PARAMETERS_END();
  // Versions are positive: what is not fits no entry.
  store(INTERNAL_FUNCTION_PARAM_PASSTHRU, key,
        Write{.when = Write::When::kIfVersion, .version = static_cast<Version>(version < 0 ? 0 : version)}, value, ttl,
        4, nullptr);
}

ZEND_METHOD(Coppice_Cache, increment) { count(INTERNAL_FUNCTION_PARAM_PASSTHRU, false); }

ZEND_METHOD(Coppice_Cache, decrement) { count(INTERNAL_FUNCTION_PARAM_PASSTHRU, true); }

ZEND_METHOD(Coppice_Cache, delete) {
  zend_string* key;
  ZEND_PARSE_PARAMETERS_START(1, 1)
  Z_PARAM_STR(key)
  ZEND_PARSE_PARAMETERS_END();
  CacheObject& cache = *COPPICE_THIS();
  WholeKey whole;
  if (!whole.make(cache, key)) RETURN_THROWS();
  guarded([&] {
    Failure failure;
    const std::string_view one = whole.get();
    RETVAL_BOOL(settle(cache, cache.backend->erase_many({&one, 1}, &failure), failure));
  });
}

ZEND_METHOD(Coppice_Cache, has) {
  zend_string* key;
  ZEND_PARSE_PARAMETERS_START(1, 1)
  Z_PARAM_STR(key)
  ZEND_PARSE_PARAMETERS_END();
  CacheObject& cache = *COPPICE_THIS();
  WholeKey whole;
  if (!whole.make(cache, key)) RETURN_THROWS();
  guarded([&] {
    if (!cache.is_shared) {
      RETVAL_BOOL(cache.local().has(whole.get()));
      return;
    }
    Failure failure;
    RETVAL_BOOL(settle(cache, find_shared(cache, whole.get(), &failure), failure));
  });
}

ZEND_METHOD(Coppice_Cache, touch) {
  zend_string* key;
  zval* ttl;
  ZEND_PARSE_PARAMETERS_START(2, 2)
  Z_PARAM_STR(key)
  Z_PARAM_ZVAL(ttl)
  ZEND_PARSE_PARAMETERS_END();
  CacheObject& cache = *COPPICE_THIS();
  WholeKey whole;
  Ttl wanted;
  if (!whole.make(cache, key) || !parse_ttl(ttl, 2, &wanted)) RETURN_THROWS();
  guarded([&] {
    Failure failure;
    RETVAL_BOOL(settle(cache, cache.backend->touch(whole.get(), wanted, &failure), failure));
  });
}

ZEND_METHOD(Coppice_Cache, find) {
  zend_string* key;
  ZEND_PARSE_PARAMETERS_START(1, 1)
  Z_PARAM_STR(key)
  ZEND_PARSE_PARAMETERS_END();
  CacheObject& cache = *COPPICE_THIS();
  WholeKey whole;
  if (!whole.make(cache, key)) RETURN_THROWS();
  guarded([&] {
    Raw raw;
    Failure failure;
    Millis now;
    if (!settle(cache, read_refreshable(cache, whole.get(), &raw, &now, &failure), failure)) return;
    if (raw.info.is_stale) return raw.release();
    zval value;
    const RefreshInfo info = raw.info;
    if (!decode_raw(cache, whole.get(), &raw, &value)) return;
    const std::string_view encoding = encoding_name(info.type);
    std::vector<std::string>& tags = thread_state().tag_names;
    tags.clear();
    if (info.has_tags && cache.backend->tags_of(whole.get(), &tags, &failure) == Outcome::kFailed) {
      report_failure(failure, cache.throws);
      if (EG(exception)) {
        zval_ptr_dtor(&value);
        return;
      }
    }
    object_init_ex(return_value, classes.entry);
    zend_object* entry = Z_OBJ_P(return_value);
    // In the order of the stub; written here once, before anybody sees the object.
    ZVAL_COPY_VALUE(OBJ_PROP_NUM(entry, 0), &value);
    if (info.deadline == kNoDeadline) {
      ZVAL_NULL(OBJ_PROP_NUM(entry, 1));
    } else {
      const Millis left = info.deadline - system_clock().monotonic_ms();
      ZVAL_DOUBLE(OBJ_PROP_NUM(entry, 1), static_cast<double>(left < 0 ? 0 : left) / 1000);
    }
    ZVAL_LONG(OBJ_PROP_NUM(entry, 2), static_cast<zend_long>(info.version));
    array_init_size(OBJ_PROP_NUM(entry, 3), static_cast<std::uint32_t>(tags.size()));
    for (const std::string& tag : tags) add_next_index_stringl(OBJ_PROP_NUM(entry, 3), tag.data(), tag.size());
    ZVAL_LONG(OBJ_PROP_NUM(entry, 4), info.value_size);
    ZVAL_STR(OBJ_PROP_NUM(entry, 5), zend_string_init_fast(encoding.data(), encoding.size()));
  });
}

ZEND_METHOD(Coppice_Entry, __construct) { ZEND_PARSE_PARAMETERS_NONE(); }

ZEND_METHOD(Coppice_Cache, prefix) {
  zend_string* prefix;
  ZEND_PARSE_PARAMETERS_START(1, 1)
  Z_PARAM_STR(prefix)
  ZEND_PARSE_PARAMETERS_END();
  CacheObject& cache = *COPPICE_THIS();
  if (ZSTR_LEN(cache.prefix) + ZSTR_LEN(prefix) >= kMaxKeyLength) {
    zend_throw_exception_ex(classes.invalid_key, 0,
                            "the prefix has %zu bytes in all; a key needs to fit behind it, within 4096",
                            ZSTR_LEN(cache.prefix) + ZSTR_LEN(prefix));
    RETURN_THROWS();
  }
  make_view(return_value, cache,
            zend_string_concat2(ZSTR_VAL(cache.prefix), ZSTR_LEN(cache.prefix), ZSTR_VAL(prefix), ZSTR_LEN(prefix)));
}

ZEND_METHOD(Coppice_Cache, isShared) {
  ZEND_PARSE_PARAMETERS_NONE();
  RETURN_BOOL(COPPICE_THIS()->is_shared);
}

ZEND_METHOD(Coppice_Cache, stats) {
  ZEND_PARSE_PARAMETERS_NONE();
  CacheObject& cache = *COPPICE_THIS();
  guarded([&] {
    Stats stats;
    Failure failure;
    if (!settle(cache, cache.backend->stats(&stats, &failure), failure)) {
      if (EG(exception)) return;
      stats = Stats();
    }
    array_init_size(return_value, 18);
    add_assoc_string(return_value, "backend", cache.is_shared ? "shared" : "local");
    add_assoc_long(return_value, "entries", stats.entries);
    add_assoc_long(return_value, "used_memory", stats.used_memory);
    add_assoc_long(return_value, "max_memory", stats.max_memory);
    add_assoc_long(return_value, "hits", stats.hits);
    add_assoc_long(return_value, "misses", stats.misses);
    add_assoc_long(return_value, "evicted", stats.evicted);
    add_assoc_long(return_value, "expired", stats.expired);
    add_assoc_long(return_value, "tags", stats.tags);
    add_assoc_long(return_value, "tag_memberships", stats.tag_memberships);
    const DecodedTable::Figures decoded = thread_state().decoded.figures();
    add_assoc_long(return_value, "decoded_entries", static_cast<zend_long>(decoded.entries));
    add_assoc_long(return_value, "decoded_bytes", static_cast<zend_long>(decoded.bytes));
    add_assoc_long(return_value, "decoded_limit", static_cast<zend_long>(decoded.limit));
    add_assoc_long(return_value, "decoded_hits", static_cast<zend_long>(decoded.hits));
    add_assoc_long(return_value, "decoded_misses", static_cast<zend_long>(decoded.misses));
    add_assoc_long(return_value, "decoded_evictions", static_cast<zend_long>(decoded.evictions));
    if (!cache.is_shared) return;
    add_assoc_long(return_value, "mapping_size", stats.mapping_size < 0 ? 0 : stats.mapping_size);
    add_assoc_long(return_value, "mapping_bytes", stats.mapping_bytes < 0 ? 0 : stats.mapping_bytes);
  });
}

ZEND_METHOD(Coppice_Cache, invalidateTags) {
  zval* tags;
  int count;
  ZEND_PARSE_PARAMETERS_START(0, -1)
  Z_PARAM_VARIADIC('*', tags, count)
  ZEND_PARSE_PARAMETERS_END();
  CacheObject& cache = *COPPICE_THIS();
  zend_array* list = read_tag_arguments(tags, count);
  if (list == nullptr) RETURN_THROWS();
  guarded([&] {
    const TagList all = tag_views(list);
    std::int64_t removed = 0;
    for (std::size_t i = 0; i < all.size(); i += Backend::kTagsAtOnce) {
      const std::size_t left = all.size() - i;
      std::int64_t some = 0;
      Failure failure;
      const TagList part = all.subspan(i, left < Backend::kTagsAtOnce ? left : Backend::kTagsAtOnce);
      if (!settle(cache, cache.backend->invalidate_tags(part, &some, &failure), failure)) break;
      removed += some;
    }
    RETVAL_LONG(removed);
  });
  zend_array_release(list);
}

ZEND_METHOD(Coppice_Cache, prune) {
  ZEND_PARSE_PARAMETERS_NONE();
  CacheObject& cache = *COPPICE_THIS();
  guarded([&] {
    std::int64_t removed = 0;
    Failure failure;
    settle(cache, cache.backend->prune(&removed, &failure), failure);
    RETVAL_LONG(removed);
  });
}

}  // extern "C"

}  // namespace coppice::php
