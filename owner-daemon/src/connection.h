// One client: its socket, what it sent and what it has not read yet.
//
// Requests are run as they come, their replies gathered and written once a batch. A client that waits for a job, or
// for writes to be accepted, is not read from meanwhile; one that waits for a lease or a lock is, so that its end is
// noticed at once. One that leaves its replies unread has no further request run
// until it reads, but what it sends is taken in (many clients write a whole pipeline before they read the first reply:
// to stop reading from them would block them for ever). One that takes nothing for two seconds is served on all the
// same, until its output limit closes it. Messages go out behind the reply of the request that is being run.
//
// Thread safety: none; the daemon's one loop.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "hint_page.h"
#include "input_buffer.h"
#include "output_limits.h"
#include "resp/parser.h"
#include "service.h"
#include "session.h"
#include "tls.h"

namespace coppice::daemon {

class Server;
using StreamSocket = boost::asio::generic::stream_protocol::socket;

class Connection : public std::enable_shared_from_this<Connection>, public PushSink {
 public:
  // `tls`: null for a client that speaks without.
  Connection(Server& server, StreamSocket socket, Session session, const TlsContext* tls);
  ~Connection();

  // Begins to read.
  void start();
  // The job that this client waits for is done.
  void finish(Job& job);
  // What this client waits for was decided: `write` writes the reply.
  void answer(const std::function<void(resp::ReplyWriter&)>& write);
  void push(std::string_view encoded) override;
  // What this client waits for will be answered by an error.
  void refuse_wait() { refused_ = true; }
  // Writes are accepted now.
  void resume_held();
  // Once every lease renewal.
  void tick();
  // At once; unread replies are lost.
  void close();
  // What can be written without waiting is written.
  void flush_and_close();

  const Session& session() const { return session_; }
  Session& session() { return session_; }

 private:
  enum class Waiting : std::uint8_t { kNothing, kJob, kWrites, kDecision };

  void run();
  void run_requests();
  bool execute_one();  // false: stop for now
  void attach();
  void watch_peer();
  void silence(Replies replies, std::size_t mark);
  void flush();
  bool write_some();  // false: would block, or closed
  void wait_readable();
  void wait_writable();
  void on_readable();
  void post_run();
  void fail(const std::string& message);
  // The reply to what was waited for.
  template <class F>
  void answer_waiting(const F& write);
  void put_pushes();
  const OutputLimit& output_limit() const;
  // What counts against it.
  std::size_t pending() const { return unsent() + pushes_.size() + (unread_ ? input_.size() : 0); }
  bool enforce_output_limit();  // true: closed
  bool over_soft_limit();
  bool idle_for_too_long() const;
  std::size_t unsent() const { return output_.size() - sent_; }

  Server& server_;
  Service& service_;
  StreamSocket socket_;
  std::unique_ptr<TlsStream> tls_;  // null: without
  Session session_;
  resp::RequestParser parser_;
  InputBuffer input_;
  std::string output_;
  std::string pushes_;           // came while a request is run, to go behind its reply
  std::size_t sent_ = 0;         // of output_
  std::uint64_t sent_ever_ = 0;  // bytes
  std::uint64_t sent_at_tick_ = 0;
  int idle_ticks_ = 0;  // with unread replies and no byte taken
  Millis over_soft_since_ = kNoDeadline;
  std::unique_ptr<HintPage> hints_;
  std::optional<boost::asio::posix::stream_descriptor> peer_;  // the client's process, while that matters
  std::optional<std::size_t> descriptors_at_;                  // where in output_ the reply begins that carries them
  Waiting waiting_ = Waiting::kNothing;
  bool unanswered_ = false;  // what is waited for gets no reply: CLIENT REPLY
  bool refused_ = false;     // CLIENT UNBLOCK … ERROR
  bool reading_ = false;     // waits to become readable
  bool writing_ = false;     // waits to become writable
  bool posted_ = false;      // run() will be called
  bool executing_ = false;   // a reply is being written
  bool overflowed_ = false;  // a message did not fit within the output limit
  bool unread_ = false;      // too many unread replies: no request is run
  bool stubborn_ = false;    // sends and never reads: run its requests until the output limit
  bool closing_ = false;     // once the output is out
  bool closed_ = false;
};

}  // namespace coppice::daemon
