#include "tls.h"

#include <openssl/err.h>

#include <algorithm>
#include <cerrno>
#include <limits>

namespace coppice::daemon {

namespace {

std::string reason() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  const char* text = code != 0 ? ERR_reason_error_string(code) : nullptr;
  return text != nullptr ? text : "it can't be used";
}

}  // namespace

std::shared_ptr<TlsContext> TlsContext::create(const TlsOptions& options, std::string* error) {
  ERR_clear_error();
  SSL_CTX* raw = SSL_CTX_new(TLS_server_method());
  if (raw == nullptr) {
    *error = "TLS: " + reason();
    return nullptr;
  }
  std::shared_ptr<TlsContext> context(new TlsContext(raw));
  const auto refuse = [&](const std::string& option, const std::string& file) {
    *error = option + " " + file + ": " + reason();
    return nullptr;
  };
  SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  SSL_CTX_set_options(raw, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  // Memory of idle clients is small; output may have moved when the rest of it is written.
  SSL_CTX_set_mode(raw, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  constexpr unsigned char kSessions[] = "coppice";
  SSL_CTX_set_session_id_context(raw, kSessions, sizeof kSessions - 1);
  // A key with a passphrase must be an error, not a question at the terminal.
  SSL_CTX_set_default_passwd_cb(raw, [](char*, int, int, void*) { return 0; });
  if (SSL_CTX_use_certificate_chain_file(raw, options.cert_file.c_str()) != 1)
    return refuse("--tls-cert-file", options.cert_file);
  if (SSL_CTX_use_PrivateKey_file(raw, options.key_file.c_str(), SSL_FILETYPE_PEM) != 1)
    return refuse("--tls-key-file", options.key_file);
  if (SSL_CTX_check_private_key(raw) != 1) return refuse("--tls-key-file", options.key_file);
  if (!options.ca_cert_file.empty()) {
    if (SSL_CTX_load_verify_locations(raw, options.ca_cert_file.c_str(), nullptr) != 1)
      return refuse("--tls-ca-cert-file", options.ca_cert_file);
    SSL_CTX_set_client_CA_list(raw, SSL_load_client_CA_file(options.ca_cert_file.c_str()));
  }
  if (options.auth_clients != TlsOptions::Auth::kNo)
    SSL_CTX_set_verify(raw,
                       options.auth_clients == TlsOptions::Auth::kYes
                           ? SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT
                           : SSL_VERIFY_PEER,
                       nullptr);
  return context;
}

TlsStream::TlsStream(const TlsContext& context, int descriptor) : stream_(SSL_new(context.get()), SSL_free) {
  if (stream_ == nullptr || SSL_set_fd(stream_.get(), descriptor) != 1) throw std::bad_alloc();
  SSL_set_accept_state(stream_.get());
}

ssize_t TlsStream::outcome(int result, bool reading) {
  if (reading) read_waits_for_room_ = false;
  if (result > 0) return result;
  switch (SSL_get_error(stream_.get(), result)) {
    case SSL_ERROR_ZERO_RETURN:
      return 0;
    case SSL_ERROR_WANT_WRITE:
      if (reading) read_waits_for_room_ = true;
      [[fallthrough]];
    case SSL_ERROR_WANT_READ:
      errno = EAGAIN;
      return -1;
    default:
      broken_ = true;
      errno = EPROTO;
      return -1;
  }
}

ssize_t TlsStream::read(char* to, std::size_t size) {
  ERR_clear_error();
  constexpr std::size_t kMost = std::numeric_limits<int>::max();
  return outcome(SSL_read(stream_.get(), to, static_cast<int>(std::min(size, kMost))), true);
}

ssize_t TlsStream::write(const char* from, std::size_t size) {
  ERR_clear_error();
  constexpr std::size_t kMost = std::numeric_limits<int>::max();
  return outcome(SSL_write(stream_.get(), from, static_cast<int>(std::min(size, kMost))), false);
}

void TlsStream::say_goodbye() {
  if (broken_ || !established()) return;
  ERR_clear_error();
  SSL_shutdown(stream_.get());
}

}  // namespace coppice::daemon
