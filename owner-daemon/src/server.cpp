#include "server.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <csignal>
#include <cstdlib>

#include "commands/coordination.h"
#include "coppice/client.h"

namespace coppice::daemon {

namespace {

constexpr std::size_t kEntriesPerLoad = 500;
constexpr std::size_t kKeysPerTrim = 1000;
constexpr std::chrono::milliseconds kRenewal{layout::kLeaseRenewal};
constexpr std::chrono::milliseconds kAcceptPause{100};
constexpr Millis kLongestWait = 3'600'000;

// "1.2.3.4:567" or "[::1]:567".
std::string peer_address(int descriptor) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  char host[NI_MAXHOST];
  char port[NI_MAXSERV];
  if (getpeername(descriptor, reinterpret_cast<sockaddr*>(&address), &length) != 0 ||
      getnameinfo(reinterpret_cast<sockaddr*>(&address), length, host, sizeof host, port, sizeof port,
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return "?:0";
  const std::string name = address.ss_family == AF_INET6 ? "[" + std::string(host) + "]" : host;
  return name + ":" + port;
}

}  // namespace

Server::Server(boost::asio::io_context& loop, Service& service, LockFile& lock, SnapshotLoader* loader)
    : loop_(loop),
      service_(service),
      lock_(lock),
      loader_(loader),
      signals_(loop, SIGTERM, SIGINT),
      reload_(loop, SIGHUP),
      renewal_(loop),
      writes_timer_(loop),
      accept_pause_(loop),
      pause_timer_(loop),
      deadline_timer_(loop) {
  service_.set_clients(this);
  service_.set_ticked_at(service_.clock().monotonic_ms());
  service_.coordinator().set_wake([this] { need_attention(); });
  Tracking& tracking = service_.keyspace().tracking();
  tracking.set_wake([this, &tracking] { boost::asio::post(loop_, [&tracking] { tracking.flush(); }); });
  tracking.set_find_session([this](std::uint64_t id) -> Session* {
    const auto found = connections_.find(id);
    return found == connections_.end() ? nullptr : &found->second->session();
  });
  service_.set_on_pause([this] { boost::asio::post(loop_, [this] { watch_pause(); }); });
  await_reload();
  signals_.async_wait([this](const boost::system::error_code& error, int signal) {
    if (error) return;
    spdlog::info("signal {}: ending", signal);
    stop(true);
  });
}

void Server::await_reload() {
  reload_.async_wait([this](const boost::system::error_code& error, int) {
    if (error || stopping_) return;
    std::string why;
    if (tls_ == nullptr)
      spdlog::info("SIGHUP: there is no certificate to read again");
    else if (serve_tls(&why))
      spdlog::info("SIGHUP: the certificate was read again");
    else
      spdlog::error("SIGHUP: the certificate stays as it was: {}", why);
    await_reload();
  });
}

bool Server::serve_tls(std::string* error) {
  auto fresh = TlsContext::create(service_.config().tls, error);
  if (fresh == nullptr) return false;
  tls_ = std::move(fresh);
  return true;
}

void Server::listen(int descriptor, int family, bool tls) {
  listeners_.push_back({Acceptor(loop_), family == AF_UNIX, tls});
  listeners_.back().acceptor.assign(boost::asio::generic::stream_protocol(family, family == AF_UNIX ? 0 : IPPROTO_TCP),
                                    descriptor);
}

void Server::run(Millis writes_from) {
  service_.store().renew_lease();
  if (loader_ != nullptr && loader_->state() == SnapshotLoader::State::kLoading) {
    service_.set_loading(true);
    need_turn();
  }
  accept_writes_at(writes_from);
  for (Listener& listener : listeners_) accept(listener);
  schedule_tick();
  loop_.run();
}

void Server::accept_writes_at(Millis when) {
  const Millis wait = when - coarse_now();
  if (wait <= 0) {
    service_.set_holding_writes(false);
    return resume_held();
  }
  if (!service_.holding_writes()) spdlog::info("the last owner did not end cleanly: writes wait for {} ms", wait);
  service_.set_holding_writes(true);
  writes_timer_.expires_after(std::chrono::milliseconds(wait));
  writes_timer_.async_wait([this, when](const boost::system::error_code& error) {
    if (!error) accept_writes_at(when);
  });
}

void Server::resume_held() {
  const auto held = std::move(held_);
  held_.clear();
  for (const auto& connection : held) connection->resume_held();
}

void Server::watch_pause() {
  if (stopping_) return;
  const Millis left = service_.pause_left();
  if (left <= 0) {
    service_.unpause();
    pause_timer_.cancel();
    return resume_held();
  }
  pause_timer_.expires_after(std::chrono::milliseconds(std::min(left, kLongestWait)));
  pause_timer_.async_wait([this](const boost::system::error_code& cancelled) {
    if (!cancelled) watch_pause();
  });
}

void Server::accept(Listener& listener) {
  listener.acceptor.async_accept([this, &listener](const boost::system::error_code& error, StreamSocket socket) {
    if (error == boost::asio::error::operation_aborted || stopping_) return;
    if (!error) {
      admit(std::move(socket), listener);
      return accept(listener);
    }
    if (error == boost::asio::error::connection_aborted) return accept(listener);
    // Out of descriptors or memory: the connection stays in the backlog.
    spdlog::warn("accept: {}", error.message());
    accept_pause_.expires_after(kAcceptPause);
    accept_pause_.async_wait([this, &listener](const boost::system::error_code& cancelled) {
      if (!cancelled) accept(listener);
    });
  });
}

bool Server::may_connect(int descriptor) const {
  const Config& config = service_.config();
  if (config.allow_uid.empty()) return true;
  ucred peer{};
  socklen_t length = sizeof peer;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return false;
  return peer.uid == 0 || peer.uid == geteuid() ||
         std::find(config.allow_uid.begin(), config.allow_uid.end(), peer.uid) != config.allow_uid.end();
}

void Server::admit(StreamSocket socket, const Listener& listener) {
  const bool unix_socket = listener.unix_socket;
  Counters& counters = service_.counters();
  ++counters.connections_received;
  const int descriptor = socket.native_handle();
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  const auto refuse = [&](std::string_view message) {
    ++counters.connections_rejected;
    if (!listener.tls) (void)send(descriptor, message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  };
  if (connections_.size() >= service_.config().max_clients) return refuse("-ERR max number of clients reached\r\n");
  if (unix_socket) {
    if (!may_connect(descriptor)) return refuse("-NOPERM this user may not use the socket\r\n");
  } else {
    const int on = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  }
  Session session;
  session.id = next_id_++;
  session.unix_socket = unix_socket;
  session.address = unix_socket ? service_.config().socket + ":0" : peer_address(descriptor);
  session.connected_at = session.active_at = service_.clock().monotonic_ms();
  service_.begin(session);
  const std::uint64_t id = session.id;
  auto connection =
      std::make_shared<Connection>(*this, std::move(socket), std::move(session), listener.tls ? tls_.get() : nullptr);
  connections_.emplace(id, connection);
  connection->start();
}

void Server::forget(std::uint64_t id) { connections_.erase(id); }

void Server::for_each(const std::function<void(const Session&)>& f) const {
  for (const auto& [id, connection] : connections_) f(connection->session());
}

bool Server::disconnect(std::uint64_t id) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return false;
  const std::shared_ptr<Connection> connection = found->second;
  connection->close();
  return true;
}

bool Server::unblock(std::uint64_t id, bool with_error) {
  const auto found = connections_.find(id);
  if (found == connections_.end() || !service_.coordinator().end_waits(id)) return false;
  if (with_error) found->second->refuse_wait();
  return true;
}

void Server::enqueue(std::unique_ptr<Job> job, std::shared_ptr<Connection> waiting) {
  jobs_.push_back({std::move(job), std::move(waiting)});
  need_turn();
}

void Server::hold(std::shared_ptr<Connection> connection) { held_.push_back(std::move(connection)); }

void Server::schedule_tick() {
  renewal_.expires_after(kRenewal);
  renewal_.async_wait([this](const boost::system::error_code& error) {
    if (error || stopping_) return;
    schedule_tick();
    tick();
  });
}

void Server::tick() {
  service_.store().renew_lease();
  service_.tick();
  std::string error;
  if (!lock_.cover(service_.store().newest_version(), &error)) spdlog::error("{}", error);
  // A tick may close a connection, which takes it out of the map.
  for (auto next = connections_.begin(); next != connections_.end();) {
    const std::shared_ptr<Connection> connection = next->second;
    ++next;
    connection->tick();
  }
  service_.keyspace().tracking().trim(kKeysPerTrim);
  if (service_.loading()) return;
  expiring_ = expiring_ || service_.store().expire(1);
  purging_ = purging_ || service_.store().purge(1);
  if (expiring_ || purging_) need_turn();
}

void Server::need_turn() {
  if (turn_posted_ || stopping_) return;
  turn_posted_ = true;
  boost::asio::post(loop_, [this] {
    turn_posted_ = false;
    if (!stopping_) turn();
  });
}

// One slice of one kind of work; then the requests that have come have theirs.
void Server::turn() {
  if (service_.loading()) {
    if (load_some()) need_turn();
    return;
  }
  Store& store = service_.store();
  const Slice slice(service_.slice_length());
  for (unsigned tried = 0; tried < 3; ++tried) {
    const unsigned kind = rotation_++ % 3;
    if (kind == 0 && !jobs_.empty()) {
      Waiter waiter = std::move(jobs_.front());
      jobs_.pop_front();
      if (service_.step(waiter.connection->session(), *waiter.job, slice))
        waiter.connection->finish(*waiter.job);
      else
        jobs_.push_back(std::move(waiter));
      break;
    }
    if (kind == 1 && expiring_) {
      expiring_ = !expiry_pace_.run(slice, [&](std::size_t entries) { return !store.expire(entries); });
      break;
    }
    if (kind == 2 && purging_) {
      purging_ = !purge_pace_.run(slice, [&](std::size_t entries) { return !store.purge(entries); });
      break;
    }
  }
  if (!jobs_.empty() || expiring_ || purging_) need_turn();
}

void Server::need_attention() {
  if (attention_posted_ || stopping_) return;
  attention_posted_ = true;
  boost::asio::post(loop_, [this] {
    attention_posted_ = false;
    if (!stopping_) attend();
  });
}

void Server::attend() {
  Coordinator& coordinator = service_.coordinator();
  const Coordinator::Decisions decided = coordinator.attend();
  const auto answer = [this](ClientId client, const auto& write) {
    const auto found = connections_.find(client);
    if (found == connections_.end()) return;
    const std::shared_ptr<Connection> connection = found->second;
    connection->answer(write);
  };
  for (const LeaseDecision& d : decided.leases)
    answer(d.client, [&](resp::ReplyWriter& reply) { write_lease_outcome(reply, d.outcome, d.token); });
  for (const LockDecision& d : decided.locks)
    answer(d.client, [&](resp::ReplyWriter& reply) { write_lock_outcome(reply, d.outcome, d.fence); });
  // A timer that is set too early costs one look; to move it with each lock would cost a system call each.
  const Millis next = coordinator.next_deadline();
  if (next >= coordinator.watched()) return;
  coordinator.set_watched(next);
  deadline_timer_.expires_after(std::chrono::milliseconds(std::max<Millis>(next - coordinator.now(), 0)));
  deadline_timer_.async_wait([this](const boost::system::error_code& error) {
    if (error || stopping_) return;
    service_.coordinator().set_watched(kNoDeadline);
    attend();
  });
}

bool Server::load_some() {
  if (loader_->step(service_.store(), kEntriesPerLoad)) return true;
  service_.set_loading(false);
  if (loader_->state() == SnapshotLoader::State::kRejected)
    spdlog::error("snapshot rejected, starting empty: {}; kept as {}", loader_->message(), loader_->kept_as());
  else
    spdlog::info("snapshot read: {} entries, {} left out", loader_->loaded(), loader_->skipped());
  return false;
}

void Server::stop(bool save) {
  if (stopping_) return;
  stopping_ = true;
  save_ = save;
  // The file is marked used: what is not read now would be lost.
  if (service_.loading())
    while (load_some()) {
    }
  service_.store().end_lease();
  for (Listener& listener : listeners_) {
    boost::system::error_code ignored;
    listener.acceptor.close(ignored);
  }
  for (auto next = connections_.begin(); next != connections_.end();) {
    const std::shared_ptr<Connection> connection = next->second;
    ++next;
    connection->flush_and_close();
  }
  jobs_.clear();
  held_.clear();
  loop_.stop();
}

}  // namespace coppice::daemon
