#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <atomic>

#include "coppice/client.h"
#include "coppice/store.h"
#include "fake_owner.h"

using namespace coppice;

namespace {

int open_descriptors() {
  int n = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) ++n;
  return n;
}

// Long, where an answer comes: the machine may be busy. Short, where none does.
constexpr int kPatient = 20'000, kImpatient = 200;

ClientOptions to(const FakeOwner& owner, int timeout_ms = kPatient) {
  return {.path = owner.path(), .timeout_ms = timeout_ms};
}

int hint_page() {
  const int fd = memfd_create("hints", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  REQUIRE(ftruncate(fd, layout::kHintSize) == 0);
  REQUIRE(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0);
  return fd;
}

// A real segment, and the honest answer to ATTACH for it.
struct Segment {
  std::unique_ptr<Store> store = Store::create({.max_memory = 4 << 20, .shared = true});
  int hints = hint_page();
  Segment() {
    REQUIRE(store);
    REQUIRE(store->set(0, "key", {ValueType::kString, "value"}));
    store->renew_lease();
  }
  ~Segment() { close(hints); }
  std::string generation() const {
    std::string digits;
    for (const std::uint8_t byte : store->header().generation) {
      digits += "0123456789abcdef"[byte >> 4];
      digits += "0123456789abcdef"[byte & 15];
    }
    return digits;
  }
  std::string answer() const {
    return "*3\r\n:1\r\n$32\r\n" + generation() + "\r\n:" + std::to_string(store->header().segment_size) + "\r\n";
  }
};

std::string read(Client& client, std::string_view key, ReadStatus* status) {
  std::string value;
  ReadInfo info;
  *status = client.read(
      key,
      [&](const ReadInfo& e) {
        value.resize(e.value_size);
        return value.data();
      },
      &info);
  return value;
}

// The client must come to this state, with this in its sentence; reads are misses and nothing leaks.
void refuses(const FakeOwner& owner, LinkState state, const std::string& words, int timeout_ms = kPatient) {
  const int before = open_descriptors();
  {
    Client client(to(owner, timeout_ms));
    ReadStatus status;
    read(client, "key", &status);
    CHECK(status == ReadStatus::kMiss);
    CHECK(!client.call({"PING"}));
    CHECK(client.link_state() == state);
    INFO(client.last_failure());
    CHECK(client.last_failure().find(words) != std::string::npos);
    CHECK(client.reader() == nullptr);
    CHECK(client.generation() == std::pair<std::uint64_t, std::uint64_t>{0, 0});
  }
  CHECK(open_descriptors() <= before + 1);  // the fake owner may not have closed its end yet
}

}  // namespace

TEST_CASE("an honest peer is attached to and read from") {
  Segment segment;
  FakeOwner owner([&](int fd) {
    if (!hear(fd)) return;
    say_with(fd, segment.answer(), {segment.store->descriptor(), segment.hints});
    hear_all(fd);
  });
  Client client(to(owner));
  ReadStatus status;
  CHECK(read(client, "key", &status) == "value");
  CHECK(status == ReadStatus::kHit);
  CHECK(read(client, "nothing", &status).empty());
  CHECK(status == ReadStatus::kMiss);
  CHECK(client.link_state() == LinkState::kReady);
  const void* page = mmap(nullptr, layout::kHintSize, PROT_READ, MAP_SHARED, segment.hints, 0);
  REQUIRE(page != MAP_FAILED);
  const auto* hints = static_cast<const layout::HintPage*>(page);
  CHECK(hints->hits.load() == 1);
  CHECK(hints->misses.load() == 1);
  CHECK(hints->head.load() == 1);
}

TEST_CASE("an answer may come byte by byte") {
  Segment segment;
  FakeOwner owner([&](int fd) {
    if (!hear(fd)) return;
    const std::string answer = segment.answer();
    say_with(fd, answer.substr(0, 1), {segment.store->descriptor(), segment.hints});
    for (std::size_t i = 1; i < answer.size(); ++i) say(fd, answer.substr(i, 1));
    while (hear(fd))
      for (const char c : std::string("$3\r\nabc\r\n")) say(fd, {&c, 1});
  });
  Client client(to(owner));
  const auto reply = client.call({"GET", "key"});
  REQUIRE(reply);
  CHECK(reply->text == "abc");
}

TEST_CASE("no socket, no listener, impossible paths") {
  TemporaryDirectory dir;
  const auto refused = [](const std::string& path, const std::string& words) {
    Client client({.path = path});
    CHECK(client.reader() == nullptr);
    CHECK(client.link_state() == LinkState::kUnreachable);
    INFO(client.last_failure());
    CHECK(client.last_failure().find(words) != std::string::npos);
    CHECK(!client.call({"PING"}));
  };
  refused(dir.path + "/nothing", "No such file");
  refused("", "empty");
  refused("/tmp/" + std::string(200, 'x'), "107 bytes");
  refused(std::string("/tmp/a\0b", 8), "NUL");
  const std::string stale = dir.path + "/stale";
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, stale.c_str());
  REQUIRE(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  close(fd);
  refused(stale, "Connection refused");
}

TEST_CASE("peers that are no owners of ours") {
  SECTION("closes at once") {
    FakeOwner owner([](int) {});
    const int before = open_descriptors();
    Client client(to(owner));
    CHECK(client.reader() == nullptr);
    CHECK(client.link_state() == LinkState::kUnreachable);
    CHECK(open_descriptors() <= before + 1);
  }
  SECTION("closes after the request") {
    FakeOwner owner([](int fd) { hear(fd); });
    refuses(owner, LinkState::kUnreachable, "closed the connection");
  }
  SECTION("speaks HTTP") {
    FakeOwner owner([](int fd) {
      hear(fd);
      say(fd, "HTTP/1.1 400 Bad Request\r\n\r\n");
    });
    refuses(owner, LinkState::kProtocol, "does not speak RESP");
  }
  SECTION("says nothing") {
    FakeOwner owner(hear_all);
    refuses(owner, LinkState::kUnreachable, "did not answer ATTACH within 200 ms", kImpatient);
  }
  SECTION("drips bytes without end") {
    std::atomic<bool> stop{false};
    FakeOwner owner([&](int fd) {
      hear(fd);
      say(fd, "+");
      for (int i = 0; i < 400 && !stop; ++i) {
        say(fd, "x");
        usleep(2000);
      }
    });
    refuses(owner, LinkState::kUnreachable, "did not answer ATTACH within 200 ms", kImpatient);
    stop = true;
  }
  SECTION("is a Redis") {
    FakeOwner owner([](int fd) {
      hear(fd);
      say(fd, "-ERR unknown command 'ATTACH', with args beginning with: '1' \r\n");
      hear_all(fd);
    });
    refuses(owner, LinkState::kProtocol, "the owner refused ATTACH: ERR unknown command");
  }
  SECTION("speaks another protocol number") {
    FakeOwner owner([](int fd) {
      hear(fd);
      say(fd, "-NOPROTO unsupported ATTACH protocol 1; this owner speaks 2\r\n");
      hear_all(fd);
    });
    refuses(owner, LinkState::kProtocol, "this owner speaks 2");
  }
  SECTION("wants a password") {
    FakeOwner owner([](int fd) {
      hear(fd);
      say(fd, "-NOAUTH Authentication required.\r\n");
      hear_all(fd);
    });
    refuses(owner, LinkState::kDenied, "NOAUTH");
  }
  SECTION("is loading") {
    FakeOwner owner([](int fd) {
      hear(fd);
      say(fd, "-LOADING Redis is loading the dataset in memory\r\n");
      hear_all(fd);
    });
    refuses(owner, LinkState::kLoading, "LOADING");
  }
}

TEST_CASE("answers to ATTACH that must not be believed") {
  Segment segment;
  const int good = segment.store->descriptor();
  const auto answering = [&](const std::string& answer, const std::vector<int>& descriptors, LinkState state,
                             const std::string& words) {
    FakeOwner owner([&](int fd) {
      hear(fd);
      say_with(fd, answer, descriptors);
      hear_all(fd);
    });
    refuses(owner, state, words);
  };
  SECTION("no descriptors") { answering(segment.answer(), {}, LinkState::kProtocol, "without its two descriptors"); }
  SECTION("one descriptor") {
    answering(segment.answer(), {good}, LinkState::kProtocol, "without its two descriptors");
  }
  SECTION("three descriptors") {
    answering(segment.answer(), {good, segment.hints, good}, LinkState::kProtocol, "more than two descriptors");
  }
  SECTION("more than fit") {
    answering(segment.answer(), std::vector<int>(40, good), LinkState::kProtocol, "more than two descriptors");
  }
  SECTION("no array") {
    answering("+OK\r\n", {good, segment.hints}, LinkState::kProtocol, "not [protocol, generation");
  }
  SECTION("an array of something else") {
    answering("*3\r\n+1\r\n+2\r\n+3\r\n", {good, segment.hints}, LinkState::kProtocol, "not [protocol, generation");
  }
  SECTION("too much") {
    answering(segment.answer() + ":1\r\n", {good, segment.hints}, LinkState::kProtocol, "more than the answers");
  }
  SECTION("another protocol") {
    std::string answer = segment.answer();
    answer[5] = '7';
    answering(answer, {good, segment.hints}, LinkState::kProtocol, "speaks ATTACH protocol 7, this client speaks 1");
  }
  SECTION("another generation") {
    std::string answer = segment.answer();
    char& digit = answer[answer.find("$32\r\n") + 5];
    digit = digit == '0' ? '1' : '0';
    answering(answer, {good, segment.hints}, LinkState::kForeign, "another generation");
  }
  SECTION("descriptors in the wrong order") {
    answering(segment.answer(), {segment.hints, good}, LinkState::kForeign, "hint page");
  }
  SECTION("an unsealed segment") {
    const int fd = memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    REQUIRE(ftruncate(fd, 4 << 20) == 0);
    answering(segment.answer(), {fd, segment.hints}, LinkState::kForeign, "not sealed");
    close(fd);
  }
  SECTION("a sealed memfd with anything in it") {
    const int fd = memfd_create("foreign", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    REQUIRE(ftruncate(fd, 4 << 20) == 0);
    REQUIRE(pwrite(fd, "no segment at all", 17, 0) == 17);
    REQUIRE(fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SHRINK | F_SEAL_GROW) == 0);
    answering(segment.answer(), {fd, segment.hints}, LinkState::kForeign, "not a Coppice segment");
    close(fd);
  }
  SECTION("a segment that is too short to be one") {
    const int fd = memfd_create("short", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    REQUIRE(ftruncate(fd, 100) == 0);
    REQUIRE(fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SHRINK | F_SEAL_GROW) == 0);
    answering(segment.answer(), {fd, segment.hints}, LinkState::kForeign, "cannot be used");
    close(fd);
  }
  SECTION("a hint page that could shrink under us") {
    const int fd = memfd_create("hints", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    REQUIRE(ftruncate(fd, layout::kHintSize) == 0);
    answering(segment.answer(), {good, fd}, LinkState::kForeign, "hint page");
    close(fd);
  }
  SECTION("a hint page of another size") {
    const int fd = memfd_create("hints", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    REQUIRE(ftruncate(fd, 4096) == 0);
    REQUIRE(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
    answering(segment.answer(), {good, fd}, LinkState::kForeign, "hint page");
    close(fd);
  }
  SECTION("pipes") {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    answering(segment.answer(), {ends[0], ends[1]}, LinkState::kForeign, "hint page");
    close(ends[0]);
    close(ends[1]);
  }
}

TEST_CASE("answers to a command that must not be believed") {
  Segment segment;
  const auto answering = [&](const std::string& answer, LinkState state, const std::string& words,
                             int timeout_ms = kPatient) {
    FakeOwner owner([&](int fd) {
      if (!hear(fd)) return;
      say_with(fd, segment.answer(), {segment.store->descriptor(), segment.hints});
      if (hear(fd)) say(fd, answer);
      hear_all(fd);
    });
    Client client(to(owner, timeout_ms));
    REQUIRE(client.reader() != nullptr);
    CHECK(!client.call({"GET", "key"}));
    CHECK(client.link_state() == state);
    INFO(client.last_failure());
    CHECK(client.last_failure().find(words) != std::string::npos);
    CHECK(client.generation() == std::pair<std::uint64_t, std::uint64_t>{0, 0});  // the mapping went with the socket
  };
  SECTION("garbage") { answering(std::string("\x00\xff garbage\r\n", 12), LinkState::kProtocol, "no RESP"); }
  SECTION("two answers to one question") { answering(":1\r\n:2\r\n", LinkState::kProtocol, "more than it was asked"); }
  SECTION("half an answer") { answering("$10\r\nabc", LinkState::kUnreachable, "did not answer within", 1000); }
  SECTION("an endless nest") {
    std::string nest;
    for (int i = 0; i < 100'000; ++i) nest += "*1\r\n";
    answering(nest, LinkState::kProtocol, "nested too deeply");
  }
  SECTION("a giant that is only announced") {
    answering("$536870912\r\nabc", LinkState::kUnreachable, "did not answer", 1000);
  }
}

TEST_CASE("reads do not wait for an owner that hangs, and read when it goes on") {
  Segment segment;
  std::atomic<bool> go_on{false};
  FakeOwner owner([&](int fd) {
    if (!hear(fd)) return;
    while (!go_on) usleep(1000);
    say_with(fd, segment.answer(), {segment.store->descriptor(), segment.hints});
    hear_all(fd);
  });
  Client client({.path = owner.path(), .timeout_ms = 600'000});
  ReadStatus status;
  for (int i = 0; i < 10'000; ++i) {
    read(client, "key", &status);
    REQUIRE(status == ReadStatus::kMiss);
  }
  CHECK(client.link_state() == LinkState::kUnreachable);
  CHECK(client.last_failure() == "the owner has not answered ATTACH yet");
  go_on = true;
  std::string value;
  while (value.empty()) value = read(client, "key", &status);
  CHECK(value == "value");
  CHECK(owner.connections() == 1);
}

TEST_CASE("a child of a process that was attaching attaches by itself") {
  Segment segment;
  std::atomic<bool> go_on{false};
  FakeOwner owner([&](int fd) {
    if (!hear(fd)) return;
    while (!go_on) usleep(1000);
    say_with(fd, segment.answer(), {segment.store->descriptor(), segment.hints});
    // One connection after the other: the child's waits until the parent's is closed.
    hear(fd);
  });
  auto client = std::make_unique<Client>(ClientOptions{.path = owner.path(), .timeout_ms = 600'000});
  CHECK(client->reader() == nullptr);
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t pid = fork();
  if (pid == 0) {
    char byte;
    if (::read(ends[0], &byte, 1) != 1) _exit(2);
    while (client->reader() == nullptr) usleep(1000);
    ReadStatus status;
    _exit(read(*client, "key", &status) == "value" ? 0 : 1);
  }
  go_on = true;
  ReadStatus status;
  while (read(*client, "key", &status) != "value") usleep(1000);
  client.reset();
  REQUIRE(write(ends[1], "x", 1) == 1);
  int result = -1;
  waitpid(pid, &result, 0);
  CHECK(result == 0);
  close(ends[0]);
  close(ends[1]);
}

TEST_CASE("an owner that hangs up after attaching is not connected to without pause") {
  Segment segment;
  FakeOwner owner([&](int fd) {
    if (hear(fd)) say_with(fd, segment.answer(), {segment.store->descriptor(), segment.hints});
  });
  Client client(to(owner));
  for (int i = 0; i < 2000; ++i) client.call({"PING"});
  CHECK(owner.connections() < 50);
}

TEST_CASE("a peer that answers without being asked is dropped, at the latest when the lease is over") {
  Segment segment;
  FakeOwner owner([&](int fd) {
    if (!hear(fd)) return;
    say_with(fd, segment.answer(), {segment.store->descriptor(), segment.hints});
    if (hear(fd)) say(fd, ":1\r\n");
    say(fd, ":2\r\n");
    hear_all(fd);
  });
  Client client(to(owner));
  client.call({"PING"});
  segment.store->end_lease();
  // Either with its answer or when the lease is looked after.
  while (client.reader() != nullptr && client.link_state() == LinkState::kReady) usleep(1000);
  CHECK(client.link_state() == LinkState::kProtocol);
}

TEST_CASE("a peer of another uid is foreign unless it is named") {
  if (geteuid() != 0) {
    WARN("skipped: needs root to run a peer under another uid");
    return;
  }
  constexpr uid_t kNobody = 65534;
  TemporaryDirectory dir;
  std::filesystem::permissions(dir.path, std::filesystem::perms(0777));
  const std::string path = dir.path + "/sock";
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t pid = fork();
  if (pid == 0) {
    if (setuid(kNobody) != 0) _exit(1);
    const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, path.c_str());
    if (bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || listen(listener, 4) != 0)
      _exit(1);
    if (write(ready[1], "x", 1) != 1) _exit(1);
    for (;;) {
      const int fd = accept(listener, nullptr, nullptr);
      char buffer[1000];
      const ssize_t n = recv(fd, buffer, sizeof buffer, 0);
      // Tells what it heard, so that the test sees whether it got the password.
      say(fd, "-ERR heard " + std::to_string(n > 0) + "\r\n");
      close(fd);
    }
  }
  char byte;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  {
    Client client({.path = path, .password = "secret", .timeout_ms = 2000});
    CHECK(client.reader() == nullptr);
    CHECK(client.link_state() == LinkState::kForeign);
    CHECK(client.last_failure().find("uid 65534") != std::string::npos);
  }
  {
    Client client({.path = path, .owner_uid = kNobody, .timeout_ms = 2000});
    CHECK(client.reader() == nullptr);
    CHECK(client.link_state() == LinkState::kProtocol);
    CHECK(client.last_failure().find("heard 1") != std::string::npos);
  }
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
}

TEST_CASE("writing to a peer that went away raises no signal") {
  Segment segment;
  std::atomic<bool> attached{false};
  FakeOwner owner([&](int fd) {
    if (hear(fd)) say_with(fd, segment.answer(), {segment.store->descriptor(), segment.hints});
    attached = true;
  });
  struct sigaction old, fatal{};
  fatal.sa_handler = [](int) { _exit(99); };
  sigaction(SIGPIPE, &fatal, &old);
  Client client(to(owner));
  client.reader();
  while (!attached) usleep(100);
  for (int i = 0; i < 20; ++i) CHECK(!client.call({"SET", "key", std::string(100'000, 'x')}));
  sigaction(SIGPIPE, &old, nullptr);
}
