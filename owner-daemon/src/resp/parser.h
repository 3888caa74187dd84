// Takes requests out of a stream of bytes; touches no socket.
//
//   RequestParser parser;
//   buffer.append(bytes from the peer);
//   while (parser.parse(buffer) == RequestParser::Status::kRequest) {
//     run(parser.arguments());
//     buffer.erase_front(parser.take_consumed());
//   }
//   buffer.erase_front(parser.take_consumed());
//
// A request is a RESP array of bulk strings, or an inline line with Redis's quoting. Input may stop at any byte:
// parse() goes on where it stopped, given the same bytes with more behind them. Nothing is allocated for what was only
// announced.
//
// Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::resp {

struct ParserLimits {
  std::size_t max_line = 64 * 1024;      // bytes without a line end
  std::int64_t max_arguments = 1 << 20;  // of one request
  std::int64_t max_bulk = 512ll << 20;   // bytes of one argument
  // For a peer that has yet to authenticate.
  std::int64_t max_arguments_before_auth = 10;
  std::int64_t max_bulk_before_auth = 16384;
};

class RequestParser {
 public:
  enum class Status : std::uint8_t {
    kNeedMore,
    kRequest,  // arguments() holds at least one
    kError,    // error() says what was wrong; the stream can't be read any further
  };

  explicit RequestParser(const ParserLimits& limits = {}) : limits_(limits) {}

  // REQUIRES: `input` begins with the bytes of the call before, less what take_consumed() said, unless that call
  // answered kRequest and restart() followed.
  Status parse(std::string_view input);

  // Of the request just parsed; they point into the input (inline ones into the parser) until the next call.
  std::span<const std::string_view> arguments() const { return arguments_; }
  // Bytes at the front of the input that are done with; the caller drops them.
  std::size_t take_consumed();
  // The request just parsed was not run: parse() will find it again.
  void restart();
  // How long the input must grow before parse() can say more; 0 if that is not known.
  std::size_t wanted() const;
  const std::string& error() const { return error_; }

  void set_authenticated(bool yes) { authenticated_ = yes; }

 private:
  struct Slice {
    std::size_t offset;
    std::size_t length;
  };
  enum class Line : std::uint8_t { kFound, kNeedMore, kTooLong, kBroken };

  Line find_line(std::string_view input, std::string_view* line);
  bool take_short_number(std::string_view input, std::int64_t* out);
  Status parse_inline(std::string_view input);
  Status fail(std::string message);
  bool split_inline(std::string_view line);

  ParserLimits limits_;
  bool authenticated_ = true;
  bool in_request_ = false;     // between `*n` and the last argument
  std::size_t start_ = 0;       // of the request being parsed
  std::size_t position_ = 0;    // everything before is understood
  std::size_t scanned_ = 0;     // no line end between position_ and here
  std::int64_t remaining_ = 0;  // arguments still to come
  std::int64_t bulk_ = -1;      // length of the argument being read; -1: not announced yet
  std::vector<Slice> slices_;
  std::vector<std::string_view> arguments_;
  std::string text_;  // unquoted inline arguments, end to end
  std::string error_;
};

}  // namespace coppice::resp
