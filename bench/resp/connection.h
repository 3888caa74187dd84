// A blocking connection to a RESP server, over hiredis. Any failure ends the program: a benchmark has nothing to save.
#pragma once

#include <hiredis/hiredis.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

using Reply = std::unique_ptr<redisReply, void (*)(redisReply*)>;

[[noreturn]] inline void fail(const std::string& why) {
  std::fprintf(stderr, "error: %s\n", why.c_str());
  std::exit(1);
}

class Connection {
 public:
  explicit Connection(const std::string& socket) : context_(redisConnectUnix(socket.c_str())) {
    if (context_ == nullptr || context_->err != 0)
      fail("cannot connect to " + socket + (context_ ? std::string(": ") + context_->errstr : ""));
  }
  ~Connection() { redisFree(context_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Queues a command; next() gives the replies in order.
  void append(std::initializer_list<std::string_view> arguments) {
    const char* data[8];
    std::size_t sizes[8];
    int count = 0;
    for (const std::string_view a : arguments) {
      data[count] = a.data();
      sizes[count++] = a.size();
    }
    redisAppendCommandArgv(context_, count, data, sizes);
    ++waiting_;
  }
  Reply next() {
    void* reply = nullptr;
    if (redisGetReply(context_, &reply) != REDIS_OK) fail(std::string("no reply: ") + context_->errstr);
    --waiting_;
    Reply r(static_cast<redisReply*>(reply), [](redisReply* x) { freeReplyObject(x); });
    if (r->type == REDIS_REPLY_ERROR) fail(std::string("the server answered: ") + r->str);
    return r;
  }
  Reply call(std::initializer_list<std::string_view> arguments) {
    append(arguments);
    return next();
  }
  void drain() {
    while (waiting_ > 0) next();
  }
  // A field of INFO, or -1.
  long long info(const char* section, const std::string& field) {
    const Reply r = call({"INFO", section});
    const std::string text(r->str, r->len);
    const std::size_t at = text.find(field + ":");
    return at == std::string::npos ? -1 : std::strtoll(text.c_str() + at + field.size() + 1, nullptr, 10);
  }

 private:
  redisContext* context_;
  long waiting_ = 0;
};

// "--name value" pairs; anything else is an error.
class Arguments {
 public:
  Arguments(int argc, char** argv, const char* usage) : usage_(usage) {
    for (int i = 1; i < argc; i += 2) {
      if (std::string_view(argv[i]).substr(0, 2) != "--" || i + 1 == argc) quit();
      values_.emplace_back(argv[i] + 2, argv[i + 1]);
    }
  }
  std::string text(std::string_view name, const char* otherwise = nullptr) const {
    for (const auto& [n, v] : values_)
      if (n == name) return v;
    if (otherwise == nullptr) quit();
    return otherwise;
  }
  long long number(std::string_view name, long long otherwise) const {
    const std::string t = text(name, "");
    return t.empty() ? otherwise : std::strtoll(t.c_str(), nullptr, 10);
  }

 private:
  [[noreturn]] void quit() const {
    std::fprintf(stderr, "usage: %s\n", usage_);
    std::exit(2);
  }
  const char* usage_;
  std::vector<std::pair<std::string, std::string>> values_;
};

}  // namespace bench
