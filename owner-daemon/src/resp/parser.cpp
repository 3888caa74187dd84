#include "resp/parser.h"

#include <cstring>
#include <utility>

#include "resp/number.h"

namespace coppice::resp {

namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

char escaped(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'b':
      return '\b';
    case 'a':
      return '\a';
    default:
      return c;
  }
}

}  // namespace

RequestParser::Status RequestParser::fail(std::string message) {
  error_ = std::move(message);
  return Status::kError;
}

std::size_t RequestParser::take_consumed() {
  // Within a request its bytes must stay: the slices point at them.
  const std::size_t n = in_request_ ? start_ : position_;
  start_ = 0;
  position_ -= n;
  scanned_ = scanned_ > n ? scanned_ - n : 0;
  if (in_request_ && n > 0)
    for (Slice& s : slices_) s.offset -= n;
  return n;
}

void RequestParser::restart() {
  position_ = scanned_ = start_;
  in_request_ = false;
}

std::size_t RequestParser::wanted() const {
  return in_request_ && bulk_ >= 0 ? position_ + static_cast<std::size_t>(bulk_) + 2 : 0;
}

// A line that ends in CRLF, from position_ on, without its end. position_ moves behind it.
RequestParser::Line RequestParser::find_line(std::string_view input, std::string_view* line) {
  const std::size_t from = scanned_ > position_ ? scanned_ : position_;
  const void* hit = from < input.size() ? std::memchr(input.data() + from, '\r', input.size() - from) : nullptr;
  if (hit == nullptr) {
    scanned_ = input.size();
    return input.size() - position_ > limits_.max_line ? Line::kTooLong : Line::kNeedMore;
  }
  const auto end = static_cast<std::size_t>(static_cast<const char*>(hit) - input.data());
  if (end - position_ > limits_.max_line) return Line::kTooLong;
  scanned_ = end;
  if (end + 1 >= input.size()) return Line::kNeedMore;
  if (input[end + 1] != '\n') return Line::kBroken;
  *line = input.substr(position_, end - position_);
  position_ = scanned_ = end + 2;
  return Line::kFound;
}

// The same as find_line() and parse_int64() behind the type's byte, for what nearly always stands there: a few digits
// and the whole end of the line. false: nothing has changed.
inline bool RequestParser::take_short_number(std::string_view input, std::int64_t* out) {
  constexpr std::size_t kMostDigits = 6;
  const char* const digits = input.data() + position_ + 1;
  const std::size_t left = input.size() - position_ - 1;
  std::int64_t value = 0;
  std::size_t n = 0;
  for (; n < left && n < kMostDigits; ++n) {
    const auto digit = static_cast<unsigned char>(digits[n] - '0');
    if (digit > 9) break;
    value = value * 10 + digit;
  }
  if (n == 0 || left < n + 2 || digits[n] != '\r' || digits[n + 1] != '\n' || (digits[0] == '0' && n > 1)) return false;
  *out = value;
  position_ = scanned_ = position_ + 1 + n + 2;
  return true;
}

RequestParser::Status RequestParser::parse(std::string_view input) {
  std::string_view line;
  for (;;) {
    if (!in_request_) {
      start_ = position_;
      if (position_ >= input.size()) return Status::kNeedMore;
      if (input[position_] != '*') {
        const Status status = parse_inline(input);
        if (status != Status::kRequest || !arguments_.empty()) return status;
        continue;  // an empty line
      }
      std::int64_t count = 0;
      if (!take_short_number(input, &count)) {
        switch (find_line(input, &line)) {
          case Line::kFound:
            break;
          case Line::kNeedMore:
            return Status::kNeedMore;
          case Line::kTooLong:
            return fail("Protocol error: too big mbulk count string");
          case Line::kBroken:
            return fail("Protocol error: invalid multibulk length");
        }
        if (!parse_int64(line.substr(1), &count)) return fail("Protocol error: invalid multibulk length");
      }
      if (count > limits_.max_arguments) return fail("Protocol error: invalid multibulk length");
      if (!authenticated_ && count > limits_.max_arguments_before_auth)
        return fail("Protocol error: unauthenticated multibulk length");
      if (count <= 0) continue;
      in_request_ = true;
      remaining_ = count;
      bulk_ = -1;
      slices_.clear();
    }
    while (remaining_ > 0) {
      if (bulk_ < 0) {
        if (position_ >= input.size()) return Status::kNeedMore;
        if (input[position_] != '$')
          return fail(std::string("Protocol error: expected '$', got '") + input[position_] + "'");
        std::int64_t length = 0;
        if (!take_short_number(input, &length)) {
          switch (find_line(input, &line)) {
            case Line::kFound:
              break;
            case Line::kNeedMore:
              return Status::kNeedMore;
            case Line::kTooLong:
              return fail("Protocol error: too big bulk count string");
            case Line::kBroken:
              return fail("Protocol error: invalid bulk length");
          }
          if (!parse_int64(line.substr(1), &length)) return fail("Protocol error: invalid bulk length");
        }
        if (length < 0 || length > limits_.max_bulk) return fail("Protocol error: invalid bulk length");
        if (!authenticated_ && length > limits_.max_bulk_before_auth)
          return fail("Protocol error: unauthenticated bulk length");
        bulk_ = length;
      }
      const auto length = static_cast<std::size_t>(bulk_);
      if (input.size() - position_ < length + 2) return Status::kNeedMore;
      if (input[position_ + length] != '\r' || input[position_ + length + 1] != '\n')
        return fail("Protocol error: bulk string without CRLF behind it");
      slices_.push_back({position_, length});
      position_ += length + 2;
      bulk_ = -1;
      --remaining_;
    }
    in_request_ = false;
    arguments_.clear();
    for (const Slice& s : slices_) arguments_.push_back(input.substr(s.offset, s.length));
    return Status::kRequest;
  }
}

// kRequest without arguments: the line was empty.
RequestParser::Status RequestParser::parse_inline(std::string_view input) {
  arguments_.clear();
  const std::size_t from = scanned_ > position_ ? scanned_ : position_;
  const void* hit = from < input.size() ? std::memchr(input.data() + from, '\n', input.size() - from) : nullptr;
  if (hit == nullptr) {
    scanned_ = input.size();
    if (input.size() - position_ > limits_.max_line) return fail("Protocol error: too big inline request");
    return Status::kNeedMore;
  }
  const auto end = static_cast<std::size_t>(static_cast<const char*>(hit) - input.data());
  if (end - position_ > limits_.max_line) return fail("Protocol error: too big inline request");
  std::string_view line = input.substr(position_, end - position_);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (!split_inline(line)) return fail("Protocol error: unbalanced quotes in request");
  position_ = scanned_ = end + 1;
  return Status::kRequest;
}

bool RequestParser::split_inline(std::string_view line) {
  text_.clear();
  slices_.clear();
  std::size_t i = 0;
  for (;;) {
    while (i < line.size() && is_space(line[i])) ++i;
    if (i == line.size()) break;
    const std::size_t begin = text_.size();
    char quote = 0;
    for (; i < line.size(); ++i) {
      const char c = line[i];
      if (quote == 0) {
        if (is_space(c)) break;
        if (c == '"' || c == '\'')
          quote = c;
        else
          text_ += c;
      } else if (c == quote) {
        // A closing quote ends the argument.
        if (i + 1 < line.size() && !is_space(line[i + 1])) return false;
        quote = 0;
        ++i;
        break;
      } else if (c == '\\' && quote == '"' && i + 3 < line.size() && line[i + 1] == 'x' &&
                 hex_digit(line[i + 2]) >= 0 && hex_digit(line[i + 3]) >= 0) {
        text_ += static_cast<char>(hex_digit(line[i + 2]) * 16 + hex_digit(line[i + 3]));
        i += 3;
      } else if (c == '\\' && quote == '"' && i + 1 < line.size()) {
        text_ += escaped(line[++i]);
      } else if (c == '\\' && quote == '\'' && i + 1 < line.size() && line[i + 1] == '\'') {
        text_ += '\'';
        ++i;
      } else {
        text_ += c;
      }
    }
    if (quote != 0) return false;
    slices_.push_back({begin, text_.size() - begin});
  }
  const std::string_view text = text_;
  for (const Slice& s : slices_) arguments_.push_back(text.substr(s.offset, s.length));
  return true;
}

}  // namespace coppice::resp
