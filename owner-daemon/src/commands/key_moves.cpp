// Commands that take whole entries from one key or database to another.
#include <limits>
#include <optional>
#include <string>

#include "commands/entry_copy.h"
#include "commands/handlers.h"
#include "resp/number.h"

namespace coppice::daemon::handlers {

namespace {

// A database's number. false: the error is written. `message`: what Redis says of text that is no number here.
bool parse_database(Call& call, std::string_view text, std::string_view message, Database* out) {
  std::int64_t index = 0;
  if (!resp::parse_int64(text, &index)) {
    call.reply.error(message);
    return false;
  }
  constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (index < kLeast || index > kMost) {
    call.reply.error(message == kNotInteger ? "ERR value is out of range, value must between " +
                                                  std::to_string(kLeast) + " and " + std::to_string(kMost)
                                            : std::string(message));
    return false;
  }
  if (index < 0 || index >= call.store().options().databases) {
    call.reply.error("ERR DB index is out of range");
    return false;
  }
  *out = static_cast<Database>(index);
  return true;
}

enum class Moved : std::uint8_t { kYes, kRefused };

Moved move(Call& call, const EntryCopy& copy, Database db, std::string_view key) {
  const auto done = copy.put(call.store(), db, key);
  if (!done) {
    refuse(call, done.error());
    return Moved::kRefused;
  }
  return Moved::kYes;
}

void rename_generic(Call& call, bool only_if_absent) {
  const auto copy = EntryCopy::of(call.store(), call.db(), call[1]);
  if (!copy) return call.reply.error("ERR no such key");
  const bool same = call[1] == call[2];
  if (only_if_absent && (same || call.store().peek(call.db(), call[2]))) return call.reply.integer(0);
  if (!same) {
    if (move(call, *copy, call.db(), call[2]) == Moved::kRefused) return;
    call.store().erase(call.db(), call[1]);
  }
  if (only_if_absent) return call.reply.integer(1);
  call.reply.ok();
}

}  // namespace

void rename(Call& call) { rename_generic(call, false); }
void renamenx(Call& call) { rename_generic(call, true); }

void copy(Call& call) {
  Database to = call.db();
  bool replace = false;
  for (std::size_t i = 3; i < call.size(); ++i) {
    if (is_word(call[i], "replace")) {
      replace = true;
    } else if (is_word(call[i], "db") && i + 1 < call.size()) {
      if (!parse_database(call, call[++i], kNotInteger, &to)) return;
    } else {
      return syntax_error(call);
    }
  }
  if (to == call.db() && call[1] == call[2]) return call.reply.error("ERR source and destination objects are the same");
  const auto copy = EntryCopy::of(call.store(), call.db(), call[1]);
  if (!copy || (!replace && call.store().peek(to, call[2]))) return call.reply.integer(0);
  if (move(call, *copy, to, call[2]) == Moved::kYes) call.reply.integer(1);
}

void move(Call& call) {
  Database to = 0;
  if (!parse_database(call, call[2], kNotInteger, &to)) return;
  if (to == call.db()) return call.reply.error("ERR source and destination objects are the same");
  const auto copy = EntryCopy::of(call.store(), call.db(), call[1]);
  if (!copy || call.store().peek(to, call[1])) return call.reply.integer(0);
  if (move(call, *copy, to, call[1]) == Moved::kRefused) return;
  call.store().erase(call.db(), call[1]);
  call.reply.integer(1);
}

void swapdb(Call& call) {
  Database a = 0, b = 0;
  if (!parse_database(call, call[1], "ERR invalid first DB index", &a) ||
      !parse_database(call, call[2], "ERR invalid second DB index", &b))
    return;
  if (a != b) call.store().swap(a, b);
  call.reply.ok();
}

}  // namespace coppice::daemon::handlers
