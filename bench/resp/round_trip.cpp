// The least that a request to another process costs here: 120 bytes to an epoll echo server over a unix socket and
// back.
//
//   round_trip [--count 200000]
//
// One line of JSON: the median and the 99th percentile in microseconds.
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <vector>

#include "connection.h"

namespace {

constexpr std::size_t kSize = 120;

[[noreturn]] void serve(int fd) {
  const int poll = epoll_create1(0);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event);
  char buffer[4096];
  for (;;) {
    if (epoll_wait(poll, &event, 1, -1) < 1) continue;
    const ssize_t n = read(fd, buffer, sizeof buffer);
    if (n <= 0 || write(fd, buffer, static_cast<std::size_t>(n)) != n) _exit(0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv, "round_trip [--count N]");
  const long count = static_cast<long>(arguments.number("count", 200'000));
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) bench::fail("socketpair");
  const pid_t server = fork();
  if (server == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(ends[0]);
    serve(ends[1]);
  }
  close(ends[1]);
  std::vector<double> times;
  char out[kSize] = {}, in[kSize];
  for (long i = 0; i < count; ++i) {
    const auto start = std::chrono::steady_clock::now();
    if (write(ends[0], out, kSize) != static_cast<ssize_t>(kSize)) bench::fail("write");
    for (std::size_t got = 0; got < kSize;) {
      const ssize_t n = read(ends[0], in + got, kSize - got);
      if (n <= 0) bench::fail("read");
      got += static_cast<std::size_t>(n);
    }
    if (i >= count / 10)
      times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
  }
  close(ends[0]);
  waitpid(server, nullptr, 0);
  std::sort(times.begin(), times.end());
  std::printf("{\"bench\":\"rtt\",\"what\":\"bare echo\",\"p50\":%.2f,\"p99\":%.2f}\n", times[times.size() / 2],
              times[times.size() * 99 / 100]);
  return 0;
}
