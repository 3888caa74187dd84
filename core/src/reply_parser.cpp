#include "reply_parser.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace coppice {

namespace {
// The whole of `text` as a number.
bool parse_integer(std::string_view text, std::int64_t* out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  return error == std::errc() && end == text.data() + text.size();
}
}  // namespace

ReplyParser::Status ReplyParser::fail(const char* why) {
  what_ = why;
  return Status::kMalformed;
}

void ReplyParser::reset() {
  root_ = Reply();
  depth_ = 0;
  bulk_ = nullptr;
  bulk_left_ = terminator_left_ = 0;
  partial_.clear();
  items_ = 0;
  what_ = "";
}

Reply ReplyParser::take() {
  Reply reply = std::move(root_);
  reset();
  return reply;
}

// An array on the stack is not touched while one of its items is being filled, so pointers into its items hold.
Reply& ReplyParser::open_item() {
  if (depth_ == 0) return root_;
  Frame& top = stack_[depth_ - 1];
  --top.left;
  return top.array->items.emplace_back();
}

ReplyParser::Status ReplyParser::finished() {
  while (depth_ > 0 && stack_[depth_ - 1].left == 0) --depth_;
  return depth_ == 0 ? Status::kComplete : Status::kIncomplete;
}

ReplyParser::Status ReplyParser::line(std::string_view text) {
  if (text.empty()) return fail("an empty line where a reply should begin");
  if (++items_ > kMaxItems) return fail("more items than a reply may have");
  const char kind = text.front();
  text.remove_prefix(1);
  std::int64_t number = 0;
  switch (kind) {
    case '+':
    case '-': {
      Reply& item = open_item();
      item.kind = kind == '+' ? Reply::Kind::kStatus : Reply::Kind::kError;
      item.text.assign(text);
      return finished();
    }
    case ':': {
      if (!parse_integer(text, &number)) return fail("an integer that is none");
      Reply& item = open_item();
      item.kind = Reply::Kind::kInteger;
      item.integer = number;
      return finished();
    }
    case '$': {
      if (!parse_integer(text, &number) || number < -1) return fail("a bulk string with an invalid length");
      if (number > kMaxBulk) return fail("a bulk string longer than 512 MiB");
      Reply& item = open_item();
      if (number == -1) return finished();
      item.kind = Reply::Kind::kBulk;
      bulk_ = &item;
      bulk_left_ = static_cast<std::size_t>(number);
      terminator_left_ = 2;
      return Status::kIncomplete;
    }
    case '*': {
      if (!parse_integer(text, &number) || number < -1) return fail("an array with an invalid length");
      if (number > kMaxItems) return fail("more items than a reply may have");
      Reply& item = open_item();
      if (number == -1) return finished();
      item.kind = Reply::Kind::kArray;
      if (number == 0) return finished();
      if (depth_ == kMaxDepth) return fail("arrays nested too deeply");
      item.items.reserve(static_cast<std::size_t>(std::min<std::int64_t>(number, 64)));
      stack_[depth_++] = {&item, number};
      return Status::kIncomplete;
    }
    default:
      return fail("a byte that begins no reply");
  }
}

ReplyParser::Status ReplyParser::feed(std::string_view* bytes) {
  while (!bytes->empty()) {
    if (bulk_left_ > 0) {
      const std::size_t n = std::min(bulk_left_, bytes->size());
      bulk_->text.append(bytes->data(), n);
      bytes->remove_prefix(n);
      bulk_left_ -= n;
      continue;
    }
    if (terminator_left_ > 0) {
      if (bytes->front() != (terminator_left_ == 2 ? '\r' : '\n'))
        return fail("a bulk string that does not end in CR LF");
      bytes->remove_prefix(1);
      if (--terminator_left_ > 0) continue;
      if (finished() == Status::kComplete) return Status::kComplete;
      continue;
    }
    const void* found = std::memchr(bytes->data(), '\n', bytes->size());
    const std::size_t n = found == nullptr
                              ? bytes->size()
                              : static_cast<std::size_t>(static_cast<const char*>(found) - bytes->data()) + 1;
    if (partial_.size() + n > kMaxLine) return fail("a line longer than 64 KiB");
    std::string_view text = bytes->substr(0, n);
    bytes->remove_prefix(n);
    if (found == nullptr || !partial_.empty()) {
      partial_.append(text);
      if (found == nullptr) return Status::kIncomplete;
      text = partial_;
    }
    if (text.size() < 2 || text[text.size() - 2] != '\r') return fail("a line that does not end in CR LF");
    text.remove_suffix(2);
    const Status status = line(text);
    partial_.clear();
    if (status != Status::kIncomplete) return status;
  }
  return Status::kIncomplete;
}

}  // namespace coppice
