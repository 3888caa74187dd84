#include "service.h"

#include <set>

#include "commands/command.h"
#include "resp/parser.h"
#include "service_fixture.h"
#include "support/random.h"

using namespace coppice;
using namespace coppice::daemon;

namespace {

std::string bulk(std::string_view text) {
  return "$" + std::to_string(text.size()) + "\r\n" + std::string(text) + "\r\n";
}

// SCAN's reply: the cursor, and the keys.
struct ScanReply {
  std::string cursor;
  std::vector<std::string> keys;
};
ScanReply parse_scan(const std::string& reply) {
  // `*2 $n cursor *k $n key …`: a request parser reads the strings once the headers are out of the way.
  REQUIRE(reply.substr(0, 4) == "*2\r\n");
  resp::RequestParser parser;
  const std::string first = "*1\r\n" + reply.substr(4);
  REQUIRE(parser.parse(first) == resp::RequestParser::Status::kRequest);
  ScanReply scan{std::string(parser.arguments()[0]), {}};
  const std::string rest = first.substr(parser.take_consumed());
  if (rest == "*0\r\n") return scan;
  REQUIRE(parser.parse(rest) == resp::RequestParser::Status::kRequest);
  for (const auto key : parser.arguments()) scan.keys.emplace_back(key);
  return scan;
}

}  // namespace

TEST_CASE("a deadline is kept by the monotonic clock, though the wall clock jumps") {
  ServiceFixture f;
  CHECK(f("SET k v EX 10") == "+OK\r\n");
  CHECK(f("TTL k") == ":10\r\n");
  f.clock.set_wall(f.clock.wall_us() + 3'600'000'000);
  CHECK(f("PTTL k") == ":10000\r\n");
  f.clock.advance(9'999);
  CHECK(f("GET k") == bulk("v"));
  f.clock.advance(1);
  CHECK(f("GET k") == "$-1\r\n");
  CHECK(f("TTL k") == ":-2\r\n");
}

TEST_CASE("a time on the wall clock is turned into a deadline when the command comes") {
  ServiceFixture f;
  const auto wall_ms = f.clock.wall_us() / 1000;
  CHECK(f("SET k v PXAT " + std::to_string(wall_ms + 5000)) == "+OK\r\n");
  CHECK(f("PTTL k") == ":5000\r\n");
  CHECK(f("EXPIREAT k " + std::to_string(wall_ms / 1000 + 60)) == ":1\r\n");
  CHECK(f("TTL k") == ":60\r\n");
  CHECK(f("SET k w EXAT " + std::to_string(wall_ms / 1000 - 1)) == "+OK\r\n");
  CHECK(f("GET k") == "$-1\r\n");
  f("SET k v");
  CHECK(f("PEXPIREAT k 1") == ":1\r\n");
  CHECK(f("EXISTS k") == ":0\r\n");
}

TEST_CASE("TTL rounds to the nearest second, as Redis does") {
  ServiceFixture f;
  f("SET k v PX 1499");
  CHECK(f("TTL k") == ":1\r\n");
  f("SET k v PX 1500");
  CHECK(f("TTL k") == ":2\r\n");
  f("SET k v PX 499");
  CHECK(f("TTL k") == ":0\r\n");
}

TEST_CASE("times at the edge of 64 bits are deadlines or errors and never wrap") {
  ServiceFixture f;
  for (const auto* amount : {"9223372036854775807", "9223372036854775", "0", "-1", "-9223372036854775808"}) {
    CAPTURE(amount);
    CHECK(f(std::string("SET k v EX ") + amount) == "-ERR invalid expire time in 'set' command\r\n");
    CHECK(f("GET k") == "$-1\r\n");
  }
  CHECK(f("SET k v PXAT 9223372036854775807") == "+OK\r\n");
  CHECK(f("GET k") == bulk("v"));
  CHECK(f("EXPIRE k 9223372036854775807") == "-ERR invalid expire time in 'expire' command\r\n");
  CHECK(f("EXPIRE k -9223372036854775807") == "-ERR invalid expire time in 'expire' command\r\n");
  CHECK(f("GET k") == bulk("v"));
  CHECK(f("PEXPIRE k -9223372036854775808") == ":1\r\n");
  CHECK(f("GET k") == "$-1\r\n");
}

TEST_CASE("SET with a condition that does not hold changes nothing") {
  ServiceFixture f;
  CHECK(f("SET k v XX") == "$-1\r\n");
  CHECK(f("SET k 1 NX") == "+OK\r\n");
  CHECK(f("SET k 2 NX EX 5") == "$-1\r\n");
  CHECK(f("GET k") == bulk("1"));
  CHECK(f("TTL k") == ":-1\r\n");
  CHECK(f("SET k 2 NX GET") == bulk("1"));
  CHECK(f("SET k 2 XX GET") == bulk("1"));
  CHECK(f("GET k") == bulk("2"));
}

TEST_CASE("a plain SET drops the deadline, KEEPTTL keeps it") {
  ServiceFixture f;
  f("SET k v EX 100");
  f("SET k w KEEPTTL");
  CHECK(f("TTL k") == ":100\r\n");
  f("INCR n");
  f("EXPIRE n 50");
  f("INCR n");
  CHECK(f("TTL n") == ":50\r\n");
  f("SET k x");
  CHECK(f("TTL k") == ":-1\r\n");
}

TEST_CASE("SET GET of a refused write answers the refusal alone") {
  Config config;
  config.max_value = 100;
  ServiceFixture f(config);
  f("SET k old");
  const std::string large(101, 'x');
  CHECK(f.run({"SET", "k", large, "GET"}) == "-ERR value is larger than the limit of 100 bytes\r\n");
  CHECK(f.run({"TSET", "k", "0", large}) == "-TOOLARGE value is larger than the limit of 100 bytes\r\n");
  CHECK(f.run({"MSET", "a", "1", "b", large}) == "-ERR value is larger than the limit of 100 bytes\r\n");
  CHECK(f("EXISTS a") == ":0\r\n");
  CHECK(f("GET k") == bulk("old"));
}

TEST_CASE("without room a write is refused and the old value stays") {
  Config config;
  config.max_memory = 2 << 20;
  config.policy = Policy::kNoEviction;
  ServiceFixture f(config);
  f("SET k old");
  const std::string large(4 << 20, 'x');
  CHECK(f.run({"SET", "k", large}) == "-OOM command not allowed when used memory > 'maxmemory'.\r\n");
  CHECK(f("GET k") == bulk("old"));
}

TEST_CASE("keys that can't be are refused by writes and missed by reads") {
  ServiceFixture f;
  const std::string longest(kMaxKeyLength, 'k');
  const std::string too_long = longest + "k";
  CHECK(f.run({"SET", longest, "v"}) == "+OK\r\n");
  CHECK(f.run({"GET", longest}) == bulk("v"));
  for (const std::string& key : {std::string(), too_long}) {
    CAPTURE(key.size());
    for (const std::vector<std::string_view>& command :
         std::vector<std::vector<std::string_view>>{{"SET", key, "v"},
                                                    {"INCR", key},
                                                    {"MSET", "a", "b", key, "v"},
                                                    {"TSET", key, "0", "v"},
                                                    {"TINCR", key, "1", "0", "-1"},
                                                    {"TMSET", "-1", "1", key, "0", "v"},
                                                    {"SETNX", key, "v"}})
      CHECK(f.run(command).substr(0, 8) == "-BADKEY ");
    CHECK(f.run({"GET", key}) == "$-1\r\n");
    CHECK(f.run({"TGET", key}) == "$-1\r\n");
    CHECK(f.run({"MGET", key}) == "*1\r\n$-1\r\n");
    CHECK(f.run({"TMGET", key}) == "*1\r\n$-1\r\n");
    CHECK(f.run({"EXISTS", key}) == ":0\r\n");
    CHECK(f.run({"DEL", key}) == ":0\r\n");
    CHECK(f.run({"TTL", key}) == ":-2\r\n");
    CHECK(f.run({"EXPIRE", key, "10"}) == ":0\r\n");
    CHECK(f.run({"PERSIST", key}) == ":0\r\n");
    CHECK(f.run({"STRLEN", key}) == ":0\r\n");
    CHECK(f.run({"TPULL", key}) == "$-1\r\n");
    CHECK(f.run({"KEYS", key}) == "*0\r\n");
  }
  CHECK(f("EXISTS a") == ":0\r\n");
}

TEST_CASE("counters refuse what is no integer and what does not fit") {
  ServiceFixture f;
  f("SET s abc");
  CHECK(f("INCR s") == "-ERR value is not an integer or out of range\r\n");
  CHECK(f("TINCR s 1 0 -1") == "-NOTINT value is not an integer\r\n");
  f("SET n 9223372036854775807");
  CHECK(f("INCR n") == "-ERR increment or decrement would overflow\r\n");
  CHECK(f("TINCR n 1 0 -1") == "-OVERFLOW increment or decrement would overflow\r\n");
  CHECK(f("DECRBY n -9223372036854775808") == "-ERR decrement would overflow\r\n");
  CHECK(f("GET n") == bulk("9223372036854775807"));
  CHECK(f("TINCR fresh -1 10 5000") == ":9\r\n");
  CHECK(f("PTTL fresh") == ":5000\r\n");
  CHECK(f("TINCR fresh 1 10 90000") == ":10\r\n");
  CHECK(f("PTTL fresh") == ":5000\r\n");
}

TEST_CASE("GET of an encoded entry answers its bytes; counters refuse it") {
  ServiceFixture f;
  f("TSET a 6 encoded");
  CHECK(f("GET a") == bulk("encoded"));
  CHECK(f("STRLEN a") == ":7\r\n");
  CHECK(f("TYPE a") == "+string\r\n");
  CHECK(f("INCR a") == "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n");
  CHECK(f("TINCR a 1 0 -1") == "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n");
  CHECK(f("GET a") == bulk("encoded"));
}

TEST_CASE("TSET answers the version that TGET shows and IFVER compares") {
  ServiceFixture f;
  const std::string version = f("TSET k 7 abc PX 5000");
  REQUIRE(version[0] == ':');
  const std::string digits = version.substr(1, version.size() - 3);
  CHECK(f("TGET k") == "*4\r\n:7\r\n" + bulk("abc") + version + ":5000\r\n");
  CHECK(f("TSET k 0 new IFVER 1") == "$-1\r\n");
  const std::string second = f("TSET k 0 new IFVER " + digits + " KEEPTTL");
  CHECK(second[0] == ':');
  CHECK(second != version);
  CHECK(f("TGET k") == "*4\r\n:0\r\n" + bulk("new") + second + ":5000\r\n");
  CHECK(f("TSET k 0 x IFVER " + digits) == "$-1\r\n");
  CHECK(f("TSET k 0 x NX") == "$-1\r\n");
  CHECK(f("TSET fresh 0 x XX") == "$-1\r\n");
  CHECK(f("TSET k 0 x NX XX") == "-ERR syntax error\r\n");
  CHECK(f("TSET k 0 x PX") == "-ERR syntax error\r\n");
}

TEST_CASE("a ttl of zero or less removes, -1 lasts for ever") {
  ServiceFixture f;
  f("TSET k 0 v");
  CHECK(f("TSET k 0 v PX 0") == ":0\r\n");
  CHECK(f("EXISTS k") == ":0\r\n");
  f("TSET k 0 v PX 100");
  CHECK(f("TTOUCH k -1") == ":1\r\n");
  CHECK(f("PTTL k") == ":-1\r\n");
  CHECK(f("TTOUCH k 9223372036854775807") == ":1\r\n");
  CHECK(f("EXISTS k") == ":1\r\n");
  CHECK(f("TTOUCH k -2") == ":1\r\n");
  CHECK(f("EXISTS k") == ":0\r\n");
  CHECK(f("TTOUCH k 5") == ":0\r\n");
  CHECK(f("TSET k 0 v PX -5") == ":0\r\n");
  CHECK(f("TMSET 0 1 k 0 v") == "*1\r\n:0\r\n");
}

TEST_CASE("bytes that do not fit their type are refused") {
  ServiceFixture f;
  for (const auto* command : {"TSET k 9 v", "TSET k -1 v", "TSET k x v", "TSET k 1 12a", "TSET k 1 01", "TSET k 2 v",
                              "TSET k 3 v", "TSET k 4 v", "TSET k 5 1234567", "TMSET -1 2 a 0 v b 5 x"}) {
    CAPTURE(command);
    CHECK(f(command).substr(0, 5) == "-ERR ");
  }
  CHECK(f("DBSIZE") == ":0\r\n");
  CHECK(f.run({"TSET", "k", "2", ""})[0] == ':');
  CHECK(f("TSET k 5 12345678")[0] == ':');
}

TEST_CASE("TMSET stores one by one and says which were refused") {
  Config config;
  config.max_value = 4;
  ServiceFixture f(config);
  const std::string reply = f("TMSET 1000 3 a 0 1 b 0 12345 c 6 3");
  CHECK(reply.substr(0, 5) == "*3\r\n:");
  CHECK(f("TMGET a b c").find("$-1") != std::string::npos);
  CHECK(f("PTTL c") == ":1000\r\n");
  CHECK(f("EXISTS a b c") == ":2\r\n");
  CHECK(f("TMSET -1 2 a 0 1").substr(0, 5) == "-ERR ");
  CHECK(f("TMSET -1 1 a 0 1 b").substr(0, 5) == "-ERR ");
}

TEST_CASE("TPULL takes an entry out") {
  ServiceFixture f;
  f("TSET k 0 v");
  CHECK(f("TPULL k").find(bulk("v")) != std::string::npos);
  CHECK(f("TPULL k") == "$-1\r\n");
}

TEST_CASE("ranges are walked in order, both ways, from any key") {
  ServiceFixture f;
  for (const auto* key : {"a.1", "a.2", "a.3", "ab.1", "b"}) f.run({"SET", key, "v"});
  CHECK(f("SCANPREFIX a.") == "*3\r\n" + bulk("a.1") + bulk("a.2") + bulk("a.3"));
  CHECK(f("SCANPREFIX a. AFTER a.1 LIMIT 1") == "*1\r\n" + bulk("a.2"));
  CHECK(f("SCANPREFIX a. REV LIMIT 2") == "*2\r\n" + bulk("a.3") + bulk("a.2"));
  CHECK(f("SCANPREFIX a. REV AFTER a.2") == "*1\r\n" + bulk("a.1"));
  CHECK(f("SCANPREFIX a. LIMIT 0") == "*0\r\n");
  CHECK(f("SCANPREFIX a. LIMIT -1").substr(0, 5) == "-ERR ");
  CHECK(f("SCANPREFIX a. LIMIT x") == "-ERR value is not an integer or out of range\r\n");
  CHECK(f("SCANPREFIX a. AFTER") == "-ERR syntax error\r\n");
  CHECK(f("COUNTPREFIX a.") == ":3\r\n");
  CHECK(f.run({"COUNTPREFIX", ""}) == ":5\r\n");
  CHECK(f("TSCAN a. AFTER a.2").substr(0, 12) == "*5\r\n" + bulk("a.3").substr(0, 8));
  CHECK(f.run({"DELPREFIX", ""}).substr(0, 5) == "-ERR ");
  CHECK(f("DELPREFIX a.") == ":3\r\n");
  CHECK(f("KEYS *") == "*2\r\n" + bulk("ab.1") + bulk("b"));
}

TEST_CASE("TSCAN ends a reply at 1 MiB, and goes on behind its last key") {
  ServiceFixture f;
  const std::string large(400'000, 'v');
  for (const auto* key : {"k.1", "k.2", "k.3", "k.4"}) f.run({"SET", key, large});
  const std::string first = f("TSCAN k.");
  CHECK(first.substr(0, 5) == "*15\r\n");
  CHECK(f("TSCAN k. AFTER k.3").substr(0, 4) == "*5\r\n");
  CHECK(f("TSCAN k. AFTER k.4") == "*0\r\n");
}

TEST_CASE("a long removal is done in slices; what is written meanwhile survives") {
  ServiceFixture f;
  f.service->set_slice_length(std::chrono::microseconds(0));
  for (int i = 0; i < 1000; ++i) f.run({"SET", "p." + std::to_string(i), "v"});
  f("SET q v");
  std::string out;
  resp::ReplyWriter reply(out, 2);
  Effects effects;
  const std::vector<std::string_view> command{"DELPREFIX", "p."};
  f.service->execute(f.session, command, reply, &effects);
  REQUIRE(effects.next == Next::kJob);
  CHECK(out.empty());
  REQUIRE_FALSE(effects.job->step(*f.service, Slice(std::chrono::microseconds(0))));
  f("SET p.new v");
  f("SET p.999 again");
  int slices = 1;
  while (!effects.job->step(*f.service, Slice(std::chrono::microseconds(0)))) ++slices;
  CHECK(slices > 5);
  effects.job->answer(*f.service, reply);
  CHECK((out == ":1000\r\n" || out == ":999\r\n"));
  CHECK(f("GET p.new") == bulk("v"));
  CHECK(f("GET p.999") == bulk("again"));
  CHECK(f("DBSIZE") == ":3\r\n");
}

TEST_CASE("KEYS in slices answers every key that stays") {
  ServiceFixture f;
  f.service->set_slice_length(std::chrono::microseconds(0));
  for (int i = 0; i < 500; ++i) f.run({"SET", "key." + std::to_string(i), "v"});
  CHECK(f("KEYS key.*").substr(0, 6) == "*500\r\n");
  CHECK(f.slices > 5);
  CHECK(f("KEYS key.?").substr(0, 5) == "*10\r\n");
  CHECK(f("KEYS *").substr(0, 6) == "*500\r\n");
  CHECK(f("KEYS key.17") == "*1\r\n" + bulk("key.17"));
  CHECK(f("KEYS nothing*") == "*0\r\n");
}

TEST_CASE("SCAN neither skips nor repeats what stays, while keys come and go") {
  const std::uint64_t seed = test::draw_seed();
  INFO("COPPICE_TEST_SEED=" << seed);
  std::mt19937_64 random(seed);
  ServiceFixture f;
  std::set<std::string> stays;
  for (int i = 0; i < 300; ++i) {
    const std::string key = "s." + std::to_string(random() % 100000);
    stays.insert(key);
    f.run({"SET", key, "v"});
  }
  for (int i = 0; i < 300; ++i) f.run({"SET", "t." + std::to_string(random() % 100000), "v"});
  std::multiset<std::string> seen;
  std::string cursor = "0";
  int calls = 0;
  do {
    const ScanReply scan = parse_scan(f("SCAN " + cursor + " COUNT 7"));
    CHECK(scan.keys.size() <= 7);
    for (const std::string& key : scan.keys)
      if (key[0] == 's') seen.insert(key);
    cursor = scan.cursor;
    // Deletes before and behind the cursor, and insertions.
    f("DELPREFIX t." + std::to_string(random() % 10));
    f.run({"SET", "t." + std::to_string(random() % 100000), "v"});
    REQUIRE(++calls < 1000);
  } while (cursor != "0");
  CHECK(std::multiset<std::string>(stays.begin(), stays.end()) == seen);
}

TEST_CASE("SCAN with a pattern seeks, and ends with the range") {
  ServiceFixture f;
  for (int i = 0; i < 100; ++i) f.run({"SET", "a." + std::to_string(i), "v"});
  for (int i = 0; i < 5; ++i) f.run({"SET", "m." + std::to_string(i), "v"});
  for (int i = 0; i < 100; ++i) f.run({"SET", "z." + std::to_string(i), "v"});
  // One call suffices where a walk from the start would need twenty.
  const ScanReply scan = parse_scan(f("SCAN 0 MATCH m.*"));
  CHECK(scan.cursor == "0");
  CHECK(scan.keys.size() == 5);
  CHECK(parse_scan(f("SCAN 0 MATCH m.3")).keys == std::vector<std::string>{"m.3"});
  CHECK(parse_scan(f("SCAN 0 MATCH m.3")).cursor == "0");
  CHECK(parse_scan(f("SCAN 0 TYPE string MATCH m.*")).keys.size() == 5);
  CHECK(parse_scan(f("SCAN 0 TYPE hash")).keys.empty());
  CHECK(parse_scan(f("SCAN 0 MATCH m.? COUNT 2")).keys.size() == 2);
}

TEST_CASE("a cursor that is lost, foreign or no number is an error") {
  ServiceFixture f;
  for (int i = 0; i < 100; ++i) f.run({"SET", "a." + std::to_string(i), "v"});
  const std::string cursor = parse_scan(f("SCAN 0")).cursor;
  CHECK(cursor != "0");
  CHECK(f("SCAN 123456").substr(0, 12) == "-ERR cursor ");
  CHECK(f("SCAN abc") == "-ERR invalid cursor\r\n");
  f("SELECT 1");
  CHECK(f("SCAN " + cursor).substr(0, 12) == "-ERR cursor ");
  f("SELECT 0");
  CHECK(parse_scan(f("SCAN " + cursor)).keys.size() == 10);
  for (int i = 0; i < 5000; ++i) f("SCAN 0");
  CHECK(f("SCAN " + cursor).substr(0, 12) == "-ERR cursor ");
}

TEST_CASE("SET takes tags anywhere among its options") {
  ServiceFixture f;
  CHECK(f("SET a 1 TAGS 2 red round") == "+OK\r\n");
  CHECK(f("TAGS a") == "*2\r\n" + bulk("red") + bulk("round"));
  CHECK(f("SET b 2 NX TAGS 3 red red px PX 1000") == "+OK\r\n");
  CHECK(f("TAGS b") == "*2\r\n" + bulk("px") + bulk("red"));
  CHECK(f("PTTL b") == ":1000\r\n");
  CHECK(f("SET a 3 KEEPTTL") == "+OK\r\n");
  CHECK(f("TAGS a") == "*0\r\n");
  CHECK(f("TAGS absent") == "*0\r\n");
}

TEST_CASE("tags that cannot be are refused by name, and nothing is stored") {
  ServiceFixture f;
  CHECK(f("SET a 1 TAGS 0 x") == "-BADTAG 0 tags were announced, 1 arguments follow\r\n");
  CHECK(f("SET a 1 TAGS 2 x") == "-BADTAG 2 tags were announced, 1 arguments follow\r\n");
  CHECK(f("SET a 1 TAGS x y") == "-ERR value is not an integer or out of range\r\n");
  CHECK(f("SET a 1 TAGS") == "-ERR syntax error\r\n");
  CHECK(f("SET a 1 TAGS 1 x TAGS 1 y") == "-ERR syntax error\r\n");
  CHECK(f.run({"SET", "a", "1", "TAGS", "1", ""}) == "-BADTAG a tag is empty\r\n");
  const std::string too_long(1025, 't');
  CHECK(f.run({"TSET", "a", "0", "1", "TAGS", "1", too_long}) == "-BADTAG a tag is longer than 1024 bytes\r\n");
  CHECK(f.run({"DELTAG", "x", ""}) == "-BADTAG a tag is empty\r\n");
  CHECK(f.run({"COUNTTAG", ""}) == "-BADTAG a tag is empty\r\n");
  CHECK(f.run({"SCANTAG", too_long}) == "-BADTAG a tag is longer than 1024 bytes\r\n");
  CHECK(f("DBSIZE") == ":0\r\n");
}

TEST_CASE("DELTAG, COUNTTAG and SCANTAG see the members of a tag") {
  ServiceFixture f;
  for (const auto* key : {"c", "a", "b"}) f.run({"SET", key, "v", "TAGS", "1", "red"});
  f("SET d v TAGS 1 round");
  f("SET e v");
  CHECK(f("COUNTTAG red") == ":3\r\n");
  CHECK(f("SCANTAG red") == "*3\r\n" + bulk("a") + bulk("b") + bulk("c"));
  CHECK(f("SCANTAG red AFTER a LIMIT 1") == "*1\r\n" + bulk("b"));
  CHECK(f("SCANTAG red LIMIT 0") == "*0\r\n");
  CHECK(f("SCANTAG red REV") == "-ERR syntax error\r\n");
  CHECK(f("SCANTAG absent") == "*0\r\n");
  CHECK(f("DELTAG red round absent") == ":4\r\n");
  CHECK(f("KEYS *") == "*1\r\n" + bulk("e"));
  CHECK(f("DELTAG red") == ":0\r\n");
}

TEST_CASE("a long DELTAG is done in slices; what is written meanwhile survives") {
  ServiceFixture f;
  f.service->set_slice_length(std::chrono::microseconds(0));
  for (int i = 0; i < 1000; ++i) f.run({"SET", "p." + std::to_string(i), "v", "TAGS", "1", "red"});
  std::string out;
  resp::ReplyWriter reply(out, 2);
  Effects effects;
  const std::vector<std::string_view> command{"DELTAG", "red"};
  f.service->execute(f.session, command, reply, &effects);
  REQUIRE(effects.next == Next::kJob);
  f("SET p.new v TAGS 1 red");
  int slices = 1;
  while (!effects.job->step(*f.service, Slice(std::chrono::microseconds(0)))) ++slices;
  CHECK(slices > 5);
  effects.job->answer(*f.service, reply);
  CHECK(out == ":1000\r\n");
  CHECK(f("COUNTTAG red") == ":1\r\n");
}

TEST_CASE("SCANTAG in slices shows each key once") {
  ServiceFixture f;
  f.service->set_slice_length(std::chrono::microseconds(0));
  for (int i = 100; i < 300; ++i) f.run({"SET", "p." + std::to_string(i), "v", "TAGS", "1", "red"});
  std::string expected = "*200\r\n";
  for (int i = 100; i < 300; ++i) expected += bulk("p." + std::to_string(i));
  CHECK(f("SCANTAG red") == expected);
  CHECK(f.slices > 5);
}

TEST_CASE("TSET and TMSET take tags; TINCR and TTOUCH keep them") {
  ServiceFixture f;
  f("TSET n 1 41 TAGS 2 red round");
  CHECK(f("TINCR n 1 0 -1") == ":42\r\n");
  CHECK(f("TTOUCH n 1000") == ":1\r\n");
  CHECK(f("TAGS n") == "*2\r\n" + bulk("red") + bulk("round"));
  CHECK(f("TMSET -1 2 a 0 1 tags 0 2 TAGS 1 many").substr(0, 4) == "*2\r\n");
  CHECK(f("SCANTAG many") == "*2\r\n" + bulk("a") + bulk("tags"));
  CHECK(f("TMSET -1 1 a 0 1 TAGS 1 many more") ==
        "-ERR TMSET was given another number of entries than it announced\r\n");
  CHECK(f("TMSET -1 1 a 0 1 TAGS 2 many").substr(0, 8) == "-BADTAG ");
  CHECK(f("TMSET -1 4611686018427387905 a 0 1") ==
        "-ERR TMSET was given another number of entries than it announced\r\n");
}

TEST_CASE("TGET … STALE shows an entry in its stale window, TGET does not") {
  ServiceFixture f;
  f("TSET k 0 v PX 100 STALE 1000 COST 250");
  CHECK(f("TGET k STALE").find(":100\r\n:1000\r\n:250\r\n") != std::string::npos);
  f.clock.advance(150);
  CHECK(f("TGET k") == "$-1\r\n");
  CHECK(f("EXISTS k") == ":0\r\n");
  CHECK(f("TGET k STALE").find(":-50\r\n:1000\r\n:250\r\n") != std::string::npos);
  f.clock.advance(1000);
  CHECK(f("TGET k STALE") == "$-1\r\n");
  CHECK(f("TGET k NOW") == "-ERR syntax error\r\n");
  CHECK(f("TSET k 0 v STALE -1").substr(0, 5) == "-ERR ");
  CHECK(f("TSET k 0 v COST -1").substr(0, 5) == "-ERR ");
}

TEST_CASE("databases are apart") {
  ServiceFixture f;
  f("SET k zero");
  CHECK(f("SELECT 1") == "+OK\r\n");
  CHECK(f("GET k") == "$-1\r\n");
  f("SET k one");
  f("SET p.1 v");
  CHECK(f("KEYS *") == "*2\r\n" + bulk("k") + bulk("p.1"));
  f("SELECT 0");
  CHECK(f("DELPREFIX p.") == ":0\r\n");
  CHECK(f("FLUSHDB") == "+OK\r\n");
  CHECK(f("DBSIZE") == ":0\r\n");
  f("SELECT 1");
  CHECK(f("GET k") == bulk("one"));
  CHECK(f("FLUSHALL SYNC") == "+OK\r\n");
  CHECK(f("DBSIZE") == ":0\r\n");
  CHECK(f("SELECT 16") == "-ERR DB index is out of range\r\n");
  CHECK(f("FLUSHDB NOW") == "-ERR syntax error\r\n");
}

TEST_CASE("with a password, nothing runs before it is given") {
  Config config;
  config.requirepass = "geheim";
  ServiceFixture f(config);
  for (const auto* command : {"GET k", "PING", "ATTACH 1", "SHUTDOWN", "INFO", "CLIENT ID", "SELECT 1", "TSET k 0 v"}) {
    CAPTURE(command);
    CHECK(f(command) == "-NOAUTH Authentication required.\r\n");
    CHECK(f.last == Next::kGoOn);
  }
  CHECK(f("HELLO 3").substr(0, 13) == "-NOAUTH HELLO");
  for (const auto* wrong :
       {"AUTH falsch", "AUTH geheim2", "AUTH gehei", "AUTH other geheim", "HELLO 3 AUTH default x"}) {
    CAPTURE(wrong);
    CHECK(f(wrong) == "-WRONGPASS invalid username-password pair or user is disabled.\r\n");
    CHECK_FALSE(f.session.authenticated);
  }
  CHECK(f.run({"AUTH", ""}).substr(0, 10) == "-WRONGPASS");
  CHECK(f("AUTH geheim") == "+OK\r\n");
  CHECK(f("PING") == "+PONG\r\n");
  CHECK(f("RESET") == "+RESET\r\n");
  CHECK(f("PING") == "-NOAUTH Authentication required.\r\n");
  CHECK(f("HELLO 3 AUTH default geheim SETNAME me")[0] == '%');
  CHECK(f("CLIENT GETNAME") == bulk("me"));
}

TEST_CASE("while a snapshot is read, only what needs no entries is answered") {
  ServiceFixture f;
  f.service->set_loading(true);
  for (const auto* command : {"GET k", "SET k v", "PING", "ATTACH 1", "DBSIZE", "DELPREFIX a", "TGET k", "FLUSHALL"}) {
    CAPTURE(command);
    CHECK(f(command) == "-LOADING Redis is loading the dataset in memory\r\n");
  }
  CHECK(f("SELECT 0") == "+OK\r\n");
  CHECK(f("HELLO 3")[0] == '%');
  CHECK(f("INFO persistence").find("loading:1") != std::string::npos);
  f.service->set_loading(false);
  CHECK(f("PING") == "+PONG\r\n");
}

TEST_CASE("while readers may trust the segment of an owner that crashed, writes wait and reads do not") {
  ServiceFixture f;
  f.service->set_holding_writes(true);
  for (const CommandSpec& spec : command_table()) {
    if ((spec.flags & kWrite) == 0) continue;
    std::vector<std::string_view> command(static_cast<std::size_t>(std::abs(spec.arity)), "1");
    command[0] = spec.name;
    CAPTURE(spec.name);
    CHECK(f.run(command).empty());
    CHECK(f.last == Next::kHold);
  }
  CHECK(f("GET k") == "$-1\r\n");
  CHECK(f.last == Next::kGoOn);
}

TEST_CASE("HELLO switches protocols and refuses others") {
  ServiceFixture f;
  CHECK(f("HELLO 3").substr(0, 6) == "%7\r\n$6");
  CHECK(f("GET k") == "_\r\n");
  CHECK(f("CONFIG GET maxmemory").substr(0, 4) == "%1\r\n");
  CHECK(f("INFO server")[0] == '=');
  CHECK(f("HELLO 4") == "-NOPROTO unsupported protocol version\r\n");
  CHECK(f("HELLO 2").substr(0, 5) == "*14\r\n");
  CHECK(f("GET k") == "$-1\r\n");
}

TEST_CASE("ATTACH is refused where it can't be") {
  ServiceFixture f;
  CHECK(f("ATTACH 1") == "-ERR ATTACH needs the unix socket\r\n");
  f.session.unix_socket = true;
  CHECK(f("ATTACH 2") == "-NOPROTO unsupported ATTACH protocol 2; this owner speaks 1\r\n");
  CHECK(f("ATTACH one").substr(0, 8) == "-NOPROTO");
  CHECK(f("ATTACH 1").empty());
  CHECK(f.last == Next::kAttach);
  f.session.attached = true;
  CHECK(f("ATTACH 1") == "-ERR this connection is attached already\r\n");
}

TEST_CASE("what a browser would send closes the connection without a word") {
  ServiceFixture f;
  CHECK(f("POST / HTTP/1.1").empty());
  CHECK(f.last == Next::kCloseSilently);
  CHECK(f("Host: localhost").empty());
  CHECK(f.last == Next::kCloseSilently);
}

TEST_CASE("subcommands are no commands") {
  ServiceFixture f;
  CHECK(f("client|id") == "-ERR unknown command 'client|id', with args beginning with: \r\n");
  CHECK(f("CLIENT zz") == "-ERR unknown subcommand 'zz'. Try CLIENT HELP.\r\n");
  CHECK(f("CLIENT") == "-ERR wrong number of arguments for 'client' command\r\n");
  CHECK(f("CLIENT SETNAME") == "-ERR wrong number of arguments for 'client|setname' command\r\n");
}

TEST_CASE("an unknown command is quoted, but not at length") {
  ServiceFixture f;
  const std::string reply = f.run({std::string(5000, 'x'), std::string(5000, 'y'), "z"});
  CHECK(reply.size() < 400);
  CHECK(f("foo a b") == "-ERR unknown command 'foo', with args beginning with: 'a' 'b' \r\n");
}

TEST_CASE("SHUTDOWN says whether to write the snapshot") {
  ServiceFixture f;
  CHECK(f("SHUTDOWN SAVE NOSAVE") == "-ERR syntax error\r\n");
  CHECK(f.last == Next::kGoOn);
  CHECK(f("SHUTDOWN NOSAVE").empty());
  CHECK(f.last == Next::kStop);
}

TEST_CASE("COMMAND describes what there is") {
  ServiceFixture f;
  CHECK(f("COMMAND INFO get nosuch").substr(0, 23) == "*2\r\n*10\r\n$3\r\nget\r\n:2\r\n*");
  CHECK(f("COMMAND GETKEYS MSET a 1 b 2") == "*2\r\n" + bulk("a") + bulk("b"));
  CHECK(f("COMMAND GETKEYS TMSET -1 2 a 0 x b 0 y") == "*2\r\n" + bulk("a") + bulk("b"));
  CHECK(f("COMMAND GETKEYS PING") == "-ERR The command has no key arguments\r\n");
  CHECK(f("COMMAND GETKEYS GET") == "-ERR Invalid number of arguments specified for command\r\n");
  CHECK(f("COMMAND LIST FILTERBY PATTERN del*").find(bulk("delprefix")) != std::string::npos);
  CHECK(f("COMMAND DOCS get").find("summary") != std::string::npos);
}

TEST_CASE("INFO counts hits and misses, and names databases that hold something") {
  ServiceFixture f;
  f("SET k v EX 10");
  f("GET k");
  f("GET no");
  const std::string stats = f("INFO stats");
  CHECK(stats.find("keyspace_hits:1\r\n") != std::string::npos);
  CHECK(stats.find("keyspace_misses:1\r\n") != std::string::npos);
  CHECK(f("INFO keyspace").find("db0:keys=1,expires=1,avg_ttl=0") != std::string::npos);
  CHECK(f("INFO keyspace").find("db1:") == std::string::npos);
  CHECK(f("INFO nosuchsection") == "$0\r\n\r\n");
  f.service->counters().worker_hits += 5;
  CHECK(f("INFO stats").find("keyspace_hits:6\r\n") != std::string::npos);
}
