// Times as Redis's commands give them, turned into the store's deadlines.
#pragma once

#include <cstdint>
#include <string_view>

#include "coppice/clock.h"
#include "coppice/types.h"

namespace coppice::daemon {

enum class TimeUnit : std::uint8_t { kSeconds, kMilliseconds };
enum class TimeBase : std::uint8_t { kRelative, kWallClock };

// The deadline that `amount` means now. false: it does not fit into 64 bits of milliseconds, which Redis calls an
// invalid expire time. A deadline that has passed is one; past ones never wrap.
bool deadline_of(const Clock& clock, std::int64_t amount, TimeUnit unit, TimeBase base, Millis* deadline);

struct Call;

// The time in the options of SET and GETEX: EX, PX, EXAT or PXAT, and a number above zero.
struct ExpiryOption {
  bool given = false;
  std::string_view text;
  TimeUnit unit = TimeUnit::kSeconds;
  TimeBase base = TimeBase::kRelative;

  // Whether argument `i` is such an option, the first one, with its number behind it, which `i` becomes then.
  bool take(const Call& call, std::size_t* i);
  // false: the error is written.
  bool parse(Call& call, Millis* deadline) const;
};

// What a typed command's ttl means: -1 for ever, other values <= 0 a deadline that has passed, else milliseconds.
Millis deadline_of_ttl(Millis now, std::int64_t ttl);

}  // namespace coppice::daemon
