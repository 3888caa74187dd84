// The ranges that sorted set commands name: by score, by name or by rank.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "coppice/collections.h"

namespace coppice::daemon {

// A stretch of a sorted set in the order of its scores. Owns what it needs, so that a job may keep it.
class ElementRange {
 public:
  enum class Kind : std::uint8_t { kScore, kName };

  // "1.5", "(1.5", "-inf". nullopt: one of them is none.
  static std::optional<ElementRange> by_score(std::string_view least, std::string_view most);
  // "[a", "(a", "-", "+"; for sets whose members have one score.
  static std::optional<ElementRange> by_name(std::string_view least, std::string_view most);

  // Nothing can be in it.
  bool is_empty() const;
  // Its first (in reverse: last) element; {} if there is none there or beyond.
  Collection::Position begin(const Collection& set, bool reverse) const;
  bool is_beyond(const ElementView& element, bool reverse) const;
  // O(elements of the set / 64).
  std::uint64_t count(const Collection& set) const;

 private:
  struct Bound {
    double score = 0;
    std::string name;
    bool exclusive = false;
    int infinite = 0;  // of a name: -1 "-", 1 "+"
  };
  static bool parse_score_bound(std::string_view text, Bound* out);
  static bool parse_name_bound(std::string_view text, Bound* out);
  bool is_below(const ElementView& element) const;
  bool is_above(const ElementView& element) const;
  // The first element that is not below; the first that is above.
  Collection::Position first_not_below(const Collection& set) const;
  Collection::Position first_above(const Collection& set) const;

  Kind kind_ = Kind::kScore;
  Bound least_, most_;
};

// From `start` to `stop`, both included, negative ones counted from the end: as offsets from 0. false: nothing.
bool clamp_ranks(std::int64_t* start, std::int64_t* stop, std::uint64_t size);

}  // namespace coppice::daemon
