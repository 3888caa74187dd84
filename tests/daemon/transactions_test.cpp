// Transactions: what Redis has no counterpart of; the rest is compared with redis-server.
#include "service_fixture.h"

using namespace coppice;
using namespace coppice::daemon;

namespace {

// What EXEC answers after `change` by somebody else, with `watched` watched.
std::string exec_after(ServiceFixture& f, const std::string& watched, const std::string& change) {
  f("WATCH " + watched);
  Session own = std::move(f.session);
  f.session = Session{};
  f.service->begin(f.session);
  f(change);
  f.session = std::move(own);
  f("MULTI");
  f("PING");
  return f("EXEC");
}
const std::string kRan = "*1\r\n+PONG\r\n";
const std::string kAborted = "*-1\r\n";

}  // namespace

TEST_CASE("a watched key that a range removal, a tag or its deadline takes away fails the transaction") {
  ServiceFixture f;
  const auto fill = [&] {
    f("FLUSHALL");
    f("SET shop.1 a TAGS 1 t PX 1000");
  };
  for (const auto* change : {"DELPREFIX shop.", "DELTAG t", "FLUSHDB", "SWAPDB 0 1", "TSET shop.1 5 12345678",
                             "TTOUCH shop.1 50", "TPULL shop.1", "SET shop.1 a"}) {
    CAPTURE(change);
    fill();
    CHECK(exec_after(f, "shop.1", change) == kAborted);
  }
  for (const auto* change : {"DELPREFIX shop.2", "DELTAG u", "GET shop.1", "TGET shop.1", "DBSIZE"}) {
    CAPTURE(change);
    fill();
    CHECK(exec_after(f, "shop.1", change) == kRan);
  }
  fill();
  f("WATCH shop.1");
  f.clock.advance(1000);
  f("MULTI");
  f("PING");
  CHECK(f("EXEC") == kAborted);
}

TEST_CASE("range removals are done in one piece within EXEC, however many entries they have") {
  ServiceFixture f;
  for (int i = 0; i < 2000; ++i) f("SET a." + std::to_string(i) + " v TAGS 1 t");
  for (int i = 0; i < 2000; ++i) f("SET b." + std::to_string(i) + " v TAGS 1 t");
  f.service->set_slice_length(std::chrono::microseconds(0));
  f("MULTI");
  f("DELPREFIX a.");
  f("DBSIZE");
  f("DELTAG t");
  f("KEYS *");
  CHECK(f("EXEC") == "*4\r\n:2000\r\n:2000\r\n:2000\r\n*0\r\n");
  CHECK(f.last == Next::kGoOn);
}

TEST_CASE("what would wait elsewhere does not wait within EXEC") {
  ServiceFixture f;
  f("LOCK l other 10000");
  f("LEASE k 1 0 1000");
  f.session.id = 2;
  f("MULTI");
  f("LOCK l me 10000 WAIT 5000");
  f("LEASE k 2 5000 1000");
  CHECK(f("EXEC") == "*2\r\n$-1\r\n*1\r\n:2\r\n");
  CHECK(f("LOCK l me 10000 WAIT 5000").empty());
  CHECK(f.last == Next::kWait);
}

TEST_CASE("a transaction that writes waits as a whole while writes are held") {
  ServiceFixture f;
  f.service->set_holding_writes(true);
  f("MULTI");
  CHECK(f("SET k v") == "+QUEUED\r\n");
  CHECK(f("EXEC").empty());
  CHECK(f.last == Next::kHold);
  f.service->set_holding_writes(false);
  CHECK(f("EXEC") == "*1\r\n+OK\r\n");
  f.service->set_holding_writes(true);
  f("MULTI");
  f("GET k");
  CHECK(f("EXEC") == "*1\r\n$1\r\nv\r\n");
}

TEST_CASE("ATTACH is refused between MULTI and EXEC") {
  ServiceFixture f;
  f.session.unix_socket = true;
  f("MULTI");
  CHECK(f("ATTACH 1") == "-ERR Command not allowed inside a transaction\r\n");
  CHECK(f("EXEC") == "-EXECABORT Transaction discarded because of previous errors.\r\n");
}

TEST_CASE("a transaction is bounded by the limit of a client's requests") {
  Config config;
  config.input_limit = 10'000;
  ServiceFixture f(config);
  f("MULTI");
  std::string reply;
  int queued = 0;
  while ((reply = f("SET k " + std::string(100, 'x'))) == "+QUEUED\r\n") ++queued;
  CHECK(reply == "-ERR the transaction is larger than the limit of a client's requests\r\n");
  CHECK(queued > 50);
  CHECK(queued < 100);
  CHECK(f("EXEC") == "-EXECABORT Transaction discarded because of previous errors.\r\n");
  CHECK(f("EXISTS k") == ":0\r\n");
}

TEST_CASE("an aborted transaction is nil in both protocols") {
  ServiceFixture f;
  f("SET k 1");
  f("HELLO 3");
  CHECK(exec_after(f, "k", "SET k 2") == "_\r\n");
}

TEST_CASE("what is queued is kept byte for byte") {
  ServiceFixture f;
  const std::string value("a\0\r\n b", 6);
  f("MULTI");
  f.run({"SET", "k", value});
  f.run({"SET", "", value});
  f.run({"GET", "k"});
  CHECK(f("EXEC") == "*3\r\n+OK\r\n-BADKEY the key is empty\r\n$6\r\n" + value + "\r\n");
}
