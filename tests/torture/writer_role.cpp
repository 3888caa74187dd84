#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <span>
#include <vector>

#include "board.h"
#include "coppice/client.h"

namespace torture {

namespace {

using coppice::Client;
using coppice::Reply;

constexpr std::int64_t kLongTtl = 600'000;

class WriterRole {
 public:
  WriterRole(Board& board, std::uint32_t number)
      : board_(board),
        number_(number),
        me_(board.writers[number]),
        random_{mix(board.seed + 77 * number + static_cast<std::uint64_t>(getpid()))},
        client_({.path = board.socket, .timeout_ms = static_cast<int>(board.timeout_ms)}),
        flushed_({.path = board.socket, .database = 1, .timeout_ms = static_cast<int>(board.timeout_ms)}) {
    for (std::uint32_t key = 0; key < board.key_count(); ++key) {
      if (owner_of(key) != number) continue;
      (board.is_pinned(key) ? pinned_ : board.is_flushed(key) ? volatile_ : grouped_).push_back(key);
    }
  }

  int run() {
    while (board_.stop.load(std::memory_order_relaxed) == 0) {
      const std::uint32_t dice = random_.below(1000);
      if (dice < 250 && !pinned_.empty())
        set(client_, pick(pinned_), -1);
      else if (dice < 330 && !volatile_.empty())
        set(flushed_, pick(volatile_), kLongTtl);
      else if (dice < 333 && !volatile_.empty())
        remove_all(flushed_, volatile_, {"FLUSHDB"});
      else if (grouped_.empty())
        continue;
      else if (dice < 750)
        set(client_, pick(grouped_), random_.chance(80) ? kLongTtl : 5 + random_.below(300));
      else if (dice < 850)
        set_several();
      else if (dice < 930)
        remove_one();
      else if (dice < 970)
        touch();
      else
        remove_group();
    }
    return 0;
  }

 private:
  // Whole groups, so that one process removes by prefix what it alone writes.
  std::uint32_t owner_of(std::uint32_t key) const {
    if (board_.is_flushed(key)) return 0;
    return (board_.is_pinned(key) ? key : key / board_.group_size) % board_.writer_count;
  }
  // Half of the writes go to the keys that the readers like.
  std::uint32_t pick(const std::vector<std::uint32_t>& keys) {
    if (random_.chance(50)) {
      const std::uint32_t liked = mix(random_.below(32) * 0x51ull) % board_.key_count();
      if (std::binary_search(keys.begin(), keys.end(), liked)) return liked;
    }
    return keys[random_.below(static_cast<std::uint32_t>(keys.size()))];
  }
  std::uint32_t length() {
    const std::uint32_t dice = random_.below(100);
    if (dice < 70) return kSmallestValue + random_.below(300);
    if (dice < 97) return kSmallestValue + random_.below(9'000);
    return 60'000 + random_.below(250'000);
  }
  std::uint64_t issue(std::uint32_t key) { return board_.keys[key].issued.fetch_add(1, std::memory_order_relaxed) + 1; }
  void acknowledge(std::uint32_t key, std::uint64_t number) {
    board_.keys[key].acknowledged.store(number, std::memory_order_release);
  }

  std::optional<Reply> call(Client& client, std::span<const std::string_view> arguments) {
    const std::uint64_t began = now_ns();
    std::optional<Reply> reply = client.call(arguments);
    if (!reply) {
      me_.failed.fetch_add(1, std::memory_order_relaxed);
      usleep(1000);
      return std::nullopt;
    }
    me_.round_trips[bucket_of(now_ns() - began)].fetch_add(1, std::memory_order_relaxed);
    if (reply->is_error()) {
      // Out of memory, or still reading its snapshot: refused, so nothing changed.
      if (!reply->text.starts_with("OOM") && !reply->text.starts_with("LOADING"))
        report(board_, kCrashed,
               "writer " + std::to_string(number_) + ": " + std::string(arguments[0]) + " was answered " + reply->text);
      me_.refused.fetch_add(1, std::memory_order_relaxed);
      return std::nullopt;
    }
    me_.writes.fetch_add(1, std::memory_order_relaxed);
    return reply;
  }

  void set(Client& client, std::uint32_t key, std::int64_t ttl) {
    const std::uint64_t number = issue(key);
    make_value(&value_, key, number, board_.is_pinned(key) ? kSmallestValue + random_.below(200) : length(), ttl,
               now_ms());
    const std::string name = board_.name_of(key);
    const std::string milliseconds = std::to_string(ttl);
    std::optional<Reply> reply;
    if (ttl < 0)
      reply = call(client, std::array<std::string_view, 4>{"TSET", name, "0", value_});
    else
      reply = call(client, std::array<std::string_view, 6>{"TSET", name, "0", value_, "PX", milliseconds});
    if (!reply) return;
    acknowledge(key, number);
    if (board_.is_pinned(key)) board_.keys[key].generation.store(client.generation().first, std::memory_order_release);
  }

  void set_several() {
    const std::uint32_t group =
        grouped_[random_.below(static_cast<std::uint32_t>(grouped_.size()))] / board_.group_size;
    const std::uint32_t count = 2 + random_.below(8);
    const std::uint32_t first = group * board_.group_size + random_.below(board_.group_size - count);
    std::vector<std::string> names(count), values(count);
    std::vector<std::uint64_t> numbers(count);
    const std::string ttl = std::to_string(kLongTtl), how_many = std::to_string(count);
    std::vector<std::string_view> arguments{"TMSET", ttl, how_many};
    for (std::uint32_t i = 0; i < count; ++i) {
      numbers[i] = issue(first + i);
      names[i] = board_.name_of(first + i);
      make_value(&values[i], first + i, numbers[i], kSmallestValue + random_.below(1'000), kLongTtl, now_ms());
      arguments.insert(arguments.end(), {names[i], "0", values[i]});
    }
    const auto reply = call(client_, arguments);
    if (!reply || reply->items.size() != count) return;
    for (std::uint32_t i = 0; i < count; ++i)
      if (reply->items[i].integer > 0) acknowledge(first + i, numbers[i]);
  }

  void remove_one() {
    const std::uint32_t key = pick(grouped_);
    const std::uint64_t number = issue(key);
    const std::string name = board_.name_of(key);
    if (call(client_, std::array<std::string_view, 2>{random_.chance(50) ? "DEL" : "TPULL", name}))
      acknowledge(key, number);
  }

  // Another version and deadline, the same value.
  void touch() {
    const std::string name = board_.name_of(pick(grouped_));
    const std::string ttl = std::to_string(random_.chance(50) ? kLongTtl : 20 + random_.below(500));
    call(client_, std::array<std::string_view, 3>{"TTOUCH", name, ttl});
  }

  void remove_group() {
    const std::uint32_t group =
        grouped_[random_.below(static_cast<std::uint32_t>(grouped_.size()))] / board_.group_size;
    std::vector<std::uint32_t> keys(board_.group_size);
    for (std::uint32_t i = 0; i < board_.group_size; ++i) keys[i] = group * board_.group_size + i;
    const std::string prefix = board_.prefix_of(group);
    remove_all(client_, keys, {"DELPREFIX", prefix});
  }

  void remove_all(Client& client, const std::vector<std::uint32_t>& keys,
                  const std::vector<std::string_view>& command) {
    std::vector<std::uint64_t> numbers;
    for (const std::uint32_t key : keys) numbers.push_back(issue(key));
    if (!call(client, command)) return;
    for (std::size_t i = 0; i < keys.size(); ++i) acknowledge(keys[i], numbers[i]);
  }

  Board& board_;
  std::uint32_t number_;
  WriterState& me_;
  Random random_;
  Client client_;
  Client flushed_;
  std::vector<std::uint32_t> grouped_, pinned_, volatile_;
  std::string value_;
};

}  // namespace

int run_writer(Board& board, std::uint32_t number) { return WriterRole(board, number).run(); }

}  // namespace torture
