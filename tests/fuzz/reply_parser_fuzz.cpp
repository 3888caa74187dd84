// The client's reply parser on any bytes: in one piece and split at every place that the bytes themselves suggest, it
// must come to the same.
#include <cstdlib>
#include <string>

#include "reply_parser.h"

using namespace coppice;

namespace {

void describe(const Reply& reply, std::string* to) {
  *to += static_cast<char>('0' + static_cast<int>(reply.kind));
  *to += std::to_string(reply.integer) + reply.text;
  for (const Reply& item : reply.items) describe(item, to);
}

// All that was parsed, and how it ended.
std::string parse(std::string_view bytes, std::size_t piece) {
  ReplyParser parser;
  std::string seen;
  while (!bytes.empty()) {
    std::string_view part = bytes.substr(0, piece);
    bytes.remove_prefix(part.size());
    while (!part.empty()) {
      switch (parser.feed(&part)) {
        case ReplyParser::Status::kMalformed:
          return seen + "!" + parser.what();
        case ReplyParser::Status::kComplete:
          describe(parser.take(), &seen);
          break;
        case ReplyParser::Status::kIncomplete:
          break;
      }
    }
  }
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (size == 0) return 0;
  const std::string whole = parse(bytes, size);
  if (parse(bytes, 1) != whole || parse(bytes, 1 + data[0] % 13) != whole) std::abort();
  return 0;
}
