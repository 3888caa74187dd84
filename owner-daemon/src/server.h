// The daemon's loop: listeners, connections, the lease, and the upkeep of the store in slices between requests.
//
// Thread safety: none; everything runs in the one io_context.
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

#include "client_directory.h"
#include "connection.h"
#include "coppice/snapshot.h"
#include "input_buffer.h"
#include "lock_file.h"
#include "service.h"
#include "tls.h"

namespace coppice::daemon {

class Server : public ClientDirectory {
 public:
  // The references must outlive the server. `loader` may have a snapshot to read.
  Server(boost::asio::io_context& loop, Service& service, LockFile& lock, SnapshotLoader* loader);

  // Takes over a listening descriptor. REQUIRES: serve_tls() before it is for TLS.
  void listen(int descriptor, int family, bool tls = false);
  // Reads the certificate and the key, at the start and at SIGHUP: clients that come from then on see them. false:
  // `error` says what is wrong, and what was read before is used.
  bool serve_tls(std::string* error);
  // Runs until stop(). `writes_from`: CLOCK_MONOTONIC_COARSE in ms before which no write may be acknowledged.
  void run(Millis writes_from);
  // Ends the lease, closes everything and lets run() return.
  void stop(bool save);
  // Whether the snapshot is to be written now that run() returned.
  bool save() const { return save_; }

  Service& service() { return service_; }
  // For connections.
  void enqueue(std::unique_ptr<Job> job, std::shared_ptr<Connection> waiting);
  void hold(std::shared_ptr<Connection> connection);
  void forget(std::uint64_t id);
  const std::shared_ptr<BufferPool>& buffers() const { return buffers_; }
  // For commands.
  void for_each(const std::function<void(const Session&)>& f) const override;
  bool disconnect(std::uint64_t id) override;
  bool unblock(std::uint64_t id, bool with_error) override;

 private:
  using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::generic::stream_protocol>;
  struct Listener {
    Acceptor acceptor;
    bool unix_socket;
    bool tls;
  };

  void accept(Listener& listener);
  void admit(StreamSocket socket, const Listener& listener);
  void await_reload();
  bool may_connect(int descriptor) const;
  void tick();
  void schedule_tick();
  void accept_writes_at(Millis when);
  void resume_held();
  // CLIENT PAUSE: sees to its end.
  void watch_pause();
  void need_turn();
  void turn();
  bool load_some();
  // Leases and locks: gives the answers that are decided, and watches the time.
  void need_attention();
  void attend();

  boost::asio::io_context& loop_;
  Service& service_;
  LockFile& lock_;
  SnapshotLoader* loader_;
  boost::asio::signal_set signals_;
  boost::asio::signal_set reload_;
  std::shared_ptr<TlsContext> tls_;  // null: not served
  boost::asio::steady_timer renewal_;
  boost::asio::steady_timer writes_timer_;
  boost::asio::steady_timer accept_pause_;
  boost::asio::steady_timer pause_timer_;
  boost::asio::steady_timer deadline_timer_;
  std::shared_ptr<BufferPool> buffers_ = std::make_shared<BufferPool>();
  std::list<Listener> listeners_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Connection>> connections_;
  std::uint64_t next_id_ = 1;
  struct Waiter {
    std::unique_ptr<Job> job;
    std::shared_ptr<Connection> connection;
  };
  std::deque<Waiter> jobs_;
  std::vector<std::shared_ptr<Connection>> held_;
  unsigned rotation_ = 0;
  bool expiring_ = false;
  bool purging_ = false;
  Pace expiry_pace_;
  Pace purge_pace_;
  bool turn_posted_ = false;
  bool attention_posted_ = false;
  bool stopping_ = false;
  bool save_ = false;
};

}  // namespace coppice::daemon
