#include "coppice/client.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <mutex>

#include "reply_parser.h"

namespace coppice {

namespace {

constexpr Millis kFirstBackOff = 10;
constexpr Millis kLongestBackOff = 500;
constexpr Millis kReadPatience = 50;
// A connection that ended sooner than this counts as a failed attempt, or a peer that attaches and hangs up would be
// connected to without pause.
constexpr Millis kShortConnection = 1000;
constexpr std::size_t kInputSize = 64u << 10;
constexpr std::size_t kKeptRequest = 1u << 20;  // capacity of the request buffer that is kept between calls

std::string system_error(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

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

}  // namespace

struct Client::Impl {
  struct ForkRegistry;

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
  bool receive_reply(Reply* reply);
  bool take_descriptors(msghdr* message, std::span<Descriptor, 2> descriptors);
  bool peer_alive();
  void forget_mapping();
};

// ---- what the clients of a process have in common ------------------------------------------------------------------
namespace {

struct Mapping {
  dev_t device;
  ino_t inode;
  std::weak_ptr<const Reader> reader;
};

// Never destroyed: clients may outlive any static.
struct Process {
  std::mutex mutex;
  std::vector<Mapping> mappings;
};
Process& process() {
  static Process* const instance = new Process;
  return *instance;
}

// The mapping of this very segment that another client of the process has, or a new one.
std::shared_ptr<const Reader> map_segment(int fd, bool prefault, std::string* error) {
  struct stat status;
  if (fstat(fd, &status) != 0) {
    *error = system_error("fstat of the segment");
    return nullptr;
  }
  Process& all = process();
  std::lock_guard lock(all.mutex);
  std::erase_if(all.mappings, [](const Mapping& m) { return m.reader.expired(); });
  for (const Mapping& m : all.mappings) {
    if (m.device != status.st_dev || m.inode != status.st_ino) continue;
    if (auto reader = m.reader.lock()) return reader;
  }
  std::shared_ptr<const Reader> reader = Reader::map(fd, error);
  if (reader == nullptr) return nullptr;
  if (prefault) reader->prefault();
  all.mappings.push_back({status.st_dev, status.st_ino, reader});
  return reader;
}

}  // namespace

// Clients whose copies a forked child must cut off (invariant 10). The lock is held over fork(), so that the child sees
// a whole list whatever the other threads were doing.
struct Client::Impl::ForkRegistry {
  std::mutex mutex;
  Impl* first = nullptr;

  static ForkRegistry& get() {
    static ForkRegistry* const instance = [] {
      auto* registry = new ForkRegistry;
      pthread_atfork([] { get().before_fork(); }, [] { get().in_parent(); }, [] { get().in_child(); });
      return registry;
    }();
    return *instance;
  }
  void add(Impl* client);
  void remove(Impl* client);
  void before_fork() {
    mutex.lock();
    process().mutex.lock();
  }
  void in_parent() {
    process().mutex.unlock();
    mutex.unlock();
  }
  void in_child();
};

Client::Client(ClientOptions options) : impl_(new Impl), database_(options.database) {
  impl_->self = this;
  impl_->options = std::move(options);
  Impl::ForkRegistry::get().add(impl_.get());
}

Client::~Client() {
  Impl::ForkRegistry::get().remove(impl_.get());
  impl_->forget_mapping();
}

void Client::Impl::ForkRegistry::add(Impl* client) {
  std::lock_guard lock(mutex);
  client->next = first;
  if (first != nullptr) first->previous = client;
  first = client;
}

void Client::Impl::ForkRegistry::remove(Impl* client) {
  std::lock_guard lock(mutex);
  if (client->next != nullptr) client->next->previous = client->previous;
  (client->previous != nullptr ? client->previous->next : first) = client->next;
}

// Only what is allowed between fork and exec: no allocation, close() and plain stores. Invariant 10: a copy of the
// socket that stayed open would hide the parent's death from the owner, and two processes would share one
// conversation. The mapping stays, unused until this process has attached by itself.
void Client::Impl::ForkRegistry::in_child() {
  for (Impl* c = first; c != nullptr; c = c->next) {
    c->socket.reset();
    c->self->current_ = nullptr;
    c->self->hints_ = nullptr;
    c->state = LinkState::kUnreachable;
    c->next_attempt = 0;
    c->back_off = kFirstBackOff;
  }
  process().mutex.unlock();
  mutex.unlock();
}

// ---- failures ------------------------------------------------------------------------------------------------------
bool Client::Impl::fail(LinkState why, std::string sentence) {
  state = why;
  failure = std::move(sentence);
  return false;
}

void Client::Impl::forget_mapping() {
  self->current_ = nullptr;
  self->hints_ = nullptr;
  reader.reset();
  if (hint_mapping != nullptr) munmap(hint_mapping, layout::kHintSize);
  hint_mapping = nullptr;
}

// Ends the connection and, by invariant 9, the use of the mapping.
void Client::Impl::drop(LinkState why, std::string sentence) {
  socket.reset();
  forget_mapping();
  parser.reset();
  fail(why, std::move(sentence));
  const Millis now = coarse_now();
  if (now - connected_at >= kShortConnection) {
    back_off = kFirstBackOff;
    next_attempt = now;
  } else {
    next_attempt = now + back_off;
    back_off = std::min(back_off * 2, kLongestBackOff);
  }
}

// ---- connecting ----------------------------------------------------------------------------------------------------
namespace {
LinkState state_of_error(std::string_view text) {
  const std::string_view code = text.substr(0, text.find(' '));
  if (code == "NOAUTH" || code == "WRONGPASS" || code == "NOPERM" || text.starts_with("ERR AUTH"))
    return LinkState::kDenied;
  if (code == "LOADING") return LinkState::kLoading;
  if (text.starts_with("ERR max number of clients")) return LinkState::kUnreachable;
  return LinkState::kProtocol;
}
}  // namespace

// A call waits for the owner as long as for any answer. A read has a miss to fall back to, so it waits a little for an
// attachment that it began or found under way, and later reads only look whether it has come to an end.
bool Client::Impl::ensure_connected(bool for_read) {
  if (attached()) return true;
  const Millis now = coarse_now();
  if (attachment == nullptr || socket.get() < 0) {  // without a socket: left by the parent of this process
    attachment.reset();
    if (now < next_attempt) return false;
    forget_mapping();
    parser.reset();
    if (!open_socket(for_read)) return give_up(now);
    attachment = std::make_unique<Attachment>();
    attachment->began = now;
    fail(LinkState::kUnreachable, "the owner has not answered ATTACH yet");
    if (!ask()) return give_up(now);
  }
  const Millis began = attachment->began;
  switch (advance(for_read ? began + kReadPatience : now + options.timeout_ms)) {
    case Progress::kWaiting:
      return false;
    case Progress::kFailed:
      return give_up(began);
    case Progress::kDone:
      break;
  }
  const std::unique_ptr<Attachment> done = std::move(attachment);
  for (std::size_t i = 0; i < done->answered; ++i) {
    const Reply& reply = done->replies[i];
    if (reply.is_error()) {
      fail(state_of_error(reply.text), std::string("the owner refused ") + done->commands[i] + ": " + reply.text);
      return give_up(began);
    }
    if (i + 1 < done->asked && reply.kind != Reply::Kind::kStatus) {
      fail(LinkState::kProtocol, std::string("the owner's answer to ") + done->commands[i] + " is no status");
      return give_up(began);
    }
  }
  if (!adopt(done->replies[done->asked - 1], done->descriptors[0].get(), done->descriptors[1].get()))
    return give_up(began);
  connected_at = coarse_now();
  state = LinkState::kReady;
  failure.clear();
  return true;
}

// Always false.
bool Client::Impl::give_up(Millis began) {
  socket.reset();
  attachment.reset();
  forget_mapping();
  parser.reset();
  // A peer that lets us wait is not asked again soon: each attempt stops a caller.
  const Millis now = coarse_now();
  if (now - began >= kLongestBackOff) back_off = kLongestBackOff;
  next_attempt = now + back_off;
  back_off = std::min(back_off * 2, kLongestBackOff);
  return false;
}

bool Client::Impl::open_socket(bool for_read) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (options.path.empty()) return fail(LinkState::kUnreachable, "the path of the owner's socket is empty");
  if (options.path.size() >= sizeof(address.sun_path) || options.path.find('\0') != std::string::npos)
    return fail(
        LinkState::kUnreachable,
        "\"" + options.path + "\" cannot be the path of a socket: it is longer than 107 bytes or has a NUL byte");
  std::memcpy(address.sun_path, options.path.data(), options.path.size());

  // Where the owner's queue is full, a call waits in it and a read does not.
  socket.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | (for_read ? SOCK_NONBLOCK : 0), 0));
  if (socket.get() < 0) return fail(LinkState::kUnreachable, system_error("socket"));
  const int timeout = std::max(options.timeout_ms, 1);
  const timeval limit{timeout / 1000, timeout % 1000 * 1000};
  setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  int result;
  do {
    result = ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  } while (result != 0 && errno == EINTR);
  if (result != 0) return fail(LinkState::kUnreachable, system_error(("cannot connect to " + options.path).c_str()));
  if (for_read && fcntl(socket.get(), F_SETFL, 0) != 0) return fail(LinkState::kUnreachable, system_error("fcntl"));

  ucred peer{};
  socklen_t length = sizeof peer;
  if (getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0)
    return fail(LinkState::kForeign, system_error("SO_PEERCRED"));
  if (peer.uid != 0 && peer.uid != geteuid() && static_cast<std::int64_t>(peer.uid) != options.owner_uid)
    return fail(LinkState::kForeign, "the owner at " + options.path + " runs under uid " + std::to_string(peer.uid) +
                                         ", which is neither root, nor this process's uid, nor owner_uid");
  return true;
}

// AUTH, SELECT and ATTACH go out in one piece: attaching costs one round trip.
bool Client::Impl::ask() {
  std::string request;
  const auto add = [&](std::span<const std::string_view> arguments) {
    attachment->commands[attachment->asked++] = arguments[0].data();
    encode_request(request, arguments);
  };
  const std::string database = std::to_string(options.database);
  const std::string protocol = std::to_string(kAttachProtocol);
  if (!options.password.empty() && options.user.empty())
    add(std::array<std::string_view, 2>{"AUTH", options.password});
  else if (!options.password.empty())
    add(std::array<std::string_view, 3>{"AUTH", options.user, options.password});
  if (options.database != 0) add(std::array<std::string_view, 2>{"SELECT", database});
  add(std::array<std::string_view, 2>{"ATTACH", protocol});
  bool peer_had_gone = false;
  return send_all(request, &peer_had_gone);
}

// Everything that came with ATTACH is checked before it is used.
bool Client::Impl::adopt(const Reply& attach, int segment, int hints) {
  if (attach.kind != Reply::Kind::kArray || attach.items.size() != 3 || attach.items[0].kind != Reply::Kind::kInteger ||
      attach.items[1].kind != Reply::Kind::kBulk || attach.items[2].kind != Reply::Kind::kInteger)
    return fail(LinkState::kProtocol, "the answer to ATTACH is not [protocol, generation, size]");
  if (attach.items[0].integer != kAttachProtocol)
    return fail(LinkState::kProtocol, "the owner speaks ATTACH protocol " + std::to_string(attach.items[0].integer) +
                                          ", this client speaks " + std::to_string(kAttachProtocol));
  if (segment < 0 || hints < 0) return fail(LinkState::kProtocol, "ATTACH came without its two descriptors");

  struct stat status;
  const int seals = fcntl(hints, F_GET_SEALS);
  if (fstat(hints, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size != layout::kHintSize || seals < 0 ||
      (seals & F_SEAL_SHRINK) == 0)
    return fail(LinkState::kForeign, "the hint page that the owner sent is not a sealed memfd of 16 KiB");

  std::string error;
  reader = map_segment(segment, options.prefault, &error);
  if (reader == nullptr) return fail(LinkState::kForeign, "the owner's segment cannot be used: " + error);
  const layout::SegmentHeader& header = reader->header();
  std::string generation;
  for (const std::uint8_t byte : header.generation) {
    constexpr char kDigits[] = "0123456789abcdef";
    generation += kDigits[byte >> 4];
    generation += kDigits[byte & 15];
  }
  if (attach.items[1].text != generation)
    return fail(LinkState::kForeign, "the segment that the owner sent has another generation than it says");
  if (options.database >= reader->databases())
    return fail(LinkState::kProtocol, "the owner has no database " + std::to_string(options.database));

  void* page = mmap(nullptr, layout::kHintSize, PROT_READ | PROT_WRITE, MAP_SHARED, hints, 0);
  if (page == MAP_FAILED) return fail(LinkState::kForeign, system_error("mmap of the hint page"));
  hint_mapping = static_cast<layout::HintPage*>(page);
  self->hints_ = hint_mapping;
  self->wants_marks_ = header.wants_hints != 0;
  self->current_ = reader.get();
  return true;
}

// Takes what has come, waiting for more until `until`, which is not the end of the attachment's own time.
Client::Impl::Progress Client::Impl::advance(Millis until) {
  if (input == nullptr) input.reset(new char[kInputSize]);
  const Millis end = attachment->began + options.timeout_ms;
  for (;;) {
    alignas(cmsghdr) char control[CMSG_SPACE(16 * sizeof(int))];
    iovec vector{input.get(), kInputSize};
    msghdr message{};
    message.msg_iov = &vector;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t n = recvmsg(socket.get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (n == 0) {
      fail(LinkState::kUnreachable, "the owner closed the connection while attaching");
      return Progress::kFailed;
    }
    if (n < 0 && errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) {
      fail(LinkState::kUnreachable, system_error("recvmsg while attaching"));
      return Progress::kFailed;
    }
    if (n > 0) {
      if (!take_descriptors(&message, attachment->descriptors)) return Progress::kFailed;
      if (!take_answers({input.get(), static_cast<std::size_t>(n)})) return Progress::kFailed;
      // What follows a refusal adds nothing, and may never come: a refused connection is closed.
      if (attachment->answered == attachment->asked ||
          (attachment->answered > 0 && attachment->replies[attachment->answered - 1].is_error()))
        return Progress::kDone;
    }
    const Millis now = coarse_now();
    if (now >= end) {
      fail(LinkState::kUnreachable,
           "the owner did not answer ATTACH within " + std::to_string(options.timeout_ms) + " ms");
      return Progress::kFailed;
    }
    if (now >= until) return Progress::kWaiting;
    pollfd wait{socket.get(), POLLIN, 0};
    if (n < 0) poll(&wait, 1, static_cast<int>(std::min(until, end) - now));
  }
}

bool Client::Impl::take_answers(std::string_view bytes) {
  while (!bytes.empty()) {
    if (attachment->answered == attachment->asked)
      return fail(LinkState::kProtocol, "the peer sent more than the answers to its requests");
    const ReplyParser::Status status = parser.feed(&bytes);
    if (status == ReplyParser::Status::kMalformed)
      return fail(LinkState::kProtocol, std::string("the peer does not speak RESP: ") + parser.what());
    if (status != ReplyParser::Status::kComplete) continue;
    Reply& reply = attachment->replies[attachment->answered++];
    reply = parser.take();
    if (reply.is_error()) return true;
  }
  return true;
}

// The first two descriptors are kept, what came beyond them is closed.
bool Client::Impl::take_descriptors(msghdr* message, std::span<Descriptor, 2> descriptors) {
  bool surplus = (message->msg_flags & MSG_CTRUNC) != 0;
  for (cmsghdr* c = CMSG_FIRSTHDR(message); c != nullptr; c = CMSG_NXTHDR(message, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd;
      std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof fd);
      Descriptor* place = descriptors[0].get() < 0   ? &descriptors[0]
                          : descriptors[1].get() < 0 ? &descriptors[1]
                                                     : nullptr;
      if (place != nullptr) {
        place->reset(fd);
      } else {
        ::close(fd);
        surplus = true;
      }
    }
  }
  return !surplus || fail(LinkState::kProtocol, "ATTACH came with more than two descriptors");
}

// ---- talking -------------------------------------------------------------------------------------------------------
// SO_SNDTIMEO and SO_RCVTIMEO bound one system call. This bounds all of them together, so that a peer that gives or
// takes a byte now and then cannot hold us: one timeout for each mebibyte begun. `began` is 0 at the first call.
bool Client::Impl::slow(Millis* began, std::size_t bytes) const {
  const Millis now = coarse_now();
  if (*began == 0) *began = now;
  return now - *began > static_cast<Millis>(1 + (bytes >> 20)) * options.timeout_ms;
}

bool Client::Impl::send_all(std::string_view bytes, bool* peer_had_gone) {
  std::size_t sent = 0;
  Millis began = 0;
  for (;;) {
    const ssize_t n = send(socket.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n >= 0) {
      sent += static_cast<std::size_t>(n);
      if (sent == bytes.size()) return true;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return fail(LinkState::kUnreachable,
                  "the owner did not take the request within " + std::to_string(options.timeout_ms) + " ms");
    } else if (errno != EINTR) {
      *peer_had_gone = sent == 0 && (errno == EPIPE || errno == ECONNRESET);
      return fail(LinkState::kUnreachable, system_error("send to the owner"));
    }
    if (slow(&began, sent)) return fail(LinkState::kUnreachable, "the owner took the request too slowly");
  }
}

bool Client::Impl::receive_reply(Reply* reply) {
  std::size_t received = 0;
  Millis began = 0;
  for (;;) {
    const ssize_t n = recv(socket.get(), input.get(), kInputSize, 0);
    if (n > 0) {
      received += static_cast<std::size_t>(n);
      std::string_view bytes(input.get(), static_cast<std::size_t>(n));
      const ReplyParser::Status status = parser.feed(&bytes);
      if (status == ReplyParser::Status::kMalformed)
        return fail(LinkState::kProtocol, std::string("the owner's answer is no RESP: ") + parser.what());
      if (status == ReplyParser::Status::kComplete) {
        if (!bytes.empty()) return fail(LinkState::kProtocol, "the owner answered more than it was asked");
        *reply = parser.take();
        return true;
      }
    } else if (n == 0) {
      return fail(LinkState::kUnreachable, "the owner closed the connection before it answered");
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return fail(LinkState::kUnreachable,
                  "the owner did not answer within " + std::to_string(options.timeout_ms) + " ms");
    } else if (errno != EINTR) {
      return fail(LinkState::kUnreachable, system_error("recv from the owner"));
    }
    if (slow(&began, received)) return fail(LinkState::kUnreachable, "the owner answered too slowly");
  }
}

// Invariant 9: past its lease, an owner whose end of the socket is open is only slow.
bool Client::Impl::peer_alive() {
  char byte;
  ssize_t n;
  do {
    n = recv(socket.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  } while (n < 0 && errno == EINTR);
  if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
  if (n > 0)
    drop(LinkState::kProtocol, "the owner sent something that it was not asked for");
  else
    drop(LinkState::kUnreachable, "the owner is gone");
  return false;
}

const Reader* Client::reader_slow(Millis* now) {
  if (current_ != nullptr && impl_->peer_alive()) return current_;
  const bool connected = impl_->ensure_connected(true);
  *now = coarse_now();
  return connected ? current_ : nullptr;
}

std::optional<Reply> Client::call_encoded(std::string_view request) {
  // Once more only where the owner cannot have seen any of it: it had gone before we sent.
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (!impl_->ensure_connected(false)) return std::nullopt;
    bool peer_had_gone = false;
    std::optional<Reply> reply(std::in_place);
    if (impl_->send_all(request, &peer_had_gone) && impl_->receive_reply(&*reply)) return reply;
    impl_->drop(impl_->state, std::move(impl_->failure));
    if (!peer_had_gone) return std::nullopt;
    impl_->next_attempt = 0;
  }
  return std::nullopt;
}

std::optional<Reply> Client::call(std::span<const std::string_view> arguments) {
  std::string& request = impl_->call_request;
  request.clear();
  encode_request(request, arguments);
  std::optional<Reply> reply = call_encoded(request);
  if (request.capacity() > kKeptRequest) std::string().swap(request);
  return reply;
}

std::optional<Reply> Client::call(std::initializer_list<std::string_view> arguments) {
  return call(std::span(arguments.begin(), arguments.size()));
}

LinkState Client::link_state() const { return impl_->state; }
const std::string& Client::last_failure() const { return impl_->failure; }
const ClientOptions& Client::options() const { return impl_->options; }

void Client::disconnect() {
  impl_->socket.reset();
  impl_->attachment.reset();
  impl_->forget_mapping();
  impl_->parser.reset();
  impl_->next_attempt = 0;
  impl_->fail(LinkState::kUnreachable, "disconnected");
}

std::pair<std::uint64_t, std::uint64_t> Client::generation() const {
  std::pair<std::uint64_t, std::uint64_t> halves{0, 0};
  if (current_ == nullptr) return halves;
  std::memcpy(&halves.first, current_->header().generation, 8);
  std::memcpy(&halves.second, current_->header().generation + 8, 8);
  return halves;
}

void encode_request(std::string& out, std::span<const std::string_view> arguments) {
  char digits[24];
  const auto length = [&](char kind, std::size_t n) {
    digits[0] = kind;
    char* end = std::to_chars(digits + 1, digits + 22, n).ptr;
    *end++ = '\r';
    *end++ = '\n';
    out.append(digits, static_cast<std::size_t>(end - digits));
  };
  length('*', arguments.size());
  for (const std::string_view argument : arguments) {
    length('$', argument.size());
    out.append(argument);
    out.append("\r\n", 2);
  }
}

}  // namespace coppice
