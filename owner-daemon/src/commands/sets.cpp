// Sets.
#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commands/collections.h"
#include "commands/handlers.h"
#include "resp/number.h"

namespace coppice::daemon::handlers {

namespace {

constexpr ValueType kSet = ValueType::kSet;
constexpr auto kByName = Collection::Order::kByName;
// How many elements are looked at between two looks at the clock.
constexpr std::size_t kClockEvery = 16;

enum class Operation : std::uint8_t { kUnion, kIntersection, kDifference };

// Union, intersection and difference in slices: walks over those of the sets that can contribute, and looks each member
// up in others. Nothing that stays in all of them meanwhile is skipped or taken twice.
class SetAlgebra final : public Job {
 public:
  enum class Form : std::uint8_t { kMembers, kCount, kStore };

  SetAlgebra(const Call& call, Operation operation, std::span<const std::string_view> keys, Form form)
      : database_(call.db()),
        operation_(operation),
        form_(form),
        keys_(keys.begin(), keys.end()),
        protocol_(call.reply.protocol()) {}

  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();

  void store_in(Store& store, std::string_view destination) {
    destination_ = destination;
    builder_ = std::make_unique<CollectionBuilder>(store, kSet);
  }
  // Whether each of the keys that there are holds a set; otherwise the refusal is written.
  bool check(Call& call) {
    std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();
    std::size_t first = 0;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      std::optional<Collection> set;
      if (!open(call, keys_[i], kSet, &set)) return false;
      const std::uint64_t size = set ? set->size() : 0;
      if (size < smallest) first = i;
      smallest = std::min(smallest, size);
    }
    if (operation_ == Operation::kIntersection) std::swap(keys_[0], keys_[first]);
    return true;
  }

  bool step(Service& service, const Slice& slice) override {
    for (;;) {
      if (taken_ >= limit || walked_ >= (operation_ == Operation::kUnion ? keys_.size() : 1)) return finish(service);
      const std::optional<Collection> set = reopen(service, walked_);
      std::vector<std::optional<Collection>> others;
      if (operation_ == Operation::kUnion) {
        for (std::size_t i = 0; i < walked_; ++i) others.push_back(reopen(service, i));
      } else {
        for (std::size_t i = 1; i < keys_.size(); ++i) others.push_back(reopen(service, i));
      }
      std::vector<std::string> found;
      bool over = false;
      auto p = !set ? Collection::Position{} : begun_ ? set->seek(last_, true) : set->first(kByName);
      for (std::size_t here = 1; p && taken_ < limit; ++here) {
        last_ = set->at(p).name;
        begun_ = true;
        if (belongs(others)) take(&found);
        p = set->next(p);
        // What is to be stored is copied first: writing it may move the members.
        if (here % kClockEvery == 0 && (builder_ != nullptr || slice.over())) {
          over = slice.over();
          break;
        }
      }
      if (!p) {
        ++walked_;
        begun_ = false;
      }
      if (builder_ != nullptr && !store(found)) return true;
      if (over) return false;
    }
  }

  void answer(Service&, resp::ReplyWriter& reply) override {
    if (refused_) return reply.error(kOutOfMemory);
    if (form_ == Form::kMembers) {
      reply.set(taken_);
      return reply.raw(body_);
    }
    reply.count(taken_);
  }

 private:
  std::optional<Collection> reopen(Service& service, std::size_t i) const {
    const auto entry = service.store().peek(database_, keys_[i]);
    if (!entry || entry->type != kSet) return std::nullopt;
    return service.store().open(*entry);
  }
  bool belongs(const std::vector<std::optional<Collection>>& others) const {
    const bool wanted = operation_ == Operation::kIntersection;
    return std::all_of(others.begin(), others.end(),
                       [&](const std::optional<Collection>& other) { return (other && other->find(last_)) == wanted; });
  }
  void take(std::vector<std::string>* found) {
    ++taken_;
    if (form_ == Form::kMembers) resp::ReplyWriter(body_, protocol_).bulk(last_);
    if (builder_ != nullptr) found->push_back(last_);
  }
  bool store(const std::vector<std::string>& found) {
    const std::vector<Element> elements = [&] {
      std::vector<Element> all;
      for (const std::string& name : found) all.push_back({name});
      return all;
    }();
    refused_ = builder_->add(elements) != Error::kNone;
    return !refused_;
  }
  bool finish(Service&) {
    if (builder_ == nullptr || refused_) return true;
    taken_ = builder_->size();
    refused_ = !builder_->commit(database_, destination_);
    return true;
  }

  Database database_;
  Operation operation_;
  Form form_;
  std::vector<std::string> keys_;
  int protocol_;
  std::string destination_;
  std::unique_ptr<CollectionBuilder> builder_;
  bool refused_ = false;
  std::size_t walked_ = 0;  // sets
  bool begun_ = false;      // in the next one, behind last_
  std::string last_;
  std::uint64_t taken_ = 0;
  std::string body_;
};

void combine(Call& call, Operation operation) {
  auto job = std::make_unique<SetAlgebra>(call, operation, call.arguments.subspan(1), SetAlgebra::Form::kMembers);
  if (job->check(call)) start(call, std::move(job));
}

void combine_and_store(Call& call, Operation operation) {
  if (!key_allowed(call, call[1])) return;
  auto job = std::make_unique<SetAlgebra>(call, operation, call.arguments.subspan(2), SetAlgebra::Form::kStore);
  if (!job->check(call)) return;
  job->store_in(call.store(), call[1]);
  start(call, std::move(job));
}

std::vector<Element> members(std::span<const std::string_view> names) {
  std::vector<Element> all;
  all.reserve(names.size());
  for (const std::string_view name : names) all.push_back({name});
  return all;
}

// A random member, in the reply. Its name, or nothing where the key is absent.
std::optional<std::string> random_member(Call& call) {
  std::optional<Collection> set;
  if (!open(call, call[1], kSet, &set)) return std::nullopt;
  if (!set) {
    call.reply.null();
    return std::nullopt;
  }
  const ElementView member = set->at(set->nth(random_below(set->size()), kByName));
  call.reply.bulk(member.name);
  return std::string(member.name);
}

}  // namespace

void sadd(Call& call) {
  Written written;
  if (put(call, call[1], kSet, members(call.arguments.subspan(2)), &written)) call.reply.count(written.added);
}

void srem(Call& call) { erase_elements(call, kSet); }

void smembers(Call& call) {
  std::optional<Collection> set;
  if (!open(call, call[1], kSet, &set)) return;
  start(call, std::make_unique<ElementWalk>(call, call[1], kSet, write_name, Frame::kSet));
}

void sismember(Call& call) {
  std::optional<Collection> set;
  if (open(call, call[1], kSet, &set)) call.reply.integer(set && set->find(call[2]) ? 1 : 0);
}

void smismember(Call& call) {
  std::optional<Collection> set;
  if (!open(call, call[1], kSet, &set)) return;
  call.reply.array(call.size() - 2);
  for (const std::string_view name : call.arguments.subspan(2)) call.reply.integer(set && set->find(name) ? 1 : 0);
}

void scard(Call& call) {
  std::optional<Collection> set;
  if (open(call, call[1], kSet, &set)) call.reply.count(set ? set->size() : 0);
}

void spop(Call& call) {
  if (call.size() > 3) return syntax_error(call);
  if (call.size() == 2) {
    const auto name = random_member(call);
    if (!name) return;
    const std::string_view names[] = {*name};
    static_cast<void>(call.store().erase_elements(call.db(), call[1], kSet, names));
    return;
  }
  std::int64_t count = 0;
  if (!resp::parse_int64(call[2], &count) || count < 0)
    return call.reply.error("ERR value is out of range, must be positive");
  std::optional<Collection> set;
  if (!open(call, call[1], kSet, &set)) return;
  if (!set || count == 0) return call.reply.set(0);
  start(call, std::make_unique<ElementSample>(call, call[1], kSet, write_name, Frame::kSet,
                                              different_ranks(set->size(), static_cast<std::uint64_t>(count)), true));
}

void srandmember(Call& call) {
  if (call.size() > 3) return syntax_error(call);
  if (call.size() == 2) {
    static_cast<void>(random_member(call));
    return;
  }
  std::int64_t count = 0;
  if (!resp::parse_int64(call[2], &count)) return not_an_integer(call);
  if (count < -kMostRepeated) return call.reply.error("ERR value is out of range");
  std::optional<Collection> set;
  if (!open(call, call[1], kSet, &set)) return;
  if (!set || count == 0) return call.reply.array(0);
  auto ranks = count < 0 ? any_ranks(set->size(), static_cast<std::uint64_t>(-count))
                         : different_ranks(set->size(), static_cast<std::uint64_t>(count));
  start(call, std::make_unique<ElementSample>(call, call[1], kSet, write_name, Frame::kArray, std::move(ranks), false));
}

void smove(Call& call) {
  std::optional<Collection> from, to;
  if (!open(call, call[1], kSet, &from)) return;
  if (!from) return call.reply.integer(0);
  if (!open(call, call[2], kSet, &to)) return;
  if (!from->find(call[3])) return call.reply.integer(0);
  if (call[1] == call[2]) return call.reply.integer(1);
  const Element member[] = {{call[3]}};
  const std::string_view names[] = {call[3]};
  Written written;
  if (!put(call, call[2], kSet, member, &written)) return;
  static_cast<void>(call.store().erase_elements(call.db(), call[1], kSet, names));
  call.reply.integer(1);
}

void sunion(Call& call) { combine(call, Operation::kUnion); }
void sinter(Call& call) { combine(call, Operation::kIntersection); }
void sdiff(Call& call) { combine(call, Operation::kDifference); }
void sunionstore(Call& call) { combine_and_store(call, Operation::kUnion); }
void sinterstore(Call& call) { combine_and_store(call, Operation::kIntersection); }
void sdiffstore(Call& call) { combine_and_store(call, Operation::kDifference); }

void sintercard(Call& call) {
  std::int64_t keys = 0, limit = 0;
  if (!resp::parse_int64(call[1], &keys) || keys < 1) return call.reply.error("ERR numkeys should be greater than 0");
  if (keys > static_cast<std::int64_t>(call.size()) - 2)
    return call.reply.error("ERR Number of keys can't be greater than number of args");
  const auto end = 2 + static_cast<std::size_t>(keys);
  for (std::size_t i = end; i < call.size(); i += 2) {
    if (!is_word(call[i], "limit") || i + 1 >= call.size()) return syntax_error(call);
    if (!resp::parse_int64(call[i + 1], &limit) || limit < 0) return call.reply.error("ERR LIMIT can't be negative");
  }
  auto job = std::make_unique<SetAlgebra>(call, Operation::kIntersection, call.arguments.subspan(2, end - 2),
                                          SetAlgebra::Form::kCount);
  if (!job->check(call)) return;
  if (limit > 0) job->limit = static_cast<std::uint64_t>(limit);
  start(call, std::move(job));
}

void sscan(Call& call) { scan_elements(call, kSet, write_name); }

}  // namespace coppice::daemon::handlers
