#include <algorithm>
#include <limits>
#include <string>

#include "commands/handlers.h"
#include "commands/range_options.h"
#include "commands/values.h"
#include "resp/glob.h"
#include "resp/number.h"

namespace coppice::daemon {

bool parse_range_options(Call& call, RangeOptions* out) {
  for (std::size_t i = 2; i < call.size(); ++i) {
    if (is_word(call[i], "rev")) {
      out->reverse = true;
    } else if (is_word(call[i], "after") && i + 1 < call.size()) {
      out->after = std::string(call[++i]);
    } else if (is_word(call[i], "limit") && i + 1 < call.size()) {
      std::int64_t limit = 0;
      if (!resp::parse_int64(call[++i], &limit)) {
        not_an_integer(call);
        return false;
      }
      if (limit < 0) {
        call.reply.error("ERR LIMIT must not be negative");
        return false;
      }
      out->limit = static_cast<std::uint64_t>(limit);
    } else {
      syntax_error(call);
      return false;
    }
  }
  return true;
}

namespace handlers {

namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
// How many entries are looked at between two looks at the clock.
constexpr std::size_t kClockEvery = 16;

// A walk over keys in slices. It is anchored to the last key seen, so whatever changes between two slices, nothing
// that stays is skipped or seen twice.
class KeyWalk final : public Job {
 public:
  enum class Form : std::uint8_t { kArray, kScan };

  Database database = 0;
  std::string prefix;
  std::optional<std::string> after;
  bool reverse = false;
  std::uint64_t look_at_most = kNoLimit;  // entries, matching or not
  std::uint64_t take_at_most = kNoLimit;  // matching ones
  std::string pattern;                    // empty: all match
  std::string type;                       // of the entries, in lower case; empty: any
  Form form = Form::kArray;

  bool step(Service& service, const Slice& slice) override {
    if (looked_ >= look_at_most || taken_ >= take_at_most) return true;
    ScanRange range;
    range.prefix = prefix;
    if (after) range.start = *after;
    range.reverse = reverse;
    bool interrupted = false;
    std::string_view last;
    std::size_t here = 0;
    service.store().scan(database, range, [&](const EntryView& entry) {
      last = entry.key;
      ++looked_;
      if ((pattern.empty() || resp::glob_match(pattern, entry.key)) &&
          (type.empty() || type == type_name(entry.type))) {
        ++taken_;
        resp::ReplyWriter(body_, 2).bulk(entry.key);
      }
      if (looked_ >= look_at_most || taken_ >= take_at_most) {
        more_ = true;
        return false;
      }
      if (++here % kClockEvery == 0 && slice.over()) {
        interrupted = true;
        return false;
      }
      return true;
    });
    if (last.data() != nullptr) after = std::string(last);
    return !interrupted;
  }

  void answer(Service& service, resp::ReplyWriter& reply) override {
    if (form == Form::kScan) {
      const std::uint64_t cursor = more_ ? service.cursors().add(database, *after) : 0;
      reply.array(2);
      reply.bulk(std::to_string(cursor));
    }
    reply.array(taken_);
    reply.raw(body_);
  }

 private:
  bool more_ = false;  // ended by a limit, not by the end of the range
  std::uint64_t looked_ = 0;
  std::uint64_t taken_ = 0;
  std::string body_;
};

class PrefixErase final : public Job {
 public:
  explicit PrefixErase(RangeErase erase) : erase_(std::move(erase)) {}

  bool step(Service& service, const Slice& slice) override {
    return pace_.run(slice, [&](std::size_t entries) { return service.store().step(erase_, entries); });
  }
  void answer(Service&, resp::ReplyWriter& reply) override { reply.count(erase_.removed()); }

 private:
  RangeErase erase_;
  Pace pace_;
};

bool key_exists(Call& call, std::string_view key) {
  return !key.empty() && key.size() <= kMaxKeyLength && call.store().peek(call.db(), key).has_value();
}

}  // namespace

void scan(Call& call) {
  std::int64_t cursor = 0;
  if (!resp::parse_int64(call[1], &cursor) || cursor < 0) return call.reply.error("ERR invalid cursor");
  auto walk = std::make_unique<KeyWalk>();
  walk->database = call.db();
  walk->form = KeyWalk::Form::kScan;
  walk->look_at_most = 10;
  std::optional<std::string_view> pattern;
  for (std::size_t i = 2; i < call.size(); i += 2) {
    if (i + 1 >= call.size()) return syntax_error(call);
    if (is_word(call[i], "match")) {
      pattern = call[i + 1];
    } else if (is_word(call[i], "count")) {
      std::int64_t count = 0;
      if (!resp::parse_int64(call[i + 1], &count)) return not_an_integer(call);
      if (count < 1) return syntax_error(call);
      walk->look_at_most = static_cast<std::uint64_t>(count);
    } else if (is_word(call[i], "type")) {
      walk->type = std::string(call[i + 1]);
      std::transform(walk->type.begin(), walk->type.end(), walk->type.begin(), ::tolower);
    } else {
      return syntax_error(call);
    }
  }
  if (cursor != 0) {
    walk->after = call.service.cursors().find(call.db(), static_cast<std::uint64_t>(cursor));
    if (!walk->after)
      return call.reply.error("ERR cursor " + std::to_string(cursor) +
                              " is not known any more in this database; start again from 0");
  }
  const auto answer_all = [&](std::string_view key) {
    call.reply.array(2);
    call.reply.bulk("0");
    call.reply.array(key.empty() ? 0 : 1);
    if (!key.empty()) call.reply.bulk(key);
  };
  if (pattern) {
    const resp::GlobRange range = resp::glob_range(*pattern);
    if (range.prefix.size() > kMaxKeyLength) return answer_all({});
    if (range.exact) {
      const bool there = key_exists(call, range.prefix) && !walk->after;
      const bool fits =
          there && (walk->type.empty() || walk->type == type_name(call.store().peek(call.db(), range.prefix)->type));
      return answer_all(fits ? range.prefix : "");
    }
    walk->prefix = range.prefix;
    if (!range.whole_prefix) walk->pattern = std::string(*pattern);
  }
  start(call, std::move(walk));
}

void keys(Call& call) {
  const resp::GlobRange range = resp::glob_range(call[1]);
  if (range.exact) {
    const bool there = key_exists(call, range.prefix);
    call.reply.array(there ? 1 : 0);
    if (there) call.reply.bulk(range.prefix);
    return;
  }
  if (range.prefix.size() > kMaxKeyLength) return call.reply.array(0);
  auto walk = std::make_unique<KeyWalk>();
  walk->database = call.db();
  walk->prefix = range.prefix;
  if (!range.whole_prefix) walk->pattern = std::string(call[1]);
  start(call, std::move(walk));
}

void scanprefix(Call& call) {
  RangeOptions options;
  if (!parse_range_options(call, &options)) return;
  auto walk = std::make_unique<KeyWalk>();
  walk->database = call.db();
  walk->prefix = std::string(call[1]);
  walk->after = std::move(options.after);
  walk->reverse = options.reverse;
  walk->take_at_most = options.limit;
  start(call, std::move(walk));
}

void delprefix(Call& call) {
  if (call[1].empty()) return call.reply.error("ERR the prefix is empty; FLUSHDB empties a database");
  start(call, std::make_unique<PrefixErase>(call.store().begin_erase_prefix(call.db(), call[1])));
}

void countprefix(Call& call) { call.reply.count(call.store().count_prefix(call.db(), call[1])); }

}  // namespace handlers
}  // namespace coppice::daemon
