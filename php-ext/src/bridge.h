// The one header that includes PHP's. Everything below php-ext/src may use it; the engine never sees it.
//
// What every caller of Zend must know: an allocation, a warning or a call into user code may end the request by a
// longjmp that skips destructors, and may re-enter this extension. So while such a call runs, no C++ object on the
// stack owns memory or a lock; memory that must last comes from the request's heap or from ThreadState.
#pragma once

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include <php.h>
#include <php_ini.h>
#if PHP_VERSION_ID >= 80200
#include <zend_attributes.h>
#endif
#include <zend_closures.h>
#include <zend_exceptions.h>
#include <zend_interfaces.h>
#include <zend_smart_str.h>

#include <ext/spl/spl_exceptions.h>
#include <ext/standard/info.h>
// These do not say themselves that they are C.
extern "C" {
#include <ext/date/php_date.h>
#include <ext/spl/spl_iterators.h>
#include <ext/standard/php_var.h>
}
#pragma GCC diagnostic pop

#include <cstddef>
#include <cstring>
#include <string_view>

namespace coppice::php {

// What an iterator's valid() answers: int, and zend_result in later versions of PHP.
using IteratorResult = decltype(zend_object_iterator_funcs{}.valid(nullptr));

inline std::string_view view(const zend_string* s) { return {ZSTR_VAL(s), ZSTR_LEN(s)}; }

}  // namespace coppice::php
