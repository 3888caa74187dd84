// Sorted sets.
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commands/collections.h"
#include "commands/handlers.h"
#include "commands/score_range.h"
#include "resp/decimal.h"
#include "resp/number.h"

namespace coppice::daemon::handlers {

namespace {

constexpr ValueType kSortedSet = ValueType::kSortedSet;
constexpr auto kByScore = Collection::Order::kByScore;
constexpr std::string_view kNoFloat = "ERR value is not a valid float";
constexpr std::string_view kNoScoreRange = "ERR min or max is not a float";
constexpr std::string_view kNoNameRange = "ERR min or max not valid string range item";
// How many elements are removed between two looks at the clock.
constexpr std::size_t kClockEvery = 16;

void write_name_and_score(resp::ReplyWriter& reply, const ElementView& element) {
  write_name(reply, element);
  write_score(reply, element);
}

// ---- adding --------------------------------------------------------------------------------------------------------

struct AddOptions {
  bool only_new = false, only_old = false, only_greater = false, only_less = false;
  bool count_changed = false, increment = false;
  // The score that a member with `old` (none: a new member) gets, or none: it stays as it is.
  std::optional<double> score(std::optional<double> old, double given) const {
    if (!old) return only_old ? std::nullopt : std::optional(given);
    if (only_new) return std::nullopt;
    const double score = increment ? *old + given : given;
    if (std::isnan(score)) return score;
    if ((only_greater && score <= *old) || (only_less && score >= *old)) return std::nullopt;
    return score;
  }
};

// Scores and members from argument `at` on.
void add(Call& call, std::size_t at, const AddOptions& options) {
  const std::size_t pairs = (call.size() - at) / 2;
  std::vector<Element> given(pairs);
  for (std::size_t i = 0; i < pairs; ++i) {
    if (!resp::parse_score(call[at + 2 * i], &given[i].score)) return call.reply.error(kNoFloat);
    given[i].name = call[at + 2 * i + 1];
  }
  std::optional<Collection> set;
  if (!open(call, call[1], kSortedSet, &set)) return;
  if (!set && !key_allowed(call, call[1])) return;
  std::vector<Element> elements;
  std::map<std::string_view, double> before;  // of members that come twice
  std::uint64_t added = 0, changed = 0;
  std::optional<double> result;
  for (const Element& e : given) {
    std::optional<double> old;
    if (const auto seen = before.find(e.name); seen != before.end())
      old = seen->second;
    else if (const auto member = set ? set->find(e.name) : std::nullopt)
      old = member->score;
    result = options.score(old, e.score);
    if (!result) continue;
    if (std::isnan(*result)) return call.reply.error("ERR resulting score is not a number (NaN)");
    if (pairs > 1) before[e.name] = *result;
    added += !old;
    changed += old && *old != *result;
    elements.push_back({e.name, {}, *result + 0.0});
  }
  Written written;
  if (!put(call, call[1], kSortedSet, elements, &written)) return;
  if (!options.increment) return call.reply.count(options.count_changed ? added + changed : added);
  if (!result) return call.reply.null();
  call.reply.real(resp::score_text(*result));
}

// ---- ranges --------------------------------------------------------------------------------------------------------

struct RangeOptions {
  enum class By : std::uint8_t { kRank, kScore, kName };
  By by = By::kRank;
  bool reverse = false;
  bool with_scores = false;
  std::int64_t offset = 0;
  std::int64_t limit = -1;
  bool limited = false;
};

// What follows the two ends. `any`: all options of ZRANGE; otherwise those of the older commands. false: the error is
// written.
bool parse_options(Call& call, std::size_t at, bool any, RangeOptions* out) {
  using By = RangeOptions::By;
  for (std::size_t i = at; i < call.size(); ++i) {
    if ((any || out->by != By::kName) && is_word(call[i], "withscores")) {
      out->with_scores = true;
    } else if ((any || out->by != By::kRank) && is_word(call[i], "limit") && i + 2 < call.size()) {
      if (!resp::parse_int64(call[i + 1], &out->offset) || !resp::parse_int64(call[i + 2], &out->limit)) {
        not_an_integer(call);
        return false;
      }
      out->limited = true;
      i += 2;
    } else if (any && is_word(call[i], "rev")) {
      out->reverse = true;
    } else if (any && out->by == By::kRank && is_word(call[i], "bylex")) {
      out->by = By::kName;
    } else if (any && out->by == By::kRank && is_word(call[i], "byscore")) {
      out->by = By::kScore;
    } else {
      syntax_error(call);
      return false;
    }
  }
  if (out->limited && out->limit != -1 && out->by == By::kRank) {
    call.reply.error("ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX");
    return false;
  }
  if (out->with_scores && out->by == By::kName) {
    call.reply.error("ERR syntax error, WITHSCORES not supported in combination with BYLEX");
    return false;
  }
  return true;
}

// A range by score or name from two arguments. false: the error is written.
bool parse_range(Call& call, RangeOptions::By by, std::string_view least, std::string_view most,
                 std::optional<ElementRange>* out) {
  const bool by_score = by == RangeOptions::By::kScore;
  *out = by_score ? ElementRange::by_score(least, most) : ElementRange::by_name(least, most);
  if (!*out) call.reply.error(by_score ? kNoScoreRange : kNoNameRange);
  return out->has_value();
}

void range(Call& call, const RangeOptions& options) {
  const auto write = options.with_scores ? write_name_and_score : write_name;
  const Frame frame = options.with_scores ? Frame::kPairs : Frame::kArray;
  auto walk = std::make_unique<ElementWalk>(call, call[1], kSortedSet, write, frame);
  walk->reverse = options.reverse;
  std::optional<Collection> set;
  if (options.by == RangeOptions::By::kRank) {
    std::int64_t start = 0, stop = 0;
    if (!resp::parse_int64(call[2], &start) || !resp::parse_int64(call[3], &stop)) return not_an_integer(call);
    if (!open(call, call[1], kSortedSet, &set)) return;
    if (!set || !clamp_ranks(&start, &stop, set->size())) return call.reply.array(0);
    const auto first = static_cast<std::uint64_t>(start);
    walk->begin = [first, reverse = options.reverse](const Collection& c) {
      return c.nth(reverse ? c.size() - 1 - first : first, kByScore);
    };
    walk->take_at_most = static_cast<std::uint64_t>(stop - start) + 1;
  } else {
    std::optional<ElementRange> ends;
    const std::size_t least = options.reverse ? 3 : 2;
    if (!parse_range(call, options.by, call[least], call[5 - least], &ends)) return;
    if (!open(call, call[1], kSortedSet, &set)) return;
    if (!set || options.offset < 0 || options.limit == 0) return call.reply.array(0);
    const bool reverse = options.reverse;
    walk->begin = [ends = *ends, reverse](const Collection& c) { return ends.begin(c, reverse); };
    walk->beyond = [ends = *ends, reverse](const ElementView& e) { return ends.is_beyond(e, reverse); };
    walk->skip = static_cast<std::uint64_t>(options.offset);
    if (options.limit > 0) walk->take_at_most = static_cast<std::uint64_t>(options.limit);
  }
  start(call, std::move(walk));
}

// One of the older commands, whose name says what it is.
void old_range(Call& call, RangeOptions options) {
  if (parse_options(call, 4, false, &options)) range(call, options);
}

// ---- removing ------------------------------------------------------------------------------------------------------

// Removes elements from the beginning of a stretch on, in slices.
class ElementErase final : public Job {
 public:
  ElementErase(const Call& call, std::string_view key, std::uint64_t count)
      : database_(call.db()), key_(key), left_(count), protocol_(call.reply.protocol()) {}

  bool reverse = false;
  std::function<Collection::Position(const Collection&)> begin;
  std::function<bool(const ElementView&)> beyond;  // null: nowhere
  bool shows = false;                              // the reply is what was removed, not how much
  Frame frame = Frame::kPairs;

  bool step(Service& service, const Slice& slice) override {
    while (left_ > 0) {
      const auto entry = service.store().peek(database_, key_);
      if (!entry || entry->type != kSortedSet) return true;
      const auto set = service.store().open(*entry);
      std::vector<std::string> names;
      for (auto p = begin(*set); p && names.size() < std::min<std::uint64_t>(left_, kClockEvery);
           p = reverse ? set->previous(p) : set->next(p)) {
        const ElementView element = set->at(p);
        if (beyond && beyond(element)) break;
        names.emplace_back(element.name);
        if (!shows) continue;
        resp::ReplyWriter body(body_, protocol_);
        if (frame == Frame::kPairs && protocol_ >= 3) body.array(2);
        write_name_and_score(body, element);
      }
      if (names.empty()) return true;
      const std::vector<std::string_view> views(names.begin(), names.end());
      static_cast<void>(service.store().erase_elements(database_, key_, kSortedSet, views));
      removed_ += names.size();
      left_ -= names.size();
      if (slice.over()) return left_ == 0;
    }
    return true;
  }
  void answer(Service&, resp::ReplyWriter& reply) override {
    if (!shows) return reply.count(removed_);
    reply.array(frame == Frame::kPairs && protocol_ >= 3 ? removed_ : 2 * removed_);
    reply.raw(body_);
  }

 private:
  Database database_;
  std::string key_;
  std::uint64_t left_;
  int protocol_;
  std::uint64_t removed_ = 0;
  std::string body_;
};

void erase_range(Call& call, RangeOptions::By by) {
  std::optional<ElementRange> ends;
  if (!parse_range(call, by, call[2], call[3], &ends)) return;
  std::optional<Collection> set;
  if (!open(call, call[1], kSortedSet, &set)) return;
  if (!set) return call.reply.integer(0);
  auto job = std::make_unique<ElementErase>(call, call[1], ends->count(*set));
  job->begin = [ends = *ends](const Collection& c) { return ends.begin(c, false); };
  job->beyond = [ends = *ends](const ElementView& e) { return ends.is_beyond(e, false); };
  start(call, std::move(job));
}

void pop(Call& call, bool largest) {
  std::int64_t count = 1;
  if (call.size() > 3) return syntax_error(call);
  if (call.size() == 3 && (!resp::parse_int64(call[2], &count) || count < 0))
    return call.reply.error("ERR value is out of range, must be positive");
  std::optional<Collection> set;
  if (!open(call, call[1], kSortedSet, &set)) return;
  if (!set || count == 0) return call.reply.array(0);
  auto job = std::make_unique<ElementErase>(call, call[1], std::min(set->size(), static_cast<std::uint64_t>(count)));
  job->reverse = largest;
  job->begin = [largest](const Collection& c) { return largest ? c.last(kByScore) : c.first(kByScore); };
  job->shows = true;
  job->frame = call.size() == 3 ? Frame::kPairs : Frame::kFlatPairs;
  start(call, std::move(job));
}

void rank(Call& call, bool from_the_end) {
  std::optional<Collection> set;
  if (!open(call, call[1], kSortedSet, &set)) return;
  const auto member = set ? set->find(call[2]) : std::nullopt;
  if (!member) return call.reply.null();
  const std::uint64_t place = set->rank(set->seek(member->score, call[2]));
  call.reply.count(from_the_end ? set->size() - 1 - place : place);
}

void count(Call& call, RangeOptions::By by) {
  std::optional<ElementRange> ends;
  if (!parse_range(call, by, call[2], call[3], &ends)) return;
  std::optional<Collection> set;
  if (open(call, call[1], kSortedSet, &set)) call.reply.count(set ? ends->count(*set) : 0);
}

void answer_score(Call& call, const std::optional<ElementView>& member) {
  if (member)
    write_score(call.reply, *member);
  else
    call.reply.null();
}

}  // namespace

void zadd(Call& call) {
  AddOptions options;
  std::size_t i = 2;
  for (; i < call.size(); ++i) {
    if (is_word(call[i], "nx"))
      options.only_new = true;
    else if (is_word(call[i], "xx"))
      options.only_old = true;
    else if (is_word(call[i], "gt"))
      options.only_greater = true;
    else if (is_word(call[i], "lt"))
      options.only_less = true;
    else if (is_word(call[i], "ch"))
      options.count_changed = true;
    else if (is_word(call[i], "incr"))
      options.increment = true;
    else
      break;
  }
  if (i == call.size() || (call.size() - i) % 2 != 0) return syntax_error(call);
  if (options.only_new && options.only_old)
    return call.reply.error("ERR XX and NX options at the same time are not compatible");
  if ((options.only_greater && options.only_less) || (options.only_new && (options.only_greater || options.only_less)))
    return call.reply.error("ERR GT, LT, and/or NX options at the same time are not compatible");
  if (options.increment && call.size() - i > 2)
    return call.reply.error("ERR INCR option supports a single increment-element pair");
  add(call, i, options);
}

void zincrby(Call& call) {
  AddOptions options;
  options.increment = true;
  add(call, 2, options);
}

void zrem(Call& call) { erase_elements(call, kSortedSet); }

void zscore(Call& call) {
  std::optional<Collection> set;
  if (open(call, call[1], kSortedSet, &set)) answer_score(call, set ? set->find(call[2]) : std::nullopt);
}

void zmscore(Call& call) {
  std::optional<Collection> set;
  if (!open(call, call[1], kSortedSet, &set)) return;
  call.reply.array(call.size() - 2);
  for (const std::string_view name : call.arguments.subspan(2))
    answer_score(call, set ? set->find(name) : std::nullopt);
}

void zcard(Call& call) {
  std::optional<Collection> set;
  if (open(call, call[1], kSortedSet, &set)) call.reply.count(set ? set->size() : 0);
}

void zcount(Call& call) { count(call, RangeOptions::By::kScore); }
void zlexcount(Call& call) { count(call, RangeOptions::By::kName); }
void zrank(Call& call) { rank(call, false); }
void zrevrank(Call& call) { rank(call, true); }

void zrange(Call& call) {
  RangeOptions options;
  if (parse_options(call, 4, true, &options)) range(call, options);
}
void zrevrange(Call& call) { old_range(call, {.reverse = true}); }
void zrangebyscore(Call& call) { old_range(call, {.by = RangeOptions::By::kScore}); }
void zrevrangebyscore(Call& call) { old_range(call, {.by = RangeOptions::By::kScore, .reverse = true}); }
void zrangebylex(Call& call) { old_range(call, {.by = RangeOptions::By::kName}); }
void zrevrangebylex(Call& call) { old_range(call, {.by = RangeOptions::By::kName, .reverse = true}); }

void zremrangebyscore(Call& call) { erase_range(call, RangeOptions::By::kScore); }
void zremrangebylex(Call& call) { erase_range(call, RangeOptions::By::kName); }

void zremrangebyrank(Call& call) {
  std::int64_t first = 0, last = 0;
  if (!resp::parse_int64(call[2], &first) || !resp::parse_int64(call[3], &last)) return not_an_integer(call);
  std::optional<Collection> set;
  if (!open(call, call[1], kSortedSet, &set)) return;
  if (!set || !clamp_ranks(&first, &last, set->size())) return call.reply.integer(0);
  auto job = std::make_unique<ElementErase>(call, call[1], static_cast<std::uint64_t>(last - first) + 1);
  // The place stays where it is, whatever has other ranks by then.
  const ElementView from = set->at(set->nth(static_cast<std::uint64_t>(first), kByScore));
  job->begin = [score = from.score, name = std::string(from.name)](const Collection& c) { return c.seek(score, name); };
  start(call, std::move(job));
}

void zpopmin(Call& call) { pop(call, false); }
void zpopmax(Call& call) { pop(call, true); }

void zrandmember(Call& call) {
  std::int64_t wanted = 0;
  const bool with_scores = call.size() == 4 && is_word(call[3], "withscores");
  if (call.size() > 2) {
    if (!resp::parse_int64(call[2], &wanted) || wanted == std::numeric_limits<std::int64_t>::min())
      return not_an_integer(call);
    if (call.size() > 4 || (call.size() == 4 && !with_scores)) return syntax_error(call);
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 2;
    if (wanted < -kMostRepeated || (with_scores && wanted > kMost))
      return call.reply.error("ERR value is out of range");
  }
  std::optional<Collection> set;
  if (!open(call, call[1], kSortedSet, &set)) return;
  if (call.size() == 2) {
    if (!set) return call.reply.null();
    return call.reply.bulk(set->at(set->nth(random_below(set->size()), kByScore)).name);
  }
  if (!set || wanted == 0) return call.reply.array(0);
  auto ranks = wanted < 0 ? any_ranks(set->size(), static_cast<std::uint64_t>(-wanted))
                          : different_ranks(set->size(), static_cast<std::uint64_t>(wanted));
  start(call,
        std::make_unique<ElementSample>(call, call[1], kSortedSet, with_scores ? write_name_and_score : write_name,
                                        with_scores ? Frame::kPairs : Frame::kArray, std::move(ranks), false));
}

void zscan(Call& call) { scan_elements(call, kSortedSet, write_name_and_score_text); }

}  // namespace coppice::daemon::handlers
