// What a Cache handle works on: a store in this process, or an owner daemon's.
//
// Backends know nothing of PHP and never call it. Reads are not here: they are templates of the two classes, so that
// get() pays no indirect call. Keys are whole keys, the handle's prefix included, and valid (1 … kMaxKeyLength).
//
// Thread safety: LocalBackend any number of threads; SharedBackend one thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/types.h"
#include "kept_index.h"

namespace coppice::php {

enum class Outcome : std::uint8_t {
  kDone,
  kNot,     // a miss, or a condition that did not hold
  kFailed,  // see Failure
};

// Why nothing was done. Owns no memory, so that it may lie on the stack of a method.
struct Failure {
  enum class Kind : std::uint8_t {
    kNone,
    kUnreachable,  // no owner, or it is not one we may trust or talk to
    kLoading,      // the owner reads its snapshot
    kRefused,      // too large, no room
    kNotInteger,
    kOverflow,
    kWrongType,
    kOther,
  };
  Kind kind = Kind::kNone;
  char text[400];
  void set(Kind k, std::string_view message);
};

inline constexpr std::size_t kFailureKinds = static_cast<std::size_t>(Failure::Kind::kOther) + 1;

// Milliseconds from now; kNoDeadline: for ever; 0 or less: remove.
using Ttl = Millis;

struct Write {
  enum class When : std::uint8_t { kAlways, kIfAbsent, kIfPresent, kIfVersion };
  ValueType type = ValueType::kString;
  std::string_view bytes = {};
  Ttl ttl = kNoDeadline;
  When when = When::kAlways;
  Version version = 0;
  Version* stored = nullptr;  // where the new entry's version goes
};

struct KeyValue {
  std::string_view key;
  ValueType type = ValueType::kString;
  std::string_view bytes;
};

// Some entries of a walk, copied.
struct Page {
  struct Item {
    std::string key;
    std::string bytes;
    ValueType type = ValueType::kString;
    Version version = 0;  // where values were asked for
  };
  std::vector<Item> items;
  Generation generation;
  bool last = false;  // nothing comes behind it
};

struct Stats {
  std::int64_t entries = 0, used_memory = 0, max_memory = 0, hits = 0, misses = 0, evicted = 0, expired = 0;
  std::int64_t mapping_size = -1, mapping_bytes = -1;  // of shared stores
};

class Backend {
 public:
  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  bool is_shared() const { return is_shared_; }

  virtual Outcome write(std::string_view key, const Write& write, Failure* failure) = 0;
  // kNot: at least one was refused; `failure` says why the last one was.
  virtual Outcome write_many(std::span<const KeyValue> values, Ttl ttl, Failure* failure) = 0;
  virtual Outcome erase_many(std::span<const std::string_view> keys, Failure* failure) = 0;
  virtual Outcome increment(std::string_view key, std::int64_t by, std::int64_t initial, Ttl ttl_if_new,
                            std::int64_t* value, Failure* failure) = 0;
  virtual Outcome touch(std::string_view key, Ttl ttl, Failure* failure) = 0;
  // Removes what begins with `prefix`, everything where it is empty.
  virtual Outcome clear(std::string_view prefix, Failure* failure) = 0;
  virtual Outcome erase_prefix(std::string_view prefix, std::int64_t* removed, Failure* failure) = 0;
  virtual Outcome count_prefix(std::string_view prefix, std::int64_t* count, Failure* failure) = 0;
  virtual Outcome prune(std::int64_t* removed, Failure* failure) = 0;
  virtual Outcome stats(Stats* stats, Failure* failure) = 0;
  // Entries behind `after` (all from the prefix's first where `has_after` is false), at most `limit`, and about 1 MiB.
  virtual Outcome scan(std::string_view prefix, bool has_after, std::string_view after, std::size_t limit,
                       bool with_values, Page* page, Failure* failure) = 0;

 protected:
  explicit Backend(bool is_shared) : is_shared_(is_shared) {}

 private:
  const bool is_shared_;
};

}  // namespace coppice::php
