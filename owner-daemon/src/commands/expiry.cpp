#include "commands/expiry.h"

#include <limits>
#include <optional>
#include <string>

#include "commands/handlers.h"
#include "resp/number.h"

namespace coppice::daemon {

bool deadline_of(const Clock& clock, std::int64_t amount, TimeUnit unit, TimeBase base, Millis* deadline) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  if (unit == TimeUnit::kSeconds) {
    if (amount > kMost / 1000 || amount < kLeast / 1000) return false;
    amount *= 1000;
  }
  const Millis now = clock.monotonic_ms();
  const std::int64_t wall = clock.wall_us() / 1000;
  std::int64_t ttl = amount;
  if (base == TimeBase::kWallClock)
    ttl = amount < kLeast + wall ? kLeast : amount - wall;
  else if (amount > kMost - wall)
    return false;
  *deadline = ttl > 0 ? deadline_after(now, ttl) : now - 1;
  return true;
}

bool ExpiryOption::take(const Call& call, std::size_t* i) {
  const std::string_view word = call[*i];
  if (given || *i + 1 >= call.size() ||
      !(is_word(word, "ex") || is_word(word, "px") || is_word(word, "exat") || is_word(word, "pxat")))
    return false;
  given = true;
  text = call[++*i];
  unit = is_word(word.substr(0, 1), "p") ? TimeUnit::kMilliseconds : TimeUnit::kSeconds;
  base = word.size() == 4 ? TimeBase::kWallClock : TimeBase::kRelative;
  return true;
}

bool ExpiryOption::parse(Call& call, Millis* deadline) const {
  std::int64_t amount = 0;
  if (!resp::parse_int64(text, &amount)) {
    not_an_integer(call);
    return false;
  }
  if (amount <= 0 || !deadline_of(call.service.clock(), amount, unit, base, deadline)) {
    call.reply.error("ERR invalid expire time in '" + std::string(call.spec.name) + "' command");
    return false;
  }
  return true;
}

Millis deadline_of_ttl(Millis now, std::int64_t ttl) {
  if (ttl == -1) return kNoDeadline;
  return ttl > 0 ? deadline_after(now, ttl) : now - 1;
}

namespace handlers {

namespace {

struct Conditions {
  bool nx = false, xx = false, gt = false, lt = false;
};

bool parse_conditions(Call& call, Conditions* out) {
  for (std::size_t i = 3; i < call.size(); ++i) {
    if (is_word(call[i], "nx"))
      out->nx = true;
    else if (is_word(call[i], "xx"))
      out->xx = true;
    else if (is_word(call[i], "gt"))
      out->gt = true;
    else if (is_word(call[i], "lt"))
      out->lt = true;
    else {
      call.reply.error("ERR Unsupported option " + std::string(call[i]));
      return false;
    }
  }
  if (out->nx && (out->xx || out->gt || out->lt)) {
    call.reply.error("ERR NX and XX, GT or LT options at the same time are not compatible");
    return false;
  }
  if (out->gt && out->lt) {
    call.reply.error("ERR GT and LT options at the same time are not compatible");
    return false;
  }
  return true;
}

void expire_generic(Call& call, TimeUnit unit, TimeBase base) {
  Conditions conditions;
  if (!parse_conditions(call, &conditions)) return;
  std::int64_t amount = 0;
  if (!resp::parse_int64(call[2], &amount)) return not_an_integer(call);
  Millis deadline = 0;
  if (!deadline_of(call.service.clock(), amount, unit, base, &deadline))
    return call.reply.error("ERR invalid expire time in '" + std::string(call.spec.name) + "' command");
  const auto entry = call.store().peek(call.db(), call[1]);
  if (!entry) {
    // One that has passed removes the key, which somebody may be computing.
    if (call.service.clock().passed(deadline)) call.store().erase(call.db(), call[1]);
    return call.reply.integer(0);
  }
  // A key without a deadline lasts longer than any with one.
  const bool has = entry->deadline != kNoDeadline;
  if ((conditions.nx && has) || (conditions.xx && !has) || (conditions.gt && (!has || deadline <= entry->deadline)) ||
      (conditions.lt && has && deadline >= entry->deadline))
    return call.reply.integer(0);
  const auto done = call.store().set_deadline(call.db(), call[1], deadline);
  if (!done) return refuse(call, done.error());
  call.reply.integer(*done ? 1 : 0);
}

void remaining(Call& call, std::int64_t unit) {
  const auto entry = call.store().peek(call.db(), call[1]);
  if (!entry) return call.reply.integer(-2);
  if (entry->deadline == kNoDeadline) return call.reply.integer(-1);
  const Millis left = entry->deadline - call.service.clock().monotonic_ms();
  if (left < 0) return call.reply.integer(0);
  call.reply.integer(left / unit + (left % unit >= (unit + 1) / 2 && unit > 1 ? 1 : 0));
}

// When the key expires, on the wall clock, rounded to the unit.
void expires_at(Call& call, std::int64_t unit) {
  const auto entry = call.store().peek(call.db(), call[1]);
  if (!entry) return call.reply.integer(-2);
  if (entry->deadline == kNoDeadline) return call.reply.integer(-1);
  const Millis left = entry->deadline - call.service.clock().monotonic_ms();
  const Millis at = deadline_after(call.service.clock().wall_us() / 1000, left);
  call.reply.integer(at / unit + (at % unit >= (unit + 1) / 2 && unit > 1 ? 1 : 0));
}

}  // namespace

void expire(Call& call) { expire_generic(call, TimeUnit::kSeconds, TimeBase::kRelative); }
void pexpire(Call& call) { expire_generic(call, TimeUnit::kMilliseconds, TimeBase::kRelative); }
void expireat(Call& call) { expire_generic(call, TimeUnit::kSeconds, TimeBase::kWallClock); }
void pexpireat(Call& call) { expire_generic(call, TimeUnit::kMilliseconds, TimeBase::kWallClock); }
void ttl(Call& call) { remaining(call, 1000); }
void pttl(Call& call) { remaining(call, 1); }

void expiretime(Call& call) { expires_at(call, 1000); }
void pexpiretime(Call& call) { expires_at(call, 1); }

void persist(Call& call) {
  const auto entry = call.store().peek(call.db(), call[1]);
  if (!entry || entry->deadline == kNoDeadline) return call.reply.integer(0);
  const auto done = call.store().set_deadline(call.db(), call[1], kNoDeadline);
  if (!done) return refuse(call, done.error());
  call.reply.integer(*done ? 1 : 0);
}

}  // namespace handlers
}  // namespace coppice::daemon
