#include "processes.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "board.h"

namespace torture {

pid_t spawn(const std::vector<std::string>& arguments, int kept, const std::string& output) {
  std::vector<char*> argv;
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid != 0) return pid;
  // Nobody outlives the test, however that ends.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  if (kept >= 0) fcntl(kept, F_SETFD, 0);
  if (!output.empty()) {
    const int log = open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(log, 1);
    dup2(log, 2);
    if (log > 2) close(log);
  }
  execv(argv[0], argv.data());
  std::fprintf(stderr, "cannot run %s: %s\n", argv[0], std::strerror(errno));
  _exit(127);
}

bool wait_for(pid_t pid, int timeout_ms, int* status) {
  for (const std::int64_t until = now_ms() + timeout_ms;;) {
    if (waitpid(pid, status, WNOHANG) == pid) return true;
    if (now_ms() >= until) return false;
    usleep(2000);
  }
}

std::string describe(int status) {
  if (WIFEXITED(status)) return "exit status " + std::to_string(WEXITSTATUS(status));
  return "signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
}

}  // namespace torture
