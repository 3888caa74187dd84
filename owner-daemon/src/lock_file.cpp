#include "lock_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace coppice::daemon {

namespace {

constexpr Version kStride = 1ull << 40;  // eight million unclean ends before versions pass 2^63

std::string because(const std::string& what) { return what + ": " + std::strerror(errno); }

}  // namespace

std::unique_ptr<LockFile> LockFile::acquire(const std::string& socket_path, std::string* error) {
  std::unique_ptr<LockFile> lock(new LockFile);
  lock->path_ = socket_path + ".lock";
  lock->fd_ = open(lock->path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (lock->fd_ < 0) {
    *error = because("cannot open the lock file " + lock->path_);
    return nullptr;
  }
  if (flock(lock->fd_, LOCK_EX | LOCK_NB) != 0) {
    *error = errno == EWOULDBLOCK ? "another owner serves " + socket_path + " (it holds " + lock->path_ + ")"
                                  : because("cannot lock " + lock->path_);
    return nullptr;
  }
  char text[128] = {};
  const ssize_t n = pread(lock->fd_, text, sizeof text - 1, 0);
  char state[16] = {};
  unsigned long long ceiling = 0;
  if (n > 0 && std::sscanf(text, "coppice-lock 1 %15s %llu", state, &ceiling) == 2) {
    lock->clean_ = std::string_view(state) == "clean";
    lock->ceiling_ = ceiling;
  } else {
    // A new file beside a socket that is there: somebody removed the old one, and nothing is known.
    struct stat unused;
    lock->clean_ = n == 0 && lstat(socket_path.c_str(), &unused) != 0;
  }
  return lock;
}

LockFile::~LockFile() {
  if (fd_ >= 0) close(fd_);
}

bool LockFile::write(const char* state, Version ceiling, std::string* error) {
  char text[64];
  const int n =
      std::snprintf(text, sizeof text, "coppice-lock 1 %s %020llu\n", state, static_cast<unsigned long long>(ceiling));
  if (pwrite(fd_, text, static_cast<std::size_t>(n), 0) != n || ftruncate(fd_, n) != 0 || fdatasync(fd_) != 0) {
    *error = because("cannot write " + path_);
    return false;
  }
  ceiling_ = ceiling;
  return true;
}

bool LockFile::cover(Version newest, std::string* error) {
  if (!clean_ && ceiling_ >= newest && ceiling_ - newest > kStride / 2) return true;
  if (!write("running", newest + kStride, error)) return false;
  clean_ = false;
  return true;
}

bool LockFile::end(Version newest, std::string* error) { return write("clean", newest, error); }

}  // namespace coppice::daemon
