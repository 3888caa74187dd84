// One decoded value that stays in the process while scripts hold it too, in either of two forms. Why they look as they
// do: docs/decoded-values.md.
//
// Thread safety: none; a value belongs to the thread that made it.
#pragma once

#include <cstdint>

#include "bridge.h"
#include "pointer_map.h"

namespace coppice::php {

// ---- counted: PHP's own arrays and strings of the request's heap, with one reference held here ----------------------

// What holding `value` (array or string) takes, in bytes as they were asked of Zend's allocator; a string that several
// places share may count more than once, never less than once. false: it must not be held, since it is not all of plain
// arrays and strings, or a decoding of it would not give the very same array.
bool measure_counted(const zval* value, std::uint64_t* bytes);
// Takes a reference. No release of the value or of a part of it makes the cycle collector look at it from now on.
// REQUIRES: measure_counted() said yes.
void hold_counted(const zval* value);
// The opposite of both: what lives on is an ordinary value again. Runs no user code.
void release_counted(zval* value);

// ---- persistent: one block of malloc's memory, immutable, that outlives requests ------------------------------------

// The block's head; the values follow.
struct PersistentBlock {
  PersistentBlock* next;  // for whoever keeps a list of them
  std::uint64_t bytes;    // of all of it
};

// Copies values into blocks.
class PersistentCopier {
 public:
  // Bytes of a block for `value` (array or string). false: it is not all of plain arrays and strings.
  bool measure(const zval* value, std::uint64_t* bytes);
  // Null: out of memory. REQUIRES: measure() of the same value just before said yes. The block is freed by std::free().
  PersistentBlock* copy(const zval* value, zval* out);

 private:
  bool measure_array(const zend_array* array);
  bool measure_value(const zval* value);
  void measure_string(const zend_string* s);
  void copy_value(const zval* from, zval* to);
  zend_string* copy_string(zend_string* s);
  zend_array* copy_array(const zend_array* array);
  char* take(std::size_t n);

  PointerMap strings_;  // those that may stand in several places, to their copies
  std::uint64_t size_ = 0;
  char* at_ = nullptr;
};

}  // namespace coppice::php
