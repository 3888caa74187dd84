// Commands that read a string and change it, or its time to live, in one step.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "commands/expiry.h"
#include "commands/handlers.h"
#include "commands/values.h"
#include "resp/decimal.h"
#include "resp/number.h"

namespace coppice::daemon {

bool holds(const EntryView& entry, std::string_view text) {
  if (!is_plain(entry.type) || entry.value_size != text.size()) return false;
  bool same = true;
  entry.for_each_part([&](std::string_view part) {
    same = same && text.substr(0, part.size()) == part;
    text.remove_prefix(part.size());
  });
  return same;
}

namespace handlers {

namespace {

// Whether a value may become that long; otherwise the refusal is written.
bool length_allowed(Call& call, std::uint64_t length) {
  if (length > call.service.config().max_bulk) {
    call.reply.error("ERR string exceeds maximum allowed size (proto-max-bulk-len)");
    return false;
  }
  if (length > call.service.config().max_value) {
    refuse(call, Error::kValueTooLarge);
    return false;
  }
  return true;
}

// The text under the key, to be edited; empty without the key. false: the refusal is written.
bool read_text(Call& call, std::string* text, bool* exists) {
  const auto entry = call.store().find(call.db(), call[1]);
  *exists = entry.has_value();
  if (!entry) return true;
  if (!is_plain(entry->type)) {
    refuse(call, Error::kWrongType);
    return false;
  }
  *text = entry->value();
  return true;
}

// Stores an edited text: the time to live and the tags stay.
bool write_text(Call& call, std::string_view text, bool exists) {
  SetOptions options;
  options.keep_deadline = exists;
  options.keep_tags = exists;
  const auto done = call.store().set(call.db(), call[1], {ValueType::kString, text}, options);
  if (!done) refuse(call, done.error());
  return static_cast<bool>(done);
}

}  // namespace

void getset(Call& call) {
  const std::size_t mark = call.reply.mark();
  if (!answer_value(call, call.store().find(call.db(), call[1]))) return;
  const auto done = call.store().set(call.db(), call[1], {ValueType::kString, call[2]});
  if (done) return;
  call.reply.rewind(mark);
  refuse(call, done.error());
}

void getdel(Call& call) {
  if (!answer_value(call, call.store().find(call.db(), call[1]))) return;
  // Also where there is nothing: somebody may be computing it.
  call.store().erase(call.db(), call[1]);
}

void getex(Call& call) {
  bool persist = false;
  ExpiryOption expiry;
  for (std::size_t i = 2; i < call.size(); ++i) {
    if (is_word(call[i], "persist") && !expiry.given) {
      persist = true;
    } else if (persist || !expiry.take(call, &i)) {
      return syntax_error(call);
    }
  }
  const auto entry = call.store().find(call.db(), call[1]);
  if (!entry) return call.reply.null();
  if (!readable(call, *entry)) return;
  Millis deadline = kNoDeadline;
  if (expiry.given && !expiry.parse(call, &deadline)) return;
  const std::size_t mark = call.reply.mark();
  call.reply.bulk(*entry);
  if (!expiry.given && (!persist || entry->deadline == kNoDeadline)) return;
  const auto done = call.store().set_deadline(call.db(), call[1], deadline);
  if (done) return;
  call.reply.rewind(mark);
  refuse(call, done.error());
}

void append(Call& call) {
  std::string text;
  bool exists = false;
  if (!read_text(call, &text, &exists) || !length_allowed(call, text.size() + call[2].size())) return;
  text += call[2];
  if (write_text(call, text, exists)) call.reply.count(text.size());
}

void getrange(Call& call) {
  std::int64_t start = 0, end = 0;
  if (!resp::parse_int64(call[2], &start) || !resp::parse_int64(call[3], &end)) return not_an_integer(call);
  const auto entry = call.store().find(call.db(), call[1]);
  if (!entry) return call.reply.bulk("");
  if (!readable(call, *entry)) return;
  const auto size = static_cast<std::int64_t>(entry->value_size);
  const bool reversed = start < 0 && end < 0 && start > end;
  if (start < 0) start = start < -size ? 0 : start + size;
  if (end < 0) end = end < -size ? 0 : end + size;
  end = std::min(end, size - 1);
  if (reversed || start > end) return call.reply.bulk("");
  std::string piece;
  piece.reserve(static_cast<std::size_t>(end - start) + 1);
  std::int64_t at = 0;
  entry->for_each_part([&](std::string_view part) {
    const auto length = static_cast<std::int64_t>(part.size());
    const std::int64_t from = std::max(start - at, std::int64_t{0});
    const std::int64_t to = std::min(end + 1 - at, length);
    if (from < to) piece += part.substr(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from));
    at += length;
  });
  call.reply.bulk(piece);
}

void setrange(Call& call) {
  std::int64_t offset = 0;
  if (!resp::parse_int64(call[2], &offset)) return not_an_integer(call);
  if (offset < 0) return call.reply.error("ERR offset is out of range");
  std::string text;
  bool exists = false;
  if (!read_text(call, &text, &exists)) return;
  const std::string_view piece = call[3];
  if (piece.empty()) return call.reply.count(text.size());
  const std::uint64_t end = static_cast<std::uint64_t>(offset) + piece.size();
  if (!length_allowed(call, end)) return;
  if (text.size() < end) text.resize(end, '\0');
  std::copy(piece.begin(), piece.end(), text.begin() + offset);
  if (write_text(call, text, exists)) call.reply.count(text.size());
}

void msetnx(Call& call) {
  if (call.size() % 2 == 0) return wrong_arity(call.reply, call.spec.name);
  for (std::size_t i = 1; i < call.size(); i += 2)
    if (call.store().peek(call.db(), call[i])) return call.reply.integer(0);
  if (set_pairs(call)) call.reply.integer(1);
}

void incrbyfloat(Call& call) {
  std::string text;
  bool exists = false;
  if (!read_text(call, &text, &exists)) return;
  long double value = 0, by = 0;
  if ((exists && !resp::parse_float(text, &value)) || !resp::parse_float(call[2], &by))
    return call.reply.error("ERR value is not a valid float");
  value += by;
  if (std::isnan(value) || std::isinf(value)) return call.reply.error("ERR increment would produce NaN or Infinity");
  text = resp::float_text(value);
  if (write_text(call, text, exists)) call.reply.bulk(text);
}

void delifeq(Call& call) {
  const auto entry = call.store().find(call.db(), call[1]);
  if (!entry) return call.reply.integer(0);
  if (!is_plain(entry->type)) return refuse(call, Error::kWrongType);
  if (!holds(*entry, call[2])) return call.reply.integer(0);
  call.reply.integer(call.store().erase(call.db(), call[1]) ? 1 : 0);
}

}  // namespace handlers
}  // namespace coppice::daemon
