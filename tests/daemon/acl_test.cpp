#include "acl/acl.h"

#include <random>

#include "acl/categories.h"
#include "service_fixture.h"
#include "support/catch.h"

using namespace coppice::daemon;

namespace {

User made_of(std::initializer_list<std::string_view> rules) {
  User user("u");
  for (const std::string_view rule : rules) {
    CAPTURE(rule);
    CHECK(user.apply(rule) == "");
  }
  return user;
}

Denied may(const User& user, std::vector<std::string_view> words) {
  const CommandSpec* spec = resolve_command(words);
  REQUIRE(spec != nullptr);
  REQUIRE(arity_fits(*spec, words.size()));
  return user.check(*spec, words).denied;
}

}  // namespace

TEST_CASE("a new user may do nothing, and cannot log in") {
  const User user("u");
  CHECK(user.restricted());
  CHECK(may(user, {"get", "a"}) == Denied::kCommand);
  CHECK(user.describe() == "u off resetchannels -@all");
}

TEST_CASE("a user who may do everything is not restricted, and is again restricted by one rule") {
  User user = made_of({"on", "allkeys", "allchannels", "allcommands"});
  CHECK_FALSE(user.restricted());
  for (const std::string_view rule : {"-get", "resetkeys", "resetchannels", "-@read"}) {
    User less = user;
    CHECK(less.apply(rule) == "");
    CHECK(less.restricted());
  }
}

TEST_CASE("rights to keys are for reading, for writing or both") {
  const User user = made_of({"+@all", "~shop.*", "%R~ro.*", "%W~wo.*", "~exact", "~a?c"});
  CHECK(may(user, {"get", "shop.1"}) == Denied::kNothing);
  CHECK(may(user, {"get", "shop"}) == Denied::kKey);
  CHECK(may(user, {"set", "exact", "1"}) == Denied::kNothing);
  CHECK(may(user, {"set", "exact1", "1"}) == Denied::kKey);
  CHECK(may(user, {"get", "abc"}) == Denied::kNothing);
  CHECK(may(user, {"get", "ro.1"}) == Denied::kNothing);
  CHECK(may(user, {"set", "ro.1", "v"}) == Denied::kKey);
  CHECK(may(user, {"set", "wo.1", "v"}) == Denied::kNothing);
  CHECK(may(user, {"set", "wo.1", "v", "GET"}) == Denied::kKey);
  CHECK(may(user, {"get", "wo.1"}) == Denied::kKey);
  CHECK(may(user, {"incr", "wo.1"}) == Denied::kKey);
  CHECK(may(user, {"exists", "wo.1"}) == Denied::kNothing);
  CHECK(may(user, {"copy", "ro.1", "wo.1"}) == Denied::kNothing);
  CHECK(may(user, {"copy", "wo.1", "wo.2"}) == Denied::kKey);
  CHECK(may(user, {"rename", "ro.1", "shop.1"}) == Denied::kKey);
  CHECK(may(user, {"mget", "shop.1", "ro.1", "other"}) == Denied::kKey);
  CHECK(may(user, {"mset", "shop.1", "other", "wo.1", "other"}) == Denied::kNothing);
  CHECK(may(user, {"tmset", "0", "1", "shop.1", "s", "v", "TAGS", "1", "t"}) == Denied::kNothing);
  CHECK(may(user, {"tmset", "0", "2", "shop.1", "s", "v", "other", "s", "v"}) == Denied::kKey);
  CHECK(may(user, {"eval", "text", "2", "shop.1", "other", "x"}) == Denied::kKey);
  CHECK(may(user, {"eval", "text", "1", "shop.1", "other"}) == Denied::kNothing);
}

TEST_CASE("a branch needs a pattern that covers it all") {
  const User user = made_of({"+@all", "~shop.*", "%R~ro.*", "~x?*", "~exact"});
  CHECK(may(user, {"delprefix", "shop."}) == Denied::kNothing);
  CHECK(may(user, {"delprefix", "shop.1."}) == Denied::kNothing);
  CHECK(may(user, {"delprefix", "shop"}) == Denied::kKey);
  CHECK(may(user, {"delprefix", ""}) == Denied::kKey);
  CHECK(may(user, {"delprefix", "ro."}) == Denied::kKey);
  CHECK(may(user, {"scanprefix", "ro."}) == Denied::kNothing);
  CHECK(may(user, {"tscan", "xy"}) == Denied::kKey);
  CHECK(may(user, {"tscan", "exact"}) == Denied::kKey);
  CHECK(may(user, {"deltag", "t"}) == Denied::kKey);
  CHECK(may(made_of({"+@all", "allkeys"}), {"deltag", "t"}) == Denied::kNothing);
}

TEST_CASE("classes and commands apply in their order") {
  CHECK(may(made_of({"allkeys", "+@read", "-get"}), {"get", "a"}) == Denied::kCommand);
  CHECK(may(made_of({"allkeys", "-get", "+@read"}), {"get", "a"}) == Denied::kNothing);
  CHECK(may(made_of({"+config|get"}), {"config", "get", "a"}) == Denied::kNothing);
  CHECK(may(made_of({"+config|get"}), {"config", "set", "a", "b"}) == Denied::kCommand);
  CHECK(may(made_of({"+config", "-config|set"}), {"config", "set", "a", "b"}) == Denied::kCommand);
  CHECK(may(made_of({"+@all", "-@dangerous"}), {"flushall"}) == Denied::kCommand);
  CHECK(may(made_of({"+@all", "-@typed", "allkeys"}), {"tget", "a"}) == Denied::kCommand);
  CHECK(made_of({"+@read", "-get", "+client|id", "+get", "+client"}).commands() == "-@all +@read +get +client");
}

TEST_CASE("a bad rule says what is wrong and changes nothing") {
  User user = made_of({"on", ">p", "~a*", "+get"});
  const std::string before = user.describe();
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "Syntax error"},
      {"nonsense", "Syntax error"},
      {"+nosuch", "Unknown command"},
      {"+", "Unknown command"},
      {"+@", "Unknown command"},
      {"+@nosuch", "Unknown command"},
      {"+client|nosuch", "Unknown command"},
      {"+client|id|x", "first-arg"},
      {"#12", "64 characters"},
      {"<nosuch", "does not exist"},
      {"%X~a", "Syntax error"},
      {"%R", "Syntax error"},
      {"%~a", "Syntax error"},
      {"~a b", "Syntax error"},
      {"(+get ~a)", "Selectors"},
  };
  for (const auto& [rule, why] : cases) {
    CAPTURE(rule);
    CHECK(user.apply(rule).find(why) != std::string::npos);
    CHECK(user.describe() == before);
  }
  CHECK(made_of({"allkeys"}).apply("~x").find("'allkeys' flag") != std::string::npos);
}

TEST_CASE("what a user is described as makes the same user, whatever rules made it") {
  std::mt19937 random(20261);
  constexpr std::string_view kRules[] = {
      "on",      "off",     "nopass",    "resetpass",  ">one",        ">two",          "<one",  "~a*",   "%R~b*",
      "%W~b*",   "allkeys", "resetkeys", "&c*",        "allchannels", "resetchannels", "+@all", "-@all", "+@read",
      "-@write", "+get",    "-client",   "+client|id", "-client|id",  "+@dangerous",   "reset"};
  for (int round = 0; round < 300; ++round) {
    User user("u");
    for (int i = 0; i < 12; ++i) user.apply(kRules[random() % std::size(kRules)]);
    Acl acl;
    CHECK(acl.set_line(user.describe()) == "");
    const User* again = acl.find("u");
    REQUIRE(again != nullptr);
    CHECK(again->describe() == user.describe());
    for (const CommandSpec& spec : command_table()) CHECK(again->may_run(spec) == user.may_run(spec));
  }
}

TEST_CASE("any bytes may be given as rules") {
  std::mt19937 random(77);
  constexpr std::string_view kPieces[] = {"+",    "-",    "@",     "~", "%",  "&", "#",
                                          ">",    "<",    "!",     "(", "|",  "R", "W",
                                          "get",  "read", "*",     "[", "\\", " ", std::string_view("\0", 1),
                                          "\xff", "all",  "client"};
  for (int round = 0; round < 5000; ++round) {
    std::string rule;
    for (std::size_t i = random() % 7; i-- > 0;) rule += kPieces[random() % std::size(kPieces)];
    User user("u");
    const std::string before = user.describe();
    if (!user.apply(rule).empty()) CHECK(user.describe() == before);
    (void)may(user, {"mget", "a", "b"});
  }
}

TEST_CASE("passwords are right or wrong, by name") {
  Acl acl;
  const std::string_view rules[] = {"on", ">one", ">two"};
  CHECK(acl.set("u", rules) == "");
  CHECK(acl.authenticate("u", "one") == acl.find("u"));
  CHECK(acl.authenticate("u", "two") != nullptr);
  CHECK(acl.authenticate("u", "") == nullptr);
  CHECK(acl.authenticate("nobody", "one") == nullptr);
  CHECK(acl.authenticate("default", "whatever") != nullptr);
  CHECK(acl.set_line("u off") == "");
  CHECK(acl.authenticate("u", "one") == nullptr);
  acl.set_default_password("p");
  CHECK_FALSE(acl.default_is_open());
  CHECK(acl.authenticate("default", "whatever") == nullptr);
  CHECK(acl.authenticate("default", "p") != nullptr);
  CHECK(acl.users().at("u").describe().find("one") == std::string::npos);
}

TEST_CASE("the log of refusals stays within its length, and its texts within theirs") {
  Config config;
  config.acllog_max_len = 3;
  ServiceFixture f(config);
  for (int i = 0; i < 10; ++i) f.run({"auth", std::string(5000, static_cast<char>('a' + i)), "p"});
  CHECK(f.service->acl().log().size() == 3);
  for (const AclLogEntry& entry : f.service->acl().log()) CHECK(entry.user.size() == AclLogEntry::kMost);
  CHECK(f("acl log reset") == "+OK\r\n");
  f("auth x y");
  f("auth x y");
  CHECK(f.service->acl().log().at(0).count == 2);
  f.clock.advance(61'000);
  f("auth x y");
  CHECK(f.service->acl().log().size() == 2);
}

TEST_CASE("a refused command changes nothing, and EXEC asks again") {
  ServiceFixture f;
  CHECK(f("acl setuser web on nopass ~web.* +@all -flushall") == "+OK\r\n");
  CHECK(f("auth web x") == "+OK\r\n");
  CHECK(f("set other 1") == "-NOPERM this user has no permissions to access one of the keys used as arguments\r\n");
  CHECK(f("flushall") == "-NOPERM this user has no permissions to run the 'flushall' command\r\n");
  CHECK(f("dbsize") == ":0\r\n");
  f("multi");
  CHECK(f("set web.1 1") == "+QUEUED\r\n");
  CHECK(f("acl setuser web resetkeys") == "+QUEUED\r\n");
  CHECK(f("set web.2 1") == "+QUEUED\r\n");
  const std::string reply = f("exec");
  CHECK(reply.find("*3\r\n+OK\r\n+OK\r\n-NOPERM ACLs rules changed") == 0);
  CHECK(f("dbsize") == ":1\r\n");
}

TEST_CASE("ATTACH is for those who may read everything") {
  ServiceFixture f;
  f.session.unix_socket = true;
  f("acl setuser part on nopass ~web.* +@all");
  f("acl setuser blind on nopass allkeys +@all -tget");
  f("acl setuser reader on nopass %R~* +attach +tget");
  for (const char* name : {"part", "blind"}) {
    f(std::string("auth ") + name + " x");
    CHECK(f("attach 1").find("-NOPERM this user may not read every key") == 0);
  }
  f("auth reader x");
  f("attach 1");
  CHECK(f("attach 1").find("NOPERM") == std::string::npos);
}

TEST_CASE("COMMAND GETKEYS finds the keys of every form") {
  ServiceFixture f;
  CHECK(f("command getkeys eval x 2 a b c") == "*2\r\n$1\r\na\r\n$1\r\nb\r\n");
  CHECK(f("command getkeys mset a 1 b 2") == "*2\r\n$1\r\na\r\n$1\r\nb\r\n");
  CHECK(f("command getkeys object encoding k") == "*1\r\n$1\r\nk\r\n");
  CHECK(f("command getkeys eval x 99999999999 a") == "*1\r\n$1\r\na\r\n");
  CHECK(f("command getkeysandflags set k v") == "*1\r\n*2\r\n$1\r\nk\r\n*2\r\n+OW\r\n+update\r\n");
}
