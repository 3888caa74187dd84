// The state of a Coppice\Cache handle, and of a key on its way to the backend.
#pragma once

#include "backend.h"
#include "bridge.h"
#include "errors.h"
#include "local_backend.h"
#include "module.h"
#include "shared_backend.h"

namespace coppice::php {

struct CacheObject {
  Backend* backend;  // the registry's; null in an object that open() has not filled
  bool is_shared;
  bool throws;                  // on_error=throw
  bool igbinary;                // serializer=igbinary
  zend_array* allowed_classes;  // lowercased names as keys; null: all
  zend_string* prefix;          // never null
  zend_object std;

  LocalBackend& local() { return *static_cast<LocalBackend*>(backend); }
  SharedBackend& shared() { return *static_cast<SharedBackend*>(backend); }
};

inline CacheObject* cache_of(zend_object* object) {
  return reinterpret_cast<CacheObject*>(reinterpret_cast<char*>(object) - offsetof(CacheObject, std));
}
#define COPPICE_THIS() ::coppice::php::cache_of(Z_OBJ_P(ZEND_THIS))

void register_cache_class();
// A handle like `of` with another prefix, whose reference it takes.
void make_view(zval* out, const CacheObject& of, zend_string* prefix);

// Throws InvalidKeyException: the key of `length` bytes behind a prefix of `prefix` bytes can't be one.
void throw_bad_key(std::size_t prefix, std::size_t length);

// A whole key: the script's own bytes, or its copy behind the handle's prefix.
class WholeKey {
 public:
  // false: an exception was thrown.
  bool make(const CacheObject& cache, const zend_string* key) {
    const std::size_t prefix = ZSTR_LEN(cache.prefix);
    const std::size_t length = ZSTR_LEN(key);
    if (UNEXPECTED(length == 0 || prefix + length > kMaxKeyLength)) {
      throw_bad_key(prefix, length);
      return false;
    }
    if (prefix == 0) {
      view_ = view(key);
      return true;
    }
    std::memcpy(joined_, ZSTR_VAL(cache.prefix), prefix);
    std::memcpy(joined_ + prefix, ZSTR_VAL(key), length);
    view_ = {joined_, prefix + length};
    return true;
  }
  // The same for a prefix or a place in the order, which may be empty.
  bool make_bound(const CacheObject& cache, const zend_string* key) {
    if (ZSTR_LEN(key) == 0) {
      view_ = view(cache.prefix);
      return true;
    }
    return make(cache, key);
  }
  std::string_view get() const { return view_; }

 private:
  std::string_view view_;
  char joined_[kMaxKeyLength];
};

}  // namespace coppice::php
