// A peer at the end of a unix socket that does what a test wants: the ways in which an owner can be broken or hostile.
#pragma once

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.h"

// A directory that only we may enter... and, where a test drops its rights, `other` too.
struct TemporaryDirectory {
  std::string path;
  TemporaryDirectory() {
    char name[] = "/tmp/coppice-client-XXXXXX";
    path = mkdtemp(name);
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path); }
};

class FakeOwner {
 public:
  // `serve` has one connection, which is closed when it returns; called for each in turn.
  explicit FakeOwner(std::function<void(int)> serve) : serve_(std::move(serve)) {
    listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, path().c_str());
    REQUIRE(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(listen(listener_, 16) == 0);
    thread_ = std::thread([this] {
      for (;;) {
        const int connection = accept(listener_, nullptr, nullptr);
        if (connection < 0) return;
        ++connections_;
        serve_(connection);
        close(connection);
      }
    });
  }
  ~FakeOwner() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  std::string path() const { return directory_.path + "/sock"; }
  int connections() const { return connections_; }

 private:
  TemporaryDirectory directory_;
  std::function<void(int)> serve_;
  int listener_;
  std::atomic<int> connections_{0};
  std::thread thread_;
};

inline void say(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

inline void say_with(int fd, std::string_view bytes, const std::vector<int>& descriptors) {
  alignas(cmsghdr) char control[CMSG_SPACE(64 * sizeof(int))] = {};
  iovec vector{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr message{};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  if (!descriptors.empty()) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(descriptors.size() * sizeof(int));
    cmsghdr* c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
    std::memcpy(CMSG_DATA(c), descriptors.data(), descriptors.size() * sizeof(int));
  }
  sendmsg(fd, &message, MSG_NOSIGNAL);
}

// Waits for the next request; false: the client is gone.
inline bool hear(int fd) {
  char buffer[4096];
  return recv(fd, buffer, sizeof buffer, 0) > 0;
}
// Returns when the client is gone.
inline void hear_all(int fd) {
  while (hear(fd)) {
  }
}
