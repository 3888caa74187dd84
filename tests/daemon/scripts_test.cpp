// The known scripts by their SHA-1. That their clients' texts are known, and that Redis does the same for them, is
// tested with the clients themselves.
#include "scripts.h"

#include "service_fixture.h"
#include "sha1.h"

using namespace coppice;
using namespace coppice::daemon;

namespace {

const std::string kAdd = "EVALSHA a08c9c69b7c07ae2485190873b90d128a23e502d 1 ";
const std::string kUnlock = "EVALSHA 647c65a442733a1aa440f99908d249d13b4d6c4a 1 ";
const std::string kRefresh = "EVALSHA d5f94f1848f0c54fff99d99dbc4d54184a157c02 1 ";
const std::string kFunnel = "EVALSHA 420ca604de4310d8301943a71390ee669720d640 ";
const std::string kExtend = "EVALSHA a4e8783852e6b949f9ef3a97212805108459a890 1 ";
const std::string kReacquire = "EVALSHA 1cac51482acf5858da00f6d685d68f886cd6b6b2 1 ";

}  // namespace

TEST_CASE("SHA-1 of texts of every length about a block's end, and of the standard's examples") {
  CHECK(sha1_hex("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  CHECK(sha1_hex("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d");
  CHECK(sha1_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  CHECK(sha1_hex(std::string(1'000'000, 'a')) == "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
  std::string all;
  for (std::size_t n = 0; n < 200; ++n) all += sha1_hex(std::string(n, 'x'));
  CHECK(sha1_hex(all) == "f024a06f9df4db3a81e536a8d16895eb9a9defb5");
}

TEST_CASE("Laravel's add sets what is absent, with its time to live") {
  ServiceFixture f;
  CHECK(f(kAdd + "k v 5") == "+OK\r\n");
  CHECK(f("PTTL k") == ":5000\r\n");
  CHECK(f(kAdd + "k w 9") == "$-1\r\n");
  CHECK(f("GET k") == "$1\r\nv\r\n");
  f.clock.advance(5000);
  CHECK(f(kAdd + "k w 9") == "+OK\r\n");
  CHECK(f(kAdd + "other v 0") == "-ERR invalid expire time in 'setex' command\r\n");
}

TEST_CASE("a lock is released and refreshed by its holder only") {
  ServiceFixture f;
  f("SET l me EX 10");
  CHECK(f(kUnlock + "l you") == ":0\r\n");
  CHECK(f(kRefresh + "l you 60") == ":0\r\n");
  CHECK(f("PTTL l") == ":10000\r\n");
  CHECK(f(kRefresh + "l me 60") == ":1\r\n");
  CHECK(f("PTTL l") == ":60000\r\n");
  CHECK(f(kRefresh + "l me 0") == ":1\r\n");
  CHECK(f("PTTL l") == ":-1\r\n");
  CHECK(f(kRefresh + "l me abc") == "-ERR value is not an integer or out of range\r\n");
  CHECK(f(kUnlock + "l me") == ":1\r\n");
  CHECK(f(kUnlock + "l me") == ":0\r\n");
}

TEST_CASE("redis-py's lock is extended by or to a time") {
  ServiceFixture f;
  CHECK(f(kExtend + "l me 1000 0") == ":0\r\n");
  f("SET l me");
  CHECK(f(kExtend + "l me 1000 0") == ":0\r\n");
  f("SET l me PX 5000");
  CHECK(f(kExtend + "l you 1000 0") == ":0\r\n");
  CHECK(f(kExtend + "l me 1000 0") == ":1\r\n");
  CHECK(f("PTTL l") == ":6000\r\n");
  CHECK(f(kExtend + "l me 1000 1") == ":1\r\n");
  CHECK(f("PTTL l") == ":1000\r\n");
  CHECK(f(kReacquire + "l me 3000") == ":1\r\n");
  CHECK(f("PTTL l") == ":3000\r\n");
  CHECK(f(kExtend + "l me 9223372036854775807 0") == "-ERR value is not an integer or out of range\r\n");
  CHECK(f("PTTL l") == ":3000\r\n");
}

TEST_CASE("Laravel's funnel takes the first free slot") {
  ServiceFixture f;
  CHECK(f(kFunnel + "3 s1 s2 s3 s 60 a") == "$2\r\ns1\r\n");
  CHECK(f(kFunnel + "3 s1 s2 s3 s 60 b") == "$2\r\ns2\r\n");
  CHECK(f(kFunnel + "3 s1 s2 s3 s 60 c") == "$2\r\ns3\r\n");
  CHECK(f(kFunnel + "3 s1 s2 s3 s 60 d") == "$-1\r\n");
  CHECK(f("GET s2") == "$1\r\nb\r\n");
  CHECK(f("TTL s2") == ":60\r\n");
  f("DEL s2");
  CHECK(f(kFunnel + "3 s1 s2 s3 s 60 d") == "$2\r\ns2\r\n");
}

TEST_CASE("Laravel's throttle counts within its duration") {
  ServiceFixture f;
  const std::string throttle = "EVALSHA 29cc07bd431ccbf64637e5dcb60484560fdfa2da 1 t ";
  const std::string peek = "EVALSHA 1c5d436d6863e949247f4fa66fa1e32b7fa18da9 1 t ";
  CHECK(f(peek + "1000.5 1000 10 2") == "*2\r\n:0\r\n:1010\r\n");
  CHECK(f(throttle + "1000.5 1000 10 2") == "*3\r\n:1\r\n:1010\r\n:1\r\n");
  CHECK(f("TTL t") == ":20\r\n");
  CHECK(f(peek + "1001.5 1001 10 2") == "*2\r\n$4\r\n1010\r\n:1\r\n");
  CHECK(f(throttle + "1002 1002 10 2") == "*3\r\n:1\r\n$4\r\n1010\r\n:0\r\n");
  CHECK(f(throttle + "1002 1002 10 2") == "*3\r\n$-1\r\n$4\r\n1010\r\n:-1\r\n");
  CHECK(f(throttle + "1011 1011 10 2") == "*3\r\n:1\r\n:1021\r\n:1\r\n");
  f("SET t text");
  CHECK(f(throttle + "1 1 10 2").starts_with("-WRONGTYPE"));
  CHECK(f(throttle + "1 x 10 2") == "-ERR the limiter's arguments are no numbers\r\n");
}

TEST_CASE("a flush of Laravel's tags removes entries, and their names from the tags") {
  ServiceFixture f;
  const std::string flush = "EVALSHA 9cb1a19715c641e2fe9f680febf43029f09c6555 ";
  f("MSET my-p:a 1 my-p:b 2 my-p:c 3");
  f("ZADD my-p:tag:x 1 a 2 b 3 c");
  f("ZADD my-p:tag:y 1 b");
  CHECK(f(flush + "2 my-p:a my-p:b my%-p: my-p:tag:x my-p:tag:y") == "$-1\r\n");
  CHECK(f("EXISTS my-p:a my-p:b my-p:c") == ":1\r\n");
  CHECK(f("ZRANGE my-p:tag:x 0 -1") == "*1\r\n$1\r\nc\r\n");
  CHECK(f("EXISTS my-p:tag:y") == ":0\r\n");
  CHECK(f(flush + "1 my-p:c my-p: my-p:tag:x").starts_with("-NOLUA"));
  CHECK(f("EXISTS my-p:c") == ":1\r\n");
}

TEST_CASE("Symfony's tag takes its entries with it") {
  ServiceFixture f;
  const std::string invalidate = "EVALSHA 4b62164cbba2ca1ab7842127ae3acfe9aa96183a 1 tag p: ";
  f("MSET p:a 1 p:b 2 p:c 3");
  f("SADD tag a b");
  f("SADD {tag}tag left over");
  CHECK(f(invalidate + "1") == "*2\r\n$1\r\n0\r\n*0\r\n");
  CHECK(f("EXISTS p:a p:b p:c tag {tag}tag") == ":1\r\n");
  f("SADD tag a b");
  CHECK(f(invalidate + "0") == "*2\r\n$1\r\n0\r\n*2\r\n$1\r\na\r\n$1\r\nb\r\n");
  CHECK(f("EVALSHA 61fbbfc088ab586682ec7f5e23fba15a52ff37ea 1 tag a b 0") == "*2\r\n$1\r\n0\r\n*0\r\n");
  std::string value(
      "\x9d"
      "abcd"
      "\0"
      "efg"
      "\x5f"
      "\0\0\x03"
      "tagvalue",
      21);
  f.run({"SET", "v", value});
  CHECK(f("EVALSHA 04907746998413a590f8f9d3fa941875bd85c6a8 1 v") == "$3\r\ntag\r\n");
  CHECK(f("EVALSHA 04907746998413a590f8f9d3fa941875bd85c6a8 1 v") == "$0\r\n\r\n");
}

TEST_CASE("Symfony's lock has one writer or many readers") {
  ServiceFixture f;
  const auto script = [&f](const char* sha1, const std::string& arguments) {
    return f("EVALSHA " + std::string(sha1) + " 1 l " + arguments);
  };
  const char* const write = "6fdee501a3714553b74c0d67687b921b90b05d18";
  const char* const read = "b5745b5be27d9033eb5d3eb254df2faf502b88df";
  const char* const put_off = "63be12a3515941092212f15c08327d60916de9fa";
  const char* const exists = "3b6bdbbe16f821f49177b16c7707f331f015a779";
  const char* const release = "a70f7f5087a0cb2c2c9ca50d1f64e234c2628f0c";
  const std::string yes = ":1\r\n", no = "$-1\r\n";
  CHECK(script(write, "0 me 1000") == yes);
  CHECK(f("PTTL l") == ":1000\r\n");
  CHECK(script(write, "0 you 1000") == no);
  CHECK(script(read, "0 you 1000") == no);
  CHECK(script(exists, "0 me") == yes);
  CHECK(script(exists, "0 you") == no);
  CHECK(script(put_off, "0 you 5000") == no);
  CHECK(script(put_off, "0 me 5000") == yes);
  CHECK(f("PTTL l") == ":5000\r\n");
  CHECK(script(read, "0 me 2000") == yes);
  CHECK(script(read, "0 you 3000") == yes);
  CHECK(script(write, "0 me 1000") == no);
  CHECK(script(release, "you") == yes);
  CHECK(script(write, "0 me 1000") == yes);
  CHECK(script(release, "me") == yes);
  CHECK(script(release, "me") == no);
  CHECK(f("EXISTS l") == ":0\r\n");
  // By the client's time.
  CHECK(script("abdbb1413a25737fc4cfb9cf79ace1a22dad6ab3", "9999999999.5 me 1000") == yes);
  CHECK(f("ZSCORE l me") == "$14\r\n10000000000500\r\n");
  f("SET l text");
  CHECK(script(write, "0 me 1000") == no);
}

TEST_CASE("what is not known is refused with a code that no client hides") {
  ServiceFixture f;
  const std::string no_lua = "-NOLUA this server runs no Lua, and does not know this script\r\n";
  CHECK(f.run({"EVAL", "return 1", "0"}) == no_lua);
  CHECK(f.run({"EVAL_RO", "return 1", "0"}) == no_lua);
  CHECK(f.run({"SCRIPT", "LOAD", "return 1"}) == no_lua);
  CHECK(f.run({"EVAL", std::string(1'000'000, 'x'), "0"}) == no_lua);
  CHECK(f("EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0") ==
        "-NOSCRIPT No matching script. Please use EVAL.\r\n");
  CHECK(f("SCRIPT EXISTS 647c65a442733a1aa440f99908d249d13b4d6c4a e0e1f9fabfc9d4800c877a703b823ac0578ff8db") ==
        "*2\r\n:1\r\n:0\r\n");
  CHECK(f("SCRIPT EXISTS 647C65A442733A1AA440F99908D249D13B4D6C4A") == "*1\r\n:1\r\n");
}

TEST_CASE("a known script with other keys or arguments than it takes is an error and changes nothing") {
  ServiceFixture f;
  f("SET l me");
  for (const Script& script : Scripts::known()) {
    CAPTURE(script.whose);
    if (script.action == ScriptAction::kErasePattern) continue;  // has no SHA-1 of its own
    const std::string name = "EVALSHA " + std::string(script.sha1);
    const std::string expected =
        "-ERR wrong number of keys or arguments for this script (" + std::string(script.whose) + ")\r\n";
    CHECK(f(name + " 0 l me 10 0") == expected);
    if (script.arguments > 0) CHECK(f(name + " 1 l") == expected);
    if (script.keys == 1) CHECK(f(name + " 2 l l2 me 10 0") == expected);
  }
  CHECK(f("GET l") == "$2\r\nme\r\n");
}

TEST_CASE("a known script writes: not read-only, held with other writes, and part of a transaction") {
  ServiceFixture f;
  CHECK(f("EVALSHA_RO 647c65a442733a1aa440f99908d249d13b4d6c4a 1 l me") ==
        "-ERR Write commands are not allowed from read-only scripts.\r\n");
  f("MULTI");
  CHECK(f(kAdd + "l me 10") == "+QUEUED\r\n");
  f(kUnlock + "l me");
  CHECK(f("EXEC") == "*2\r\n+OK\r\n:1\r\n");
  f.service->set_holding_writes(true);
  CHECK(f(kAdd + "l me 10").empty());
  CHECK(f.last == Next::kHold);
}
