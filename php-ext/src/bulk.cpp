// Coppice\Cache, many keys at a time.
#include "key_list.h"
#include "pairs.h"
#include "ttl.h"
#include "value.h"

namespace coppice::php {

namespace {

// What became of the keys of getMultiple() without user code. Values stand in the arguments, undefined for a miss; how
// far one has come, and what it was, is kept in its zval's spare word.
constexpr std::uint32_t kAskOwner = 0xffff;

std::uint32_t& note_of(Argument& a) { return Z_EXTRA(a.value); }
void keep(Argument& a, Raw& raw) {
  const Made made = make_value(&raw, &a.value);
  note_of(a) = static_cast<std::uint32_t>(made) << 8 | static_cast<std::uint32_t>(raw.info.type);
}

bool read_shared(CacheObject& cache, ArgumentList& keys, std::span<const std::string_view> whole, Failure* failure) {
  Raw raw;
  bool ask = false;
  const bool read = cache.shared().read_many(
      whole, [&](std::size_t, const ReadInfo& e) { return raw.room_for(e.type, e.value_size); }, &raw.info,
      [&](std::size_t i, ReadStatus status) {
        Argument& a = keys[static_cast<std::uint32_t>(i)];
        if (EXPECTED(status == ReadStatus::kHit)) return keep(a, raw);
        raw.release();
        if (status == ReadStatus::kMiss) return;
        ask = true;
        note_of(a) = kAskOwner;
      },
      failure);
  if (!read || !ask) return read;
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    if (!Z_ISUNDEF(keys[i].value) || note_of(keys[i]) != kAskOwner) continue;
    const Outcome outcome = read_raw(cache, whole[i], &raw, failure);
    if (outcome == Outcome::kFailed) return false;
    if (outcome == Outcome::kDone) keep(keys[i], raw);
  }
  return true;
}

// Reads all without user code. false: the cache is away.
bool read_all(CacheObject& cache, ArgumentList& keys, Failure* failure) {
  const auto whole = keys.whole_keys(cache);
  if (cache.is_shared) return read_shared(cache, keys, whole, failure);
  Raw raw;
  if constexpr (LocalBackend::kLocks) {
    for (std::uint32_t i = 0; i < keys.size(); ++i)
      if (read_raw(cache, whole[i], &raw, failure) == Outcome::kDone) keep(keys[i], raw);
    return true;
  }
  cache.local().read_many(whole, [&](std::size_t i, const std::optional<EntryView>& e) {
    if (!e) return;
    read_entry(*e, &raw);
    keep(keys[static_cast<std::uint32_t>(i)], raw);
  });
  return true;
}

// Fills in defaults and what needs user code. false: an exception was thrown.
bool finish_all(CacheObject& cache, ArgumentList& keys, zval* fallback) {
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    Argument& a = keys[i];
    bool hit = !Z_ISUNDEF(a.value);
    if (hit && UNEXPECTED(note_of(a) >> 8 != static_cast<std::uint32_t>(Made::kDone))) {
      const std::uint32_t note = note_of(a);
      hit =
          finish_value(cache, view(a.key), static_cast<ValueType>(note & 0xff), static_cast<Made>(note >> 8), &a.value);
      if (EG(exception)) return false;
    }
    if (EXPECTED(hit)) continue;
    if (fallback == nullptr)
      ZVAL_NULL(&a.value);
    else
      ZVAL_COPY_DEREF(&a.value, fallback);
  }
  return true;
}

bool looks_like_integer(zend_string* key) {
  zend_ulong index;
  return ZEND_HANDLE_NUMERIC(key, index);
}

// Moves the values.
void make_result(ArgumentList& keys, zval* out) {
  bool is_array = true;
  for (std::uint32_t i = 0; i < keys.size() && is_array; ++i) is_array = !looks_like_integer(keys[i].key);
  if (is_array) {
    array_init_size(out, keys.size());
    zend_hash_real_init_mixed(Z_ARRVAL_P(out));
  } else {
    make_pairs(out, keys.size());
  }
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    if (is_array)
      zend_hash_update(Z_ARRVAL_P(out), keys[i].key, &keys[i].value);
    else
      set_pair(out, i, zend_string_copy(keys[i].key), &keys[i].value);
    ZVAL_UNDEF(&keys[i].value);
  }
}

// Encodes every value into the request's heap. false: an exception was thrown; `encoded` is released.
bool encode_all(const CacheObject& cache, ArgumentList& pairs, Encoded* encoded) {
  for (std::uint32_t i = 0; i < pairs.size(); ++i) {
    Encoded& e = *new (&encoded[i]) Encoded;
    if (!encode_value(cache, view(pairs[i].key), &pairs[i].value, &e)) {
      for (std::uint32_t j = 0; j < i; ++j) encoded[j].release();
      return false;
    }
    if (e.type != ValueType::kArray) continue;
    e.held = zend_string_init(e.bytes.data(), e.bytes.size(), false);
    e.bytes = view(e.held);
  }
  return true;
}

void store_all(CacheObject& cache, ArgumentList& pairs, Ttl ttl, zval* return_value) {
  auto* encoded = static_cast<Encoded*>(safe_emalloc(pairs.size(), sizeof(Encoded), 1));
  if (encode_all(cache, pairs, encoded)) {
    ThreadState& state = thread_state();
    const auto keys = pairs.whole_keys(cache);
    if (state.values.capacity() > 65536) state.values = {};
    state.values.clear();
    for (std::uint32_t i = 0; i < pairs.size(); ++i)
      state.values.push_back({keys[i], encoded[i].type, encoded[i].bytes});
    Failure failure;
    const Outcome outcome = cache.backend->write_many(state.values, ttl, &failure);
    for (std::uint32_t i = 0; i < pairs.size(); ++i) encoded[i].release();
    if (outcome != Outcome::kDone) report_failure(failure, cache.throws);
    RETVAL_BOOL(outcome == Outcome::kDone);
  }
  efree(encoded);
}

}  // namespace

extern "C" {

ZEND_METHOD(Coppice_Cache, getMultiple) {
  zval* iterable;
  zval* fallback = nullptr;
  ZEND_PARSE_PARAMETERS_START(1, 2)
  Z_PARAM_ITERABLE(iterable)
  Z_PARAM_OPTIONAL
  Z_PARAM_ZVAL(fallback)
  ZEND_PARSE_PARAMETERS_END();
  CacheObject& cache = *COPPICE_THIS();
  ArgumentList keys;
  if (!keys.read_keys(cache, iterable)) {
    keys.release();
    RETURN_THROWS();
  }
  guarded([&] {
    Failure failure;
    if (!read_all(cache, keys, &failure) && failure.kind != Failure::Kind::kLoading)
      report_failure(failure, cache.throws);
    if (!EG(exception) && finish_all(cache, keys, fallback)) make_result(keys, return_value);
  });
  keys.release();
}

ZEND_METHOD(Coppice_Cache, setMultiple) {
  zval* iterable;
  zval* ttl = nullptr;
  ZEND_PARSE_PARAMETERS_START(1, 2)
  Z_PARAM_ITERABLE(iterable)
  Z_PARAM_OPTIONAL
  Z_PARAM_ZVAL(ttl)
  ZEND_PARSE_PARAMETERS_END();
  CacheObject& cache = *COPPICE_THIS();
  Ttl wanted;
  if (!parse_ttl(ttl, 2, &wanted)) RETURN_THROWS();
  ArgumentList pairs;
  if (pairs.read_pairs(cache, iterable)) guarded([&] { store_all(cache, pairs, wanted, return_value); });
  pairs.release();
}

ZEND_METHOD(Coppice_Cache, deleteMultiple) {
  zval* iterable;
  ZEND_PARSE_PARAMETERS_START(1, 1)
  Z_PARAM_ITERABLE(iterable)
  ZEND_PARSE_PARAMETERS_END();
  CacheObject& cache = *COPPICE_THIS();
  ArgumentList keys;
  if (keys.read_keys(cache, iterable)) {
    guarded([&] {
      Failure failure;
      const Outcome outcome = cache.backend->erase_many(keys.whole_keys(cache), &failure);
      if (outcome == Outcome::kFailed) report_failure(failure, cache.throws);
      RETVAL_BOOL(outcome == Outcome::kDone);
    });
  }
  keys.release();
}

}  // extern "C"

}  // namespace coppice::php
