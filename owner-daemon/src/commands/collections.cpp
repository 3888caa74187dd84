#include "commands/collections.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "resp/decimal.h"
#include "resp/glob.h"
#include "resp/number.h"

namespace coppice::daemon {

namespace {

// How many elements are looked at between two looks at the clock.
constexpr std::size_t kClockEvery = 16;

void write_frame(resp::ReplyWriter& reply, Frame frame, std::uint64_t taken) {
  switch (frame) {
    case Frame::kSet:
      return reply.set(taken);
    case Frame::kMap:
      return reply.map(taken);
    case Frame::kPairs:
      return reply.array(reply.protocol() >= 3 ? taken : 2 * taken);
    case Frame::kFlatPairs:
    case Frame::kScanPairs:
      return reply.array(2 * taken);
    case Frame::kArray:
    case Frame::kScan:
      return reply.array(taken);
  }
}

// Of a key that may have been removed or replaced since the last slice.
std::optional<Collection> reopen(Service& service, Database db, std::string_view key, ValueType type) {
  const auto entry = service.store().peek(db, key);
  if (!entry || entry->type != type) return std::nullopt;
  return service.store().open(*entry);
}

}  // namespace

bool open(Call& call, std::string_view key, ValueType type, std::optional<Collection>* out) {
  auto found = call.store().open(call.db(), key, type);
  if (found) {
    *out = std::move(*found);
    return true;
  }
  refuse(call, found.error());
  return false;
}

bool put(Call& call, std::string_view key, ValueType type, std::span<const Element> elements, Written* written) {
  const auto done = call.store().put_elements(call.db(), key, type, elements);
  if (done)
    *written = *done;
  else
    refuse(call, done.error());
  return static_cast<bool>(done);
}

void erase_elements(Call& call, ValueType type) {
  const auto removed = call.store().erase_elements(call.db(), call[1], type, call.arguments.subspan(2));
  if (!removed) return refuse(call, removed.error());
  call.reply.count(*removed);
}

void write_name(resp::ReplyWriter& reply, const ElementView& element) { reply.bulk(element.name); }
void write_value(resp::ReplyWriter& reply, const ElementView& element) { reply.bulk(element.value); }
void write_score(resp::ReplyWriter& reply, const ElementView& element) { reply.real(resp::score_text(element.score)); }
void write_name_and_value(resp::ReplyWriter& reply, const ElementView& element) {
  reply.bulk(element.name);
  reply.bulk(element.value);
}
void write_name_and_score_text(resp::ReplyWriter& reply, const ElementView& element) {
  reply.bulk(element.name);
  reply.bulk(resp::score_text(element.score));
}
// Redis keeps whole numbers of a small sorted set as such.
static void write_name_and_packed_score(resp::ReplyWriter& reply, const ElementView& element) {
  constexpr double kMost = static_cast<double>(std::numeric_limits<std::int64_t>::max() / 2);
  const double score = element.score;
  if (std::abs(score) > kMost || score != std::trunc(score)) return write_name_and_score_text(reply, element);
  reply.bulk(element.name);
  reply.bulk(std::to_string(static_cast<std::int64_t>(score)));
}

// ---- walks ---------------------------------------------------------------------------------------------------------

void ElementWalk::go_on_behind(std::string_view name) {
  begun_ = true;
  last_name_ = name;
  order = Collection::Order::kByName;
}

Collection::Position ElementWalk::position(const Collection& collection) const {
  if (!begun_) {
    if (begin) return begin(collection);
    return reverse ? collection.last(order) : collection.first(order);
  }
  const bool by_score = order == Collection::Order::kByScore;
  const auto at = by_score ? collection.seek(last_score_, last_name_, !reverse) : collection.seek(last_name_, !reverse);
  return reverse ? collection.before(at, order) : at;
}

bool ElementWalk::step(Service& service, const Slice& slice) {
  if (looked_ >= look_at_most || taken_ >= take_at_most) return true;
  const auto collection = reopen(service, database_, key_, type_);
  if (!collection) return true;
  resp::ReplyWriter body(body_, protocol_);
  auto p = position(*collection);
  if (!begun_ && skip > 0) {
    // Skipped elements are not looked at; those beyond the range neither: the next one is.
    if (!reverse) {
      p = collection->advance(p, skip);
    } else if (p) {
      const std::uint64_t rank = collection->rank(p);
      p = skip > rank ? Collection::Position{} : collection->nth(rank - skip, order);
    }
  }
  begun_ = true;
  for (std::size_t here = 1; p; ++here) {
    const ElementView element = collection->at(p);
    if (beyond && beyond(element)) return true;
    ++looked_;
    if (!pattern || resp::glob_match(*pattern, element.name)) {
      ++taken_;
      if (frame_ == Frame::kPairs && protocol_ >= 3) body.array(2);
      write_(body, element);
    }
    const auto next = reverse ? collection->previous(p) : collection->next(p);
    const bool limited = looked_ >= look_at_most || taken_ >= take_at_most;
    if (limited || (here % kClockEvery == 0 && slice.over())) {
      last_name_ = element.name;
      last_score_ = element.score;
      more_ = limited && next;
      return limited || !next;
    }
    p = next;
  }
  return true;
}

void ElementWalk::answer(Service& service, resp::ReplyWriter& reply) {
  if (frame_ == Frame::kScan || frame_ == Frame::kScanPairs) {
    const std::uint64_t cursor = more_ ? service.cursors().add(database_, last_name_, key_) : 0;
    reply.array(2);
    reply.bulk(std::to_string(cursor));
  }
  write_frame(reply, frame_, taken_);
  reply.raw(body_);
}

void scan_elements(Call& call, ValueType type, WriteElement write) {
  std::uint64_t cursor = 0;
  if (!resp::parse_uint64(call[2], &cursor)) return call.reply.error("ERR invalid cursor");
  std::optional<Collection> collection;
  if (!open(call, call[1], type, &collection)) return;
  if (!collection) {
    call.reply.array(2);
    call.reply.bulk("0");
    return call.reply.array(0);
  }
  if (type == ValueType::kSortedSet && collection->is_packed()) write = write_name_and_packed_score;
  auto walk = std::make_unique<ElementWalk>(call, call[1], type, write,
                                            type == ValueType::kSet ? Frame::kScan : Frame::kScanPairs);
  std::uint64_t count = 10;
  for (std::size_t i = 3; i < call.size(); i += 2) {
    if (i + 1 < call.size() && is_word(call[i], "match")) {
      if (call[i + 1] != "*") walk->pattern = std::string(call[i + 1]);
    } else if (i + 1 < call.size() && is_word(call[i], "count")) {
      std::int64_t given = 0;
      if (!resp::parse_int64(call[i + 1], &given)) return not_an_integer(call);
      if (given < 1) return syntax_error(call);
      count = static_cast<std::uint64_t>(given);
    } else {
      return syntax_error(call);
    }
  }
  if (!collection->is_packed()) {
    walk->order = Collection::Order::kByName;
    walk->look_at_most = count;
    if (cursor != 0) {
      const auto position = call.service.cursors().find(call.db(), cursor, call[1]);
      if (!position)
        return call.reply.error("ERR cursor " + std::to_string(cursor) +
                                " is not known any more for this key; start again from 0");
      walk->go_on_behind(*position);
    }
  }
  start(call, std::move(walk));
}

// ---- samples -------------------------------------------------------------------------------------------------------

std::mt19937_64& random_numbers() {
  static std::mt19937_64 numbers{std::random_device{}()};
  return numbers;
}

std::uint64_t random_below(std::uint64_t n) {
  return std::uniform_int_distribution<std::uint64_t>(0, n - 1)(random_numbers());
}

std::vector<std::uint64_t> different_ranks(std::uint64_t size, std::uint64_t count) {
  std::vector<std::uint64_t> ranks;
  if (count > size / 3) {
    // Each in its turn with the chance that is left.
    for (std::uint64_t i = 0, wanted = std::min(count, size); wanted > 0; ++i) {
      if (random_below(size - i) >= wanted) continue;
      ranks.push_back(i);
      --wanted;
    }
    return ranks;
  }
  std::set<std::uint64_t> drawn;
  while (drawn.size() < count) drawn.insert(random_below(size));
  ranks.assign(drawn.begin(), drawn.end());
  return ranks;
}

std::vector<std::uint64_t> any_ranks(std::uint64_t size, std::uint64_t count) {
  std::vector<std::uint64_t> ranks(count);
  for (std::uint64_t& rank : ranks) rank = random_below(size);
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

ElementSample::ElementSample(const Call& call, std::string_view key, ValueType type, WriteElement write, Frame frame,
                             std::vector<std::uint64_t> ranks, bool erase)
    : database_(call.db()),
      key_(key),
      type_(type),
      write_(write),
      frame_(frame),
      protocol_(call.reply.protocol()),
      erase_(erase),
      ranks_(std::move(ranks)) {}

bool ElementSample::step(Service& service, const Slice& slice) {
  while (next_ < ranks_.size()) {
    const auto collection = reopen(service, database_, key_, type_);
    if (!collection) return true;
    constexpr auto kOrder = Collection::Order::kByName;
    // Behind the last one, which may have been erased.
    const bool by_rank = next_ == 0 || (collection->is_packed() && !erase_);
    auto p = by_rank ? collection->nth(ranks_[next_], kOrder) : Collection::Position{};
    if (!by_rank) {
      const std::uint64_t further = ranks_[next_] - ranks_[next_ - 1];
      p = further == 0 ? collection->seek(last_name_)
                       : collection->advance(collection->seek(last_name_, true), further - 1);
    }
    std::vector<std::string> erased;
    for (std::size_t here = 0; p && (here < kClockEvery || (collection->is_packed() && erase_)); ++here) {
      const ElementView element = collection->at(p);
      std::string piece;
      resp::ReplyWriter writer(piece, protocol_);
      if (frame_ == Frame::kPairs && protocol_ >= 3) writer.array(2);
      write_(writer, element);
      pieces_.push_back(std::move(piece));
      last_name_ = element.name;
      if (erase_) erased.push_back(last_name_);
      if (++next_ == ranks_.size()) break;
      p = collection->advance(p, ranks_[next_] - ranks_[next_ - 1]);
    }
    const bool ended = !p;
    if (!erased.empty()) {
      const std::vector<std::string_view> names(erased.begin(), erased.end());
      static_cast<void>(service.store().erase_elements(database_, key_, type_, names));
    }
    if (ended) return true;
    if (slice.over()) return next_ == ranks_.size();
  }
  return true;
}

void ElementSample::answer(Service&, resp::ReplyWriter& reply) {
  if (!erase_) std::shuffle(pieces_.begin(), pieces_.end(), random_numbers());
  write_frame(reply, frame_, pieces_.size());
  for (const std::string& piece : pieces_) reply.raw(piece);
}

}  // namespace coppice::daemon
