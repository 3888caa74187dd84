// The engine's vocabulary: times, versions, value types, limits and errors.
//
// Everything here is a plain value; nothing allocates or throws.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

namespace coppice {

// Milliseconds. A deadline is absolute on the monotonic clock (CLOCK_MONOTONIC), which all processes of a host share.
using Millis = std::int64_t;
// "For ever". Arithmetic on deadlines saturates here and never wraps.
inline constexpr Millis kNoDeadline = std::numeric_limits<Millis>::max();

// Identifies one write of one entry. Even, never 0, never given twice, restarts of the owner included.
using Version = std::uint64_t;

// A logical database, 0 … StoreOptions::databases - 1.
using Database = std::uint32_t;

inline constexpr std::size_t kMaxKeyLength = 4096;
inline constexpr std::size_t kMaxElementName = kMaxKeyLength - 17;  // of a hash's field, a set's member; 0 is allowed
inline constexpr std::size_t kMaxTagLength = 1024;
inline constexpr std::size_t kMaxTags = 4096;  // of one entry, each counted once
inline constexpr std::uint32_t kMaxDatabases = 64;
inline constexpr std::uint32_t kDefaultMaxValue = 64u << 20;
inline constexpr std::uint32_t kLargestMaxValue = 511u << 20;
inline constexpr std::uint64_t kDefaultMaxMemory = 256ull << 20;
inline constexpr std::uint64_t kSmallestMaxMemory = 2ull << 20;

// What a value's bytes mean. Frozen: these numbers are in shared memory, in snapshots and on the wire.
enum class ValueType : std::uint8_t {
  kString = 0,      // the bytes themselves; all that a plain RESP SET makes
  kInteger = 1,     // canonical signed decimal, e.g. "-42"
  kNull = 2,        // no bytes
  kFalse = 3,       // no bytes
  kTrue = 4,        // no bytes
  kDouble = 5,      // 8 bytes, IEEE 754 little-endian
  kArray = 6,       // the array codec, docs/codec.md
  kSerialized = 7,  // PHP serialize()
  kIgbinary = 8,    // igbinary_serialize()
  kThrottle = 9,    // the state of a rate limit, Store::throttle(); no value that anybody reads or writes
  // Collections (collections.h); no values either: only their elements are.
  kHash = 10,
  kSet = 11,
  kSortedSet = 12,
};
inline constexpr std::uint8_t kLastValueType = 8;  // of those that clients may write

constexpr bool is_value(ValueType t) { return static_cast<std::uint8_t>(t) <= kLastValueType; }
constexpr bool is_collection(ValueType t) { return t >= ValueType::kHash && t <= ValueType::kSortedSet; }

// Whether INCR, APPEND and plain GET may treat the bytes as text.
constexpr bool is_plain(ValueType t) { return t == ValueType::kString || t == ValueType::kInteger; }

// What to do when a write would exceed max_memory. Redis's names; lru is CLOCK over the arena.
enum class Policy : std::uint8_t { kNoEviction, kAllKeysLru, kVolatileLru, kAllKeysRandom, kVolatileTtl };
std::string_view policy_name(Policy p);
bool parse_policy(std::string_view name, Policy* out);

// Why an operation was refused. A miss is never an error. Whatever is refused leaves the store as it was.
enum class Error : std::uint8_t {
  kNone = 0,
  kEmptyKey,        // keys have at least one byte
  kKeyTooLong,      // longer than kMaxKeyLength
  kValueTooLarge,   // longer than StoreOptions::max_value
  kOutOfMemory,     // no room within max_memory under the policy in force
  kNotInteger,      // increment of a value that is not a canonical 64-bit decimal
  kOverflow,        // increment beyond 64 bits
  kWrongType,       // the operation does not apply to a value of this type
  kBadDatabase,     // no such database
  kEmptyTag,        // tags have at least one byte
  kTagTooLong,      // longer than kMaxTagLength
  kTooManyTags,     // more than kMaxTags for one key
  kBadLockName,     // a lock's name has 1 to 4,096 bytes
  kBadLockOwner,    // a lock owner's token has 1 to 256 bytes
  kBadLockLease,    // a lock's lease is at least a millisecond
  kTooManyLocks,    // locks, waits for locks or their memory reached their bound
  kBadLease,        // a lease's ceiling is a millisecond to an hour
  kBadThrottle,     // a rate limit's numbers are out of their range
  kElementTooLong,  // a field or member is longer than kMaxElementName
};
std::string_view error_message(Error e);

// A value or the reason why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Error error) : error_(error) {}
  explicit operator bool() const { return error_ == Error::kNone; }
  Error error() const { return error_; }
  const T& operator*() const { return value_; }
  T& operator*() { return value_; }
  const T* operator->() const { return &value_; }

 private:
  T value_{};
  Error error_ = Error::kNone;
};

// now + ttl, saturating at kNoDeadline. REQUIRES: ttl >= 0.
constexpr Millis deadline_after(Millis now, Millis ttl) { return ttl >= kNoDeadline - now ? kNoDeadline : now + ttl; }

}  // namespace coppice
