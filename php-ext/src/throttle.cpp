// Coppice\Cache::throttle() and what it answers.
#include "cache_object.h"
#include "ttl.h"

namespace coppice::php {

extern "C" {

ZEND_METHOD(Coppice_Throttle, __construct) { ZEND_PARSE_PARAMETERS_NONE(); }

ZEND_METHOD(Coppice_Cache, throttle) {
  zend_string* key;
  zend_long limit, cost = 1;
  double per;
  ZEND_PARSE_PARAMETERS_START(3, 4)
  Z_PARAM_STR(key)
  Z_PARAM_LONG(limit)
  Z_PARAM_DOUBLE(per)
  Z_PARAM_OPTIONAL
  Z_PARAM_LONG(cost)
  ZEND_PARSE_PARAMETERS_END();
  CacheObject& cache = *COPPICE_THIS();
  WholeKey whole;
  Millis period;
  if (!whole.make(cache, key) || !parse_duration(per, "period", Least::kMoreThanZero, &period)) RETURN_THROWS();
  // The store's own bounds.
  constexpr zend_long kLargestLimit = 1'000'000'000;
  constexpr Millis kLongestPeriod = Millis{3'650} * 86'400'000;
  if (period > kLongestPeriod) {
    zend_throw_exception_ex(classes.invalid_argument, 0, "the period can't be %g s; 3650 days are the longest", per);
    RETURN_THROWS();
  }
  if (limit < 1 || limit > kLargestLimit) {
    zend_throw_exception_ex(classes.invalid_argument, 0,
                            "the limit can't be " ZEND_LONG_FMT "; it is 1 to " ZEND_LONG_FMT, limit, kLargestLimit);
    RETURN_THROWS();
  }
  if (cost < 0) {
    zend_throw_exception_ex(classes.invalid_argument, 0, "the cost can't be " ZEND_LONG_FMT "; 0 is the least", cost);
    RETURN_THROWS();
  }
  guarded([&] {
    Failure failure;
    Allowance allowance;
    // A limit that can't be asked for has no harmless answer.
    if (cache.backend->throttle(whole.get(), limit, period, cost, &allowance, &failure) != Outcome::kDone)
      return throw_failure(failure);
    object_init_ex(return_value, classes.throttle);
    zend_object* throttle = Z_OBJ_P(return_value);
    // In the order of the stub; written here once, before anybody sees the object.
    ZVAL_BOOL(OBJ_PROP_NUM(throttle, 0), allowance.allowed);
    ZVAL_LONG(OBJ_PROP_NUM(throttle, 1), allowance.remaining);
    ZVAL_DOUBLE(OBJ_PROP_NUM(throttle, 2), allowance.retry_after == kNoDeadline
                                               ? ZEND_INFINITY
                                               : static_cast<double>(allowance.retry_after) / 1000);
  });
}

}  // extern "C"

}  // namespace coppice::php
