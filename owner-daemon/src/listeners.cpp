#include "listeners.h"

#include <arpa/inet.h>
#include <grp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace coppice::daemon {

namespace {

constexpr int kBacklog = 1024;

std::string because(const std::string& what) { return what + ": " + std::strerror(errno); }

// Closes what it holds unless it is released.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }

 private:
  int fd_;
};

bool is_loopback(const sockaddr* address) {
  if (address->sa_family == AF_INET)
    return (ntohl(reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr) >> 24) == 127;
  if (address->sa_family == AF_INET6)
    return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
  return false;
}

}  // namespace

int listen_unix(const Config& config, std::string* error) {
  const std::string& path = config.socket;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);

  struct stat there;
  if (lstat(path.c_str(), &there) == 0) {
    if (!S_ISSOCK(there.st_mode)) {
      *error = path + " exists and is not a socket";
      return -1;
    }
    Descriptor probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (probe.get() >= 0 && (connect(probe.get(), generic, sizeof address) == 0 || errno == EAGAIN)) {
      *error = "another server listens on " + path;
      return -1;
    }
    if (unlink(path.c_str()) != 0) {
      *error = because("cannot replace the stale socket " + path);
      return -1;
    }
  }
  Descriptor listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (listener.get() < 0) {
    *error = because("socket");
    return -1;
  }
  // Nobody but ourselves can connect until mode and group are set.
  const mode_t before = umask(0177);
  const int bound = bind(listener.get(), generic, sizeof address);
  umask(before);
  if (bound != 0) {
    *error = because("cannot bind " + path);
    return -1;
  }
  if (!config.socket_group.empty()) {
    const group* g = getgrnam(config.socket_group.c_str());
    if (g == nullptr || chown(path.c_str(), static_cast<uid_t>(-1), g->gr_gid) != 0) {
      *error = because("cannot give " + path + " to the group " + config.socket_group);
      return -1;
    }
  }
  if (chmod(path.c_str(), config.socket_mode) != 0) {
    *error = because("cannot set the mode of " + path);
    return -1;
  }
  if (listen(listener.get(), kBacklog) != 0) {
    *error = because("cannot listen on " + path);
    return -1;
  }
  return listener.release();
}

bool others_can_replace(const std::string& socket_path) {
  const std::size_t slash = socket_path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : slash == 0 ? "/" : socket_path.substr(0, slash);
  struct stat s;
  if (stat(directory.c_str(), &s) != 0) return false;
  // In a sticky directory only a file's own user can remove it.
  return (s.st_mode & 022) != 0 && (s.st_mode & S_ISVTX) == 0;
}

int listen_tcp(const Endpoint& endpoint, bool open, std::uint16_t* port, std::string* error) {
  const std::string name = endpoint.host + ":" + std::to_string(endpoint.port);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int looked = getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &hints, &found);
  if (looked != 0) {
    *error = "--listen " + name + ": " + gai_strerror(looked);
    return -1;
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, freeaddrinfo);
  if (!is_loopback(found->ai_addr) && open) {
    *error = "--listen " + name + " can be reached from other hosts: set requirepass first";
    return -1;
  }
  Descriptor listener(socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  if (listener.get() < 0 || setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      bind(listener.get(), found->ai_addr, found->ai_addrlen) != 0 || listen(listener.get(), kBacklog) != 0) {
    *error = because("cannot listen on " + name);
    return -1;
  }
  sockaddr_storage bound{};
  socklen_t length = sizeof bound;
  if (getsockname(listener.get(), reinterpret_cast<sockaddr*>(&bound), &length) != 0) {
    *error = because("getsockname of " + name);
    return -1;
  }
  *port = ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6*>(&bound)->sin6_port
                                            : reinterpret_cast<const sockaddr_in*>(&bound)->sin_port);
  return listener.release();
}

}  // namespace coppice::daemon
