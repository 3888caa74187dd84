// The array codec without a store, for measuring and for trying bytes on it:
//
//   coppice_codec_encode(array $value): ?string     null: not without serialize()
//   coppice_codec_decode(string $bytes): array|false
//
// Both do what set() and get() do around the codec as well: encode into a buffer that is kept, then copy; copy to where
// padding lies behind, then decode.
//
// Thread safety: none, and none needed: it is loaded by the command line alone.
#include "codec.h"

namespace {

using namespace coppice::php;

struct State {
  CodecState codec;
  Scratch bytes;
};
State* state = nullptr;

ZEND_BEGIN_ARG_INFO_EX(encode_arguments, 0, 0, 1)
ZEND_ARG_TYPE_INFO(0, value, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(decode_arguments, 0, 0, 1)
ZEND_ARG_TYPE_INFO(0, bytes, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_FUNCTION(coppice_codec_encode) {
  zend_array* array;
  ZEND_PARSE_PARAMETERS_START(1, 1)
  Z_PARAM_ARRAY_HT(array)
  ZEND_PARSE_PARAMETERS_END();
  state->bytes.clear();
  if (encode_array(state->codec, array, state->bytes) != EncodeStatus::kDone) RETURN_NULL();
  RETURN_STRINGL(state->bytes.data(), state->bytes.size());
}

ZEND_FUNCTION(coppice_codec_decode) {
  zend_string* bytes;
  ZEND_PARSE_PARAMETERS_START(1, 1)
  Z_PARAM_STR(bytes)
  ZEND_PARSE_PARAMETERS_END();
  char* room = state->bytes.begin_value(ZSTR_LEN(bytes));
  if (room == nullptr) RETURN_FALSE;
  std::memcpy(room, ZSTR_VAL(bytes), ZSTR_LEN(bytes));
  if (!decode_array(state->codec, state->bytes.view(), return_value)) RETURN_FALSE;
}

const zend_function_entry functions[] = {ZEND_FE(coppice_codec_encode, encode_arguments)
                                             ZEND_FE(coppice_codec_decode, decode_arguments) ZEND_FE_END};

PHP_MINIT_FUNCTION(coppice_codec) {
  (void)type;
  (void)module_number;
  state = new State;
  return SUCCESS;
}

PHP_MSHUTDOWN_FUNCTION(coppice_codec) {
  (void)type;
  (void)module_number;
  delete state;
  return SUCCESS;
}

auto end_request() -> decltype(zend_module_entry{}.post_deactivate_func()) {
  state->codec.end_request();
  return SUCCESS;
}

}  // namespace

zend_module_entry coppice_codec_module_entry = {STANDARD_MODULE_HEADER,
                                                "coppice_codec",
                                                functions,
                                                PHP_MINIT(coppice_codec),
                                                PHP_MSHUTDOWN(coppice_codec),
                                                nullptr,
                                                nullptr,
                                                nullptr,
                                                nullptr,
                                                0,
                                                nullptr,
                                                nullptr,
                                                nullptr,
                                                end_request,
                                                STANDARD_MODULE_PROPERTIES_EX};

extern "C" {
ZEND_GET_MODULE(coppice_codec)
}
