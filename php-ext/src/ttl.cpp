#include "ttl.h"

#include <cmath>

#include "errors.h"

namespace coppice::php {

namespace {

Ttl from_seconds(double seconds) {
  const double ms = std::ceil(seconds * 1000);
  if (ms >= 9.2e18) return kNoDeadline;
  return ms <= 0 ? 0 : static_cast<Ttl>(ms);
}

Ttl from_seconds(zend_long seconds) {
  if (seconds <= 0) return 0;
  return seconds >= kNoDeadline / 1000 ? kNoDeadline : static_cast<Ttl>(seconds) * 1000;
}

// The seconds of a DateTimeInterface, fraction included.
bool timestamp_of(zval* time, double* seconds) {
  zval format, text;
  ZVAL_STRING(&format, "U.u");
  ZVAL_UNDEF(&text);
  zend_call_method_with_1_params(Z_OBJ_P(time), Z_OBJCE_P(time), nullptr, "format", &text, &format);
  zval_ptr_dtor(&format);
  const bool good = !EG(exception) && Z_TYPE(text) == IS_STRING;
  if (good) *seconds = zend_strtod(Z_STRVAL(text), nullptr);
  zval_ptr_dtor(&text);
  return good;
}

bool from_interval(zval* interval, Ttl* out) {
  zval now, then;
  if (php_date_instantiate(php_date_get_immutable_ce(), &now) == nullptr) return false;
  ZVAL_UNDEF(&then);
  bool good = php_date_initialize(Z_PHPDATE_P(&now), "now", 3, nullptr, nullptr, 0);
  if (good) zend_call_method_with_1_params(Z_OBJ(now), Z_OBJCE(now), nullptr, "add", &then, interval);
  double begin = 0, end = 0;
  good = good && !EG(exception) && Z_TYPE(then) == IS_OBJECT && timestamp_of(&now, &begin) && timestamp_of(&then, &end);
  if (good) *out = from_seconds(end - begin);
  zval_ptr_dtor(&then);
  zval_ptr_dtor(&now);
  if (!good && !EG(exception)) zend_throw_exception(classes.invalid_argument, "the TTL is no interval from now", 0);
  return good;
}

}  // namespace

bool parse_duration(double seconds, const char* what, Least least, Millis* out) {
  if (std::isnan(seconds)) {
    zend_throw_exception_ex(classes.invalid_argument, 0, "the %s is not a number (NAN)", what);
    return false;
  }
  if (seconds < 0 || (seconds == 0 && least == Least::kMoreThanZero)) {
    zend_throw_exception_ex(classes.invalid_argument, 0, "the %s can't be %g s; it needs to be %s", what, seconds,
                            least == Least::kZero ? "0 or more" : "more than 0");
    return false;
  }
  *out = from_seconds(seconds);
  return true;
}

[[gnu::hot]] bool parse_ttl(zval* value, std::uint32_t argument, Ttl* out) {
  *out = kNoDeadline;
  if (value == nullptr) return true;
  ZVAL_DEREF(value);
  if (Z_TYPE_P(value) == IS_NULL) return true;
  if (Z_TYPE_P(value) == IS_OBJECT) {
    if (instanceof_function(Z_OBJCE_P(value), php_date_get_interval_ce())) return from_interval(value, out);
  } else {
    zval* number;
    zval copy;
    ZVAL_COPY_VALUE(&copy, value);
    if (zend_parse_arg_number(&copy, &number, false, argument)) {
      if (Z_TYPE_P(number) == IS_LONG) {
        *out = from_seconds(Z_LVAL_P(number));
        return true;
      }
      if (std::isnan(Z_DVAL_P(number))) {
        zend_throw_exception(classes.invalid_argument, "the TTL is not a number (NAN)", 0);
        return false;
      }
      *out = from_seconds(Z_DVAL_P(number));
      return true;
    }
    if (EG(exception)) return false;
  }
  zend_argument_type_error(argument, "must be of type DateInterval|int|float|null, %s given",
                           zend_zval_type_name(value));
  return false;
}

}  // namespace coppice::php
