// Strings and keys: what a comparison with Redis over a socket can't say, since Redis has neither typed entries, tags
// nor a clock that is set by hand.
#include "service_fixture.h"

using namespace coppice;
using namespace coppice::daemon;

namespace {

std::string bulk(std::string_view text) {
  return "$" + std::to_string(text.size()) + "\r\n" + std::string(text) + "\r\n";
}
const std::string kWrongType = "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n";
const std::string kTags = "*2\r\n" + bulk("a") + bulk("b");

}  // namespace

TEST_CASE("a typed entry is read as its bytes and refuses to be edited as text") {
  ServiceFixture f;
  f.run({"TSET", "k", "7", "a:0:{}"});
  CHECK(f("GETRANGE k 0 1") == bulk("a:"));
  CHECK(f("APPEND k x") == kWrongType);
  CHECK(f("SETRANGE k 0 x") == kWrongType);
  CHECK(f("INCRBYFLOAT k 1") == kWrongType);
  CHECK(f("DELIFEQ k a:0:{}") == kWrongType);
  CHECK(f("SET k v IFEQ a:0:{}") == kWrongType);
  CHECK(f("SET k v GET IFEQ a:0:{}") == kWrongType);
  CHECK(f("GETEX k PX 1000") == bulk("a:0:{}"));
  CHECK(f("TGET k").find("*4\r\n:7\r\n") == 0);
  CHECK(f("GETDEL k") == bulk("a:0:{}"));
  CHECK(f("EXISTS k") == ":0\r\n");
}

TEST_CASE("the state of a rate limit is nobody's string") {
  ServiceFixture f;
  for (const auto* wrong : {"GETSET k v", "SET k v GET", "GETDEL k", "GETEX k PERSIST", "GETRANGE k 0 1", "APPEND k v",
                            "SETRANGE k 0 v", "INCRBYFLOAT k 1", "DELIFEQ k v", "SET k v IFEQ v"}) {
    CAPTURE(wrong);
    f("THROTTLE k 5 1000");
    CHECK(f(wrong) == kWrongType);
    CHECK(f("THROTTLE k 5 1000 0").find("*5\r\n:1\r\n:5\r\n:4\r\n") == 0);
    f("DEL k");
  }
}

TEST_CASE("edits keep the time to live and the tags, GETSET drops both") {
  ServiceFixture f;
  for (const auto* edit : {"APPEND k 1", "SETRANGE k 0 1", "INCRBYFLOAT k 1.5"}) {
    CAPTURE(edit);
    f("SET k 5 PX 5000 TAGS 2 a b");
    f(edit);
    CHECK(f("PTTL k") == ":5000\r\n");
    CHECK(f("TAGS k") == kTags);
  }
  CHECK(f("GETSET k 7") == bulk("6.5"));
  CHECK(f("PTTL k") == ":-1\r\n");
  CHECK(f("TAGS k") == "*0\r\n");
}

TEST_CASE("an edit of an expired key starts anew") {
  ServiceFixture f;
  f("SET k old PX 10 TAGS 1 a");
  f.clock.advance(10);
  CHECK(f("APPEND k new") == ":3\r\n");
  CHECK(f("GET k") == bulk("new"));
  CHECK(f("PTTL k") == ":-1\r\n");
  CHECK(f("TAGS k") == "*0\r\n");
}

TEST_CASE("an entry that moves takes its type, time to live and tags along") {
  ServiceFixture f;
  f.run({"TSET", "k", "7", "a:0:{}", "PX", "5000", "STALE", "700", "COST", "90", "TAGS", "2", "a", "b"});
  const auto moved = [&](std::string_view key) {
    const std::string entry = f("TGET " + std::string(key) + " STALE");
    return entry.find("*6\r\n:7\r\n") == 0 && entry.find(":5000\r\n:700\r\n:90\r\n") != std::string::npos &&
           f("TAGS " + std::string(key)) == kTags;
  };
  f("SET k2 other");
  CHECK(f("RENAME k k2") == "+OK\r\n");
  CHECK(moved("k2"));
  CHECK(f("EXISTS k") == ":0\r\n");
  CHECK(f("COUNTTAG a") == ":1\r\n");
  CHECK(f("COPY k2 k3") == ":1\r\n");
  CHECK(moved("k3"));
  CHECK(f("COUNTTAG a") == ":2\r\n");
  CHECK(f("MOVE k3 1") == ":1\r\n");
  CHECK(f("COUNTTAG a") == ":1\r\n");
  f("SELECT 1");
  CHECK(moved("k3"));
  CHECK(f("COUNTTAG a") == ":1\r\n");
}

TEST_CASE("a value of several pages moves and is edited as a whole") {
  ServiceFixture f;
  std::string value(300'000, '\0');
  for (std::size_t i = 0; i < value.size(); ++i) value[i] = static_cast<char>('a' + i / 7 % 26);
  f.run({"SET", "k", value});
  CHECK(f("COPY k k2") == ":1\r\n");
  CHECK(f.run({"DELIFEQ", "k2", value}) == ":1\r\n");
  CHECK(f("GETRANGE k 65530 65545") == bulk(value.substr(65530, 16)));
  CHECK(f("GETRANGE k -70000 -1") == bulk(value.substr(value.size() - 70000)));
  CHECK(f("SETRANGE k 131070 xxxx") == ":300000\r\n");
  value.replace(131070, 4, "xxxx");
  CHECK(f("GET k") == bulk(value));
}

TEST_CASE("SET IFEQ and DELIFEQ change a key only while it holds the value") {
  ServiceFixture f;
  CHECK(f("SET k v IFEQ a") == "$-1\r\n");
  CHECK(f("EXISTS k") == ":0\r\n");
  f("SET k a PX 100");
  CHECK(f("SET k v IFEQ b") == "$-1\r\n");
  CHECK(f("SET k v GET IFEQ b") == bulk("a"));
  CHECK(f("GET k") == bulk("a"));
  CHECK(f("SET k v IFEQ a EX 5") == "+OK\r\n");
  CHECK(f("PTTL k") == ":5000\r\n");
  CHECK(f("SET k w GET IFEQ v") == bulk("v"));
  CHECK(f("GET k") == bulk("w"));
  for (const auto* wrong : {"SET k v IFEQ", "SET k v NX IFEQ w", "SET k v IFEQ w XX", "SET k v IFEQ w IFEQ w"})
    CHECK(f(wrong) == "-ERR syntax error\r\n");
  CHECK(f("DELIFEQ k x") == ":0\r\n");
  CHECK(f("DELIFEQ nokey x") == ":0\r\n");
  CHECK(f("DELIFEQ k w") == ":1\r\n");
  CHECK(f("EXISTS k") == ":0\r\n");
}

TEST_CASE("EXPIRETIME is the deadline on the wall clock as it is now") {
  ServiceFixture f;
  const auto wall_ms = f.clock.wall_us() / 1000;
  f("SET k v PX 1500");
  CHECK(f("PEXPIRETIME k") == ":" + std::to_string(wall_ms + 1500) + "\r\n");
  CHECK(f("EXPIRETIME k") == ":" + std::to_string((wall_ms + 2000) / 1000) + "\r\n");
  f.clock.set_wall(f.clock.wall_us() + 3'600'000'000);
  CHECK(f("PEXPIRETIME k") == ":" + std::to_string(wall_ms + 3'600'000 + 1500) + "\r\n");
}

TEST_CASE("a refused edit changes nothing and answers nothing but the refusal") {
  Config config;
  config.max_value = 1000;
  ServiceFixture f(config);
  const std::string refusal = "-ERR value is larger than the limit of 1000 bytes\r\n";
  f.run({"SET", "k", std::string(999, 'x'), "PX", "5000"});
  CHECK(f("APPEND k yy") == refusal);
  CHECK(f("SETRANGE k 999 yy") == refusal);
  CHECK(f.run({"GETSET", "k", std::string(1001, 'y')}) == refusal);
  CHECK(f.run({"MSETNX", "a", "1", "b", std::string(1001, 'y')}) == refusal);
  CHECK(f("EXISTS a b") == ":0\r\n");
  CHECK(f("STRLEN k") == ":999\r\n");
  CHECK(f("PTTL k") == ":5000\r\n");
  CHECK(f.run({"RENAME", "k", ""}) == "-BADKEY the key is empty\r\n");
  CHECK(f("STRLEN k") == ":999\r\n");
}

TEST_CASE("MEMORY USAGE covers what the entry holds") {
  ServiceFixture f;
  for (const std::size_t size : {0, 10, 1000, 60'000, 200'000}) {
    CAPTURE(size);
    f.run({"SET", "key", std::string(size, 'x')});
    const std::string reply = f("MEMORY USAGE key");
    REQUIRE(reply[0] == ':');
    const auto bytes = std::stoull(reply.substr(1));
    CHECK(bytes >= size + 3 + 16);
    CHECK(bytes <= size + size / 4 + 128 + 65536 * (size > 65000));
  }
}
