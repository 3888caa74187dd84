// Rate limits by the generic cell rate algorithm: each key keeps one time, the theoretical arrival time (TAT) at which
// its burst is whole again. A request of `cost` moves it on by cost * period / limit, and is allowed if it is then no
// more than a period ahead of now.
//
// The TAT is the entry's deadline, so that the entry ends when it says nothing any more; what the deadline was rounded
// up by is the value: 4 bytes little-endian, picoseconds. Finer than a clock tells, since an increment is rounded down
// to it: by less than one part in a thousand up to a limit of a million a millisecond.
#include <algorithm>
#include <cstring>

#include "coppice/store.h"

namespace coppice {

namespace {

using Picos = __int128;
constexpr Picos kPicosPerMilli = 1'000'000'000;
constexpr std::int64_t kLargestLimit = 1'000'000'000;
constexpr Millis kLongestPeriod = Millis{3'650} * 86'400'000;

Millis rounded_up(Picos picos) { return static_cast<Millis>((picos + kPicosPerMilli - 1) / kPicosPerMilli); }

}  // namespace

Result<ThrottleResult> Store::throttle(Database db, std::string_view key, std::int64_t limit, Millis period,
                                       std::int64_t cost) {
  if (limit < 1 || limit > kLargestLimit || period < 1 || period > kLongestPeriod || cost < 0)
    return Error::kBadThrottle;
  if (key.empty()) return Error::kEmptyKey;
  if (key.size() > kMaxKeyLength) return Error::kKeyTooLong;
  if (db >= options().databases) return Error::kBadDatabase;
  const Clock& clock = options().clock != nullptr ? *options().clock : system_clock();
  const Picos now = Picos{clock.monotonic_ms()} * kPicosPerMilli;
  const Picos burst = Picos{period} * kPicosPerMilli;
  Picos arrival = now;
  if (const auto entry = peek(db, key)) {
    if (entry->type != ValueType::kThrottle) return Error::kWrongType;
    std::uint32_t before = 0;
    if (entry->value_size == sizeof before) entry->copy_value(reinterpret_cast<char*>(&before));
    // A state that was made to last for ever says nothing.
    if (entry->deadline != kNoDeadline)
      arrival = std::max(now, Picos{entry->deadline} * kPicosPerMilli - Picos{before});
  }
  ThrottleResult result;
  result.limit = limit;
  if (cost <= limit) {
    const Picos moved = arrival + Picos{cost} * burst / limit;
    const Picos over = moved - now - burst;
    if (over > 0) {
      result.retry_after = rounded_up(over);
    } else {
      result.allowed = true;
      if (cost > 0) {
        SetOptions how;
        how.deadline = rounded_up(moved);
        const auto before = static_cast<std::uint32_t>(Picos{how.deadline} * kPicosPerMilli - moved);
        char bytes[sizeof before];
        std::memcpy(bytes, &before, sizeof before);
        const auto stored = set(db, key, {ValueType::kThrottle, std::string_view(bytes, sizeof bytes)}, how);
        if (!stored) return stored.error();
        arrival = moved;
      }
    }
  }
  const Picos room = now + burst - arrival;
  result.remaining = room > 0 ? std::min(limit, static_cast<std::int64_t>(room * limit / burst)) : 0;
  result.reset_after = rounded_up(arrival - now);
  return result;
}

}  // namespace coppice
