// RESP2 replies out of a stream of bytes that may be split anywhere. Sees bytes, returns values; knows no socket.
//
// Bounded whatever comes: depth, length of a line and of a bulk, number of items. Nothing is allocated for what was
// only announced.
//
// Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "coppice/client.h"

namespace coppice {

class ReplyParser {
 public:
  static constexpr std::size_t kMaxDepth = 8;
  static constexpr std::size_t kMaxLine = 64u << 10;
  static constexpr std::int64_t kMaxBulk = 512ll << 20;
  static constexpr std::int64_t kMaxItems = 4ll << 20;  // of a reply, all levels together

  enum class Status : std::uint8_t { kIncomplete, kComplete, kMalformed };

  // Takes bytes from the front of `bytes`, which it shortens, until one reply is complete. After kComplete: take();
  // after kMalformed: what() says why, and only reset() leaves the state.
  Status feed(std::string_view* bytes);
  // The complete reply; the parser is ready for the next one.
  Reply take();
  void reset();
  const char* what() const { return what_; }

 private:
  Status line(std::string_view text);
  Status fail(const char* why);
  // Closes arrays whose last item has just been completed.
  Status finished();
  Reply& open_item();

  struct Frame {
    Reply* array;
    std::int64_t left;  // items still to come
  };
  Reply root_;
  Frame stack_[kMaxDepth];
  std::size_t depth_ = 0;
  Reply* bulk_ = nullptr;            // being filled
  std::size_t bulk_left_ = 0;        // bytes of it still to come
  std::size_t terminator_left_ = 0;  // of the CR LF behind it
  std::string partial_;              // a line whose end has not come yet
  std::int64_t items_ = 0;
  const char* what_ = "";
};

}  // namespace coppice
