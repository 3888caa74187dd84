// The keys or pairs that a script passed as an iterable, in the request's heap.
#pragma once

#include <cstdint>

#include "cache_object.h"

namespace coppice::php {

// Whole keys: the prefix before each of key_at(0 … n - 1), in ThreadState::keys, good until its next use.
template <class KeyAt>
void join_prefix(std::string_view prefix, std::size_t n, KeyAt&& key_at, std::string_view* whole) {
  Scratch& joined = thread_state().keys;
  joined.clear();
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < n; ++i) bytes += prefix.size() + key_at(i).size();
  if (!joined.reserve(bytes)) throw std::bad_alloc();  // so that no view moves
  for (std::size_t i = 0; i < n; ++i) {
    const char* const begin = joined.end();
    joined.append(prefix);
    joined.append(key_at(i));
    whole[i] = {begin, static_cast<std::size_t>(joined.end() - begin)};
  }
}

struct Argument {
  zend_string* key;
  zval value;  // undefined where only keys were asked for; getMultiple() puts what it finds there
};

// Owns references until release(); a request that ends in between takes it along. Not destroyed by itself: no method
// may rely on destructors across calls into Zend.
class ArgumentList {
 public:
  // false: an exception was thrown (a key that is neither string nor integer, or no valid key of `cache`; or by the
  // iterator). Runs user code where `iterable` is no array.
  bool read_keys(const CacheObject& cache, zval* iterable);
  bool read_pairs(const CacheObject& cache, zval* iterable);
  void release();

  std::uint32_t size() const { return count_; }
  Argument& operator[](std::uint32_t i) { return items_[i]; }
  // The whole keys, in ThreadState::views: good until the next user code.
  std::span<const std::string_view> whole_keys(const CacheObject& cache);

 private:
  // Room for `count` in all.
  void reserve(std::uint32_t count);
  bool add(const CacheObject& cache, zval* key, zval* value);
  bool add_string(const CacheObject& cache, zend_string* key, zval* value);
  static int add_key(zend_object_iterator* iterator, void* state);
  static int add_pair(zend_object_iterator* iterator, void* state);

  Argument* items_ = nullptr;
  std::uint32_t count_ = 0;
  std::uint32_t capacity_ = 0;
};

}  // namespace coppice::php
