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

#include <vector>

#include "bridge.h"
#include "scratch.h"

namespace coppice::php {

inline constexpr std::uint32_t kMaxDepth = 1024;  // of nested arrays
inline constexpr std::uint32_t kMaxShapeKeys = 64;

enum class EncodeStatus : std::uint8_t {
  kDone,
  kHasObject,  // encode the whole value by serialize() instead
  kResource,
  kRecursive,
  kTooDeep,
  kTooLarge,
};

// What encoder and decoder keep from call to call. The strings and templates live in the request's heap: call
// end_request() in post_deactivate.
class CodecState {
 public:
  CodecState() = default;
  ~CodecState();
  CodecState(const CodecState&) = delete;
  CodecState& operator=(const CodecState&) = delete;
  void end_request();

  // The string for a key, shared by all arrays of the request; the caller adds a reference where it keeps one.
  zend_string* key(const char* bytes, std::size_t length);

  // ---- the decoder's tables, in order of appearance
  struct Reference {
    zend_reference* reference;
    zval* slot;  // where it was defined
  };
  std::vector<zend_string*> strings;
  std::vector<zend_array*> shapes;  // the first array of each shape
  std::vector<Reference> references;

  // Arrays of shapes that were met twice in this request, with null for each value.
  struct Template {
    std::uint64_t hash = 0;
    std::uint32_t length = 0;
    char* bytes = nullptr;  // the shape's definition
    zend_array* array = nullptr;
  };
  static constexpr std::size_t kTemplates = 256;
  Template& template_for(std::uint64_t hash) { return templates_[hash % kTemplates]; }

  // ---- the encoder's tables. An element whose epoch is not the current one is empty.
  struct Known {
    std::uint64_t hash = 0;
    const void* what = nullptr;
    std::uint32_t index = 0;
    std::uint32_t epoch = 0;
  };
  // Open addressing, at most half full.
  class Table {
   public:
    void begin();
    // The element with this hash for which same(what) holds, or the empty one where it belongs.
    template <class Same>
    Known& find(std::uint64_t hash, Same&& same);
    // REQUIRES: `place` is empty and came from find(), nothing was added since. Answers the new element's number.
    std::uint32_t add(Known& place, std::uint64_t hash, const void* what);
    bool is_empty(const Known& k) const { return k.epoch != epoch_; }

   private:
    void grow();
    std::vector<Known> known_;
    std::size_t count_ = 0;
    std::uint32_t epoch_ = 0;
  };
  Table known_strings;
  Table known_shapes;
  Table known_references;
  std::vector<bool> open_references;

 private:
  static constexpr std::size_t kKeys = 1024;
  zend_string* keys_[kKeys] = {};
  Template templates_[kTemplates] = {};
};

// Appends the encoding of `array` (an IS_ARRAY's table) to `out`.
EncodeStatus encode_array(CodecState& codec, zend_array* array, Scratch& out);

// false: the bytes are no array encoding (truncated, hostile, of a newer version); `out` is undefined then.
bool decode_array(CodecState& codec, std::string_view bytes, zval* out);

}  // namespace coppice::php
