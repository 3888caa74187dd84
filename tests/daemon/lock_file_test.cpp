#include "lock_file.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/catch.h"

using coppice::daemon::LockFile;

namespace {

struct Directory {
  Directory() {
    std::string pattern = "/tmp/coppice-lock-XXXXXX";
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path = pattern;
  }
  ~Directory() { std::filesystem::remove_all(path); }
  std::string socket() const { return path + "/s"; }
  std::string path;
};

}  // namespace

TEST_CASE("only one can hold the lock, and it is free again afterwards") {
  const Directory dir;
  std::string error;
  auto first = LockFile::acquire(dir.socket(), &error);
  REQUIRE(first != nullptr);
  CHECK(LockFile::acquire(dir.socket(), &error) == nullptr);
  CHECK(error.find("another owner serves " + dir.socket()) != std::string::npos);
  first.reset();
  CHECK(LockFile::acquire(dir.socket(), &error) != nullptr);
}

TEST_CASE("the first owner follows nobody; after a clean end the next need not wait") {
  const Directory dir;
  std::string error;
  auto lock = LockFile::acquire(dir.socket(), &error);
  REQUIRE(lock != nullptr);
  CHECK(lock->ended_cleanly());
  CHECK(lock->ceiling() == 0);
  REQUIRE(lock->cover(1000, &error));
  REQUIRE(lock->end(1500, &error));
  lock.reset();
  lock = LockFile::acquire(dir.socket(), &error);
  CHECK(lock->ended_cleanly());
  CHECK(lock->ceiling() == 1500);
}

TEST_CASE("an owner that ended without a word leaves a ceiling above all its versions") {
  const Directory dir;
  std::string error;
  auto lock = LockFile::acquire(dir.socket(), &error);
  REQUIRE(lock->cover(1000, &error));
  const auto covered = lock->ceiling();
  CHECK(covered > 1000 + (1ull << 38));
  REQUIRE(lock->cover(1001, &error));
  CHECK(lock->ceiling() == covered);
  REQUIRE(lock->cover(covered - 5, &error));
  CHECK(lock->ceiling() > covered + (1ull << 38));
  const auto last = lock->ceiling();
  lock.reset();
  lock = LockFile::acquire(dir.socket(), &error);
  CHECK_FALSE(lock->ended_cleanly());
  CHECK(lock->ceiling() == last);
}

TEST_CASE("what can't be read, or was removed beside a socket, counts as an unclean end") {
  const Directory dir;
  std::string error;
  std::ofstream(dir.socket() + ".lock") << "something else";
  auto lock = LockFile::acquire(dir.socket(), &error);
  REQUIRE(lock != nullptr);
  CHECK_FALSE(lock->ended_cleanly());
  lock.reset();
  std::filesystem::remove(dir.socket() + ".lock");
  std::ofstream(dir.socket()) << "";
  lock = LockFile::acquire(dir.socket(), &error);
  REQUIRE(lock != nullptr);
  CHECK_FALSE(lock->ended_cleanly());
}

TEST_CASE("a link in place of the lock file is not followed") {
  const Directory dir;
  std::string error;
  std::ofstream(dir.path + "/victim") << "precious";
  REQUIRE(symlink((dir.path + "/victim").c_str(), (dir.socket() + ".lock").c_str()) == 0);
  CHECK(LockFile::acquire(dir.socket(), &error) == nullptr);
  CHECK(error.find(dir.socket() + ".lock") != std::string::npos);
}

TEST_CASE("the lock file is the owner's alone") {
  const Directory dir;
  std::string error;
  const auto lock = LockFile::acquire(dir.socket(), &error);
  struct stat s;
  REQUIRE(stat((dir.socket() + ".lock").c_str(), &s) == 0);
  CHECK((s.st_mode & 0777) == 0600);
}
