// The inside of a Client: one class in three files. client.cpp: requests and replies, the public calls;
// client_attach.cpp: connecting and attaching; client_process.cpp: what the clients of a process have in common.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "coppice/client.h"
#include "reply_parser.h"

namespace coppice {

// "what: why", from errno.
inline std::string system_error(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  void reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

struct Client::Impl {
  struct ForkRegistry;  // client_process.cpp

  static constexpr Millis kFirstBackOff = 10;
  static constexpr Millis kLongestBackOff = 500;
  // Long enough that the first read of a worker on a busy host is a hit.
  static constexpr Millis kReadPatience = 500;
  // A connection that ended sooner than this counts as a failed attempt, or a peer that attaches and hangs up would be
  // connected to without pause.
  static constexpr Millis kShortConnection = 1000;
  static constexpr std::size_t kInputSize = 64u << 10;
  static constexpr std::size_t kKeptRequest = 1u << 20;  // capacity of the request buffer that is kept between calls

  Client* self;
  ClientOptions options;
  LinkState state = LinkState::kUnreachable;
  std::string failure = "not connected yet";
  Descriptor socket;
  std::shared_ptr<const Reader> reader;
  layout::HintPage* hint_mapping = nullptr;
  Millis connected_at = 0;
  Millis next_attempt = 0;  // coarse clock
  Millis back_off = kFirstBackOff;
  // Under way: what was asked for, and what has come of it.
  struct Attachment {
    std::array<const char*, 3> commands;
    std::array<Reply, 3> replies;
    std::size_t asked = 0;
    std::size_t answered = 0;
    std::array<Descriptor, 2> descriptors;
    Millis began = 0;
  };
  std::unique_ptr<Attachment> attachment;
  std::string call_request;
  std::unique_ptr<char[]> input;
  ReplyParser parser;
  Impl* next = nullptr;  // of the registry
  Impl* previous = nullptr;

  bool attached() const { return self->current_ != nullptr; }
  bool fail(LinkState why, std::string sentence);
  void drop(LinkState why, std::string sentence);
  bool ensure_connected(bool for_read);
  bool give_up(Millis began);
  bool open_socket(bool for_read);
  bool ask();
  enum class Progress : std::uint8_t { kDone, kWaiting, kFailed };
  Progress advance(Millis until);
  bool take_answers(std::string_view bytes);
  bool adopt(const Reply& attach, int segment, int hints);
  bool send_all(std::string_view bytes, bool* peer_had_gone);
  bool slow(Millis* began, std::size_t bytes) const;
  bool wait_for_answer(Millis patience);
  bool receive_reply(Reply* reply);
  bool take_descriptors(msghdr* message, std::span<Descriptor, 2> descriptors);
  bool peer_alive();
  void forget_mapping();
  // The mapping of this very segment that another client of the process has, or a new one.
  static std::shared_ptr<const Reader> map_segment(int fd, bool prefault, std::string* error);
};

}  // namespace coppice
