#include <poll.h>
#include <sys/mman.h>

#include <algorithm>
#include <charconv>

#include "client_impl.h"

namespace coppice {

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

// Until the first byte of an answer is there, or `patience` and the timeout have passed.
bool Client::Impl::wait_for_answer(Millis patience) {
  const Millis until = deadline_after(deadline_after(coarse_now(), options.timeout_ms), patience);
  for (;;) {
    const Millis left = until - coarse_now();
    constexpr Millis kLongestPoll = 1 << 30;
    pollfd watched{socket.get(), POLLIN, 0};
    const int ready = left <= 0 ? 0 : poll(&watched, 1, static_cast<int>(std::min(left, kLongestPoll)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return fail(LinkState::kUnreachable, system_error("poll"));
    if (ready == 0 && left <= kLongestPoll)
      return fail(LinkState::kUnreachable,
                  "the owner did not answer within " + std::to_string(options.timeout_ms + patience) + " ms");
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

std::optional<Reply> Client::call_encoded(std::string_view request, Millis patience) {
  // Once more only where the owner cannot have seen any of it: it had gone before we sent.
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (!impl_->ensure_connected(false)) return std::nullopt;
    bool peer_had_gone = false;
    std::optional<Reply> reply(std::in_place);
    if (impl_->send_all(request, &peer_had_gone) && (patience == 0 || impl_->wait_for_answer(patience)) &&
        impl_->receive_reply(&*reply))
      return reply;
    impl_->drop(impl_->state, std::move(impl_->failure));
    if (!peer_had_gone || attempt > 0) return std::nullopt;
    impl_->next_attempt = 0;
  }
  return std::nullopt;
}

std::optional<Reply> Client::call(std::span<const std::string_view> arguments, Millis patience) {
  std::string& request = impl_->call_request;
  request.clear();
  encode_request(request, arguments);
  std::optional<Reply> reply = call_encoded(request, patience);
  if (request.capacity() > Impl::kKeptRequest) std::string().swap(request);
  return reply;
}

std::optional<Reply> Client::call(std::initializer_list<std::string_view> arguments, Millis patience) {
  return call(std::span(arguments.begin(), arguments.size()), patience);
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
