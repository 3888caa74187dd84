// A real coppiced on a private socket.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "coppice/client.h"
#include "support/catch.h"

class OwnerProcess {
 public:
  explicit OwnerProcess(std::vector<std::string> options = {}) : options_(std::move(options)) {
    char name[] = "/tmp/coppice-owner-XXXXXX";
    directory_ = mkdtemp(name);
    start();
  }
  ~OwnerProcess() {
    if (pid_ > 0) kill();
    std::filesystem::remove_all(directory_);
  }
  OwnerProcess(const OwnerProcess&) = delete;

  std::string socket() const { return directory_ + "/sock"; }
  const std::string& directory() const { return directory_; }
  pid_t pid() const { return pid_; }

  // Returns when it answers.
  void start() {
    std::vector<std::string> arguments{COPPICED, "--socket", socket(), "--log-level", "warning"};
    arguments.insert(arguments.end(), options_.begin(), options_.end());
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(127);
      const int log = open((directory_ + "/log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
      dup2(log, 2);
      std::vector<char*> argv;
      for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
      argv.push_back(nullptr);
      execv(argv[0], argv.data());
      _exit(127);
    }
    coppice::Client client({.path = socket()});
    for (int i = 0; i < 4000; ++i) {
      if (client.call({"PING"}) || client.link_state() == coppice::LinkState::kDenied) return;
      int status;
      if (waitpid(pid_, &status, WNOHANG) == pid_) {
        pid_ = 0;
        FAIL("coppiced did not start: " << log());
      }
      usleep(5000);
    }
    FAIL("coppiced does not answer: " << client.last_failure());
  }
  void kill() {
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  // SIGTERM; the exit status.
  int end() {
    ::kill(pid_, SIGTERM);
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  void signal(int number) { ::kill(pid_, number); }
  std::string log() const {
    std::ifstream in(directory_ + "/log");
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::string directory_;
  std::vector<std::string> options_;
  pid_t pid_ = 0;
};

// The value, or nothing.
inline std::optional<std::string> value_of(coppice::Client& client, std::string_view key,
                                           coppice::ReadInfo* info = nullptr) {
  coppice::ReadInfo unused;
  std::string value;
  const auto status = client.read(
      key,
      [&](const coppice::ReadInfo& e) {
        value.resize(e.value_size);
        return value.data();
      },
      info != nullptr ? info : &unused);
  if (status != coppice::ReadStatus::kHit) return std::nullopt;
  return value;
}
