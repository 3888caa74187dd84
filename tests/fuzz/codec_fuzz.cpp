// The array codec on any bytes, inside a real PHP (its embed library): bytes that are an array must encode to bytes
// that are the same array, whether its shapes are met for the first time or known; others must be refused, each time.

#include <sapi/embed/php_embed.h>

#include <cstdlib>
#include <string>

#include "codec.h"

namespace {

using namespace coppice::php;

// Its tables last as long as the process.
CodecState& codec() {
  static CodecState state;
  return state;
}

void start_php() {
  static bool started = false;
  if (started) return;
  started = true;
  setenv("USE_ZEND_ALLOC", "0", 1);  // so that a sanitizer sees each allocation
  php_embed_module.php_ini_ignore = 1;
  codec();  // made before the handler below, so that it goes after it
  if (php_embed_init(0, nullptr) != SUCCESS) std::abort();
  std::atexit([] {
    codec().end_request();
    php_embed_shutdown();
  });
}

// The bytes again, by way of the array; false: they are no encoding.
bool decode_and_encode(std::string_view bytes, std::string* again) {
  static Scratch in, out;
  char* room = in.begin_value(bytes.size());
  std::memcpy(room, bytes.data(), bytes.size());
  zval value;
  if (!decode_array(codec(), in.view(), &value)) {
    if (Z_TYPE(value) != IS_NULL) std::abort();
    return false;
  }
  if (Z_TYPE(value) != IS_ARRAY) std::abort();
  out.clear();
  if (encode_array(codec(), Z_ARRVAL(value), out) != EncodeStatus::kDone) std::abort();
  again->assign(out.view());
  zval_ptr_dtor(&value);
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  start_php();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  std::string first;
  if (!decode_and_encode(bytes, &first)) {
    std::string none;
    if (decode_and_encode(bytes, &none) || decode_and_encode(bytes, &none)) std::abort();
    return 0;
  }
  for (int i = 0; i < 3; ++i) {
    std::string again;
    // From now on the shapes of these bytes are known.
    if (!decode_and_encode(bytes, &again) || again != first) std::abort();
    // What the encoder gives is as it would give it again.
    if (!decode_and_encode(first, &again) || again != first) std::abort();
  }
  static unsigned inputs = 0;
  if (++inputs % 64 == 0) codec().end_request();
  return 0;
}
