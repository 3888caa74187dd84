#include "reply_parser.h"

#include <random>
#include <string>

#include "support/catch.h"

using namespace coppice;
using Status = ReplyParser::Status;

namespace {

Status feed(ReplyParser& parser, std::string_view bytes) { return parser.feed(&bytes); }

std::string failure(std::string_view bytes) {
  ReplyParser parser;
  return feed(parser, bytes) == Status::kMalformed ? parser.what() : "";
}

bool same(const Reply& a, const Reply& b) {
  if (a.kind != b.kind || a.integer != b.integer || a.text != b.text || a.items.size() != b.items.size()) return false;
  for (std::size_t i = 0; i < a.items.size(); ++i)
    if (!same(a.items[i], b.items[i])) return false;
  return true;
}

Reply random_reply(std::mt19937& random, int depth, std::string* wire) {
  Reply reply;
  const auto text = [&](bool any_byte) {
    std::string s(random() % 30, '\0');
    for (char& c : s) c = any_byte ? static_cast<char>(random()) : static_cast<char>('a' + random() % 26);
    return s;
  };
  switch (random() % (depth == 0 ? 5 : 6)) {
    case 0:
      *wire += random() % 2 ? "$-1\r\n" : "*-1\r\n";
      break;
    case 1:
      reply.kind = Reply::Kind::kStatus;
      reply.text = text(false);
      *wire += "+" + reply.text + "\r\n";
      break;
    case 2:
      reply.kind = Reply::Kind::kError;
      reply.text = text(false);
      *wire += "-" + reply.text + "\r\n";
      break;
    case 3:
      reply.kind = Reply::Kind::kInteger;
      reply.integer = static_cast<std::int64_t>(std::uint64_t{random()} << 32 | random());
      *wire += ":" + std::to_string(reply.integer) + "\r\n";
      break;
    case 4:
      reply.kind = Reply::Kind::kBulk;
      reply.text = text(true);
      *wire += "$" + std::to_string(reply.text.size()) + "\r\n" + reply.text + "\r\n";
      break;
    default: {
      reply.kind = Reply::Kind::kArray;
      const std::size_t n = random() % 6;
      *wire += "*" + std::to_string(n) + "\r\n";
      for (std::size_t i = 0; i < n; ++i) reply.items.push_back(random_reply(random, depth - 1, wire));
    }
  }
  return reply;
}

}  // namespace

TEST_CASE("replies come out whole however their bytes are split") {
  const unsigned seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  ReplyParser parser;
  for (int round = 0; round < 2000; ++round) {
    std::string wire;
    std::vector<Reply> expected;
    for (std::size_t i = 1 + random() % 3; i > 0; --i) expected.push_back(random_reply(random, 4, &wire));
    std::size_t next = 0;
    std::string_view left = wire;
    while (!left.empty()) {
      std::string_view piece = left.substr(0, 1 + random() % 40);
      left.remove_prefix(piece.size());
      while (!piece.empty()) {
        const Status status = parser.feed(&piece);
        REQUIRE(status != Status::kMalformed);
        if (status != Status::kComplete) continue;
        REQUIRE(next < expected.size());
        REQUIRE(same(parser.take(), expected[next++]));
      }
    }
    REQUIRE(next == expected.size());
  }
}

TEST_CASE("what follows a reply is left alone") {
  ReplyParser parser;
  std::string_view bytes = ":1\r\n:2\r\n";
  CHECK(parser.feed(&bytes) == Status::kComplete);
  CHECK(bytes == ":2\r\n");
}

TEST_CASE("what is no RESP is named") {
  CHECK(failure("HTTP/1.1 400 Bad Request\r\n") == "a byte that begins no reply");
  CHECK(failure("\r\n") == "an empty line where a reply should begin");
  CHECK(failure(":12x\r\n") == "an integer that is none");
  CHECK(failure(":\r\n") == "an integer that is none");
  CHECK(failure(":99999999999999999999\r\n") == "an integer that is none");
  CHECK(failure(": 1\r\n") == "an integer that is none");
  CHECK(failure("$x\r\n") == "a bulk string with an invalid length");
  CHECK(failure("$-2\r\n") == "a bulk string with an invalid length");
  CHECK(failure("*-2\r\n") == "an array with an invalid length");
  CHECK(failure("+OK\n") == "a line that does not end in CR LF");
  CHECK(failure("$2\r\nabXY") == "a bulk string that does not end in CR LF");
  CHECK(failure("$2\r\nab\rY") == "a bulk string that does not end in CR LF");
}

TEST_CASE("announcements beyond the limits are refused, those within allocate nothing") {
  CHECK(failure("$536870913\r\n") == "a bulk string longer than 512 MiB");
  CHECK(failure("$9223372036854775807\r\n") == "a bulk string longer than 512 MiB");
  CHECK(failure("*4194305\r\n") == "more items than a reply may have");
  ReplyParser parser;
  CHECK(feed(parser, "*4194304\r\n$536870912\r\nabc") == Status::kIncomplete);  // would be 2 PiB
}

TEST_CASE("nesting is bounded") {
  std::string deepest, deeper;
  for (std::size_t i = 0; i < ReplyParser::kMaxDepth; ++i) deepest += "*1\r\n";
  deeper = deepest + "*1\r\n";
  ReplyParser parser;
  CHECK(feed(parser, deepest + ":1\r\n") == Status::kComplete);
  CHECK(failure(deeper) == "arrays nested too deeply");
}

TEST_CASE("lines are bounded, whole or in pieces") {
  CHECK(failure("+" + std::string(ReplyParser::kMaxLine, 'x')) == "a line longer than 64 KiB");
  ReplyParser parser;
  CHECK(feed(parser, "+" + std::string(ReplyParser::kMaxLine - 10, 'x')) == Status::kIncomplete);
  CHECK(feed(parser, std::string(100, 'x')) == Status::kMalformed);
}

TEST_CASE("the items of all levels are counted together") {
  ReplyParser parser;
  std::string inner = "*65536\r\n";
  for (int i = 0; i < 65536; ++i) inner += "*0\r\n";
  Status status = feed(parser, "*1000\r\n");
  int fed = 0;
  for (; fed < 1000 && status == Status::kIncomplete; ++fed) status = feed(parser, inner);
  CHECK(status == Status::kMalformed);
  CHECK(fed <= 64);
}
