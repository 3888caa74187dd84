#include <charconv>

#include "read_refreshable.h"
#include "serializer.h"
#include "value.h"

namespace coppice::php {

namespace {

const char* why_broken(ValueType type, const CacheObject& cache) {
  switch (type) {
    case ValueType::kInteger:
      return "it is no integer";
    case ValueType::kDouble:
      return "it is no float";
    case ValueType::kArray:
      return "its bytes are no array encoding of this version";
    case ValueType::kSerialized:
      return "its bytes can't be unserialized";
    case ValueType::kIgbinary:
      if (!igbinary_is_loaded()) return "it was written by igbinary, which is not loaded here";
      if (cache.allowed_classes != nullptr) return "it was written by igbinary, which can't honour allowed_classes";
      return "its bytes can't be unserialized by igbinary";
    default:
      return "it has an unknown type";
  }
}

// The value counts as a miss, and that is said.
bool broken(const CacheObject& cache, std::string_view key, ValueType type) {
  zend_object* exception = EG(exception);
  if (exception != nullptr && (cache.throws || is_exit(exception))) {
    if (!is_exit(exception))
      zend_throw_exception_ex(classes.serialization, 0, "the value of key %s can't be decoded: unserializing it threw",
                              ShownKey(key).text());
    return false;
  }
  if (cache.throws) {
    zend_throw_exception_ex(classes.serialization, 0, "the value of key %s can't be decoded: %s", ShownKey(key).text(),
                            why_broken(type, cache));
    return false;
  }
  if (exception != nullptr) {
    zend_clear_exception();
    php_error_docref(nullptr, E_WARNING, "the value of key %s counts as a miss: unserializing it threw",
                     ShownKey(key).text());
    return false;
  }
  php_error_docref(nullptr, E_WARNING, "the value of key %s counts as a miss: %s", ShownKey(key).text(),
                   why_broken(type, cache));
  return false;
}

bool make_integer(std::string_view bytes, zval* out) {
  zend_long n;
  const auto [end, code] = std::from_chars(bytes.data(), bytes.data() + bytes.size(), n);
  if (code != std::errc() || end != bytes.data() + bytes.size()) return false;
  ZVAL_LONG(out, n);
  return true;
}

// The types that need no user code; false: broken.
bool make_plain(ValueType type, std::string_view bytes, zval* out) {
  switch (type) {
    case ValueType::kString:
      ZVAL_STR(out, zend_string_init_fast(bytes.data(), bytes.size()));
      return true;
    case ValueType::kInteger:
      return make_integer(bytes, out);
    case ValueType::kNull:
      ZVAL_NULL(out);
      return true;
    case ValueType::kFalse:
      ZVAL_FALSE(out);
      return true;
    case ValueType::kTrue:
      ZVAL_TRUE(out);
      return true;
    case ValueType::kDouble: {
      if (bytes.size() != 8) return false;
      double d;
      std::memcpy(&d, bytes.data(), 8);
      ZVAL_DOUBLE(out, d);
      return true;
    }
    case ValueType::kArray:
      return decode_array(thread_state().codec, bytes, out);
    default:
      return false;
  }
}

bool is_serialized(ValueType type) { return type == ValueType::kSerialized || type == ValueType::kIgbinary; }

// Replaces the bytes in `value` by what they stand for.
bool unserialize_in_place(const CacheObject& cache, ValueType type, zval* value) {
  zend_string* bytes = Z_STR_P(value);
  ZVAL_NULL(value);
  bool good = false;
  if (type == ValueType::kSerialized)
    good = unserialize(ZSTR_VAL(bytes), ZSTR_LEN(bytes), cache.allowed_classes, value);
  else if (cache.allowed_classes == nullptr && igbinary_is_loaded())
    good = igbinary_unserialize(bytes, value);
  zend_string_release(bytes);
  return good;
}

Made make_from(ValueType type, std::string_view bytes, zval* out) {
  if (static_cast<std::uint8_t>(type) > kLastValueType) return Made::kForeign;
  if (is_serialized(type)) {
    ZVAL_STRINGL(out, bytes.data(), bytes.size());
    return Made::kPending;
  }
  return make_plain(type, bytes, out) ? Made::kDone : Made::kBroken;
}

// While the owner reads its snapshot there is nothing to be had, which is no fault.
Outcome miss_while_loading(Outcome outcome, const Failure& failure) {
  return outcome == Outcome::kFailed && failure.kind == Failure::Kind::kLoading ? Outcome::kNot : outcome;
}

// Copies without calling Zend.
void copy_locked(const EntryView& entry, Raw* raw) {
  if (entry.type != ValueType::kArray && entry.value_size <= sizeof raw->small) {
    entry.copy_value(raw->small);
    raw->bytes = {raw->small, entry.value_size};
    return;
  }
  char* room = thread_state().value.begin_value(entry.value_size);
  if (room == nullptr) throw std::bad_alloc();
  entry.copy_value(room);
  raw->bytes = {room, entry.value_size};
}

// An array or a long string.
Made make_keepable(Raw* raw, zval* out) {
  if (raw->kept != nullptr) {
    ZVAL_COPY(out, raw->kept);
    raw->kept = nullptr;
    return Made::kDone;
  }
  if (raw->string != nullptr) {
    ZVAL_NEW_STR(out, raw->string);
    raw->string = nullptr;
  } else if (const Made made = make_from(raw->info.type, raw->bytes, out); made != Made::kDone) {
    return made;
  }
  if (raw->place.store != nullptr) thread_state().decoded.keep(raw->place, raw->info.version, out);
  return Made::kDone;
}

}  // namespace

// What is found may still turn out to be of another version than the entry has when the reading is done; then this is
// called again.
bool Raw::find_kept(const CacheObject& cache, std::string_view key, Version version) {
  place.store = cache.backend;
  place.generation = cache.is_shared ? static_cast<const SharedBackend*>(cache.backend)->generation() : Generation();
  place.key = key;
  kept = thread_state().decoded.find(place, version);
  if (kept == nullptr) return false;
  if (UNEXPECTED(string != nullptr)) {  // of an attempt before
    zend_string_release(string);
    string = nullptr;
  }
  return true;
}

char* Raw::other_room_for(ValueType type, std::uint32_t size) {
  if (UNEXPECTED(string != nullptr)) release();
  char* room = small;
  if (type == ValueType::kArray) {
    room = thread_state().value.begin_value(size);
    if (room == nullptr) throw std::bad_alloc();
  } else if (size > sizeof small) {
    string = zend_string_alloc(size, false);
    ZSTR_VAL(string)[size] = '\0';
    return ZSTR_VAL(string);
  }
  bytes = {room, size};
  return room;
}

void copy_entry(const EntryView& entry, Raw* raw) {
  note_entry(entry, raw);
  if constexpr (LocalBackend::kLocks)
    copy_locked(entry, raw);
  else
    entry.copy_value(raw->room_for(entry.type, entry.value_size));
}

Outcome read_raw(CacheObject& cache, std::string_view key, Raw* raw, Failure* failure) {
  if (!cache.is_shared)
    return cache.local().read(key, [&](const EntryView& e) { read_entry(cache, key, e, raw); }) ? Outcome::kDone
                                                                                                : Outcome::kNot;
  SharedBackend& shared = cache.shared();
  switch (shared.read(
      key, [&](const ReadInfo& e) { return raw->destination(cache, key, e.type, e.value_size, e.version); },
      static_cast<ReadInfo*>(&raw->info), failure)) {
    case ReadStatus::kHit:
      return Outcome::kDone;
    case ReadStatus::kMiss:
      raw->release();
      if (EXPECTED(failure->kind == Failure::Kind::kNone)) return Outcome::kNot;
      return miss_while_loading(Outcome::kFailed, *failure);
    case ReadStatus::kAskOwner:
      break;
  }
  raw->release();
  const Outcome outcome = shared.ask(key, false, &raw->info, &thread_state().value, failure);
  raw->bytes = thread_state().value.view();
  return miss_while_loading(outcome, *failure);
}

Outcome read_refreshable(CacheObject& cache, std::string_view key, Raw* raw, Millis* now, Failure* failure) {
  return read_refreshable_inline(cache, key, raw, now, failure);
}

Outcome ask_refreshable(CacheObject& cache, std::string_view key, Raw* raw, Failure* failure) {
  raw->release();
  const Outcome outcome = cache.shared().ask_refreshable(key, &raw->info, &thread_state().value, failure);
  raw->bytes = thread_state().value.view();
  return miss_while_loading(outcome, *failure);
}

Outcome missed_refreshable(Raw* raw, const Failure& failure) {
  raw->release();
  if (EXPECTED(failure.kind == Failure::Kind::kNone)) return Outcome::kNot;
  return miss_while_loading(Outcome::kFailed, failure);
}

Outcome take_raw(CacheObject& cache, std::string_view key, Raw* raw, Failure* failure) {
  raw->release();  // what is gone is not kept
  if (!cache.is_shared)
    return cache.local().take(key, [raw](const EntryView& e) { copy_entry(e, raw); }) ? Outcome::kDone : Outcome::kNot;
  const Outcome outcome = cache.shared().ask(key, true, &raw->info, &thread_state().value, failure);
  raw->bytes = thread_state().value.view();
  return miss_while_loading(outcome, *failure);
}

Made make_other_value(Raw* raw, zval* out) {
  const ValueType type = raw->info.type;
  if (is_worth_keeping(type, raw->info.value_size)) return make_keepable(raw, out);
  if (raw->string == nullptr) return make_from(type, raw->bytes, out);
  if (is_serialized(type)) {
    ZVAL_NEW_STR(out, raw->string);
    raw->string = nullptr;
    return Made::kPending;
  }
  const Made made = make_from(type, view(raw->string), out);
  raw->release();
  return made;
}

bool finish_value(const CacheObject& cache, std::string_view key, ValueType type, Made made, zval* value) {
  switch (made) {
    case Made::kDone:
      return true;
    case Made::kPending:
      return unserialize_in_place(cache, type, value) || broken(cache, key, type);
    case Made::kBroken:
      ZVAL_NULL(value);
      return broken(cache, key, type);
    case Made::kForeign:
      break;
  }
  ZVAL_NULL(value);
  zend_throw_exception_ex(classes.wrong_type, 0, "key %s holds something else than a value of this cache",
                          ShownKey(key).text());
  return false;
}

bool decode_bytes(const CacheObject& cache, std::string_view key, const KeptPlace& place, Version version,
                  ValueType type, std::string_view bytes, zval* out) {
  DecodedTable& table = thread_state().decoded;
  const bool keepable = bytes.size() <= UINT32_MAX && is_worth_keeping(type, static_cast<std::uint32_t>(bytes.size()));
  if (keepable) {
    if (const zval* kept = table.find(place, version)) {
      ZVAL_COPY(out, kept);
      return true;
    }
  }
  if (type == ValueType::kArray) {
    char* room = thread_state().value.begin_value(bytes.size());
    if (room == nullptr) throw std::bad_alloc();
    std::memcpy(room, bytes.data(), bytes.size());
    bytes = {room, bytes.size()};
  }
  const Made made = make_from(type, bytes, out);
  // A walk over everything does not drive out what is read again and again.
  if (keepable && made == Made::kDone) table.keep(place, version, out, DecodedTable::Room::kOnlyFree);
  return made == Made::kDone || finish_value(cache, key, type, made, out);
}

}  // namespace coppice::php
