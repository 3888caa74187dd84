// Coppice\Pairs: keys that stay strings, with their values.
#pragma once

#include <cstdint>

#include "bridge.h"

namespace coppice::php {

void register_pairs_class();
void make_pairs(zval* out, std::uint32_t count);
// Takes over both references. REQUIRES: each place below `count` is set once, before anybody sees the object.
void set_pair(zval* pairs, std::uint32_t place, zend_string* key, zval* value);

}  // namespace coppice::php
