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

#include <cstdlib>
#include <new>
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

// A stack of plain values whose memory is kept.
template <class T>
class Stack {
 public:
  Stack() = default;
  ~Stack() { std::free(data_); }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  std::uint32_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  void push(T value) {
    if (size_ == capacity_) [[unlikely]]
      grow();
    data_[size_++] = value;
  }
  void clear() {
    // A rare large value does not stay in the process for ever.
    if (capacity_ > 65536) [[unlikely]] {
      std::free(data_);
      data_ = nullptr;
      capacity_ = 0;
    }
    size_ = 0;
  }

 private:
  void grow() {
    const std::uint32_t wanted = capacity_ == 0 ? 64 : capacity_ * 2;
    auto* grown = static_cast<T*>(std::realloc(data_, wanted * sizeof(T)));
    if (grown == nullptr) throw std::bad_alloc();
    data_ = grown;
    capacity_ = wanted;
  }
  T* data_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;
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
  Stack<zend_string*> strings;
  Stack<zend_array*> shapes;  // the first array of each shape
  Stack<Reference> references;

  // Arrays of shapes that were met twice in this request, with null for each value.
  struct Template {
    std::uint64_t hash = 0;
    std::uint32_t length = 0;
    char* bytes = nullptr;  // the shape's definition
    zend_array* array = nullptr;
  };
  static constexpr std::size_t kTemplates = 256;
  // For tables of this object: quick, and of no use against somebody who looks for collisions.
  static std::uint64_t quick_hash(const char* bytes, std::size_t length);
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
  static constexpr std::size_t kKeys = 2048;
  zend_string* keys_[kKeys] = {};
  Template templates_[kTemplates] = {};
};

// Appends the encoding of `array` (an IS_ARRAY's table) to `out`.
EncodeStatus encode_array(CodecState& codec, zend_array* array, Scratch& out);

// false: the bytes are no array encoding (truncated, hostile, of a newer version); `out` is null then.
// REQUIRES: Scratch::kPadding bytes behind `bytes` can be read.
bool decode_array(CodecState& codec, std::string_view bytes, zval* out);

}  // namespace coppice::php
