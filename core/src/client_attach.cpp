#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <array>

#include "client_impl.h"

namespace coppice {

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

}  // namespace coppice
