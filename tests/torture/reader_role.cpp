#include <unistd.h>

#include <cstdio>
#include <vector>

#include "board.h"
#include "coppice/client.h"

namespace torture {

namespace {

using coppice::Client;
using coppice::ReadInfo;
using coppice::ReadStatus;

struct Counts {
  std::uint64_t reads = 0, hits = 0, misses = 0, asked = 0;
  void flush(ReaderState& to) {
    to.reads.fetch_add(reads, std::memory_order_relaxed);
    to.hits.fetch_add(hits, std::memory_order_relaxed);
    to.misses.fetch_add(misses, std::memory_order_relaxed);
    to.asked.fetch_add(asked, std::memory_order_relaxed);
    *this = Counts{};
  }
};

class ReaderRole {
 public:
  ReaderRole(Board& board, std::uint32_t number)
      : board_(board),
        me_(board.readers[number]),
        who_("reader " + std::to_string(number) + " (pid " + std::to_string(getpid()) + ")"),
        random_{mix(board.seed ^ static_cast<std::uint64_t>(getpid()) << 20)},
        client_({.path = board.socket, .timeout_ms = static_cast<int>(board.timeout_ms)}),
        flushed_({.path = board.socket, .database = 1, .timeout_ms = static_cast<int>(board.timeout_ms)}) {
    for (std::uint32_t key = 0; key < board.key_count(); ++key) names_.push_back(board.name_of(key));
  }

  int run() {
    while (board_.stop.load(std::memory_order_relaxed) == 0) {
      for (int i = 0; i < 64; ++i) read_one();
      counts_.flush(me_);
      if (client_.reader() != nullptr)
        me_.generation.store(client_.generation().first, std::memory_order_relaxed);
      else
        usleep(500);
    }
    counts_.flush(me_);
    return 0;
  }

 private:
  // Half of the reads go to a few keys, where they meet the writers.
  std::uint32_t pick() {
    const std::uint32_t all = board_.key_count();
    if (random_.chance(50)) return random_.below(all);
    return mix(random_.below(32) * 0x51ull) % all;
  }

  void read_one() {
    const std::uint32_t key = pick();
    Client& client = board_.is_flushed(key) ? flushed_ : client_;
    const KeyState& state = board_.keys[key];
    // In this order: what was acknowledged by now must be seen by the read that follows.
    const std::uint64_t sure_in = state.generation.load(std::memory_order_acquire);
    const std::uint64_t acknowledged = state.acknowledged.load(std::memory_order_acquire);
    const std::int64_t began = now_ms();
    ReadInfo info;
    ++counts_.reads;
    const ReadStatus status = client.read(
        names_[key],
        [&](const ReadInfo& e) {
          if (buffer_.size() < e.value_size) buffer_.resize(e.value_size);
          return buffer_.data();
        },
        &info);
    switch (status) {
      case ReadStatus::kHit:
        ++counts_.hits;
        judge(key, {buffer_.data(), info.value_size}, acknowledged, "read");
        if (info.deadline <= began)
          report(board_, kExpired,
                 who_ + " read " + names_[key] + ", which had expired " + std::to_string(began - info.deadline) +
                     " ms before");
        break;
      case ReadStatus::kMiss:
        ++counts_.misses;
        if (board_.is_pinned(key) && sure_in != 0 && client.generation().first == sure_in)
          report(board_, kLost, who_ + " did not find " + names_[key] + ", which is always there");
        break;
      case ReadStatus::kAskOwner: {
        ++counts_.asked;
        const auto reply = client.call({"TGET", names_[key]});
        if (reply && reply->items.size() == 4) judge(key, reply->items[1].text, acknowledged, "asked for");
        break;
      }
    }
  }

  void judge(std::uint32_t key, std::string_view value, std::uint64_t acknowledged, const char* verb) {
    ValueHead head;
    switch (check_value(value, key, &head)) {
      case Verdict::kTorn:
        return report(
            board_, kTorn,
            who_ + " " + verb + " a torn value of " + names_[key] + ", " + std::to_string(value.size()) + " bytes");
      case Verdict::kForeign:
        return report(board_, kForeign,
                      who_ + " " + verb + " " + names_[key] + " and got the value of key " + std::to_string(head.key));
      case Verdict::kFine:
        break;
    }
    if (head.number < acknowledged)
      report(board_, kStale,
             who_ + " " + verb + " " + names_[key] + " and got number " + std::to_string(head.number) + " though " +
                 std::to_string(acknowledged) + " had been acknowledged");
  }

  Board& board_;
  ReaderState& me_;
  std::string who_;
  Random random_;
  Client client_;
  Client flushed_;
  std::vector<std::string> names_;
  std::vector<char> buffer_ = std::vector<char>(4096);
  Counts counts_;
};

}  // namespace

int run_reader(Board& board, std::uint32_t number) { return ReaderRole(board, number).run(); }

}  // namespace torture
