// A worker's handle on an owner daemon: shared reads, and writes over the unix socket.
//
//   Client client({.path = "/run/coppice/coppice.sock"});
//   client.read("user.42.name", dest, &info);              // no lock, no system call
//   client.call({"TSET", "user.42.name", "0", "Ada"});     // one round trip
//
// Connects on first use and again after the owner's restart, with back-off (10 ms doubling to 500 ms); meanwhile reads
// are misses and writes fail. Holds no thread and installs no signal handler. After fork() the child's copy drops the
// parent's connection (pthread_atfork) and makes its own on first use. Clients of one process that attach to the same
// segment share its mapping.
//
// A call can take up to ClientOptions::timeout_ms (and its own patience) when the owner hangs, a read 500 ms once (it
// then misses, and the attachment goes on behind it); everything else that fails fails at once.
//
// Thread safety: one thread at a time for a Client; different Clients are independent.
#pragma once

#include <time.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coppice/reader.h"
#include "coppice/types.h"

namespace coppice {

inline constexpr int kAttachProtocol = 1;

struct ClientOptions {
  std::string path = {};      // of the unix socket
  std::string user = {};      // "" : the default user
  std::string password = {};  // "" : no AUTH
  Database database = 0;
  std::int64_t owner_uid = -1;  // the owner must be root, ourselves, or this uid
  int timeout_ms = 2000;        // for connecting and for each reply
  bool prefault = false;        // fault the mapping in at attach
};

// A RESP2 reply.
struct Reply {
  enum class Kind : std::uint8_t { kNil, kStatus, kError, kInteger, kBulk, kArray };
  Kind kind = Kind::kNil;
  std::int64_t integer = 0;
  std::string text;  // status, error (with its code, without '-'), bulk
  std::vector<Reply> items;

  bool is_error() const { return kind == Kind::kError; }
};

// Why the owner could not be asked. Client::last_failure() has the sentence.
enum class LinkState : std::uint8_t {
  kReady,
  kUnreachable,  // no socket, refused, timed out, closed
  kForeign,      // the peer runs under another uid, or the segment it sent is not one of ours
  kProtocol,     // it speaks another ATTACH protocol or no RESP
  kDenied,       // AUTH failed or is missing
  kLoading,      // it is reading its snapshot
};

class Client {
 public:
  explicit Client(ClientOptions options);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Reads the segment; connects first where needed. kMiss while there is no owner. kAskOwner: use call({"TGET", key}).
  // For `dest` see Reader::read. Counts hits and misses in the hint page.
  // REQUIRES: key has 1 … kMaxKeyLength bytes.
  template <class Dest>
  ReadStatus read(std::string_view key, Dest&& dest, ReadInfo* info);
  // The reader to use now, or null while there is no owner. Checks the lease; cheap enough for every read. Not to be
  // kept beyond the next call of any member.
  const Reader* reader();
  // The same with the clock already read (coarse_now()); sets it anew when connecting took time.
  const Reader* reader_at(Millis* now);
  // For those who read through reader() themselves.
  void note_hit(const ReadInfo& info);
  void note_miss();

  // One round trip. nullopt: link_state() and last_failure() say why, and whether the command took effect is unknown.
  // `patience`: how much longer than timeout_ms the answer may take, for commands that the owner answers when what they
  // wait for comes; kNoDeadline: for ever. A process that sleeps so is woken by the answer alone.
  std::optional<Reply> call(std::initializer_list<std::string_view> arguments, Millis patience = 0);
  std::optional<Reply> call(std::span<const std::string_view> arguments, Millis patience = 0);
  // The same for a request that the caller has encoded already (encode_request), with one reply.
  std::optional<Reply> call_encoded(std::string_view request, Millis patience = 0);

  Database database() const { return database_; }
  LinkState link_state() const;
  const std::string& last_failure() const;
  const ClientOptions& options() const;
  void disconnect();
  // Random 128 bits of the segment being read, 0 while there is none: changes with every restart of the owner.
  std::pair<std::uint64_t, std::uint64_t> generation() const {
    return current_ != nullptr ? current_->generation() : std::pair<std::uint64_t, std::uint64_t>{0, 0};
  }

 private:
  struct Impl;
  const Reader* reader_slow(Millis* now);

  std::unique_ptr<Impl> impl_;
  // What every read needs, null unless attached. The fork handler resets them in the child.
  const Reader* current_ = nullptr;
  layout::HintPage* hints_ = nullptr;
  bool wants_marks_ = false;
  Database database_ = 0;
};

// Appends a command as a RESP array of bulk strings.
void encode_request(std::string& out, std::span<const std::string_view> arguments);

// CLOCK_MONOTONIC_COARSE in milliseconds: 5 ns where the fine clock takes 23.
inline Millis coarse_now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
  return static_cast<Millis>(t.tv_sec) * 1000 + t.tv_nsec / 1'000'000;
}

inline const Reader* Client::reader_at(Millis* now) {
  const Reader* r = current_;
  if (r != nullptr && r->lease_valid(*now)) [[likely]]
    return r;
  return reader_slow(now);
}

inline const Reader* Client::reader() {
  Millis now = coarse_now();
  return reader_at(&now);
}

// Invariant 11: lossy, and only this client writes its page, so plain relaxed additions do. The release of `head` lets
// the owner see a mark no later than its number.
inline void Client::note_hit(const ReadInfo& info) {
  if (hints_ == nullptr) return;
  hints_->hits.store(hints_->hits.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (!wants_marks_) return;
  const std::uint64_t head = hints_->head.load(std::memory_order_relaxed);
  hints_->marks[head % layout::HintPage::kMarks].store(info.block, std::memory_order_relaxed);
  hints_->head.store(head + 1, std::memory_order_release);  // (11)
}

inline void Client::note_miss() {
  if (hints_ == nullptr) return;
  hints_->misses.store(hints_->misses.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

template <class Dest>
ReadStatus Client::read(std::string_view key, Dest&& dest, ReadInfo* info) {
  Millis now = coarse_now();
  const Reader* r = reader_at(&now);
  if (r == nullptr) return ReadStatus::kMiss;
  const ReadStatus status = r->read(database_, key, now, static_cast<Dest&&>(dest), info);
  if (status == ReadStatus::kHit)
    note_hit(*info);
  else if (status == ReadStatus::kMiss)
    note_miss();
  return status;
}

}  // namespace coppice
