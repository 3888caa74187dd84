#include <string>
#include <utility>

#include "commands/handlers.h"
#include "commands/range_options.h"
#include "resp/writer.h"

namespace coppice::daemon::handlers {

namespace {

// How many entries are looked at between two looks at the clock.
constexpr std::size_t kClockEvery = 16;

class TagsErase final : public Job {
 public:
  explicit TagsErase(TagErase erase) : erase_(std::move(erase)) {}

  bool step(Service& service, const Slice& slice) override {
    return pace_.run(slice, [&](std::size_t entries) { return service.store().step(erase_, entries); });
  }
  void answer(Service&, resp::ReplyWriter& reply) override { reply.count(erase_.removed()); }

 private:
  TagErase erase_;
  Pace pace_;
};

// A walk over a tag's keys in slices, anchored to the last key seen.
class TagWalk final : public Job {
 public:
  Database database = 0;
  std::string tag;
  std::optional<std::string> after;
  std::uint64_t take_at_most = 0;

  bool step(Service& service, const Slice& slice) override {
    if (taken_ >= take_at_most) return true;
    bool interrupted = false;
    std::string_view last;
    std::size_t here = 0;
    std::optional<std::string_view> from;
    if (after) from = *after;
    service.store().scan_tag(database, tag, from, [&](const EntryView& entry) {
      last = entry.key;
      resp::ReplyWriter(body_, 2).bulk(entry.key);
      if (++taken_ >= take_at_most) return false;
      interrupted = ++here % kClockEvery == 0 && slice.over();
      return !interrupted;
    });
    if (last.data() != nullptr) after = std::string(last);
    return !interrupted;
  }

  void answer(Service&, resp::ReplyWriter& reply) override {
    reply.array(taken_);
    reply.raw(body_);
  }

 private:
  std::uint64_t taken_ = 0;
  std::string body_;
};

}  // namespace

void tags(Call& call) {
  if (!key_allowed(call, call[1])) return;
  const auto entry = call.store().peek(call.db(), call[1]);
  std::string body;
  std::size_t count = 0;
  if (entry)
    call.store().for_each_tag(*entry, [&](std::string_view tag) {
      resp::ReplyWriter(body, 2).bulk(tag);
      ++count;
    });
  call.reply.array(count);
  call.reply.raw(body);
}

void deltag(Call& call) {
  const auto tags = call.arguments.subspan(1);
  for (const std::string_view& tag : tags)
    if (!tags_allowed(call, {&tag, 1})) return;
  start(call, std::make_unique<TagsErase>(call.store().begin_invalidate_tags(call.db(), tags)));
}

void counttag(Call& call) {
  if (!tags_allowed(call, call.arguments.subspan(1))) return;
  call.reply.count(call.store().count_tag(call.db(), call[1]));
}

void scantag(Call& call) {
  if (!tags_allowed(call, call.arguments.subspan(1, 1))) return;
  RangeOptions options;
  if (!parse_range_options(call, &options)) return;
  if (options.reverse) return syntax_error(call);
  auto walk = std::make_unique<TagWalk>();
  walk->database = call.db();
  walk->tag = std::string(call[1]);
  walk->after = std::move(options.after);
  walk->take_at_most = options.limit;
  start(call, std::move(walk));
}

}  // namespace coppice::daemon::handlers
