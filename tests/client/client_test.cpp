#include "coppice/client.h"

#include <sys/socket.h>

#include <array>
#include <atomic>
#include <functional>
#include <sstream>
#include <thread>

#include "owner_process.h"

using namespace coppice;

namespace {

void set(Client& client, std::string_view key, std::string_view value) {
  const auto reply = client.call({"TSET", key, "0", value});
  INFO(client.last_failure());
  REQUIRE(reply);
  INFO(reply->text);
  REQUIRE(reply->kind == Reply::Kind::kInteger);
}

// A line of INFO as a number.
std::int64_t info_field(Client& client, const std::string& name) {
  const auto reply = client.call({"INFO"});
  REQUIRE(reply);
  std::istringstream lines(reply->text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(name + ":")) return std::stoll(line.substr(name.size() + 1));
  return -1;
}

// For what happens in another process by and by.
bool comes_true(const std::function<bool()>& condition) {
  for (int i = 0; i < 2000; ++i) {
    if (condition()) return true;
    usleep(5000);
  }
  return false;
}

int mappings_of_segments() {
  std::ifstream maps("/proc/self/maps");
  int n = 0;
  for (std::string line; std::getline(maps, line);) n += line.find("memfd:coppice ") != std::string::npos;
  return n;
}

// Runs f in a forked child; its exit status.
int in_child(const std::function<int()>& f) {
  const pid_t pid = fork();
  if (pid == 0) _exit(f());
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

}  // namespace

TEST_CASE("requests are arrays of bulk strings, whatever their bytes") {
  std::string out = "before";
  encode_request(out, std::array<std::string_view, 3>{"SET", std::string_view("k\0\r\n", 4), ""});
  CHECK(out == std::string("before*3\r\n$3\r\nSET\r\n$4\r\nk\0\r\n\r\n$0\r\n\r\n", 35));
}

TEST_CASE("what one client writes, others read") {
  OwnerProcess owner;
  Client writer({.path = owner.socket()}), reader({.path = owner.socket()});
  const auto reply = writer.call({"TSET", "key", "1", "42"});
  REQUIRE(reply);
  ReadInfo info;
  CHECK(value_of(reader, "key", &info) == "42");
  CHECK(info.type == ValueType::kInteger);
  CHECK(info.version == static_cast<Version>(reply->integer));
  CHECK(info.deadline == kNoDeadline);
  CHECK(!value_of(reader, "other"));
  REQUIRE(writer.call({"DEL", "key"}));
  CHECK(!value_of(reader, "key"));
}

TEST_CASE("every write is seen by every reader as soon as it is acknowledged") {
  OwnerProcess owner;
  Client writer({.path = owner.socket()});
  std::vector<std::unique_ptr<Client>> readers;
  for (int i = 0; i < 4; ++i) readers.push_back(std::make_unique<Client>(ClientOptions{.path = owner.socket()}));
  for (int i = 0; i < 2000; ++i) {
    const std::string value = std::to_string(i) + std::string(static_cast<std::size_t>(i * 37 % 5000), '.');
    set(writer, "key", value);
    for (auto& reader : readers) REQUIRE(value_of(*reader, "key") == value);
  }
}

TEST_CASE("values of all sizes come over whole") {
  OwnerProcess owner({"--max-memory", "128M"});
  Client client({.path = owner.socket(), .timeout_ms = 60'000});
  for (const std::size_t size : {0, 1, 100, 65'000, 65'536, 65'537, 200'000, 5'000'000, 30'000'000}) {
    std::string value(size, '\0');
    for (std::size_t i = 0; i < size; ++i) value[i] = static_cast<char>(i * 31 + size);
    set(client, "key", value);
    REQUIRE(value_of(client, "key") == value);
    const auto reply = client.call({"GET", "key"});
    REQUIRE(reply);
    REQUIRE(reply->text == value);
  }
}

TEST_CASE("a deadline is kept by readers, swept or not") {
  OwnerProcess owner;
  Client client({.path = owner.socket()});
  REQUIRE(client.call({"TSET", "key", "0", "v", "PX", "60000"}));
  ReadInfo info;
  CHECK(value_of(client, "key", &info));
  CHECK(info.deadline > coarse_now() + 50'000);
  CHECK(info.deadline <= coarse_now() + 60'100);
  REQUIRE(client.call({"TSET", "key", "0", "v", "PX", "1"}));
  CHECK(comes_true([&] { return !value_of(client, "key"); }));
}

TEST_CASE("databases are apart, and one that is not there is refused by name") {
  OwnerProcess owner;
  Client zero({.path = owner.socket()}), three({.path = owner.socket(), .database = 3});
  set(zero, "key", "zero");
  set(three, "key", "three");
  CHECK(value_of(zero, "key") == "zero");
  CHECK(value_of(three, "key") == "three");
  REQUIRE(three.call({"FLUSHDB"}));
  CHECK(!value_of(three, "key"));
  CHECK(value_of(zero, "key") == "zero");
  Client nowhere({.path = owner.socket(), .database = 99});
  CHECK(!nowhere.call({"PING"}));
  CHECK(nowhere.link_state() == LinkState::kProtocol);
  CHECK(nowhere.last_failure().find("SELECT") != std::string::npos);
}

TEST_CASE("a password is asked for and given") {
  OwnerProcess owner({"--requirepass", "s3cret"});
  Client none({.path = owner.socket()});
  CHECK(!none.call({"PING"}));
  CHECK(none.link_state() == LinkState::kDenied);
  CHECK(none.reader() == nullptr);
  Client wrong({.path = owner.socket(), .password = "guess"});
  CHECK(!wrong.call({"PING"}));
  CHECK(wrong.link_state() == LinkState::kDenied);
  CHECK(wrong.last_failure().find("WRONGPASS") != std::string::npos);
  Client right({.path = owner.socket(), .password = "s3cret"});
  set(right, "key", "value");
  CHECK(value_of(right, "key") == "value");
  Client named({.path = owner.socket(), .user = "default", .password = "s3cret"});
  CHECK(value_of(named, "key") == "value");
}

TEST_CASE("an error of the owner is a reply, not a failure") {
  OwnerProcess owner;
  Client client({.path = owner.socket()});
  const auto reply = client.call({"NOSUCHTHING"});
  REQUIRE(reply);
  CHECK(reply->is_error());
  CHECK(reply->text.starts_with("ERR unknown command"));
  CHECK(client.link_state() == LinkState::kReady);
}

TEST_CASE("hits and misses of shared reads reach the owner") {
  OwnerProcess owner;
  Client client({.path = owner.socket()});
  set(client, "key", "value");
  const std::int64_t hits = info_field(client, "keyspace_hits"), misses = info_field(client, "keyspace_misses");
  for (int i = 0; i < 300; ++i) REQUIRE(value_of(client, "key"));
  for (int i = 0; i < 200; ++i) REQUIRE(!value_of(client, "nothing"));
  CHECK(comes_true([&] {
    return info_field(client, "keyspace_hits") - hits == 300 && info_field(client, "keyspace_misses") - misses == 200;
  }));
}

TEST_CASE("the clients of a process share one mapping of a segment") {
  OwnerProcess owner;
  auto first = std::make_unique<Client>(ClientOptions{.path = owner.socket()});
  set(*first, "key", "value");
  CHECK(value_of(*first, "key"));
  CHECK(mappings_of_segments() == 1);
  Client second({.path = owner.socket(), .database = 0});
  CHECK(value_of(second, "key"));
  CHECK(mappings_of_segments() == 1);
  first.reset();
  CHECK(value_of(second, "key"));
  second.disconnect();
  CHECK(mappings_of_segments() == 0);
}

TEST_CASE("a client that came before its owner connects when there is one") {
  OwnerProcess owner;
  owner.kill();
  Client client({.path = owner.socket()});
  CHECK(!value_of(client, "key"));
  CHECK(client.link_state() == LinkState::kUnreachable);
  owner.start();
  CHECK(comes_true([&] { return client.reader() != nullptr; }));
  set(client, "key", "value");
  CHECK(value_of(client, "key") == "value");
}

TEST_CASE("a killed owner's readers miss, and read the next one's segment") {
  OwnerProcess owner;
  Client client({.path = owner.socket()});
  set(client, "key", "old");
  CHECK(value_of(client, "key") == "old");
  const auto before = client.generation();
  CHECK(before != std::pair<std::uint64_t, std::uint64_t>{0, 0});
  owner.kill();
  CHECK(comes_true([&] { return !value_of(client, "key"); }));  // at the latest when the lease is over
  CHECK(client.generation() == std::pair<std::uint64_t, std::uint64_t>{0, 0});
  CHECK(client.last_failure() != "");
  CHECK(!client.call({"PING"}));
  CHECK(mappings_of_segments() == 0);
  owner.start();
  CHECK(comes_true([&] { return client.reader() != nullptr; }));
  CHECK(client.generation() != before);
  CHECK(!value_of(client, "key"));
  set(client, "key", "new");
  CHECK(value_of(client, "key") == "new");
}

TEST_CASE("no reader shows an old value once a new owner has acknowledged another") {
  OwnerProcess owner;
  Client writer({.path = owner.socket()});
  std::vector<std::unique_ptr<Client>> readers;
  for (int i = 0; i < 4; ++i) readers.push_back(std::make_unique<Client>(ClientOptions{.path = owner.socket()}));
  for (int round = 0; round < 5; ++round) {
    const std::string value = "round " + std::to_string(round);
    set(writer, "key", value);
    // Any reader: this value, or nothing where it has not come to the new segment yet.
    for (auto& reader : readers) {
      const auto found = value_of(*reader, "key");
      CHECK((!found || *found == value));
    }
    owner.kill();
    owner.start();
  }
}

TEST_CASE("the first call after a restart succeeds without being told") {
  OwnerProcess owner;
  Client client({.path = owner.socket()});
  set(client, "key", "value");
  SECTION("after a clean end") { CHECK(owner.end() == 0); }
  SECTION("after SIGKILL") { owner.kill(); }
  owner.start();
  const auto reply = client.call({"PING"});
  INFO(client.last_failure());
  REQUIRE(reply);
  CHECK(reply->text == "PONG");
}

TEST_CASE("a snapshot brings the entries to the next owner's readers") {
  char directory[] = "/tmp/coppice-client-XXXXXX";
  REQUIRE(mkdtemp(directory) != nullptr);
  OwnerProcess owner({"--snapshot", std::string(directory) + "/snapshot"});
  Client client({.path = owner.socket()});
  set(client, "key", "kept");
  CHECK(owner.end() == 0);
  owner.start();
  CHECK(comes_true([&] { return value_of(client, "key") == "kept"; }));
  // Used once; what came after it is not in it.
  const auto before = client.generation();
  owner.kill();
  owner.start();
  CHECK(comes_true([&] { return client.reader() != nullptr && client.generation() != before; }));
  CHECK(!value_of(client, "key"));
  std::filesystem::remove_all(directory);
}

TEST_CASE("a call with patience waits longer than its timeout for what the owner answers later") {
  OwnerProcess owner;
  Client holder({.path = owner.socket()});
  Client waiter({.path = owner.socket(), .timeout_ms = 100});
  REQUIRE(holder.call({"LOCK", "name", "holder", "INF"}));

  SECTION("the wait ends without it") {
    const auto reply = waiter.call({"LOCK", "name", "waiter", "INF", "WAIT", "400"}, 400);
    REQUIRE(reply);
    CHECK(reply->kind == Reply::Kind::kNil);
  }
  SECTION("it comes to its turn") {
    std::optional<Reply> reply;
    std::thread thread([&] { reply = waiter.call({"LOCK", "name", "waiter", "INF", "WAIT", "60000"}, 60000); });
    CHECK(comes_true([&] {
      const auto info = holder.call({"LOCKINFO", "name"});
      return info && info->items.size() == 5 && info->items[4].integer == 1;
    }));
    usleep(300'000);  // well beyond the timeout
    REQUIRE(holder.call({"UNLOCK", "name", "holder"}));
    thread.join();
    REQUIRE(reply);
    CHECK(reply->kind == Reply::Kind::kInteger);
  }
  SECTION("without patience the timeout is all") {
    CHECK(!waiter.call({"LOCK", "name", "waiter", "INF", "WAIT", "60000"}));
    CHECK(waiter.link_state() == LinkState::kUnreachable);
  }
  SECTION("the owner dies") {
    std::optional<Reply> reply;
    std::thread thread([&] { reply = waiter.call({"LOCK", "name", "waiter", "INF", "WAIT", "60000"}, kNoDeadline); });
    CHECK(comes_true([&] {
      const auto info = holder.call({"LOCKINFO", "name"});
      return info && info->items.size() == 5 && info->items[4].integer == 1;
    }));
    owner.kill();
    thread.join();
    CHECK(!reply);
    CHECK(waiter.link_state() == LinkState::kUnreachable);
  }
}

TEST_CASE("reads go on while the owner is stopped, past its lease") {
  OwnerProcess owner;
  Client client({.path = owner.socket(), .timeout_ms = 1000});
  set(client, "key", "value");
  CHECK(value_of(client, "key"));
  owner.signal(SIGSTOP);
  const Reader* reader = client.reader();
  REQUIRE(reader != nullptr);
  CHECK(comes_true([&] { return !reader->lease_valid(coarse_now()); }));
  for (int i = 0; i < 1000; ++i) REQUIRE(value_of(client, "key") == "value");
  // A write cannot be answered; what became of it is unknown, and so the connection is given up.
  CHECK(!client.call({"TSET", "key", "0", "late"}));
  CHECK(client.last_failure().find("did not answer within 1000 ms") != std::string::npos);
  CHECK(!value_of(client, "key"));
  owner.signal(SIGCONT);
  CHECK(comes_true([&] { return value_of(client, "key").has_value(); }));
}

TEST_CASE("a forked child attaches by itself, and the parent's conversation is not disturbed") {
  OwnerProcess owner;
  Client client({.path = owner.socket()});
  set(client, "key", "parent");
  CHECK(value_of(client, "key") == "parent");
  int children[4];
  for (int& pid : children) {
    pid = fork();
    if (pid != 0) continue;
    // No assertions here: the child has no test runner to report to.
    for (int i = 0; i < 500; ++i) {
      const std::string key = "child." + std::to_string(getpid()), value = std::to_string(i);
      const auto reply = client.call({"TSET", key, "0", value});
      if (!reply || reply->kind != Reply::Kind::kInteger) _exit(1);
      if (value_of(client, key) != value) _exit(2);
      if (value_of(client, "key") == std::nullopt) _exit(3);
    }
    _exit(mappings_of_segments() == 1 ? 0 : 4);
  }
  for (int i = 0; i < 500; ++i) {
    set(client, "key", std::to_string(i));
    REQUIRE(value_of(client, "key") == std::to_string(i));
  }
  for (const int pid : children) {
    int status = -1;
    waitpid(pid, &status, 0);
    CHECK(status == 0);
  }
  CHECK(client.link_state() == LinkState::kReady);
}

TEST_CASE("a child does not keep the parent's connection open") {
  OwnerProcess owner;
  auto client = std::make_unique<Client>(ClientOptions{.path = owner.socket()});
  Client watcher({.path = owner.socket()});
  set(*client, "key", "value");
  const std::int64_t before = info_field(watcher, "connected_clients");
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t pid = fork();
  if (pid == 0) {
    char byte;
    close(ends[1]);
    while (read(ends[0], &byte, 1) > 0) {
    }
    _exit(0);
  }
  close(ends[0]);
  client.reset();
  CHECK(comes_true([&] { return info_field(watcher, "connected_clients") == before - 1; }));
  close(ends[1]);
  waitpid(pid, nullptr, 0);
}

// A sanitizer's allocator may be locked by another thread at the moment of the fork, and stays so in the child.
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
TEST_CASE("forks beside busy threads leave a child that works") {
  OwnerProcess owner;
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      while (!stop) {
        Client mine({.path = owner.socket()});
        for (int i = 0; i < 20; ++i) mine.call({"TSET", "thread." + std::to_string(t), "0", "v"});
        value_of(mine, "thread.0");
      }
    });
  Client client({.path = owner.socket()});
  set(client, "key", "value");
  for (int i = 0; i < 50; ++i) {
    const int status = in_child([&] {
      if (value_of(client, "key") != "value") return 1;
      Client another({.path = owner.socket()});
      return another.call({"PING"}) ? 0 : 2;
    });
    REQUIRE(status == 0);
  }
  stop = true;
  for (std::thread& t : threads) t.join();
}
#endif

TEST_CASE("a grandchild and a child of a disconnected client work too") {
  OwnerProcess owner;
  Client client({.path = owner.socket()});
  CHECK(in_child([&] {
          return in_child([&] {
            const auto reply = client.call({"TSET", "key", "0", "grandchild"});
            return reply && value_of(client, "key") == "grandchild" ? 0 : 1;
          });
        }) == 0);
  CHECK(value_of(client, "key") == "grandchild");
}

TEST_CASE("no descriptor of ours is left to an exec'd program") {
  OwnerProcess owner;
  Client client({.path = owner.socket()});
  CHECK(client.call({"PING"}));
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int fd = std::stoi(each.path().filename());
    struct stat status;
    if (fd <= 2 || fstat(fd, &status) != 0 || !S_ISSOCK(status.st_mode)) continue;
    CHECK((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
  }
}

TEST_CASE("many clients come and go without a trace") {
  OwnerProcess owner;
  const auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  {
    Client warm({.path = owner.socket()});
    CHECK(warm.call({"PING"}));
  }
  const auto before = descriptors();
  for (int i = 0; i < 300; ++i) {
    Client client({.path = owner.socket()});
    REQUIRE(client.call({"PING"}));
  }
  CHECK(descriptors() == before);
  CHECK(mappings_of_segments() == 0);
}
