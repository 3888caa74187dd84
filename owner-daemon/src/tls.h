// TLS on a socket that does not block, by OpenSSL.
//
//   auto context = TlsContext::create(options, &error);   // null: `error` names the option at fault
//   TlsStream stream(*context, descriptor);               // the handshake is done by the first reads
//   stream.read(buffer, size);                            // like recv(): -1 and EAGAIN when it would block
//
// Thread safety: none; the daemon's one loop.
#pragma once

#include <openssl/ssl.h>
#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <string>

#include "config.h"

namespace coppice::daemon {

// Certificate, key and whom to believe. Streams keep the context that they were made with.
class TlsContext {
 public:
  // Reads the files. Null: `error` says which option's file is bad, and why.
  static std::shared_ptr<TlsContext> create(const TlsOptions& options, std::string* error);
  SSL_CTX* get() const { return context_.get(); }

 private:
  explicit TlsContext(SSL_CTX* context) : context_(context, SSL_CTX_free) {}
  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context_;
};

class TlsStream {
 public:
  // Does not own the descriptor.
  TlsStream(const TlsContext& context, int descriptor);

  // As recv() and send(): bytes, 0 at the peer's end (read), or -1 with errno: EAGAIN, or EPROTO if TLS was broken.
  ssize_t read(char* to, std::size_t size);
  ssize_t write(const char* from, std::size_t size);
  // Whether read() has bytes that the socket will not announce.
  bool has_pending() const { return SSL_pending(stream_.get()) > 0; }
  // Whether the read that would block waits for room to write.
  bool read_waits_for_room() const { return read_waits_for_room_; }
  bool established() const { return SSL_is_init_finished(stream_.get()) != 0; }
  // Tells the peer, if that can be done without waiting.
  void say_goodbye();

 private:
  ssize_t outcome(int result, bool reading);

  std::unique_ptr<SSL, void (*)(SSL*)> stream_;
  bool read_waits_for_room_ = false;
  bool broken_ = false;
};

}  // namespace coppice::daemon
