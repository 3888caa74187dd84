#include "commands/score_range.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace coppice::daemon {

namespace {
constexpr auto kByScore = Collection::Order::kByScore;
}  // namespace

// As Redis does: whatever strtod() takes, and nothing for 0.
bool ElementRange::parse_score_bound(std::string_view text, Bound* out) {
  out->exclusive = text.starts_with('(');
  const std::string copy(out->exclusive ? text.substr(1) : text);
  char* end = nullptr;
  out->score = std::strtod(copy.c_str(), &end);
  return *end == '\0' && !std::isnan(out->score);
}

bool ElementRange::parse_name_bound(std::string_view text, Bound* out) {
  if (text == "-" || text == "+") {
    out->infinite = text == "-" ? -1 : 1;
    return true;
  }
  if (!text.starts_with('[') && !text.starts_with('(')) return false;
  out->exclusive = text[0] == '(';
  out->name = text.substr(1);
  return true;
}

std::optional<ElementRange> ElementRange::by_score(std::string_view least, std::string_view most) {
  ElementRange range;
  if (!parse_score_bound(least, &range.least_) || !parse_score_bound(most, &range.most_)) return std::nullopt;
  return range;
}

std::optional<ElementRange> ElementRange::by_name(std::string_view least, std::string_view most) {
  ElementRange range;
  range.kind_ = Kind::kName;
  if (!parse_name_bound(least, &range.least_) || !parse_name_bound(most, &range.most_)) return std::nullopt;
  return range;
}

bool ElementRange::is_empty() const {
  const bool open = least_.exclusive || most_.exclusive;
  if (kind_ == Kind::kScore) return least_.score > most_.score || (least_.score == most_.score && open);
  if (least_.infinite != 0 || most_.infinite != 0) return least_.infinite == 1 || most_.infinite == -1;
  return least_.name > most_.name || (least_.name == most_.name && open);
}

bool ElementRange::is_below(const ElementView& e) const {
  if (kind_ == Kind::kScore) return least_.exclusive ? e.score <= least_.score : e.score < least_.score;
  if (least_.infinite != 0) return least_.infinite == 1;
  return least_.exclusive ? e.name <= least_.name : e.name < least_.name;
}

bool ElementRange::is_above(const ElementView& e) const {
  if (kind_ == Kind::kScore) return most_.exclusive ? e.score >= most_.score : e.score > most_.score;
  if (most_.infinite != 0) return most_.infinite == -1;
  return most_.exclusive ? e.name >= most_.name : e.name > most_.name;
}

bool ElementRange::is_beyond(const ElementView& e, bool reverse) const { return reverse ? is_below(e) : is_above(e); }

Collection::Position ElementRange::first_not_below(const Collection& set) const {
  if (kind_ == Kind::kScore) return least_.exclusive ? set.seek_above(least_.score) : set.seek(least_.score, "");
  const auto first = set.first(kByScore);
  if (!first || least_.infinite == -1) return first;
  return least_.infinite == 1 ? Collection::Position{} : set.seek(set.at(first).score, least_.name, least_.exclusive);
}

Collection::Position ElementRange::first_above(const Collection& set) const {
  if (kind_ == Kind::kScore) return most_.exclusive ? set.seek(most_.score, "") : set.seek_above(most_.score);
  const auto first = set.first(kByScore);
  if (!first || most_.infinite == -1) return first;
  return most_.infinite == 1 ? Collection::Position{} : set.seek(set.at(first).score, most_.name, !most_.exclusive);
}

Collection::Position ElementRange::begin(const Collection& set, bool reverse) const {
  if (is_empty()) return {};
  return reverse ? set.before(first_above(set), kByScore) : first_not_below(set);
}

std::uint64_t ElementRange::count(const Collection& set) const {
  if (is_empty()) return 0;
  const std::uint64_t from = set.rank(first_not_below(set)), to = set.rank(first_above(set));
  return to > from ? to - from : 0;
}

bool clamp_ranks(std::int64_t* start, std::int64_t* stop, std::uint64_t size) {
  const auto n = static_cast<std::int64_t>(size);
  if (*start < 0) *start = std::max<std::int64_t>(*start + n, 0);
  if (*stop < 0) *stop += n;
  *stop = std::min(*stop, n - 1);
  return *start <= *stop;
}

}  // namespace coppice::daemon
