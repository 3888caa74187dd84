#include "coppice/types.h"

#include <array>

namespace coppice {

namespace {
constexpr std::array<std::pair<Policy, std::string_view>, 5> kPolicies{{{Policy::kNoEviction, "noeviction"},
                                                                        {Policy::kAllKeysLru, "allkeys-lru"},
                                                                        {Policy::kVolatileLru, "volatile-lru"},
                                                                        {Policy::kAllKeysRandom, "allkeys-random"},
                                                                        {Policy::kVolatileTtl, "volatile-ttl"}}};
}  // namespace

std::string_view policy_name(Policy p) {
  for (const auto& [policy, name] : kPolicies)
    if (policy == p) return name;
  return "?";
}

bool parse_policy(std::string_view name, Policy* out) {
  for (const auto& [policy, known] : kPolicies) {
    if (known != name) continue;
    *out = policy;
    return true;
  }
  return false;
}

std::string_view error_message(Error e) {
  switch (e) {
    case Error::kNone:
      return "no error";
    case Error::kEmptyKey:
      return "the key is empty";
    case Error::kKeyTooLong:
      return "the key is longer than 4096 bytes";
    case Error::kValueTooLarge:
      return "the value is larger than the limit for values";
    case Error::kOutOfMemory:
      return "there is no room within the memory limit";
    case Error::kNotInteger:
      return "the value is not an integer";
    case Error::kOverflow:
      return "the result does not fit into 64 bits";
    case Error::kWrongType:
      return "the value has a type that the operation does not apply to";
    case Error::kBadDatabase:
      return "there is no such database";
    case Error::kEmptyTag:
      return "a tag is empty";
    case Error::kTagTooLong:
      return "a tag is longer than 1024 bytes";
    case Error::kTooManyTags:
      return "there are more than 4096 tags for one key";
    case Error::kBadLockName:
      return "the lock's name must have 1 to 4096 bytes";
    case Error::kBadLockOwner:
      return "the lock owner's token must have 1 to 256 bytes";
    case Error::kBadLockLease:
      return "the lock's lease must be at least a millisecond";
    case Error::kTooManyLocks:
      return "there are too many locks or waits for locks";
    case Error::kBadLease:
      return "the lease's ceiling must be a millisecond to an hour";
    case Error::kBadThrottle:
      return "the limit must be 1 to 1000000000, the period a millisecond to ten years, the cost at least 0";
    case Error::kElementTooLong:
      return "the field or member is longer than 4079 bytes";
  }
  return "unknown error";
}

}  // namespace coppice
