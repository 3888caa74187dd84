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
    const std::string name = "EVALSHA " + std::string(script.sha1);
    const std::string expected =
        "-ERR wrong number of keys or arguments for this script (" + std::string(script.whose) + ")\r\n";
    CHECK(f(name + " 0 l me 10 0") == expected);
    CHECK(f(name + " 1 l") == expected);
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
