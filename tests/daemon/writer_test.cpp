#include "resp/writer.h"

#include "support/catch.h"

using coppice::resp::ReplyWriter;

namespace {

template <class F>
std::string written(int protocol, F&& f) {
  std::string out;
  ReplyWriter reply(out, protocol);
  f(reply);
  return out;
}

}  // namespace

TEST_CASE("simple kinds are the same in both protocols") {
  for (const int protocol : {2, 3}) {
    CHECK(written(protocol, [](auto& r) { r.ok(); }) == "+OK\r\n");
    CHECK(written(protocol, [](auto& r) { r.simple("PONG"); }) == "+PONG\r\n");
    CHECK(written(protocol, [](auto& r) { r.integer(INT64_MIN); }) == ":-9223372036854775808\r\n");
    CHECK(written(protocol, [](auto& r) { r.count(0); }) == ":0\r\n");
    CHECK(written(protocol, [](auto& r) { r.bulk(std::string_view("a\r\n\0b", 5)); }) ==
          std::string("$5\r\na\r\n\0b\r\n", 11));
    CHECK(written(protocol, [](auto& r) { r.bulk(""); }) == "$0\r\n\r\n");
    CHECK(written(protocol, [](auto& r) { r.array(3); }) == "*3\r\n");
  }
}

TEST_CASE("what RESP3 has of its own is written as its counterpart in RESP2") {
  CHECK(written(2, [](auto& r) { r.null(); }) == "$-1\r\n");
  CHECK(written(2, [](auto& r) { r.null_array(); }) == "*-1\r\n");
  CHECK(written(2, [](auto& r) { r.map(2); }) == "*4\r\n");
  CHECK(written(2, [](auto& r) { r.set(2); }) == "*2\r\n");
  CHECK(written(2, [](auto& r) { r.verbatim("ab"); }) == "$2\r\nab\r\n");
  CHECK(written(3, [](auto& r) { r.null(); }) == "_\r\n");
  CHECK(written(3, [](auto& r) { r.null_array(); }) == "_\r\n");
  CHECK(written(3, [](auto& r) { r.map(2); }) == "%2\r\n");
  CHECK(written(3, [](auto& r) { r.set(2); }) == "~2\r\n");
  CHECK(written(3, [](auto& r) { r.verbatim("ab"); }) == "=6\r\ntxt:ab\r\n");
}

TEST_CASE("an error stays one line whatever it quotes") {
  CHECK(written(2, [](auto& r) { r.error("ERR unknown 'a\r\n+OK\r\n'"); }) == "-ERR unknown 'a  +OK  '\r\n");
}

TEST_CASE("what came after a mark can be taken back") {
  CHECK(written(2, [](auto& r) {
          r.ok();
          const auto mark = r.mark();
          r.bulk("old value");
          r.rewind(mark);
          r.error("OOM no");
        }) == "+OK\r\n-OOM no\r\n");
}

TEST_CASE("a value in several parts is written as one string") {
  std::string pages(3 * coppice::layout::kPageSize, 'p');
  const std::uint32_t numbers[] = {2, 1};
  coppice::EntryView entry;
  entry.value_size = 2 * coppice::layout::kPageSize + 3;
  entry.parts = {pages.data(), numbers, 2};
  entry.tail = "end";
  CHECK(written(2, [&](auto& r) { r.bulk(entry); }) == "$131075\r\n" + std::string(131072, 'p') + "end\r\n");
}
