// Coppice\Cache, many keys at a time.
#include "key_list.h"
#include "pairs.h"
#include "ttl.h"
#include "value.h"

namespace coppice::php {

namespace {

// What became of one key of getMultiple().
struct Slot {
  enum class State : std::uint8_t { kMiss, kAsk, kMade };
  State state;
  Made made;
  ValueType type;
  zval value;
};

void settle_slot(Slot& slot, Raw& raw) {
  slot.state = Slot::State::kMade;
  slot.type = raw.info.type;
  slot.made = make_value(&raw, &slot.value);
}

// Reads all without user code. false: the cache is away.
bool read_slots(CacheObject& cache, std::span<const std::string_view> keys, Slot* slots, Failure* failure) {
  Raw raw;
  if (cache.is_shared) {
    const bool read = cache.shared().read_many(
        keys, [&](std::size_t, const ReadInfo& e) { return raw.room_for(e.type, e.value_size); },
        [&](std::size_t i, ReadStatus status, const ReadInfo& info) {
          if (status == ReadStatus::kHit) {
            raw.info = info;
            settle_slot(slots[i], raw);
          } else if (status == ReadStatus::kAskOwner) {
            slots[i].state = Slot::State::kAsk;
          }
          raw.release();
        },
        failure);
    if (!read) return false;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (slots[i].state != Slot::State::kAsk) continue;
      slots[i].state = Slot::State::kMiss;
      const Outcome outcome = read_raw(cache, keys[i], &raw, failure);
      if (outcome == Outcome::kDone) settle_slot(slots[i], raw);
      if (outcome == Outcome::kFailed) return false;
    }
    return true;
  }
  if constexpr (LocalBackend::kLocks) {
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (read_raw(cache, keys[i], &raw, failure) == Outcome::kDone) settle_slot(slots[i], raw);
    return true;
  }
  cache.local().read_many(keys, [&](std::size_t i, const std::optional<EntryView>& e) {
    if (!e) return;
    read_entry(*e, &raw);
    settle_slot(slots[i], raw);
  });
  return true;
}

// Fills in defaults and what needs user code. false: an exception was thrown.
bool finish_slots(CacheObject& cache, ArgumentList& keys, Slot* slots, zval* fallback) {
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    bool hit = slots[i].state == Slot::State::kMade;
    if (hit && slots[i].made != Made::kDone) {
      const Made made = slots[i].made;
      slots[i].made = Made::kDone;
      hit = finish_value(cache, view(keys[i].key), slots[i].type, made, &slots[i].value);
      if (EG(exception)) return false;
    }
    if (hit) continue;
    if (fallback == nullptr)
      ZVAL_NULL(&slots[i].value);
    else
      ZVAL_COPY_DEREF(&slots[i].value, fallback);
  }
  return true;
}

bool looks_like_integer(zend_string* key) {
  zend_ulong index;
  return ZEND_HANDLE_NUMERIC(key, index);
}

void make_result(ArgumentList& keys, Slot* slots, zval* out) {
  bool is_array = true;
  for (std::uint32_t i = 0; i < keys.size() && is_array; ++i) is_array = !looks_like_integer(keys[i].key);
  if (is_array) {
    array_init_size(out, keys.size());
    for (std::uint32_t i = 0; i < keys.size(); ++i) zend_hash_update(Z_ARRVAL_P(out), keys[i].key, &slots[i].value);
    return;
  }
  make_pairs(out, keys.size());
  for (std::uint32_t i = 0; i < keys.size(); ++i) set_pair(out, i, zend_string_copy(keys[i].key), &slots[i].value);
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
    auto* slots = static_cast<Slot*>(safe_emalloc(keys.size(), sizeof(Slot), 1));
    for (std::uint32_t i = 0; i < keys.size(); ++i) {
      slots[i].state = Slot::State::kMiss;
      ZVAL_UNDEF(&slots[i].value);
    }
    Failure failure;
    if (!read_slots(cache, keys.whole_keys(cache), slots, &failure) && failure.kind != Failure::Kind::kLoading)
      report_failure(failure, cache.throws);
    if (!EG(exception) && finish_slots(cache, keys, slots, fallback))
      make_result(keys, slots, return_value);
    else
      for (std::uint32_t i = 0; i < keys.size(); ++i) zval_ptr_dtor(&slots[i].value);
    efree(slots);
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
