#include "resp/parser.h"

#include <algorithm>

#include "parser_drive.h"
#include "support/catch.h"
#include "support/random.h"

using namespace coppice::resp;

namespace {

using Requests = std::vector<std::vector<std::string>>;

std::string error_of(std::string_view input, bool authenticated = true) {
  return drive_whole(input, {}, authenticated).error;
}

std::string bulk(std::string_view bytes) {
  return "$" + std::to_string(bytes.size()) + "\r\n" + std::string(bytes) + "\r\n";
}

}  // namespace

TEST_CASE("an array of bulk strings is a request") {
  const Trace trace = drive_whole("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n");
  CHECK(trace.requests == Requests{{"GET", "k"}});
  CHECK(trace.error.empty());
  CHECK(trace.left_over == 0);
}

TEST_CASE("arguments are any bytes") {
  const std::string odd("\r\n\0*1\r\n$\xff", 9);
  const Trace trace = drive_whole("*2\r\n" + bulk(odd) + bulk(""));
  CHECK(trace.requests == Requests{{odd, ""}});
}

TEST_CASE("several requests in one read come out in order") {
  const Trace trace = drive_whole("PING\r\n*1\r\n$4\r\nQUIT\r\nECHO hi\r\n*1\r\n$4\r\nPI");
  CHECK(trace.requests == Requests{{"PING"}, {"QUIT"}, {"ECHO", "hi"}});
  CHECK(trace.left_over == 10);
}

TEST_CASE("empty lines, empty arrays and negative counts are skipped") {
  const Trace trace = drive_whole("\r\n\n\n*0\r\n*-1\r\n  \r\n*-2000\r\nPING\n");
  CHECK(trace.requests == Requests{{"PING"}});
  CHECK(trace.left_over == 0);
}

TEST_CASE("skipped bytes do not pile up") {
  RequestParser parser;
  std::string input;
  for (int i = 0; i < 1000; ++i) {
    input += "\r\n*0\r\n";
    CHECK(parser.parse(input) == RequestParser::Status::kNeedMore);
    input.erase(0, parser.take_consumed());
  }
  CHECK(input.empty());
}

TEST_CASE("inline arguments may be quoted") {
  const Trace trace = drive_whole("SET \"a b\\x41\\n\\\"\" 'it\\'s \\n' plain\"x\" \"\"\n");
  CHECK(trace.requests == Requests{{"SET", "a bA\n\"", "it's \\n", "plainx", ""}});
}

TEST_CASE("an escape that is no hex digit pair is taken literally") {
  CHECK(drive_whole("\"\\xZZ\\q\"\n").requests == Requests{{"xZZq"}});
}

TEST_CASE("unbalanced quotes are an error") {
  for (const auto* line : {"GET \"a\n", "GET 'a\n", "GET \"a\"b\n", "GET 'a'b\n", "GET \"a\\\"\n"}) {
    CAPTURE(line);
    CHECK(error_of(line) == "Protocol error: unbalanced quotes in request");
  }
}

TEST_CASE("lengths that are no plain decimals are errors") {
  for (const auto* line : {"*abc\r\n", "*\r\n", "*01\r\n", "*+1\r\n", "* 1\r\n", "*-0\r\n", "*1048577\r\n",
                           "*99999999999999999999\r\n", "*1\rx"}) {
    CAPTURE(line);
    CHECK(error_of(line) == "Protocol error: invalid multibulk length");
  }
  for (const auto* line : {"$-1\r\n", "$abc\r\n", "$\r\n", "$01\r\n", "$536870913\r\n", "$1\rx"}) {
    CAPTURE(line);
    CHECK(error_of(std::string("*1\r\n") + line) == "Protocol error: invalid bulk length");
  }
}

TEST_CASE("an argument that is not announced by $ is an error") {
  CHECK(error_of("*1\r\n:3\r\n") == "Protocol error: expected '$', got ':'");
  CHECK(error_of("*2\r\n$1\r\na\r\nb") == "Protocol error: expected '$', got 'b'");
}

TEST_CASE("a bulk string must end where it was announced to") {
  CHECK(error_of("*1\r\n$3\r\nabcd\r\n") == "Protocol error: bulk string without CRLF behind it");
  CHECK(error_of("*1\r\n$3\r\nabc\nx") == "Protocol error: bulk string without CRLF behind it");
}

TEST_CASE("64 KiB without a line end are an error, one byte less is not") {
  const std::size_t most = ParserLimits{}.max_line;
  CHECK(error_of(std::string(most, 'a')).empty());
  CHECK(error_of(std::string(most + 1, 'a')) == "Protocol error: too big inline request");
  CHECK(error_of("*" + std::string(most, '1')) == "Protocol error: too big mbulk count string");
  CHECK(error_of("*1\r\n$" + std::string(most, '1')) == "Protocol error: too big bulk count string");
}

TEST_CASE("before authentication requests are small") {
  std::string eleven = "*11\r\n";
  CHECK(error_of(eleven, false) == "Protocol error: unauthenticated multibulk length");
  CHECK(error_of("*1\r\n$16385\r\n", false) == "Protocol error: unauthenticated bulk length");
  CHECK(error_of("*10\r\n$16384\r\n", false).empty());
  CHECK(error_of(eleven).empty());
}

TEST_CASE("nothing is asked for that was only announced") {
  RequestParser parser;
  CHECK(parser.parse("*1048576\r\n$536870912\r\n") == RequestParser::Status::kNeedMore);
  CHECK(parser.wanted() == 22 + 536870912ull + 2);
  CHECK(parser.take_consumed() == 0);
}

TEST_CASE("a request that was not run is found again") {
  RequestParser parser;
  std::string input = "\r\n*2\r\n$3\r\nDEL\r\n$1\r\nk\r\n";
  for (int i = 0; i < 3; ++i) {
    REQUIRE(parser.parse(input) == RequestParser::Status::kRequest);
    CHECK(parser.arguments()[1] == "k");
    parser.restart();
    input += "PING\r\n";
  }
  REQUIRE(parser.parse(input) == RequestParser::Status::kRequest);
  input.erase(0, parser.take_consumed());
  CHECK(input == "PING\r\nPING\r\nPING\r\n");
}

TEST_CASE("wherever the input is split, the same comes out") {
  const std::string streams[] = {
      "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$5\r\na\r\nbc\r\n\r\n*0\r\nPING \"x y\"\r\n*1\r\n$4\r\nQUIT\r\n",
      "GET 'a\r\n",
      "*2\r\n$3\r\nGET\r\n:1\r\n",
      "*1\r\n$3\r\nabcd\r\n",
      "*1\r\n$2\r\n",
      "*x\r\n",
      "*1\rx",
  };
  for (const std::string& stream : streams) {
    CAPTURE(stream);
    const Trace whole = drive_whole(stream);
    CHECK(drive(stream, [](std::size_t) { return 1; }) == whole);
    for (std::size_t first = 1; first < stream.size(); ++first) {
      CAPTURE(first);
      CHECK(drive(stream, [&](std::size_t at) { return at == 0 ? first : stream.size(); }) == whole);
    }
  }
}

TEST_CASE("random streams come out the same however they are split") {
  const std::uint64_t seed = coppice::test::draw_seed();
  INFO("COPPICE_TEST_SEED=" << seed);
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::string pieces[] = {
      "*1\r\n",     "*2\r\n", "*3\r\n", "*0\r\n",   "*-1\r\n",  "$1\r\na\r\n", "$4\r\nPING\r\n",
      "$0\r\n\r\n", "\r\n",   "\n",     "PING\r\n", "\"q u\" ", "'",           "x\n",
      "*",          "$",      "\r",     "1"};
  for (int round = 0; round < 2000; ++round) {
    std::string stream;
    const auto count = 1 + below(12);
    for (std::size_t i = 0; i < count; ++i) stream += pieces[below(std::size(pieces))];
    const Trace whole = drive_whole(stream);
    const Trace split = drive(stream, [&](std::size_t) { return 1 + below(6); });
    CAPTURE(stream);
    REQUIRE(whole == split);
  }
}
