// Who a thread is among those that wait for each other at an owner: a random number, another one in a forked child.
//
// Thread safety: none; each thread has its own.
#pragma once

#include <sys/random.h>
#include <unistd.h>

#include <cstdint>

namespace coppice::php {

// Random bytes that no other process has; not for secrets of long standing.
inline void fill_random(void* to, std::size_t n) {
  while (getrandom(to, n, 0) != static_cast<ssize_t>(n)) {
  }
}

class Party {
 public:
  std::uint64_t id() {
    if (const pid_t now = getpid(); now != pid_) begin(now);
    return id_;
  }
  // Of the open interval (0, 1); for probabilities. REQUIRES: id() was called in this process, or chance may repeat
  // that of the parent.
  double chance() {
    if (state_ == 0) id();
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return (static_cast<double>(state_ >> 11) + 0.5) * 0x1p-53;
  }

 private:
  void begin(pid_t now) {
    std::uint64_t random[2];
    fill_random(random, sizeof random);
    id_ = random[0] | 1;
    state_ = random[1] | 1;
    pid_ = now;
  }
  pid_t pid_ = -1;
  std::uint64_t id_ = 0;
  std::uint64_t state_ = 0;  // of a xorshift generator (Marsaglia 2003)
};

}  // namespace coppice::php
