// Known scripts of Laravel, Symfony and redis-cache that need collections, or take away many keys.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands/collections.h"
#include "commands/handlers.h"
#include "commands/script_run.h"
#include "resp/decimal.h"
#include "resp/glob.h"
#include "resp/number.h"

namespace coppice::daemon {

namespace {

constexpr std::string_view kNoKeyPermission =
    "NOPERM this user has no permissions to access one of the keys used as arguments";
constexpr std::size_t kClockEvery = 16;

// Whether the client might run the command itself; of keys that the script makes up.
bool may_run(const Call& call, std::initializer_list<std::string_view> words) {
  const std::span<const std::string_view> all(words.begin(), words.size());
  return call.session.user->check(*find_command(all[0]), all).denied == Denied::kNothing;
}

// As Lua takes text for a number.
bool to_number(std::string_view text, double* out) {
  long double value = 0;
  if (!resp::parse_float(text, &value)) return false;
  *out = static_cast<double>(value);
  return true;
}

// What Lua's numbers become in a reply.
void answer_number(Call& call, double value) { call.reply.integer(static_cast<std::int64_t>(value)); }

// ---- Laravel's limiter of durations --------------------------------------------------------------------------------

struct Duration {
  double second = 0, decay = 0, most = 0;
  double end() const { return second + decay; }
};

// The numbers of both scripts. false: the error is written.
bool parse_duration(const ScriptRun& run, Duration* out) {
  constexpr double kLargest = 9e15;
  if (to_number(run.arguments[1], &out->second) && to_number(run.arguments[2], &out->decay) &&
      to_number(run.arguments[3], &out->most) && std::abs(out->end()) < kLargest && std::abs(out->most) < kLargest)
    return true;
  run.call.reply.error("ERR the limiter's arguments are no numbers");
  return false;
}

// The hash of a limiter whose time has not run out; nullopt: there is none. false: the error is written.
bool open_window(const ScriptRun& run, std::optional<Collection>* hash) {
  Call& call = run.call;
  if (!open(call, run.keys[0], ValueType::kHash, hash)) return false;
  if (!*hash) return true;
  const auto start = (*hash)->find("start"), end = (*hash)->find("end");
  if (!start || !end) {
    call.reply.error("ERR the hash is not this limiter's");
    return false;
  }
  // The script compares texts.
  const std::string now(run.arguments[0]);
  if (now < start->value.value() || now > end->value.value()) hash->reset();
  return true;
}

}  // namespace

void limit_duration(const ScriptRun& run) {
  Call& call = run.call;
  Duration duration;
  if (!parse_duration(run, &duration)) return;
  std::optional<Collection> hash;
  if (!open_window(run, &hash)) return;
  if (!hash) {
    const std::string end = resp::score_text(duration.end());
    const std::string twice = resp::score_text(2 * duration.decay);
    if (!run.quiet_command({"hset", run.keys[0], "start", run.arguments[1], "end", end, "count", "1"})) return;
    if (!run.quiet_command({"expire", run.keys[0], twice})) return;
    call.reply.array(3);
    call.reply.integer(1);
    answer_number(call, duration.end());
    return answer_number(call, duration.most - 1);
  }
  const std::string end = hash->find("end")->value.value();
  if (!run.quiet_command({"hincrby", run.keys[0], "count", "1"})) return;
  if (!open(call, run.keys[0], ValueType::kHash, &hash)) return;
  double count = 0;
  if (const auto field = hash ? hash->find("count") : std::nullopt) to_number(field->value.value(), &count);
  call.reply.array(3);
  if (count <= duration.most)
    call.reply.integer(1);
  else
    call.reply.null();
  call.reply.bulk(end);
  answer_number(call, duration.most - count);
}

void peek_duration(const ScriptRun& run) {
  Call& call = run.call;
  Duration duration;
  if (!parse_duration(run, &duration)) return;
  std::optional<Collection> hash;
  if (!open_window(run, &hash)) return;
  double count = 0;
  const auto field = hash ? hash->find("count") : std::nullopt;
  if (hash && (!field || !to_number(field->value.value(), &count)))
    return call.reply.error("ERR the hash is not this limiter's");
  call.reply.array(2);
  if (!hash) {
    call.reply.integer(0);
    return answer_number(call, duration.end());
  }
  call.reply.bulk(hash->find("end")->value);
  answer_number(call, duration.most - count);
}

// ---- Laravel's tags ------------------------------------------------------------------------------------------------

namespace {

// A pattern of Lua's that says nothing but text and any characters. nullopt: it says more.
class LuaText {
 public:
  static std::optional<LuaText> parse(std::string_view pattern) {
    LuaText text;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      const char c = pattern[i];
      if (c == '%') {
        if (++i == pattern.size() || std::isalnum(static_cast<unsigned char>(pattern[i]))) return std::nullopt;
        text.characters_.push_back(static_cast<unsigned char>(pattern[i]));
      } else if (c == '.') {
        text.characters_.push_back(kAny);
      } else if (std::string_view("^$()[]*+-?").find(c) != std::string_view::npos) {
        return std::nullopt;
      } else {
        text.characters_.push_back(static_cast<unsigned char>(c));
      }
    }
    return text;
  }
  // The text without each occurrence.
  std::string remove_from(std::string_view text) const {
    std::string rest;
    for (std::size_t i = 0; i < text.size();) {
      if (!characters_.empty() && matches(text.substr(i)))
        i += characters_.size();
      else
        rest += text[i++];
    }
    return rest;
  }

 private:
  static constexpr int kAny = -1;
  bool matches(std::string_view text) const {
    if (text.size() < characters_.size()) return false;
    for (std::size_t i = 0; i < characters_.size(); ++i)
      if (characters_[i] != kAny && characters_[i] != static_cast<unsigned char>(text[i])) return false;
    return true;
  }
  std::vector<int> characters_;
};

}  // namespace

// Its keys are the entries, its arguments the prefix to be taken off and the keys of the tags' sorted sets.
void delete_tagged(const ScriptRun& run) {
  Call& call = run.call;
  const auto prefix = LuaText::parse(run.arguments[0]);
  if (!prefix) return call.reply.error("NOLUA this prefix is a pattern of Lua's, which is not known here");
  const auto tags = run.arguments.subspan(1);
  for (const std::string_view tag : tags) {
    if (!may_run(call, {"zrem", tag, "x"})) return call.reply.error(kNoKeyPermission);
    const auto entry = call.store().peek(call.db(), tag);
    if (entry && entry->type != ValueType::kSortedSet) return refuse(call, Error::kWrongType);
  }
  std::vector<std::string> names;
  for (const std::string_view key : run.keys) {
    call.store().erase(call.db(), key);
    names.push_back(prefix->remove_from(key));
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  for (const std::string_view tag : tags)
    static_cast<void>(call.store().erase_elements(call.db(), tag, ValueType::kSortedSet, views));
  call.reply.null();
}

// ---- Symfony's cache with tags -------------------------------------------------------------------------------------

// Removes an entry; answers the list of its tags, which stands in the marshalled value behind its head.
void take_with_tags(const ScriptRun& run) {
  Call& call = run.call;
  const auto entry = call.store().find(call.db(), run.keys[0]);
  if (entry && !is_value(entry->type)) return refuse(call, Error::kWrongType);
  const std::string value = entry ? entry->value() : "";
  call.store().erase(call.db(), run.keys[0]);
  const auto byte = [&value](std::size_t i) { return static_cast<unsigned char>(value[i - 1]); };
  if (value.size() <= 13 || byte(1) != 0x9D || byte(6) != 0 || byte(10) != 0x5F) return call.reply.bulk("");
  call.reply.bulk(std::string_view(value).substr(13, byte(13) + byte(12) * 256u + byte(11) * 65536u));
}

namespace {

std::string rest_key(std::string_view id) {
  std::string key = "{";
  key.append(id).append("}").append(id);
  return key;
}

// What could not be removed is put aside; the reply is a scan of it.
void put_set_aside(Store& store, Database db, std::string_view id) {
  const std::string rest = rest_key(id);
  const auto moved = store.move(db, id, db, rest);
  if (!moved || !*moved)
    store.erase(db, rest);
  else
    static_cast<void>(store.set_deadline(db, rest, kNoDeadline));
}

// Removes the entries that are members of a set, and the set, in slices.
class SetInvalidation final : public Job {
 public:
  SetInvalidation(Call& call, std::string_view id, std::string_view prefix)
      : session_(call.session), database_(call.db()), id_(id), prefix_(prefix) {}

  bool step(Service& service, const Slice& slice) override {
    Store& store = service.store();
    for (;;) {
      const auto entry = store.peek(database_, id_);
      const auto set = entry && entry->type == ValueType::kSet ? store.open(*entry) : std::nullopt;
      std::vector<std::string> names;
      auto p = !set ? Collection::Position{} : begun_ ? set->seek(last_, true) : set->first(Collection::Order::kByName);
      for (; p && names.size() < kClockEvery; p = set->next(p)) names.emplace_back(set->at(p).name);
      if (names.empty()) break;
      last_ = names.back();
      begun_ = true;
      std::vector<std::string_view> removed;
      for (const std::string& name : names) {
        const std::string key = prefix_ + name;
        // What the client may not remove stays a member.
        const std::string_view words[] = {"del", key};
        if (session_.user->check(*find_command("del"), words).denied != Denied::kNothing) continue;
        store.erase(database_, key);
        removed.push_back(name);
      }
      static_cast<void>(store.erase_elements(database_, id_, ValueType::kSet, removed));
      if (slice.over()) return false;
    }
    put_set_aside(store, database_, id_);
    return true;
  }
  void answer(Service& service, resp::ReplyWriter& reply) override {
    // Of a set with as few members as this one has left, a scan answers all.
    std::vector<std::string> names;
    if (const auto entry = service.store().peek(database_, rest_key(id_)); entry && entry->type == ValueType::kSet) {
      const auto set = service.store().open(*entry);
      for (auto p = set->first(Collection::Order::kByName); p; p = set->next(p)) names.emplace_back(set->at(p).name);
    }
    reply.array(2);
    reply.bulk("0");
    reply.array(names.size());
    for (const std::string& name : names) reply.bulk(name);
  }

 private:
  Session& session_;  // outlives its job
  Database database_;
  std::string id_, prefix_;
  bool begun_ = false;
  std::string last_;
};

constexpr std::string_view kScanCount = "5000";

}  // namespace

void invalidate_set(const ScriptRun& run) {
  Call& call = run.call;
  const std::string rest = rest_key(run.keys[0]);
  if (!may_run(call, {"sunionstore", rest, run.keys[0]})) return call.reply.error(kNoKeyPermission);
  if (!key_allowed(call, rest)) return;
  std::optional<Collection> set;
  if (!open(call, run.keys[0], ValueType::kSet, &set)) return;
  // Older ones have no second argument and always remove.
  if (run.arguments.size() < 2 || run.arguments[1] == "1")
    return start(call, std::make_unique<SetInvalidation>(call, run.keys[0], run.arguments[0]));
  put_set_aside(call.store(), call.db(), run.keys[0]);
  run.command({"sscan", rest, "0", "COUNT", kScanCount});
}

// Takes members out of what was put aside and scans on.
void go_on_with_set(const ScriptRun& run) {
  Call& call = run.call;
  const std::string rest = rest_key(run.keys[0]);
  if (!may_run(call, {"srem", rest, "x"})) return call.reply.error(kNoKeyPermission);
  const auto names = run.arguments.first(run.arguments.size() - 1);
  const auto removed = call.store().erase_elements(call.db(), rest, ValueType::kSet, names);
  if (!removed) return refuse(call, removed.error());
  run.command({"sscan", rest, run.arguments.back(), "COUNT", kScanCount});
}

// ---- Symfony's locks -----------------------------------------------------------------------------------------------

namespace {

constexpr std::string_view kWriter = "__write__";

// A lock is a sorted set of tokens with the times when they run out, in ms since 1970; a writer's has a second member.
struct LockSet {
  const ScriptRun& run;
  double now = 0;
  double ttl = 0;

  // false: the reply is written; of a string, which older versions used, it is false.
  bool open(bool with_time, bool with_ttl) {
    Call& call = run.call;
    const auto entry = call.store().find(call.db(), run.keys[0]);
    if (entry && entry->type != ValueType::kSortedSet) {
      if (is_collection(entry->type))
        refuse(call, Error::kWrongType);
      else
        call.reply.null();
      return false;
    }
    double given = 0;
    if (with_time && run.script.option == kTimeIsGiven) {
      if (!to_number(run.arguments[0], &given)) return no_number();
      now = std::floor(given * 1000);
    } else if (with_time) {
      now = static_cast<double>(call.service.clock().wall_us() / 1000);
    }
    return !with_ttl || to_number(run.arguments[2], &ttl) || no_number();
  }
  std::optional<Collection> set() const {
    const auto entry = run.call.store().peek(run.call.db(), run.keys[0]);
    return entry && entry->type == ValueType::kSortedSet ? run.call.store().open(*entry) : std::nullopt;
  }
  bool has(std::string_view token) const {
    const auto found = set();
    return found && found->find(token);
  }
  std::uint64_t size() const {
    const auto found = set();
    return found ? found->size() : 0;
  }
  void remove(std::string_view token) const {
    const std::string_view names[] = {token};
    static_cast<void>(run.call.store().erase_elements(run.call.db(), run.keys[0], ValueType::kSortedSet, names));
  }
  void remove_expired() const {
    std::vector<std::string> expired;
    if (const auto found = set())
      for (auto p = found->first(Collection::Order::kByScore); p && found->at(p).score <= now; p = found->next(p))
        expired.emplace_back(found->at(p).name);
    for (const std::string& token : expired) remove(token);
  }
  // The tokens run out after the time to live. false: the refusal is written.
  bool renew(std::initializer_list<std::string_view> tokens) const {
    std::vector<Element> elements;
    for (const std::string_view token : tokens) elements.push_back({token, {}, now + ttl});
    Written written;
    return put(run.call, run.keys[0], ValueType::kSortedSet, elements, &written);
  }
  // The key goes with its last token. Answers true.
  void finish() const {
    if (const auto found = set()) {
      const double last = found->at(found->last(Collection::Order::kByScore)).score;
      if (!run.quiet_command({"pexpireat", run.keys[0], resp::score_text(last)})) return;
    }
    run.call.reply.integer(1);
  }

 private:
  bool no_number() const {
    run.call.reply.error("ERR the lock's time is no number");
    return false;
  }
};

}  // namespace

void check_time(const ScriptRun& run) {
  if (run.quiet_command({"set", run.keys[0], "1", "PX", "1"})) run.call.reply.integer(1);
}

void lock_for_write(const ScriptRun& run) {
  LockSet lock{run};
  if (!lock.open(true, true)) return;
  lock.remove_expired();
  const bool mine = lock.has(run.arguments[1]);
  if (mine ? !lock.has(kWriter) && lock.size() > 1 : lock.size() > 0) return run.call.reply.null();
  if (lock.renew({run.arguments[1], kWriter})) lock.finish();
}

void lock_for_read(const ScriptRun& run) {
  LockSet lock{run};
  if (!lock.open(true, true)) return;
  lock.remove_expired();
  if (!lock.has(run.arguments[1]) && lock.has(kWriter)) return run.call.reply.null();
  if (!lock.renew({run.arguments[1]})) return;
  lock.remove(kWriter);
  lock.finish();
}

void put_off_lock(const ScriptRun& run) {
  LockSet lock{run};
  if (!lock.open(true, true)) return;
  if (!lock.has(run.arguments[1])) return run.call.reply.null();
  if (lock.has(kWriter) ? lock.renew({run.arguments[1], kWriter}) : lock.renew({run.arguments[1]})) lock.finish();
}

void delete_lock(const ScriptRun& run) {
  LockSet lock{run};
  if (!lock.open(false, false)) return;
  if (!lock.has(run.arguments[0])) return run.call.reply.null();
  lock.remove(run.arguments[0]);
  lock.remove(kWriter);
  lock.finish();
}

void lock_exists(const ScriptRun& run) {
  LockSet lock{run};
  if (!lock.open(true, false)) return;
  lock.remove_expired();
  if (lock.has(run.arguments[1])) return run.call.reply.integer(1);
  run.call.reply.null();
}

// ---- redis-cache's flush -------------------------------------------------------------------------------------------

namespace {

// Removes the keys that match, in slices.
class PatternErase final : public Job {
 public:
  PatternErase(Database database, std::string_view pattern, std::string prefix)
      : database_(database), pattern_(pattern), prefix_(std::move(prefix)) {}

  bool step(Service& service, const Slice& slice) override {
    for (;;) {
      ScanRange range;
      range.prefix = prefix_;
      if (begun_) range.start = last_;
      std::vector<std::string> keys;
      std::size_t looked = 0;
      service.store().scan(database_, range, [&](const EntryView& entry) {
        last_ = entry.key;
        if (resp::glob_match(pattern_, entry.key)) keys.emplace_back(entry.key);
        return ++looked < kClockEvery;
      });
      begun_ = true;
      for (const std::string& key : keys) removed_ += service.store().erase(database_, key);
      if (looked < kClockEvery) return true;
      if (slice.over()) return false;
    }
  }
  void answer(Service&, resp::ReplyWriter& reply) override { reply.count(removed_); }

 private:
  Database database_;
  std::string pattern_, prefix_;
  bool begun_ = false;
  std::string last_;
  std::uint64_t removed_ = 0;
};

}  // namespace

void erase_pattern(const ScriptRun& run) {
  Call& call = run.call;
  const std::string_view pattern = Scripts::pattern_of(call[1]);
  const resp::GlobRange range = resp::glob_range(pattern);
  if (!may_run(call, {"delprefix", range.prefix})) return call.reply.error(kNoKeyPermission);
  if (range.prefix.size() > kMaxKeyLength) return call.reply.integer(0);
  if (range.whole_prefix && !range.prefix.empty()) return run.command({"delprefix", range.prefix});
  start(call, std::make_unique<PatternErase>(call.db(), pattern, range.prefix));
}

}  // namespace coppice::daemon
