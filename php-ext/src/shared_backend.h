// An owner daemon's store: read from its segment, written by commands to it.
//
// Thread safety: one thread; each thread has its own.
#pragma once

#include "backend.h"
#include "coppice/client.h"

namespace coppice::php {

class SharedBackend final : public Backend {
 public:
  explicit SharedBackend(ClientOptions options) : Backend(true), client_(std::move(options)) {}

  // dest(const ReadInfo&) -> char*, as Reader::read. kAskOwner: use ask(). kMiss with failure->kind set: no owner.
  template <class Dest>
  ReadStatus read(std::string_view key, Dest&& dest, ReadInfo* info, Failure* failure) {
    Millis now = coarse_now();
    const Reader* reader = client_.reader_at(&now);
    if (reader == nullptr) [[unlikely]] {
      no_owner(failure);
      return ReadStatus::kMiss;
    }
    return note(reader->read(client_.options().database, key, now, dest, info), *info);
  }
  // As read(), also of what is beyond its deadline and waits for a refresh; kAskOwner: use ask_refreshable(). `now`:
  // when it was read.
  template <class Dest>
  [[gnu::always_inline]] ReadStatus read_refreshable(std::string_view key, Dest&& dest, RefreshInfo* info, Millis* now,
                                                     Failure* failure) {
    *now = coarse_now();
    const Reader* reader = client_.reader_at(now);
    if (reader == nullptr) [[unlikely]] {
      no_owner(failure);
      return ReadStatus::kMiss;
    }
    const ReadStatus status = reader->read_stale(client_.database(), key, *now, dest, info);
    if (status == ReadStatus::kHit && info->is_stale) [[unlikely]]
      client_.note_miss();
    else
      note(status, *info);
    return status;
  }
  // The same for many keys: dest(position, const ReadInfo&) -> char*, done(position, ReadStatus), `info` being the
  // entry's. false: no owner.
  template <class Dest, class Done>
  bool read_many(std::span<const std::string_view> keys, Dest&& dest, ReadInfo* info, Done&& done, Failure* failure) {
    const Database db = client_.options().database;
    for (std::size_t from = 0; from < keys.size(); from += Reader::kBatch) {
      const std::size_t left = keys.size() - from;
      Millis now = coarse_now();
      const Reader* reader = client_.reader_at(&now);
      if (reader == nullptr) {
        no_owner(failure);
        return false;
      }
      reader->read_batch(
          db, keys.subspan(from, left < Reader::kBatch ? left : Reader::kBatch), now,
          [&](std::size_t i, const ReadInfo& e) { return dest(from + i, e); }, info,
          [&](std::size_t i, ReadStatus status) { done(from + i, note(status, *info)); });
    }
    return true;
  }

  // Of the segment being read, zeros while there is none.
  Generation generation() const {
    const auto [low, high] = client_.generation();
    return {low, high};
  }

  // What the owner holds under `key`, its value copied to `value`; kNot is a miss. `take` removes it in the same step.
  Outcome ask(std::string_view key, bool take, ReadInfo* info, class Scratch* value, Failure* failure);

  Outcome ask_refreshable(std::string_view key, RefreshInfo* info, class Scratch* value, Failure* failure);

  Outcome write(std::string_view key, const Write& write, Failure* failure) override;
  Outcome write_many(std::span<const KeyValue> values, Ttl ttl, std::span<const std::string_view> tags,
                     Failure* failure) override;
  Outcome erase_many(std::span<const std::string_view> keys, Failure* failure) override;
  Outcome increment(std::string_view key, std::int64_t by, std::int64_t initial, Ttl ttl_if_new, std::int64_t* value,
                    Failure* failure) override;
  Outcome touch(std::string_view key, Ttl ttl, Failure* failure) override;
  Outcome clear(std::string_view prefix, Failure* failure) override;
  Outcome erase_prefix(std::string_view prefix, std::int64_t* removed, Failure* failure) override;
  Outcome count_prefix(std::string_view prefix, std::int64_t* count, Failure* failure) override;
  Outcome prune(std::int64_t* removed, Failure* failure) override;
  Outcome stats(Stats* stats, Failure* failure) override;
  Outcome scan(std::string_view prefix, bool has_after, std::string_view after, std::size_t limit, bool with_values,
               Page* page, Failure* failure) override;
  Outcome invalidate_tags(std::span<const std::string_view> tags, std::int64_t* removed, Failure* failure) override;
  Outcome tags_of(std::string_view key, std::vector<std::string>* tags, Failure* failure) override;
  Outcome lease(std::string_view key, const LeaseRequest& request, LeaseAnswer* answer, Failure* failure) override;
  Outcome fill(std::string_view key, const Fill& fill, Failure* failure) override;
  void drop(std::uint64_t token) override;
  Outcome lock(const LockRequest& request, std::int64_t* fence, Failure* failure) override;
  Outcome unlock(std::string_view name, std::string_view owner, Failure* failure) override;
  Outcome force_unlock(std::string_view name, Failure* failure) override;
  void let_go(std::string_view name, std::string_view owner) override;
  Outcome relock(std::string_view name, std::string_view owner, Millis lease, Failure* failure) override;
  Outcome lock_state(std::string_view name, std::string_view owner, LockState* state, Failure* failure) override;
  Outcome flush_locks(std::string_view prefix, Failure* failure) override;
  Outcome throttle(std::string_view key, std::int64_t limit, Millis period, std::int64_t cost, Allowance* allowance,
                   Failure* failure) override;

 private:
  ReadStatus note(ReadStatus status, const ReadInfo& info) {
    if (status == ReadStatus::kHit)
      client_.note_hit(info);
    else if (status == ReadStatus::kMiss)
      client_.note_miss();
    return status;
  }
  void no_owner(Failure* failure) const;
  // nullopt: no answer, or an error; `failure` says which.
  std::optional<Reply> call(std::span<const std::string_view> arguments, Failure* failure, Millis patience = 0);
  std::optional<Reply> call(std::initializer_list<std::string_view> arguments, Failure* failure) {
    return call(std::span(arguments.begin(), arguments.size()), failure);
  }
  Outcome count_of(std::initializer_list<std::string_view> arguments, std::int64_t* count, Failure* failure);

  // A command that answers 1 or 0.
  Outcome yes_or_no(std::initializer_list<std::string_view> arguments, Failure* failure);

  Client client_;
  std::vector<std::string_view> arguments_;
};

}  // namespace coppice::php
