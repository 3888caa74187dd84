// Somebody else on the host, not root, who may attach, tries every way to change what others read.
#include <fcntl.h>
#include <grp.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>

#include <cstring>
#include <fstream>

#include "coppice/layout.h"
#include "owner_process.h"

using namespace coppice;

namespace {

constexpr uid_t kNobody = 65534;
constexpr char kMark[] = "CHANGED BY AN ATTACKER";

// The attacker's view: what the owner sent, and one line for each way that was tried.
struct Attacker {
  pid_t owner;
  int segment = -1;
  int hints = -1;
  off_t size = 0;
  int out;

  void line(const std::string& text) {
    const std::string full = text + "\n";
    if (write(out, full.data(), full.size()) < 0) _exit(3);
  }
  // `done` is whether it worked, which it must not.
  void tried(const std::string& way, bool done) {
    const int error = errno;
    line((done ? "BREACH " : "refused ") + way + (done ? "" : std::string(": ") + std::strerror(error)));
  }

  bool attach(const std::string& path) {
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, path.c_str());
    if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return false;
    const std::string request = "*2\r\n$6\r\nATTACH\r\n$1\r\n1\r\n";
    if (write(fd, request.data(), request.size()) < 0) return false;
    char bytes[4096];
    alignas(cmsghdr) char control[CMSG_SPACE(8 * sizeof(int))];
    iovec vector{bytes, sizeof bytes};
    msghdr message{};
    message.msg_iov = &vector;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    if (recvmsg(fd, &message, 0) <= 0) return false;
    const cmsghdr* c = CMSG_FIRSTHDR(&message);
    if (c == nullptr || c->cmsg_type != SCM_RIGHTS || c->cmsg_len != CMSG_LEN(2 * sizeof(int))) return false;
    std::memcpy(&segment, CMSG_DATA(c), sizeof(int));
    std::memcpy(&hints, CMSG_DATA(c) + sizeof(int), sizeof(int));
    size = lseek(segment, 0, SEEK_END);
    return size > 0;
  }

  // Whether these bytes can be changed through the descriptor.
  void descriptor(int fd, const std::string& name) {
    void* p = mmap(nullptr, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    tried(name + ": mmap writable", p != MAP_FAILED);
    p = mmap(nullptr, 65536, PROT_WRITE, MAP_SHARED, fd, 0);
    tried(name + ": mmap write-only", p != MAP_FAILED);
    p = mmap(nullptr, 65536, PROT_READ | PROT_WRITE, MAP_SHARED_VALIDATE, fd, 0);
    tried(name + ": mmap validated", p != MAP_FAILED);
    tried(name + ": write", lseek(fd, 0, SEEK_SET) == 0 && write(fd, kMark, sizeof kMark) > 0);
    tried(name + ": pwrite", pwrite(fd, kMark, sizeof kMark, 4096) > 0);
    const iovec vector{const_cast<char*>(kMark), sizeof kMark};
    tried(name + ": pwritev2", pwritev2(fd, &vector, 1, 4096, 0) > 0);
    tried(name + ": shrink", ftruncate(fd, 4096) == 0);
    tried(name + ": grow", ftruncate(fd, size + 65536) == 0);
    tried(name + ": punch a hole", fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096) == 0);
    tried(name + ": zero a range", fallocate(fd, FALLOC_FL_ZERO_RANGE, 0, 4096) == 0);
    const int other = memfd_create("other", 0);
    if (write(other, kMark, sizeof kMark) < 0) _exit(3);
    off_t from = 0;
    tried(name + ": sendfile", sendfile(fd, other, &from, sizeof kMark) > 0);
    loff_t in = 0, at = 4096;
    tried(name + ": copy_file_range", copy_file_range(other, &in, fd, &at, sizeof kMark, 0) > 0);
    int ends[2];
    if (pipe(ends) != 0 || write(ends[1], kMark, sizeof kMark) < 0) _exit(3);
    at = 4096;
    tried(name + ": splice", splice(ends[0], nullptr, fd, &at, sizeof kMark, 0) > 0);
    close(other);
    close(ends[0]);
    close(ends[1]);
  }

  void mapping() {
    void* p = mmap(nullptr, static_cast<std::size_t>(size), PROT_READ, MAP_SHARED, segment, 0);
    if (p == MAP_FAILED) {
      line("BREACH of the test: no mapping to read");
      return;
    }
    tried("mprotect writable", mprotect(p, 65536, PROT_READ | PROT_WRITE) == 0);
    tried("mprotect write-only", mprotect(p, 65536, PROT_WRITE) == 0);
    tried("madvise(MADV_REMOVE)", madvise(p, 65536, MADV_REMOVE) == 0);
    void* moved = mremap(p, 65536, 65536, MREMAP_MAYMOVE);
    tried("mremap, then mprotect", moved != MAP_FAILED && mprotect(moved, 65536, PROT_READ | PROT_WRITE) == 0);
    p = moved;
    // The kernel's own way round the protection of a mapping, meant for debuggers.
    const int memory = open("/proc/self/mem", O_RDWR);
    tried("write into /proc/self/mem",
          memory >= 0 &&
              pwrite(memory, kMark, sizeof kMark, static_cast<off_t>(reinterpret_cast<std::uintptr_t>(p))) > 0);
    const pid_t me = getpid();
    const iovec from{const_cast<char*>(kMark), sizeof kMark}, to{p, sizeof kMark};
    tried("process_vm_writev to ourselves", process_vm_writev(me, &from, 1, &to, 1, 0) > 0);
    // A child that lets itself be traced, with the segment mapped.
    const pid_t child = fork();
    if (child == 0) {
      ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
      raise(SIGSTOP);
      _exit(0);
    }
    waitpid(child, nullptr, 0);
    errno = 0;
    tried("ptrace(POKEDATA) into a mapping of our own child",
          ptrace(PTRACE_POKEDATA, child, p, reinterpret_cast<void*>(0x4141414141414141)) == 0);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    // Reading a file straight into the mapping.
    int ends[2];
    if (pipe(ends) != 0 || write(ends[1], kMark, sizeof kMark) < 0) _exit(3);
    tried("read() into the mapping", read(ends[0], p, sizeof kMark) > 0);
    // Private copies may be written; they are nobody else's.
    void* own = mmap(nullptr, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE, segment, 0);
    if (own != MAP_FAILED) std::memcpy(own, kMark, sizeof kMark);
    tried("a private copy shows in the shared mapping", own != MAP_FAILED && std::memcmp(p, kMark, sizeof kMark) == 0);
  }

  void reopening() {
    const std::string mine = "/proc/self/fd/" + std::to_string(segment);
    for (const int flags : {O_RDWR, O_WRONLY, O_RDWR | O_TRUNC, O_RDWR | O_APPEND}) {
      const int fd = open(mine.c_str(), flags);
      if (fd < 0)
        tried("reopen with flags " + std::to_string(flags), false);
      else
        descriptor(fd, "reopened with flags " + std::to_string(flags));
      if (fd >= 0) close(fd);
    }
    tried("fcntl(F_ADD_SEALS)", fcntl(segment, F_ADD_SEALS, F_SEAL_WRITE) == 0);
    tried("fchmod", fchmod(segment, 0777) == 0);
    tried("fchown", fchown(segment, kNobody, kNobody) == 0);
    const std::string theirs = "/proc/" + std::to_string(owner);
    for (int n = 0; n < 64; ++n) {
      const int fd = open((theirs + "/fd/" + std::to_string(n)).c_str(), O_RDWR);
      if (fd >= 0 || errno == EACCES) tried("open the owner's descriptor " + std::to_string(n), fd >= 0);
      if (n >= 8 && fd < 0) break;
    }
    tried("open the owner's memory for writing", open((theirs + "/mem").c_str(), O_RDWR) >= 0);
    tried("open the owner's memory for reading", open((theirs + "/mem").c_str(), O_RDONLY) >= 0);
    tried("list the owner's mapped files",
          open((theirs + "/map_files").c_str(), O_RDONLY | O_DIRECTORY) >= 0 &&
              std::filesystem::directory_iterator(theirs + "/map_files") != std::filesystem::directory_iterator());
    tried("read the owner's mappings",
          !std::string(std::istreambuf_iterator<char>(std::ifstream(theirs + "/maps").rdbuf()), {}).empty());
  }

  void process() {
    tried("ptrace(PTRACE_ATTACH)", ptrace(PTRACE_ATTACH, owner, nullptr, nullptr) == 0);
    tried("ptrace(PTRACE_SEIZE)", ptrace(PTRACE_SEIZE, owner, nullptr, nullptr) == 0);
    char bytes[64] = {};
    const iovec own{bytes, sizeof bytes};
    // An address that is surely mapped in any process need not be known: permission is asked for first.
    const iovec there{reinterpret_cast<void*>(0x400000), sizeof bytes};
    tried("process_vm_writev", process_vm_writev(owner, &own, 1, &there, 1, 0) >= 0);
    tried("process_vm_readv", process_vm_readv(owner, &own, 1, &there, 1, 0) >= 0);
    tried("kill", kill(owner, 0) == 0);
    const auto pidfd = static_cast<int>(syscall(SYS_pidfd_open, owner, 0));
    for (int n = 0; n < 16; ++n) {
      const long stolen = syscall(SYS_pidfd_getfd, pidfd, n, 0);
      tried("pidfd_getfd " + std::to_string(n), stolen >= 0);
    }
  }

  void hint_page() {
    tried("hint page: shrink", ftruncate(hints, 0) == 0);
    tried("hint page: grow", ftruncate(hints, 1 << 20) == 0);
    // Its own page it may scribble on as it likes.
    void* p = mmap(nullptr, layout::kHintSize, PROT_READ | PROT_WRITE, MAP_SHARED, hints, 0);
    if (p == MAP_FAILED) {
      line("BREACH of the test: the hint page cannot be mapped");
      return;
    }
    auto* page = static_cast<std::uint64_t*>(p);
    for (int round = 0; round < 50; ++round) {
      for (std::uint32_t i = 0; i < layout::kHintSize / 8; ++i)
        page[i] = round % 5 == 0   ? ~0ull
                  : round % 5 == 1 ? i * 8
                  : round % 5 == 2 ? static_cast<std::uint64_t>(size) + i
                                   : random();
      usleep(5000);
    }
    line("scribbled");
  }
};

}  // namespace

TEST_CASE("a worker of another uid cannot change the segment") {
  if (geteuid() != 0) {
    WARN("skipped: a worker of another uid cannot change the segment (needs root to become somebody else)");
    return;
  }
  OwnerProcess owner({"--socket-mode", "0666", "--max-memory", "8M", "--policy", "allkeys-lru"});
  REQUIRE(chmod(owner.directory().c_str(), 0755) == 0);
  Client client({.path = owner.socket()});
  for (int i = 0; i < 1000; ++i) {
    const std::string key = "key." + std::to_string(i), value = "value." + std::to_string(i);
    REQUIRE(client.call({"TSET", key, "0", value}));
  }

  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    if (setgroups(0, nullptr) != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0 || setuid(0) == 0) _exit(2);
    // As a worker is: exec'd by somebody else, hence able to look into its own /proc.
    prctl(PR_SET_DUMPABLE, 1);
    Attacker attacker{.owner = owner.pid(), .out = ends[1]};
    if (!attacker.attach(owner.socket())) {
      attacker.line("BREACH of the test: cannot attach");
      _exit(2);
    }
    attacker.descriptor(attacker.segment, "descriptor");
    attacker.mapping();
    attacker.reopening();
    attacker.process();
    attacker.hint_page();
    attacker.line("end");
    _exit(0);
  }
  close(ends[1]);
  std::string report;
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) report.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = -1;
  waitpid(pid, &status, 0);
  INFO(report);
  CHECK(status == 0);
  CHECK(report.find("BREACH") == std::string::npos);
  CHECK(report.find("refused descriptor: mmap writable") != std::string::npos);
  CHECK(report.find("refused ptrace(PTRACE_ATTACH)") != std::string::npos);
  CHECK(report.find("scribbled\nend\n") != std::string::npos);

  // The owner lives, and everything is as it was.
  const Reader* reader = client.reader();
  REQUIRE(reader != nullptr);
  const char* bytes = reinterpret_cast<const char*>(&reader->header());
  const std::string_view all(bytes, reader->resident_high_water());
  CHECK(all.find(kMark) == std::string_view::npos);
  for (int i = 0; i < 1000; ++i) REQUIRE(value_of(client, "key." + std::to_string(i)) == "value." + std::to_string(i));
  const auto reply = client.call({"TSET", "after", "0", "all"});
  REQUIRE(reply);
  CHECK(value_of(client, "after") == "all");
}
