// Commands that take whole entries from one key or database to another.
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands/entry_copy.h"
#include "commands/handlers.h"
#include "coppice/collections.h"
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

// A copy of a large collection in slices. What is changed meanwhile may be in it or not.
class CollectionCopy final : public Job {
 public:
  CollectionCopy(const Call& call, Database to_db, std::string_view to, bool replace, EntryCopy head)
      : from_db_(call.db()),
        to_db_(to_db),
        from_(call[1]),
        to_(to),
        replace_(replace),
        head_(std::move(head)),
        builder_(call.store(), head_.type) {}

  bool step(Service& service, const Slice& slice) override {
    // What was large once stays so.
    if (!begun_ && builder_.enlarge() != Error::kNone) return refused_ = true;
    struct Owned {
      std::string name, value;
      double score;
    };
    for (;;) {
      const auto entry = service.store().peek(from_db_, from_);
      const auto collection = entry && entry->type == head_.type ? service.store().open(*entry) : std::nullopt;
      std::vector<Owned> owned;
      auto p = !collection ? Collection::Position{}
               : begun_    ? collection->seek(last_, true)
                           : collection->first(Collection::Order::kByName);
      // Copied first: writing elements may move others.
      for (; p && owned.size() < 16; p = collection->next(p)) {
        const ElementView e = collection->at(p);
        const bool has_value = head_.type == ValueType::kHash;
        owned.push_back({std::string(e.name), has_value ? e.value.value() : std::string(), e.score});
      }
      const bool ended = !p;
      std::vector<Element> elements;
      for (const Owned& e : owned) elements.push_back({e.name, e.value, e.score});
      if (!owned.empty()) last_ = owned.back().name;
      begun_ = begun_ || !owned.empty();
      refused_ = builder_.add(elements) != Error::kNone;
      if (refused_) return true;
      if (ended) break;
      if (slice.over()) return false;
    }
    // Something may have taken the place meanwhile.
    if (builder_.size() == 0 || (!replace_ && service.store().peek(to_db_, to_))) return true;
    const std::vector<std::string_view> names(head_.tags.begin(), head_.tags.end());
    refused_ = !builder_.commit(to_db_, to_, head_.options(names));
    copied_ = !refused_;
    return true;
  }
  void answer(Service&, resp::ReplyWriter& reply) override {
    if (refused_) return reply.error(kOutOfMemory);
    reply.integer(copied_ ? 1 : 0);
  }

 private:
  Database from_db_, to_db_;
  std::string from_, to_;
  bool replace_;
  EntryCopy head_;
  CollectionBuilder builder_;
  bool begun_ = false;
  bool refused_ = false;
  bool copied_ = false;
  std::string last_;
};

void rename_generic(Call& call, bool only_if_absent) {
  if (!call.store().peek(call.db(), call[1])) return call.reply.error("ERR no such key");
  const bool same = call[1] == call[2];
  if (only_if_absent && (same || call.store().peek(call.db(), call[2]))) return call.reply.integer(0);
  const auto done = call.store().move(call.db(), call[1], call.db(), call[2]);
  if (!done) return refuse(call, done.error());
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
  auto copy = EntryCopy::of(call.store(), call.db(), call[1]);
  if (!copy || (!replace && call.store().peek(to, call[2]))) return call.reply.integer(0);
  if (!key_allowed(call, call[2])) return;
  const auto collection = call.store().open(*call.store().peek(call.db(), call[1]));
  if (collection && !collection->is_packed())
    return start(call, std::make_unique<CollectionCopy>(call, to, call[2], replace, std::move(*copy)));
  const auto done = copy->put(call.store(), to, call[2]);
  if (!done) return refuse(call, done.error());
  call.reply.integer(1);
}

void move(Call& call) {
  Database to = 0;
  if (!parse_database(call, call[2], kNotInteger, &to)) return;
  if (to == call.db()) return call.reply.error("ERR source and destination objects are the same");
  if (!call.store().peek(call.db(), call[1]) || call.store().peek(to, call[1])) return call.reply.integer(0);
  const auto done = call.store().move(call.db(), call[1], to, call[1]);
  if (!done) return refuse(call, done.error());
  call.reply.integer(*done ? 1 : 0);
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
