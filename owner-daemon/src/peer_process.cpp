#include "peer_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace coppice::daemon {

namespace {

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

int peer_descriptor(int socket) {
  int descriptor = -1;
  socklen_t length = sizeof descriptor;
  // Since Linux 6.5; it can't be another process that got the same number meanwhile.
  if (getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &descriptor, &length) == 0) return descriptor;
  ucred peer{};
  length = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 || peer.pid <= 0) return -1;
  return static_cast<int>(syscall(SYS_pidfd_open, peer.pid, 0));
}

}  // namespace

int open_peer_process(int socket) {
  const int descriptor = peer_descriptor(socket);
  if (descriptor < 0) return -1;
  pollfd state{descriptor, POLLIN, 0};
  if (poll(&state, 1, 0) != 0) {
    close(descriptor);
    return -1;
  }
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return descriptor;
}

}  // namespace coppice::daemon
