// Coppice\Scan: a walk over a range, page by page.
#pragma once

#include <string_view>

#include "bridge.h"

namespace coppice::php {

void register_scan_class();
// `prefix` and `after` are whole keys. `limit` 0: all.
void make_scan(zval* out, zend_object* cache, std::string_view prefix, bool has_after, std::string_view after,
               zend_long limit);

}  // namespace coppice::php
