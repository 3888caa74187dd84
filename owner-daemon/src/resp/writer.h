// Appends replies to a buffer, in RESP2 or RESP3.
//
//   ReplyWriter reply(out, 2);
//   reply.array(2); reply.integer(7); reply.bulk("seven");
//
// Thread safety: none.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "coppice/store.h"

namespace coppice::resp {

class ReplyWriter {
 public:
  // Does not own `out`.
  ReplyWriter(std::string& out, int protocol) : out_(&out), protocol_(protocol) {}

  int protocol() const { return protocol_; }
  void set_protocol(int protocol) { protocol_ = protocol; }

  void ok() { out_->append("+OK\r\n"); }
  void simple(std::string_view text) {
    out_->push_back('+');
    out_->append(text);
    line_end();
  }
  // `text` begins with the error's code. Line ends in it become spaces: it may quote what a client sent.
  void error(std::string_view text) {
    out_->push_back('-');
    const std::size_t from = out_->size();
    out_->append(text);
    for (std::size_t i = from; i < out_->size(); ++i)
      if ((*out_)[i] == '\r' || (*out_)[i] == '\n') (*out_)[i] = ' ';
    line_end();
  }
  void integer(std::int64_t n) { number(':', n); }
  void count(std::uint64_t n) { number(':', static_cast<std::int64_t>(n)); }
  void bulk(std::string_view bytes) {
    number('$', static_cast<std::int64_t>(bytes.size()));
    out_->append(bytes);
    line_end();
  }
  // The value of an entry, copied once.
  void bulk(const EntryView& entry) {
    // A long value must not be copied again because the buffer grew under it.
    if (entry.value_size > layout::kPageSize) out_->reserve(out_->size() + entry.value_size + 32);
    number('$', entry.value_size);
    entry.for_each_part([this](std::string_view part) { out_->append(part); });
    line_end();
  }
  // A double by its text (resp/decimal.h); a bulk string under RESP2.
  void real(std::string_view text) {
    if (protocol_ < 3) return bulk(text);
    out_->push_back(',');
    out_->append(text);
    line_end();
  }
  void null() { out_->append(protocol_ >= 3 ? "_\r\n" : "$-1\r\n"); }
  void null_array() { out_->append(protocol_ >= 3 ? "_\r\n" : "*-1\r\n"); }
  void array(std::size_t items) { number('*', static_cast<std::int64_t>(items)); }
  // Followed by `pairs` keys and values; a flat array under RESP2.
  void map(std::size_t pairs) {
    if (protocol_ >= 3)
      number('%', static_cast<std::int64_t>(pairs));
    else
      array(pairs * 2);
  }
  void set(std::size_t items) { number(protocol_ >= 3 ? '~' : '*', static_cast<std::int64_t>(items)); }
  // What comes unasked: clients tell it from replies under RESP3.
  void push(std::size_t items) { number(protocol_ >= 3 ? '>' : '*', static_cast<std::int64_t>(items)); }
  // Text for people: a verbatim string under RESP3.
  void verbatim(std::string_view text) {
    if (protocol_ < 3) return bulk(text);
    number('=', static_cast<std::int64_t>(text.size()) + 4);
    out_->append("txt:");
    out_->append(text);
    line_end();
  }
  void raw(std::string_view encoded) { out_->append(encoded); }

  // What came after a mark can be taken back.
  std::size_t mark() const { return out_->size(); }
  void rewind(std::size_t mark) { out_->resize(mark); }
  std::string_view written_since(std::size_t mark) const { return std::string_view(*out_).substr(mark); }
  // Whether the reply written there is an error.
  bool is_error_at(std::size_t mark) const { return out_->size() > mark && (*out_)[mark] == '-'; }

 private:
  void line_end() { out_->append("\r\n", 2); }
  void number(char sign, std::int64_t n) {
    char text[24];
    text[0] = sign;
    char* end = std::to_chars(text + 1, text + sizeof text, n).ptr;
    *end++ = '\r';
    *end++ = '\n';
    out_->append(text, static_cast<std::size_t>(end - text));
  }

  std::string* out_;
  int protocol_;
};

}  // namespace coppice::resp
