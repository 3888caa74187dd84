// Objects, by PHP's serialize() or igbinary.
#pragma once

#include "bridge.h"

namespace coppice::php {

bool igbinary_is_loaded();
// The bytes; null: an exception was thrown. Runs user code.
zend_string* serialize(zval* value, bool by_igbinary);
// false: the bytes are damaged, or user code threw (EG(exception)). Runs user code. `allowed` as CacheObject has it.
bool unserialize(const char* bytes, std::size_t length, zend_array* allowed, zval* out);
bool igbinary_unserialize(zend_string* bytes, zval* out);

}  // namespace coppice::php
