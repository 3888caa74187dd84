// The array codec: a PHP array without objects to bytes and back. Format: docs/codec.md.
//
//   CodecState codec;                                 // one a thread
//   if (encode_array(codec, array, out) == EncodeStatus::kDone) store(out.view());
//   if (!decode_array(codec, bytes, &value)) treat_as_a_miss();
//
// Neither runs user code. Decoding believes nothing: any bytes give an array or false.
//
// Thread safety: none; each thread has its own CodecState.
#pragma once

#include <cstdint>
#include <vector>

#include "bridge.h"
#include "codec_keys.h"
#include "codec_row.h"
#include "codec_schemas.h"
#include "codec_strings.h"
#include "codec_tables.h"
#include "scratch.h"

namespace coppice::php {

inline constexpr std::uint32_t kMaxDepth = 1024;  // of nested arrays
inline constexpr std::uint32_t kMaxShapeKeys = 1024;

enum class EncodeStatus : std::uint8_t {
  kDone,
  kHasObject,  // encode the whole value by serialize() instead
  kResource,
  kRecursive,
  kTooDeep,
  kTooLarge,
};

// What encoder and decoder keep from call to call.
struct CodecState {
  // Some of it lives in the request's heap: call this in post_deactivate.
  void end_request();

  KeyStrings keys;
  Schemas schemas;

  // ---- the decoder's tables, in order of appearance
  struct Reference {
    zend_reference* reference;
    zval* slot;  // where it was defined
  };
  Stack<zend_string*> key_strings;
  Stack<zend_string*> strings;
  Stack<zend_array*> shapes;  // each shape's first array
  Stack<bool> shape_taken;    // whether that is a part of the value already
  Stack<Reference> references;

  // ---- the encoder's tables
  struct KnownShape {
    std::uint64_t hash;
    const zend_array* array;
    std::uint32_t number;
    std::uint32_t epoch;
  };
  struct KnownReference {
    std::uint64_t hash;
    const zend_reference* reference;
    std::uint32_t number;
    std::uint32_t epoch;
  };
  StringNumbers known_strings;  // of the values
  StringNumbers known_keys;     // of the shapes
  StringFilter key_filter;
  EpochTable<KnownShape> known_shapes;
  EpochTable<KnownReference> known_references;
  std::vector<bool> open_references;
  Scratch shape_bytes;  // what goes in front of the document
  RowShape row;         // of the last document that was one map
};

// Appends the encoding of `array` (an IS_ARRAY's table) to `out`.
EncodeStatus encode_array(CodecState& codec, zend_array* array, Scratch& out);

// false: the bytes are no array encoding (truncated, hostile, of another version); `out` is null then.
// REQUIRES: Scratch::kPadding bytes behind `bytes` can be read.
bool decode_array(CodecState& codec, std::string_view bytes, zval* out);

}  // namespace coppice::php
