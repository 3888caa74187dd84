// The exception classes, and how failures reach the script.
#pragma once

#include <exception>

#include "backend.h"
#include "bridge.h"

namespace coppice::php {

struct Classes {
  zend_class_entry* cache_exception;
  zend_class_entry* invalid_argument;
  zend_class_entry* invalid_key;
  zend_class_entry* overflow;
  zend_class_entry* wrong_type;
  zend_class_entry* serialization;
  zend_class_entry* connection;
  zend_class_entry* refused;
  zend_class_entry* cache;
  zend_class_entry* entry;
  zend_class_entry* scan;
  zend_class_entry* pairs;
  zend_class_entry* pending;
  zend_class_entry* throttle;
  zend_class_entry* lock;
};
// Filled in MINIT, constant from then on.
extern Classes classes;

// A key as it may stand in a message: quoted, unprintable bytes escaped, cut short. Lies in a buffer of the object.
class ShownKey {
 public:
  explicit ShownKey(std::string_view key);
  const char* text() const { return text_; }

 private:
  char text_[160];
};

// Throws what a failure stands for.
void throw_failure(const Failure& failure);
// A failure of an ordinary operation: misuse is thrown; a cache that is full or away gives a warning, or an exception
// where the handle asks for it. Of each kind of failure one warning a request; in a request that goes on, as a worker's
// does, one a minute.
void report_failure(const Failure& failure, bool throws);
// An exception by which user code ended the request: exit(), or the end of a generator. It is not ours to handle.
bool is_exit(const zend_object* exception);

// Runs f; a C++ exception that leaves it is thrown to the script. REQUIRES: f calls nothing of Zend while it owns
// memory.
template <class F>
auto guarded(F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (const std::exception& e) {
    zend_throw_exception_ex(classes.refused, 0, "%s", e.what());
  }
  return decltype(f())();
}

}  // namespace coppice::php
