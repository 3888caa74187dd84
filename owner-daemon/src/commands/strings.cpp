#include <limits>
#include <optional>
#include <string>

#include "commands/expiry.h"
#include "commands/handlers.h"
#include "commands/values.h"
#include "resp/number.h"

namespace coppice::daemon {

bool set_pairs(Call& call) {
  for (std::size_t i = 1; i < call.size(); i += 2) {
    if (!key_allowed(call, call[i])) return false;
    if (call[i + 1].size() <= call.service.config().max_value) continue;
    refuse(call, Error::kValueTooLarge);
    return false;
  }
  for (std::size_t i = 1; i < call.size(); i += 2) {
    const auto done = call.store().set(call.db(), call[i], {ValueType::kString, call[i + 1]});
    if (done) continue;
    refuse(call, done.error());
    return false;
  }
  return true;
}

namespace handlers {

namespace {

void set_with_expiry(Call& call, TimeUnit unit) {
  SetOptions options;
  const ExpiryOption expiry{true, call[2], unit, TimeBase::kRelative};
  if (!expiry.parse(call, &options.deadline)) return;
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

void get(Call& call) { answer_value(call, call.store().find(call.db(), call[1])); }

void mget(Call& call) {
  const auto keys = call.arguments.subspan(1);
  call.reply.array(keys.size());
  call.store().find_many(call.db(), keys, [&call](std::size_t, const EntryView* entry) {
    if (entry != nullptr && is_value(entry->type))
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
  std::optional<std::string_view> if_equal;
  ExpiryOption expiry;
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
    } else if (is_word(word, "ifeq") && !if_equal && i + 1 < call.size()) {
      if_equal = call[++i];
    } else if (keep || !expiry.take(call, &i)) {
      return syntax_error(call);
    }
  }
  if (nx + xx + if_equal.has_value() > 1) return syntax_error(call);
  if (expiry.given && !expiry.parse(call, &options.deadline)) return;
  options.when = nx ? When::kIfAbsent : xx ? When::kIfPresent : When::kAlways;
  options.keep_deadline = keep;

  // The old value must be copied before the store changes; a refusal takes it back.
  const std::size_t mark = call.reply.mark();
  if (old) {
    const auto entry = call.store().find(call.db(), call[1]);
    if (!entry)
      call.reply.null();
    else if (readable(call, *entry))
      call.reply.bulk(*entry);
    else
      return;
  }
  if (if_equal) {
    const auto entry = call.store().peek(call.db(), call[1]);
    if (entry && !is_plain(entry->type)) {
      call.reply.rewind(mark);
      return refuse(call, Error::kWrongType);
    }
    if (!entry || !holds(*entry, *if_equal)) {
      if (!old) call.reply.null();
      return;
    }
  }
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
  if (set_pairs(call)) call.reply.ok();
}

void strlen(Call& call) {
  const auto entry = call.store().find(call.db(), call[1]);
  if (entry && !readable(call, *entry)) return;
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

}  // namespace handlers
}  // namespace coppice::daemon
