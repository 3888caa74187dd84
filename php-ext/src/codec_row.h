// A short way for what is cached most: small maps of scalars whose keys are a program's own literals, one like the
// other.
//
// The front of such a document, its shape, depends on nothing but its keys, and literals are the same strings each
// time. So the encoder remembers the last document's keys by their addresses, with the bytes that they came to.
//
// Thread safety: none; each thread has its own.
#pragma once

#include <cstdint>
#include <string_view>

#include "bridge.h"
#include "scratch.h"

namespace coppice::php {

class RowShape {
 public:
  // Remembers the keys of `array`, whose document began with `front`: everything before its values. What it can't
  // remember is left out.
  void learn(const zend_array* array, std::string_view front);
  // Appends the document of `array`. false, and nothing is appended: it has other keys, or something else in it than
  // scalars and strings that can't equal each other or a key.
  bool encode(const zend_array* array, Scratch& out) const;
  // REQUIRED at the end of a request, whose literals go with it.
  void forget() { count_ = 0; }

 private:
  static constexpr std::uint32_t kMostKeys = 8;
  static constexpr std::size_t kLongestFront = 96;
  static constexpr std::size_t kLongestString = 63;

  std::uint32_t count_ = 0;  // 0: nothing is remembered
  std::uint32_t front_size_ = 0;
  std::uint64_t key_lengths_ = 0;  // bit n: a key has n bytes
  const zend_string* keys_[kMostKeys] = {};
  char front_[kLongestFront] = {};
};

}  // namespace coppice::php
