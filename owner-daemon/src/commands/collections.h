// What the commands on hashes, sets and sorted sets have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands/command.h"
#include "coppice/collections.h"

namespace coppice::daemon {

// The collection under the key, or nullopt without the key. false: WRONGTYPE is written.
bool open(Call& call, std::string_view key, ValueType type, std::optional<Collection>* out);
// Writes elements to the key. false: the refusal is written.
bool put(Call& call, std::string_view key, ValueType type, std::span<const Element> elements, Written* written);
// Removes the elements from argument 2 on and answers how many there were.
void erase_elements(Call& call, ValueType type);

// Writes one element of a reply.
using WriteElement = void (*)(resp::ReplyWriter& reply, const ElementView& element);
void write_name(resp::ReplyWriter& reply, const ElementView& element);
void write_value(resp::ReplyWriter& reply, const ElementView& element);
void write_score(resp::ReplyWriter& reply, const ElementView& element);
void write_name_and_value(resp::ReplyWriter& reply, const ElementView& element);
// What scans answer, where a score is text.
void write_name_and_score_text(resp::ReplyWriter& reply, const ElementView& element);

// What the elements of a reply are in.
enum class Frame : std::uint8_t {
  kArray,
  kSet,
  kMap,
  kPairs,      // flat under RESP2, under RESP3 an array of two for each
  kFlatPairs,  // two items for each
  kScan,       // an array behind the cursor of a scan
  kScanPairs,
};

// A walk over a collection in slices. It is anchored to the last element seen, so whatever changes between two slices,
// nothing that stays is skipped or seen twice.
class ElementWalk final : public Job {
 public:
  ElementWalk(const Call& call, std::string_view key, ValueType type, WriteElement write, Frame frame)
      : database_(call.db()), key_(key), type_(type), write_(write), frame_(frame), protocol_(call.reply.protocol()) {
    if (type == ValueType::kSortedSet) order = Collection::Order::kByScore;
  }

  Collection::Order order = Collection::Order::kByName;
  bool reverse = false;
  // Where it begins; null: at the first, or in reverse at the last element.
  std::function<Collection::Position(const Collection&)> begin;
  // Where it ends: whether the element is beyond the range. Null: nowhere.
  std::function<bool(const ElementView&)> beyond;
  std::uint64_t skip = 0;  // elements at the beginning
  std::uint64_t take_at_most = ~std::uint64_t{0};
  std::uint64_t look_at_most = ~std::uint64_t{0};
  std::optional<std::string> pattern;  // of names

  bool step(Service& service, const Slice& slice) override;
  void answer(Service& service, resp::ReplyWriter& reply) override;
  std::uint64_t taken() const { return taken_; }
  // Begins behind an element of this name, in the order of names.
  void go_on_behind(std::string_view name);

 private:
  Collection::Position position(const Collection& collection) const;

  Database database_;
  std::string key_;
  ValueType type_;
  WriteElement write_;
  Frame frame_;
  int protocol_;
  bool begun_ = false;
  bool more_ = false;  // ended by a limit, not by the end
  std::string last_name_;
  double last_score_ = 0;
  std::uint64_t looked_ = 0;
  std::uint64_t taken_ = 0;
  std::string body_;
};

// HSCAN and its like: everything at once of a packed collection, as Redis does.
void scan_elements(Call& call, ValueType type, WriteElement write);

// Random elements of a collection. `erase`: they are removed.
class ElementSample final : public Job {
 public:
  // `ranks`, in ascending order, may repeat where nothing is erased; then the answer is shuffled.
  ElementSample(const Call& call, std::string_view key, ValueType type, WriteElement write, Frame frame,
                std::vector<std::uint64_t> ranks, bool erase);
  bool step(Service& service, const Slice& slice) override;
  void answer(Service& service, resp::ReplyWriter& reply) override;

 private:
  Database database_;
  std::string key_;
  ValueType type_;
  WriteElement write_;
  Frame frame_;
  int protocol_;
  bool erase_;
  std::vector<std::uint64_t> ranks_;
  std::size_t next_ = 0;
  std::string last_name_;  // at rank ranks_[next_ - 1]
  std::vector<std::string> pieces_;
};

std::mt19937_64& random_numbers();
std::uint64_t random_below(std::uint64_t n);
// `count` different ranks below `size` in ascending order; all if there are no more.
std::vector<std::uint64_t> different_ranks(std::uint64_t size, std::uint64_t count);
// `count` ranks below `size` in ascending order, each drawn for itself.
std::vector<std::uint64_t> any_ranks(std::uint64_t size, std::uint64_t count);
// The most elements that a negative count may ask for, since they repeat.
inline constexpr std::int64_t kMostRepeated = 1'000'000;

}  // namespace coppice::daemon
