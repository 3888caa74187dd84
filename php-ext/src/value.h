// PHP values to what a store keeps, and back.
#pragma once

#include <cstdint>

#include "cache_object.h"

namespace coppice::php {

// A value ready to be stored. Its bytes lie in the script's string, in the object itself, in `held`, or in
// ThreadState::value, which the next encoding takes over.
struct Encoded {
  ValueType type = ValueType::kNull;
  std::string_view bytes;
  zend_string* held = nullptr;
  char small[32];

  void release() {
    if (held != nullptr) zend_string_release(held);
    held = nullptr;
  }
};
// false: an exception was thrown. May run user code (serialize handlers), so nothing else may lie in
// ThreadState::value. `key` is for messages.
bool encode_value(const CacheObject& cache, std::string_view key, zval* value, Encoded* out);

// Whether the decoded form of such an entry may be kept (decoded_table.h).
inline bool is_worth_keeping(ValueType type, std::uint32_t size) {
  return size >= kSmallestKeptArray &&
         (type == ValueType::kArray || (type == ValueType::kString && size >= kSmallestKeptString));
}

// What was read, before it becomes a PHP value.
struct Raw {
  RefreshInfo info;               // what this has beyond ReadInfo is set by read_refreshable() alone
  zend_string* string = nullptr;  // the bytes lie here (owned),
  std::string_view bytes;         // or here: in `small`, or, padded, in ThreadState::value
  char small[40];
  // Set by the reading of an entry that is worth keeping, and by release(): what the table has of this version, and
  // where the value may be put (nowhere if the store is null).
  const zval* kept;
  union {
    KeptPlace place;  // would initialize itself, for every integer too
  };

  Raw() {}
  // Where an entry is to be copied to; null: nowhere, since its decoded form is at hand. Calls Zend.
  char* destination(const CacheObject& cache, std::string_view key, ValueType type, std::uint32_t size,
                    Version version) {
    if (UNEXPECTED(is_worth_keeping(type, size)) && find_kept(cache, key, version)) return nullptr;
    return room_for(type, size);
  }
  bool find_kept(const CacheObject& cache, std::string_view key, Version version);
  // Where a value is to be copied to. Calls Zend.
  char* room_for(ValueType type, std::uint32_t size) {
    if (EXPECTED(type != ValueType::kArray && size <= sizeof small && string == nullptr)) {
      bytes = {small, size};
      return small;
    }
    return other_room_for(type, size);
  }
  char* other_room_for(ValueType type, std::uint32_t size);
  void release() {
    if (string != nullptr) zend_string_release(string);
    string = nullptr;
    kept = nullptr;
    place.store = nullptr;
  }
};

// What became of a Raw without user code.
enum class Made : std::uint8_t {
  kDone,
  kPending,  // the value is a string: what is to be unserialized
  kBroken,
  kForeign,  // a type that this version does not know
};

// Reads an entry of either backend. kFailed: the cache is away.
Outcome read_raw(CacheObject& cache, std::string_view key, Raw* raw, Failure* failure);
// The same also of an entry beyond its deadline, while that waits for a refresh. `now`: when it was read,
// CLOCK_MONOTONIC_COARSE. raw->info.has_tags: it may have some.
Outcome read_refreshable(CacheObject& cache, std::string_view key, Raw* raw, Millis* now, Failure* failure);
// As read_raw(), and removes the entry.
Outcome take_raw(CacheObject& cache, std::string_view key, Raw* raw, Failure* failure);
// From a local entry. Calls Zend unless LocalBackend::kLocks; otherwise `raw` may refer to the entry's own bytes, which
// stay for as long as nothing is written.
inline void note_entry(const EntryView& entry, Raw* raw) {
  raw->info.version = entry.version;
  raw->info.deadline = entry.deadline;
  raw->info.type = entry.type;
  raw->info.value_size = entry.value_size;
}
void copy_entry(const EntryView& entry, Raw* raw);
inline void take_bytes(const EntryView& entry, Raw* raw) {
  if (LocalBackend::kLocks || entry.type == ValueType::kArray || !entry.is_contiguous()) return copy_entry(entry, raw);
  note_entry(entry, raw);
  raw->bytes = entry.contiguous_value();
}
// `key` is the caller's, and stays.
inline void read_entry(const CacheObject& cache, std::string_view key, const EntryView& entry, Raw* raw) {
  if (UNEXPECTED(is_worth_keeping(entry.type, entry.value_size)) && raw->find_kept(cache, key, entry.version))
    return note_entry(entry, raw);
  take_bytes(entry, raw);
}

Made make_other_value(Raw* raw, zval* out);

// Eight ASCII digits in a word, the first in its lowest byte, added up in pairs, then fours, then all: Daniel Lemire,
// "Quickly parsing eight digits", 2018.
inline bool are_digits(std::uint64_t w) {
  return ((w & (w + 0x0606060606060606)) & 0xf0f0f0f0f0f0f0f0) == 0x3030303030303030;
}
inline std::uint64_t eight_digits(std::uint64_t w) {
  w -= 0x3030303030303030;
  w = w * 10 + (w >> 8);
  const std::uint64_t mask = 0x000000ff000000ff;
  return ((w & mask) * (100 + (1'000'000ull << 32)) + ((w >> 16) & mask) * (1 + (10'000ull << 32))) >> 32;
}

// Makes `raw` a PHP value, as far as that needs no user code, and releases it.
inline Made make_value(Raw* raw, zval* out) {
  const char* at = raw->bytes.data();
  switch (raw->info.type) {
    case ValueType::kInteger: {
      // Canonical decimal that can't overflow; all else takes the long way.
      if (UNEXPECTED(raw->string != nullptr || raw->bytes.size() - 1 >= 18)) break;
      const bool negative = *at == '-';
      std::size_t digits = raw->bytes.size() - negative;
      if (UNEXPECTED(digits == 0)) return Made::kBroken;
      at += negative;
      zend_ulong n = 0;
      for (; digits >= 8; digits -= 8, at += 8) {
        std::uint64_t eight;
        std::memcpy(&eight, at, 8);
        if (UNEXPECTED(!are_digits(eight))) return Made::kBroken;
        n = n * 100'000'000 + eight_digits(eight);
      }
      for (; digits != 0; --digits, ++at) {
        const auto digit = static_cast<unsigned>(*at - '0');
        if (UNEXPECTED(digit > 9)) return Made::kBroken;
        n = n * 10 + digit;
      }
      ZVAL_LONG(out, static_cast<zend_long>(negative ? 0 - n : n));
      return Made::kDone;
    }
    case ValueType::kString:
      if (UNEXPECTED(raw->info.value_size >= kSmallestKeptString)) break;
      if (raw->string == nullptr) {
        ZVAL_STR(out, zend_string_init_fast(at, raw->bytes.size()));
      } else {
        ZVAL_NEW_STR(out, raw->string);
        raw->string = nullptr;
      }
      return Made::kDone;
    default:
      break;
  }
  return make_other_value(raw, out);
}
// The rest of it. false: it can't be decoded, and a warning or exception said so, or user code threw; `value` is null
// then. Runs user code.
bool finish_value(const CacheObject& cache, std::string_view key, ValueType type, Made made, zval* value);
// Both. `key` must stay where it is.
inline bool decode_raw(const CacheObject& cache, std::string_view key, Raw* raw, zval* out) {
  const Made made = make_value(raw, out);
  return made == Made::kDone || finish_value(cache, key, raw->info.type, made, out);
}
// The same for bytes that the caller owns: those of `version` of the entry at `place`.
bool decode_bytes(const CacheObject& cache, std::string_view key, const KeptPlace& place, Version version,
                  ValueType type, std::string_view bytes, zval* out);

// The writer's own next read finds what it stored: an entry of this type and size.
void keep_worthy(const CacheObject& cache, std::string_view key, Version version, const zval* value);
inline void keep_stored(const CacheObject& cache, std::string_view key, ValueType type, std::size_t size,
                        Version version, const zval* value) {
  if (UNEXPECTED(is_worth_keeping(type, static_cast<std::uint32_t>(size)))) keep_worthy(cache, key, version, value);
}

// Entry's name of an encoding.
std::string_view encoding_name(ValueType type);

}  // namespace coppice::php
