#include "cache_object.h"
#include "scan.h"

namespace coppice::php {

namespace {

struct RangeArguments {
  zend_string* prefix;
  zend_string* after;
  zend_long limit;
};

// false: an exception was thrown.
bool parse_range(INTERNAL_FUNCTION_PARAMETERS, RangeArguments* range) {
  (void)return_value;
  range->prefix = ZSTR_EMPTY_ALLOC();
  range->after = nullptr;
  range->limit = 0;
  ZEND_PARSE_PARAMETERS_START(0, 3)
  Z_PARAM_OPTIONAL
  Z_PARAM_STR(range->prefix)
  Z_PARAM_STR_OR_NULL(range->after)
  Z_PARAM_LONG(range->limit)
  ZEND_PARSE_PARAMETERS_END_EX(return false);
  if (range->limit >= 0) return true;
  zend_throw_exception(classes.invalid_argument, "the limit is negative; 0 means all", 0);
  return false;
}

// All keys of the range behind `after`, into the list `out`. false: a failure, or an exception.
Outcome collect_keys(CacheObject& cache, std::string_view prefix, bool has_after, std::string_view after,
                     zend_long limit, zval* out, Failure* failure) {
  constexpr std::size_t kPage = 1000;
  ThreadState& state = thread_state();
  state.resume = after;
  for (;;) {
    const std::size_t left =
        limit == 0 ? kPage : static_cast<std::size_t>(limit) - zend_hash_num_elements(Z_ARRVAL_P(out));
    const Outcome outcome =
        cache.backend->scan(prefix, has_after, state.resume, left < kPage ? left : kPage, false, &state.page, failure);
    if (outcome == Outcome::kFailed) return outcome;
    for (const Page::Item& item : state.page.items) {
      zval key;
      ZVAL_STR(&key, zend_string_init_fast(item.key.data() + ZSTR_LEN(cache.prefix),
                                           item.key.size() - ZSTR_LEN(cache.prefix)));
      zend_hash_next_index_insert_new(Z_ARRVAL_P(out), &key);
    }
    if (state.page.last || state.page.items.empty()) return Outcome::kDone;
    if (limit != 0 && zend_hash_num_elements(Z_ARRVAL_P(out)) >= static_cast<std::size_t>(limit)) return Outcome::kDone;
    state.resume.swap(state.page.items.back().key);
    has_after = true;
  }
}

}  // namespace

extern "C" {

ZEND_METHOD(Coppice_Cache, clear) {
  ZEND_PARSE_PARAMETERS_NONE();
  CacheObject& cache = *COPPICE_THIS();
  guarded([&] {
    Failure failure;
    const Outcome outcome = cache.backend->clear(view(cache.prefix), &failure);
    if (outcome == Outcome::kFailed) report_failure(failure, cache.throws);
    RETVAL_BOOL(outcome == Outcome::kDone);
  });
}

ZEND_METHOD(Coppice_Cache, deletePrefix) {
  zend_string* prefix;
  ZEND_PARSE_PARAMETERS_START(1, 1)
  Z_PARAM_STR(prefix)
  ZEND_PARSE_PARAMETERS_END();
  CacheObject& cache = *COPPICE_THIS();
  if (ZSTR_LEN(prefix) == 0) {
    zend_throw_exception(classes.invalid_key, "deletePrefix() needs a prefix; emptying a cache is clear()", 0);
    RETURN_THROWS();
  }
  WholeKey whole;
  if (!whole.make(cache, prefix)) RETURN_THROWS();
  guarded([&] {
    Failure failure;
    std::int64_t removed = 0;
    if (cache.backend->erase_prefix(whole.get(), &removed, &failure) == Outcome::kFailed)
      report_failure(failure, cache.throws);
    RETVAL_LONG(removed);
  });
}

ZEND_METHOD(Coppice_Cache, countPrefix) {
  zend_string* prefix = ZSTR_EMPTY_ALLOC();
  ZEND_PARSE_PARAMETERS_START(0, 1)
  Z_PARAM_OPTIONAL
  Z_PARAM_STR(prefix)
  ZEND_PARSE_PARAMETERS_END();
  CacheObject& cache = *COPPICE_THIS();
  WholeKey whole;
  if (!whole.make_bound(cache, prefix)) RETURN_THROWS();
  guarded([&] {
    Failure failure;
    std::int64_t count = 0;
    if (cache.backend->count_prefix(whole.get(), &count, &failure) == Outcome::kFailed)
      report_failure(failure, cache.throws);
    RETVAL_LONG(count);
  });
}

ZEND_METHOD(Coppice_Cache, keys) {
  RangeArguments range;
  if (!parse_range(INTERNAL_FUNCTION_PARAM_PASSTHRU, &range)) RETURN_THROWS();
  CacheObject& cache = *COPPICE_THIS();
  WholeKey prefix, after;
  if (!prefix.make_bound(cache, range.prefix)) RETURN_THROWS();
  if (range.after != nullptr && !after.make_bound(cache, range.after)) RETURN_THROWS();
  array_init(return_value);
  guarded([&] {
    Failure failure;
    if (collect_keys(cache, prefix.get(), range.after != nullptr, after.get(), range.limit, return_value, &failure) ==
        Outcome::kFailed)
      report_failure(failure, cache.throws);
  });
}

ZEND_METHOD(Coppice_Cache, scan) {
  RangeArguments range;
  if (!parse_range(INTERNAL_FUNCTION_PARAM_PASSTHRU, &range)) RETURN_THROWS();
  CacheObject& cache = *COPPICE_THIS();
  WholeKey prefix, after;
  if (!prefix.make_bound(cache, range.prefix)) RETURN_THROWS();
  if (range.after != nullptr && !after.make_bound(cache, range.after)) RETURN_THROWS();
  make_scan(return_value, Z_OBJ_P(ZEND_THIS), prefix.get(), range.after != nullptr, after.get(), range.limit);
}

}  // extern "C"

}  // namespace coppice::php
