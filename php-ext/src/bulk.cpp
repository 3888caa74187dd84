// Coppice\Cache, many keys at a time.
#include "array_parts.h"
#include "key_list.h"
#include "pairs.h"
#include "tag_list.h"
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
      whole,
      [&](std::size_t i, const ReadInfo& e) {
        return raw.destination(cache, whole[i], e.type, e.value_size, e.version);
      },
      &raw.info,
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
  cache.local().read_many(whole, [&](std::size_t i, const EntryView* e) {
    if (e == nullptr) return;
    read_entry(cache, whole[i], *e, &raw);
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

// ---- the short way -------------------------------------------------------------------------------------------------
// An array of strings none of which looks like an integer, as nearly always: values go straight to the result.

bool is_plain_list(const CacheObject& cache, zend_array* list) {
  const std::size_t longest = kMaxKeyLength - ZSTR_LEN(cache.prefix);
  zval* key;
  ZEND_HASH_FOREACH_VAL(list, key) {
    if (Z_TYPE_P(key) != IS_STRING || Z_STRLEN_P(key) - 1 >= longest || Z_STRVAL_P(key)[0] <= '9') return false;
  }
  ZEND_HASH_FOREACH_END();
  return true;
}

// Positions whose value is not ready after the first pass: why, and of what type.
class Rest {
 public:
  struct Item {
    zend_string* key;
    ValueType type;
    Made made;
    bool ask_owner;
  };
  explicit Rest(std::uint32_t most) : most_(most) {}
  void add(const Item& item) {
    if (items_ == nullptr) items_ = static_cast<Item*>(safe_emalloc(most_, sizeof(Item), 0));
    items_[count_++] = item;
  }
  std::span<const Item> items() const { return {items_, count_}; }
  void release() {
    if (items_ != nullptr) efree(items_);
  }

 private:
  std::uint32_t most_;
  std::uint32_t count_ = 0;
  Item* items_ = nullptr;
};

// The key's place in the result, null where it is new.
inline zval* place_for(zend_array* result, zend_string* key) {
  zval* const place = append_key(result, key);
  return EXPECTED(place != nullptr) ? place : zend_hash_find(result, key);
}

inline void fill_place(zend_array* result, zend_string* key, Raw& raw, Rest& rest) {
  zval* place = place_for(result, key);
  if (UNEXPECTED(Z_TYPE_P(place) != IS_NULL)) return raw.release();  // the key was named before
  const ValueType type = raw.info.type;
  const Made made = make_value(&raw, place);
  if (EXPECTED(made == Made::kDone)) return;
  if (made != Made::kPending) ZVAL_NULL(place);
  rest.add({key, type, made, false});
}

// What the first pass left, up to an exception.
void finish_rest(CacheObject& cache, zend_array* result, const Rest& rest, zval* fallback, Failure* failure) {
  for (const Rest::Item& item : rest.items()) {
    zval* place = zend_hash_find(result, item.key);
    if (item.made != Made::kPending && Z_TYPE_P(place) != IS_NULL) continue;  // the key was named twice
    bool hit = false;
    if (item.ask_owner) {
      WholeKey whole;
      Raw raw;
      whole.make(cache, item.key);
      const Outcome outcome = read_raw(cache, whole.get(), &raw, failure);
      if (outcome == Outcome::kFailed) report_failure(*failure, cache.throws);
      if (outcome == Outcome::kDone) hit = decode_raw(cache, whole.get(), &raw, place);
    } else if (is_value(item.type)) {  // among several keys what is no value is a miss
      hit = finish_value(cache, view(item.key), item.type, item.made, place);
    }
    if (EG(exception)) return;
    if (!hit && fallback != nullptr) ZVAL_COPY_DEREF(place, fallback);
  }
}

void get_list(CacheObject& cache, zend_array* list, zval* fallback, zval* return_value) {
  const std::uint32_t count = zend_hash_num_elements(list);
  zend_array* result = zend_new_array(count);
  zend_hash_real_init_mixed(result);
  Rest rest(count);
  Raw raw;
  Failure failure;
  bool away = false;
  zend_string* keys[Store::kBatch];
  std::string_view whole[Store::kBatch];
  std::uint32_t n = 0;

  const auto miss = [&](std::size_t i) {
    zval* place = place_for(result, keys[i]);
    if (fallback != nullptr && Z_TYPE_P(place) == IS_NULL) ZVAL_COPY_DEREF(place, fallback);
  };
  const auto read_batch = [&] {
    if (ZSTR_LEN(cache.prefix) != 0)
      join_prefix(
          view(cache.prefix), n, [&](std::size_t i) { return view(keys[i]); }, whole);
    const std::span<const std::string_view> batch(whole, n);
    if (!cache.is_shared) {
      cache.local().read_many(batch, [&](std::size_t i, const EntryView* e) {
        if (e == nullptr) return miss(i);
        read_entry(cache, whole[i], *e, &raw);
        fill_place(result, keys[i], raw, rest);
      });
    } else if (!away) {
      away = !cache.shared().read_many(
          batch,
          [&](std::size_t i, const ReadInfo& e) {
            return raw.destination(cache, whole[i], e.type, e.value_size, e.version);
          },
          &raw.info,
          [&](std::size_t i, ReadStatus status) {
            if (EXPECTED(status == ReadStatus::kHit)) return fill_place(result, keys[i], raw, rest);
            raw.release();
            if (status == ReadStatus::kMiss) return miss(i);
            place_for(result, keys[i]);
            rest.add({keys[i], ValueType::kNull, Made::kDone, true});
          },
          &failure);
    }
    if (UNEXPECTED(away))
      for (std::uint32_t i = 0; i < n; ++i) miss(i);
    n = 0;
  };

  zval* key;
  ZEND_HASH_FOREACH_VAL(list, key) {
    keys[n] = Z_STR_P(key);
    whole[n] = view(Z_STR_P(key));
    if (++n == Store::kBatch) read_batch();
  }
  ZEND_HASH_FOREACH_END();
  if (n != 0) read_batch();
  if (UNEXPECTED(away) && failure.kind != Failure::Kind::kLoading) report_failure(failure, cache.throws);
  if (!EG(exception)) finish_rest(cache, result, rest, fallback, &failure);
  rest.release();
  if (UNEXPECTED(EG(exception)))
    zend_array_destroy(result);
  else
    RETVAL_ARR(result);
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

void store_all(CacheObject& cache, ArgumentList& pairs, Ttl ttl, zend_array* tags, zval* return_value) {
  auto* encoded = static_cast<Encoded*>(safe_emalloc(pairs.size(), sizeof(Encoded), 1));
  if (encode_all(cache, pairs, encoded)) {
    ThreadState& state = thread_state();
    const TagList tag_list = tag_views(tags);
    const auto keys = pairs.whole_keys(cache);
    if (state.values.capacity() > 65536) state.values = {};
    state.values.clear();
    for (std::uint32_t i = 0; i < pairs.size(); ++i)
      state.values.push_back({keys[i], encoded[i].type, encoded[i].bytes});
    Failure failure;
    const Outcome outcome = cache.backend->write_many(state.values, ttl, tag_list, &failure);
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
  if (!LocalBackend::kLocks && Z_TYPE_P(iterable) == IS_ARRAY && is_plain_list(cache, Z_ARRVAL_P(iterable))) {
    guarded([&] { get_list(cache, Z_ARRVAL_P(iterable), fallback, return_value); });
    return;
  }
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
  zend_array* tags = nullptr;
  ZEND_PARSE_PARAMETERS_START(1, 3)
  Z_PARAM_ITERABLE(iterable)
  Z_PARAM_OPTIONAL
  Z_PARAM_ZVAL(ttl)
  Z_PARAM_ARRAY_HT(tags)
  ZEND_PARSE_PARAMETERS_END();
  CacheObject& cache = *COPPICE_THIS();
  Ttl wanted;
  if (!parse_ttl(ttl, 2, &wanted) || !check_tags(tags)) RETURN_THROWS();
  ArgumentList pairs;
  if (pairs.read_pairs(cache, iterable)) guarded([&] { store_all(cache, pairs, wanted, tags, return_value); });
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
