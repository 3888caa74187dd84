#include "connection.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstring>
#include <utility>

#include "coppice/client.h"
#include "peer_process.h"
#include "server.h"

namespace coppice::daemon {

namespace {

// Replies are written early beyond this, and no request is run while this much is unread.
constexpr std::size_t kMuchOutput = 1 << 20;
constexpr std::size_t kOutputKept = 64 * 1024;
// One client's requests may keep the loop this long before others have their turn.
constexpr std::chrono::microseconds kTurn{500};
constexpr int kClockEvery = 16;
// After two seconds in which a client took no byte, it is not merely slow.
constexpr int kStubbornTicks = 2000 / static_cast<int>(layout::kLeaseRenewal);

constexpr Millis kLongestHandshake = 10'000;

resp::ParserLimits limits_of(const Config& config) {
  resp::ParserLimits limits;
  limits.max_bulk = static_cast<std::int64_t>(config.max_bulk);
  return limits;
}

}  // namespace

Connection::Connection(Server& server, StreamSocket socket, Session session, const TlsContext* tls)
    : server_(server),
      service_(server.service()),
      socket_(std::move(socket)),
      tls_(tls != nullptr ? std::make_unique<TlsStream>(*tls, socket_.native_handle()) : nullptr),
      session_(std::move(session)),
      parser_(limits_of(service_.config())),
      input_(server.buffers()) {
  parser_.set_authenticated(session_.authenticated);
  session_.sink = this;
  ++service_.counters().connections;
}

Connection::~Connection() { --service_.counters().connections; }

void Connection::start() { wait_readable(); }

void Connection::wait_readable() {
  if (reading_ || closed_) return;
  reading_ = true;
  // What TLS has taken from the socket already is not announced by it again.
  if (tls_ != nullptr && tls_->has_pending()) {
    return boost::asio::post(socket_.get_executor(), [self = shared_from_this()] {
      self->reading_ = false;
      self->on_readable();
    });
  }
  const auto what = tls_ != nullptr && tls_->read_waits_for_room() ? StreamSocket::wait_write : StreamSocket::wait_read;
  socket_.async_wait(what, [self = shared_from_this()](const boost::system::error_code& error) {
    self->reading_ = false;
    if (!error) self->on_readable();
  });
}

void Connection::wait_writable() {
  if (writing_ || closed_) return;
  writing_ = true;
  socket_.async_wait(StreamSocket::wait_write, [self = shared_from_this()](const boost::system::error_code& error) {
    self->writing_ = false;
    if (error || self->closed_) return;
    self->run();
  });
}

void Connection::post_run() {
  if (posted_ || closed_) return;
  posted_ = true;
  boost::asio::post(socket_.get_executor(), [self = shared_from_this()] {
    self->posted_ = false;
    self->run();
  });
}

void Connection::on_readable() {
  if (closed_ || closing_) return;
  const std::size_t wanted = parser_.wanted();
  char* room = input_.prepare(wanted);
  // Up to 1 MiB of a large value at a time, so that one client's upload does not hold up the others.
  const std::size_t most = wanted > input_.size() ? std::size_t{1} << 20 : InputBuffer::kLeast;
  const std::size_t size = std::min(input_.room(), most);
  const ssize_t n = tls_ == nullptr ? recv(socket_.native_handle(), room, size, MSG_DONTWAIT) : tls_->read(room, size);
  if (n == 0) return close();
  if (n < 0) {
    if (errno != EAGAIN && errno != EINTR) return close();
    return wait_readable();
  }
  input_.commit(static_cast<std::size_t>(n));
  service_.counters().input_bytes += static_cast<std::uint64_t>(n);
  session_.active_at = service_.ticked_at();
  if (input_.size() > service_.config().input_limit) {
    spdlog::warn("client {} closed: {} bytes of requests wait to be run", session_.id, input_.size());
    return close();
  }
  run();
}

// Runs what can be run, writes what can be written, and sees to it that this goes on.
void Connection::run() {
  if (closed_ || (overflowed_ && enforce_output_limit())) return;
  if (unsent() > 0) flush();
  if (closed_) return;
  if (unsent() == 0) unread_ = stubborn_ = false;
  run_requests();
  if (closed_) return;
  flush();
  if (closed_) return;
  if (enforce_output_limit()) return;
  input_.relax();
  // While a job or the start of writes is waited for, nothing more is read: the socket's buffer holds it.
  if ((waiting_ == Waiting::kNothing && !closing_ && !posted_) || waiting_ == Waiting::kDecision) wait_readable();
}

void Connection::run_requests() {
  std::optional<Slice> turn;  // begins with the sixteenth request: one alone reads no clock
  for (int n = 1; waiting_ == Waiting::kNothing && !closing_ && !closed_ && !unread_; ++n) {
    if (!execute_one()) return;
    if (unsent() > kMuchOutput) {
      flush();
      if (!closed_ && unsent() > kMuchOutput && !stubborn_) unread_ = true;
      if (output_limit().exceeded_by(unsent())) return;
    }
    if (n % kClockEvery != 0) continue;
    if (!turn)
      turn.emplace(kTurn);
    else if (turn->over())
      return post_run();
  }
}

bool Connection::execute_one() {
  switch (parser_.parse(input_.view())) {
    case resp::RequestParser::Status::kNeedMore:
      input_.consume(parser_.take_consumed());
      return false;
    case resp::RequestParser::Status::kError:
      fail("ERR " + parser_.error());
      return false;
    case resp::RequestParser::Status::kRequest:
      break;
  }
  resp::ReplyWriter reply(output_, session_.protocol);
  Effects effects;
  const Replies replies = session_.replies;
  const std::size_t mark = output_.size();
  executing_ = true;
  service_.execute(session_, parser_.arguments(), reply, &effects);
  executing_ = false;
  if (effects.next == Next::kHold) {
    parser_.restart();
    waiting_ = Waiting::kWrites;
    server_.hold(shared_from_this());
    return false;
  }
  if (replies != Replies::kOn) [[unlikely]]
    silence(replies, mark);
  if (!pushes_.empty()) [[unlikely]]
    put_pushes();
  input_.consume(parser_.take_consumed());
  parser_.set_authenticated(session_.authenticated);
  switch (effects.next) {
    case Next::kGoOn:
    case Next::kHold:
      return true;
    case Next::kJob:
      waiting_ = Waiting::kJob;
      unanswered_ = replies != Replies::kOn;
      ++service_.counters().waiting;
      server_.enqueue(std::move(effects.job), shared_from_this());
      return false;
    case Next::kWait:
      waiting_ = Waiting::kDecision;
      unanswered_ = replies != Replies::kOn;
      ++service_.counters().waiting;
      watch_peer();
      return false;
    case Next::kWatch:
      watch_peer();
      return true;
    case Next::kAttach:
      attach();
      return true;
    case Next::kCloseAfter:
      closing_ = true;
      return false;
    case Next::kCloseSilently:
      close();
      return false;
    case Next::kStop:
      closing_ = true;
      server_.stop(effects.save);
      return false;
  }
  return true;
}

// A child that the client's process forked keeps the socket open when the process dies.
void Connection::watch_peer() {
  if (!session_.unix_socket || peer_) return;
  const int descriptor = open_peer_process(socket_.native_handle());
  if (descriptor < 0) return;
  peer_.emplace(socket_.get_executor(), descriptor);
  peer_->async_wait(boost::asio::posix::stream_descriptor::wait_read,
                    [self = shared_from_this()](const boost::system::error_code& error) {
                      if (error || self->closed_) return;
                      // Whoever still has the socket may go on with it, but not with what the dead one held.
                      if (self->service_.coordinator().involves(self->session_.id)) return self->close();
                      self->peer_.reset();
                      self->session_.coordinated = false;
                    });
}

// Takes back the reply of a command that came while replies were off, or to be skipped once.
void Connection::silence(Replies replies, std::size_t mark) {
  if (session_.replies == Replies::kOn) return;  // CLIENT REPLY ON itself is answered
  output_.resize(mark);
  if (replies == Replies::kSkipNext && session_.replies == Replies::kSkipNext) session_.replies = Replies::kOn;
}

void Connection::fail(const std::string& message) {
  ++service_.counters().errors;
  resp::ReplyWriter(output_, session_.protocol).error(message);
  closing_ = true;
}

void Connection::attach() {
  resp::ReplyWriter reply(output_, session_.protocol);
  std::string error;
  auto hints = HintPage::create(&error);
  if (hints == nullptr) {
    spdlog::error("client {} can't attach: {}", session_.id, error);
    return reply.error("ERR " + error);
  }
  hints_ = std::move(hints);
  session_.attached = true;
  ++service_.counters().attached;
  const layout::SegmentHeader& header = service_.store().header();
  std::string generation;
  for (const std::uint8_t byte : header.generation) {
    generation += "0123456789abcdef"[byte >> 4];
    generation += "0123456789abcdef"[byte & 15];
  }
  descriptors_at_ = output_.size();
  reply.array(3);
  reply.integer(kAttachProtocol);
  reply.bulk(generation);
  reply.count(header.segment_size);
  spdlog::debug("client {} attached", session_.id);
}

void Connection::flush() {
  while (!closed_ && unsent() > 0)
    if (!write_some()) break;
  if (closed_) return;
  if (unsent() > 0) {
    // Seldom enough that each byte is moved once at most.
    if (sent_ > kMuchOutput && sent_ > output_.size() / 2) {
      output_.erase(0, sent_);
      if (descriptors_at_) *descriptors_at_ -= sent_;
      sent_ = 0;
    }
    return wait_writable();
  }
  output_.clear();
  sent_ = 0;
  if (output_.capacity() > kOutputKept) output_.shrink_to_fit();
  if (closing_) close();
}

bool Connection::write_some() {
  const auto sent = [this](ssize_t n) {
    sent_ += static_cast<std::size_t>(n);
    sent_ever_ += static_cast<std::uint64_t>(n);
    service_.counters().output_bytes += static_cast<std::uint64_t>(n);
  };
  const auto not_sent = [this] {
    if (errno == EINTR) return true;
    if (errno != EAGAIN) close();
    return false;
  };
  if (!descriptors_at_) {
    const char* from = output_.data() + sent_;
    const ssize_t n = tls_ == nullptr ? send(socket_.native_handle(), from, unsent(), MSG_NOSIGNAL | MSG_DONTWAIT)
                                      : tls_->write(from, unsent());
    if (n < 0) return not_sent();
    sent(n);
    return true;
  }
  iovec piece{output_.data() + sent_, unsent()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))] = {};
  bool with_descriptors = false;
  if (sent_ < *descriptors_at_) {
    piece.iov_len = *descriptors_at_ - sent_;
  } else {
    with_descriptors = true;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(2 * sizeof(int));
    const int descriptors[2] = {service_.store().descriptor(), hints_->descriptor()};
    std::memcpy(CMSG_DATA(header), descriptors, sizeof descriptors);
  }
  const ssize_t n = sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (n < 0) return not_sent();
  if (with_descriptors && n > 0) {
    descriptors_at_.reset();
    hints_->close_descriptor();
  }
  sent(n);
  return true;
}

template <class F>
void Connection::answer_waiting(const F& write) {
  --service_.counters().waiting;
  waiting_ = Waiting::kNothing;
  if (closed_) return;
  const std::size_t mark = output_.size();
  resp::ReplyWriter reply(output_, session_.protocol);
  executing_ = true;
  write(reply);
  executing_ = false;
  if (std::exchange(unanswered_, false)) output_.resize(mark);
  put_pushes();
  run();
}

void Connection::finish(Job& job) {
  answer_waiting([&](resp::ReplyWriter& reply) { job.answer(service_, reply); });
}

void Connection::answer(const std::function<void(resp::ReplyWriter&)>& write) {
  if (closed_ || waiting_ != Waiting::kDecision) return;
  if (!std::exchange(refused_, false)) return answer_waiting(write);
  answer_waiting([](resp::ReplyWriter& reply) { reply.error("UNBLOCKED client unblocked via CLIENT UNBLOCK"); });
}

void Connection::push(std::string_view encoded) {
  if (closed_ || closing_) return;
  post_run();
  // Closed there if this is too much: a message that was left out must not go unnoticed.
  overflowed_ = overflowed_ || output_limit().exceeded_by(pending() + encoded.size());
  // What a job reads may change before its reply is there.
  if (!overflowed_) (executing_ || waiting_ == Waiting::kJob ? pushes_ : output_).append(encoded);
}

void Connection::put_pushes() {
  if (pushes_.empty()) return;
  output_ += pushes_;
  pushes_.clear();
  if (pushes_.capacity() > kOutputKept) pushes_.shrink_to_fit();
}

const OutputLimit& Connection::output_limit() const {
  const OutputLimits& limits = service_.output_limits();
  return session_.subscriptions != nullptr ? limits.pubsub : limits.normal;
}

bool Connection::enforce_output_limit() {
  if (!overflowed_ && !output_limit().exceeded_by(pending())) return false;
  spdlog::warn("client {} closed: it leaves {} bytes of replies unread", session_.id, unsent());
  ++service_.counters().output_limit_closed;
  close();
  return true;
}

// Those who are waiting for something, or hold something that would end with them, may be silent.
bool Connection::idle_for_too_long() const {
  const std::uint32_t timeout = service_.config().timeout;
  return timeout != 0 && waiting_ == Waiting::kNothing && !session_.attached && !session_.coordinated &&
         !session_.monitoring && session_.subscriptions == nullptr &&
         service_.ticked_at() - session_.active_at > Millis{1000} * static_cast<Millis>(timeout);
}

// Looked at once a tick.
bool Connection::over_soft_limit() {
  const OutputLimit& limit = output_limit();
  if (limit.soft == 0 || pending() <= limit.soft) {
    over_soft_since_ = kNoDeadline;
    return false;
  }
  if (over_soft_since_ == kNoDeadline) over_soft_since_ = service_.ticked_at();
  return service_.ticked_at() - over_soft_since_ >= limit.soft_for;
}

void Connection::resume_held() {
  waiting_ = Waiting::kNothing;
  run();
}

void Connection::tick() {
  if (hints_ != nullptr)
    hints_->absorb(service_.store(), &service_.counters().worker_hits, &service_.counters().worker_misses);
  if (unsent() > 0 && over_soft_limit()) {
    spdlog::warn("client {} closed: it leaves {} bytes of replies unread for long", session_.id, unsent());
    ++service_.counters().output_limit_closed;
    return close();
  }
  if (tls_ != nullptr && !tls_->established() && service_.ticked_at() - session_.connected_at > kLongestHandshake) {
    spdlog::debug("client {} closed: its TLS handshake is not done", session_.id);
    return close();
  }
  if (idle_for_too_long()) {
    spdlog::debug("client {} closed: it was idle for {} s", session_.id, service_.config().timeout);
    return close();
  }
  idle_ticks_ = unread_ && sent_ever_ == sent_at_tick_ ? idle_ticks_ + 1 : 0;
  sent_at_tick_ = sent_ever_;
  if (idle_ticks_ < kStubbornTicks) return;
  stubborn_ = true;
  unread_ = false;
  post_run();
}

void Connection::close() {
  if (closed_) return;
  closed_ = true;
  if (hints_ != nullptr) {
    hints_->absorb(service_.store(), &service_.counters().worker_hits, &service_.counters().worker_misses);
    hints_.reset();
    --service_.counters().attached;
  }
  if (waiting_ == Waiting::kDecision) --service_.counters().waiting;
  boost::system::error_code ignored;
  if (peer_) peer_->close(ignored);
  if (tls_ != nullptr) tls_->say_goodbye();
  socket_.close(ignored);
  if (session_.coordinated) service_.coordinator().client_gone(session_.id);
  service_.end_messages(session_);
  server_.forget(session_.id);
}

void Connection::flush_and_close() {
  while (!closed_ && unsent() > 0)
    if (!write_some()) break;
  close();
}

}  // namespace coppice::daemon
