#include <limits>
#include <string>

#include "commands/expiry.h"
#include "commands/handlers.h"
#include "resp/number.h"

namespace coppice::daemon::handlers {

namespace {

// The deadline in argument `i`. false: the error is written. Zero and negative times are errors of SET.
bool parse_expiry(Call& call, std::string_view text, TimeUnit unit, TimeBase base, Millis* deadline) {
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

void set_with_expiry(Call& call, TimeUnit unit) {
  SetOptions options;
  if (!parse_expiry(call, call[2], unit, TimeBase::kRelative, &options.deadline)) return;
  const auto done = call.store().set(call.db(), call[1], {ValueType::kString, call[3]}, options);
  if (!done) return refuse(call, done.error());
  call.reply.ok();
}

void add(Call& call, std::int64_t by) {
  const auto done = call.store().increment(call.db(), call[1], by);
  if (!done) return refuse(call, done.error());
  call.reply.integer(*done);
}

}  // namespace

void get(Call& call) {
  const auto entry = call.store().find(call.db(), call[1]);
  if (!entry) return call.reply.null();
  if (entry->type == ValueType::kThrottle) return refuse(call, Error::kWrongType);
  call.reply.bulk(*entry);
}

void mget(Call& call) {
  const auto keys = call.arguments.subspan(1);
  call.reply.array(keys.size());
  call.store().find_many(call.db(), keys, [&call](std::size_t, const EntryView* entry) {
    if (entry != nullptr && entry->type != ValueType::kThrottle)
      call.reply.bulk(*entry);
    else
      call.reply.null();
  });
}

void set(Call& call) {
  SetOptions options;
  if (call.size() == 3) {
    const auto done = call.store().set(call.db(), call[1], {ValueType::kString, call[2]}, options);
    if (!done) return refuse(call, done.error());
    return call.reply.ok();
  }
  bool nx = false, xx = false, old = false, keep = false;
  struct Expiry {
    bool given = false;
    std::string_view text;
    TimeUnit unit = TimeUnit::kSeconds;
    TimeBase base = TimeBase::kRelative;
  } expiry;
  for (std::size_t i = 3; i < call.size(); ++i) {
    const std::string_view word = call[i];
    if (is_word(word, "nx")) {
      nx = true;
    } else if (is_word(word, "xx")) {
      xx = true;
    } else if (is_word(word, "get")) {
      old = true;
    } else if (is_word(word, "keepttl") && !expiry.given) {
      keep = true;
    } else if (is_word(word, "tags") && options.tags.empty() && i + 1 < call.size()) {
      if (!parse_tags(call, &i, &options.tags)) return;
    } else if (i + 1 < call.size() && !keep && !expiry.given &&
               (is_word(word, "ex") || is_word(word, "px") || is_word(word, "exat") || is_word(word, "pxat"))) {
      expiry = {true, call[++i], is_word(word.substr(0, 1), "p") ? TimeUnit::kMilliseconds : TimeUnit::kSeconds,
                word.size() == 4 ? TimeBase::kWallClock : TimeBase::kRelative};
    } else {
      return syntax_error(call);
    }
  }
  if (nx && xx) return syntax_error(call);
  if (expiry.given && !parse_expiry(call, expiry.text, expiry.unit, expiry.base, &options.deadline)) return;
  options.when = nx ? When::kIfAbsent : xx ? When::kIfPresent : When::kAlways;
  options.keep_deadline = keep;

  // The old value must be copied before the store changes; a refusal takes it back.
  const std::size_t mark = call.reply.mark();
  if (old) get(call);
  const auto done = call.store().set(call.db(), call[1], {ValueType::kString, call[2]}, options);
  if (!done) {
    call.reply.rewind(mark);
    return refuse(call, done.error());
  }
  if (old) return;
  if (done->stored)
    call.reply.ok();
  else
    call.reply.null();
}

void setex(Call& call) { set_with_expiry(call, TimeUnit::kSeconds); }
void psetex(Call& call) { set_with_expiry(call, TimeUnit::kMilliseconds); }

void setnx(Call& call) {
  SetOptions options;
  options.when = When::kIfAbsent;
  const auto done = call.store().set(call.db(), call[1], {ValueType::kString, call[2]}, options);
  if (!done) return refuse(call, done.error());
  call.reply.integer(done->stored ? 1 : 0);
}

void mset(Call& call) {
  if (call.size() % 2 == 0) return wrong_arity(call.reply, call.spec.name);
  // What can be known beforehand is refused before anything is stored.
  for (std::size_t i = 1; i < call.size(); i += 2) {
    if (!key_allowed(call, call[i])) return;
    if (call[i + 1].size() > call.service.config().max_value) return refuse(call, Error::kValueTooLarge);
  }
  for (std::size_t i = 1; i < call.size(); i += 2) {
    const auto done = call.store().set(call.db(), call[i], {ValueType::kString, call[i + 1]});
    if (!done) return refuse(call, done.error());
  }
  call.reply.ok();
}

void strlen(Call& call) {
  const auto entry = call.store().find(call.db(), call[1]);
  call.reply.integer(entry ? entry->value_size : 0);
}

void incr(Call& call) { add(call, 1); }
void decr(Call& call) { add(call, -1); }

void incrby(Call& call) {
  std::int64_t by = 0;
  if (!resp::parse_int64(call[2], &by)) return not_an_integer(call);
  add(call, by);
}

void decrby(Call& call) {
  std::int64_t by = 0;
  if (!resp::parse_int64(call[2], &by)) return not_an_integer(call);
  if (by == std::numeric_limits<std::int64_t>::min()) return call.reply.error("ERR decrement would overflow");
  add(call, -by);
}

}  // namespace coppice::daemon::handlers
