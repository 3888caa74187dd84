// coppiced: the owner of a cache. One process, one loop, one writer.

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>

#include "config.h"
#include "coppice/client.h"
#include "coppice/snapshot.h"
#include "coppice/store.h"
#include "descriptors.h"
#include "listeners.h"
#include "lock_file.h"
#include "server.h"
#include "service.h"
#include "version.h"

namespace coppice::daemon {
namespace {

// Beyond the lease itself: the coarse clock's step, and the time in which a killed owner's sockets close.
constexpr Millis kLeaseMargin = 50;

int fail(const std::string& message) {
  spdlog::critical("{}", message);
  return 1;
}

int serve(const Config& config) {
  std::string error;
  const auto lock = LockFile::acquire(config.socket, &error);
  if (lock == nullptr) return fail(error);
  const Millis locked_at = coarse_now();
  const bool clean = lock->ended_cleanly();

  std::unique_ptr<SnapshotLoader> loader;
  if (!config.snapshot.empty()) {
    loader = std::make_unique<SnapshotLoader>(config.snapshot);
    if (loader->state() == SnapshotLoader::State::kRejected)
      spdlog::error("snapshot rejected, starting empty: {}; kept as {}", loader->message(), loader->kept_as());
  }

  StoreOptions options;
  options.max_memory = config.max_memory;
  options.max_value = config.max_value;
  options.databases = config.databases;
  options.policy = config.policy;
  options.huge_pages = config.huge_pages;
  options.shared = true;
  options.clock = &system_clock();
  options.version_floor = std::max(lock->ceiling(), loader != nullptr ? loader->newest_version() : 0);
  Store::CreateError refused;
  const auto store = Store::create(options, &refused);
  if (store == nullptr) return fail(refused.message);
  if (!lock->cover(store->newest_version(), &error)) return fail(error);

  // The loop's end destroys what still waits in it, connections among them: they need the service.
  Service service(*store, config, system_clock());
  boost::asio::io_context loop(1);
  Server server(loop, service, *lock, loader.get());

  const int descriptor = listen_unix(config, &error);
  if (descriptor < 0) return fail(error);
  server.listen(descriptor, AF_UNIX);
  if (others_can_replace(config.socket))
    spdlog::warn("the directory of {} can be written by others, who can put their own socket there", config.socket);
  spdlog::info("coppiced {} serves {} with {} bytes, {}", kVersion, config.socket, config.max_memory,
               policy_name(config.policy));
  for (const Endpoint& endpoint : config.listen) {
    std::uint16_t port = 0;
    const int tcp = listen_tcp(endpoint, service.acl().default_is_open(), &port, &error);
    if (tcp < 0) {
      unlink(config.socket.c_str());
      return fail(error);
    }
    server.listen(tcp, endpoint.host.find(':') == std::string::npos ? AF_INET : AF_INET6);
    service.set_tcp_port(port);
    spdlog::info("listening on {}:{}", endpoint.host, port);
  }

  if (config.tls.port) {
    std::uint16_t port = 0;
    const int tcp = server.serve_tls(&error) ? listen_tcp({config.tls.bind, *config.tls.port},
                                                          service.acl().default_is_open(), &port, &error)
                                             : -1;
    if (tcp < 0) {
      unlink(config.socket.c_str());
      return fail(error);
    }
    server.listen(tcp, config.tls.bind.find(':') == std::string::npos ? AF_INET : AF_INET6, true);
    service.set_tls_port(port);
    spdlog::info("listening on {}:{} with TLS", config.tls.bind, port);
  }

  server.run(clean ? 0 : locked_at + layout::kLease + kLeaseMargin);

  unlink(config.socket.c_str());
  int status = 0;
  if (server.save() && !config.snapshot.empty()) {
    if (write_snapshot(*store, config.snapshot, &error)) {
      spdlog::info("snapshot written to {}", config.snapshot);
    } else {
      spdlog::error("snapshot not written: {}", error);
      status = 1;
    }
  }
  if (!lock->end(store->newest_version(), &error)) return fail(error);
  spdlog::info("ended");
  return status;
}

}  // namespace
}  // namespace coppice::daemon

int main(int argc, char** argv) {
  using namespace coppice::daemon;
  Config config;
  std::string text;
  switch (read_config(argc, argv, &config, &text)) {
    case ConfigOutcome::kPrintAndExit:
      std::fputs(text.c_str(), stdout);
      return std::fflush(stdout) == 0 ? 0 : 1;
    case ConfigOutcome::kRefused:
      std::fprintf(stderr, "coppiced: %s\n", text.c_str());
      return 2;
    case ConfigOutcome::kRun:
      break;
  }
  // OpenSSL writes to sockets without MSG_NOSIGNAL.
  std::signal(SIGPIPE, SIG_IGN);
  spdlog::set_default_logger(spdlog::stderr_logger_st("coppiced"));
  spdlog::set_pattern("%Y-%m-%d %H:%M:%S.%e %l: %v");
  spdlog::set_level(spdlog::level::from_str(config.log_level));
  // Processes of our own uid could write our memory, and the segment, through /proc otherwise.
  if (prctl(PR_SET_DUMPABLE, 0) != 0) spdlog::warn("PR_SET_DUMPABLE failed: the owner's memory is not protected");
  if (const std::uint64_t possible = allow_descriptors(config.max_clients); possible < config.max_clients)
    spdlog::warn("the limit of open files lets {} clients in, fewer than --max-clients {}", possible,
                 config.max_clients);
  try {
    return serve(config);
  } catch (const std::exception& e) {
    spdlog::critical("{}", e.what());
    return 1;
  }
}
