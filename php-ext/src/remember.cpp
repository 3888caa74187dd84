// Coppice\Cache::remember(): a hit is a read; on a miss one caller computes under a lease of the owner's.
//
//   read ── live, not chosen to refresh ───────────────────────────────▶ the value
//    │
//    ├─ nothing there:             LEASE, waiting for another's computation
//    └─ stale, or chosen (XFetch): LEASE without waiting, for the version that was read
//                                    ├─ granted: compute, LEASESET ──▶ the value
//                                    ├─ stored meanwhile: read again
//                                    └─ for yourself: the old value, else compute without storing
#include <cmath>
#include <ctime>

#include "cache_object.h"
#include "pending.h"
#include "read_refreshable.h"
#include "tag_list.h"
#include "ttl.h"
#include "value.h"

namespace coppice::php {

namespace {

// What a caller of remember() wants.
struct Wish {
  zval* ttl;
  zval* compute;
  double beta;
  Millis stale;
  Millis wait;
};

std::int64_t now_us() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::int64_t>(t.tv_sec) * 1'000'000 + t.tv_nsec / 1000;
}

// XFetch: computes anew when now - δβ·ln(rand) has reached the deadline, δ being the time that computing took.
[[gnu::noinline]] bool is_chosen(double microseconds_left, double reach) {
  return -std::log(thread_state().party.chance()) * reach >= microseconds_left;
}

[[gnu::always_inline]] inline bool wants_refresh(const RefreshInfo& info, Millis now, double beta) {
  if (UNEXPECTED(info.is_stale || beta == ZEND_INFINITY)) return true;
  // No chance() is so small that -ln of it goes beyond 37.4, which is less than 1000 / 16.
  const Millis left = info.deadline - now;
  if (EXPECTED(beta <= 1 && left > info.compute_us >> 4)) return false;
  return info.compute_us != 0 && info.deadline != kNoDeadline &&
         is_chosen(static_cast<double>(left) * 1000, beta * info.compute_us);
}

// A TTL that can be read later without throwing.
inline bool is_plain_ttl(const zval* ttl) {
  return Z_TYPE_P(ttl) == IS_LONG || Z_TYPE_P(ttl) == IS_NULL ||
         (Z_TYPE_P(ttl) == IS_DOUBLE && !std::isnan(Z_DVAL_P(ttl)));
}

constexpr Millis kDefaultWait = 5000;

// The three arguments that nothing can be wrong with, as a hit is to cost little more than get().
inline bool is_usual(const zval* arguments) {
  return Z_TYPE(arguments[0]) == IS_STRING && is_plain_ttl(&arguments[1]) && Z_TYPE(arguments[2]) == IS_OBJECT &&
         Z_OBJCE(arguments[2]) == zend_ce_closure;
}

// false: an exception was thrown.
[[gnu::noinline]] bool parse_wish(zend_execute_data* execute_data, zend_string** key, Wish* wish) {
  double stale = 0, wait = kDefaultWait / 1000.0;
  wish->beta = 1;
  zval* compute;
  ZEND_PARSE_PARAMETERS_START(3, 6)
  Z_PARAM_STR(*key)
  Z_PARAM_ZVAL(wish->ttl)
  Z_PARAM_ZVAL(compute)
  Z_PARAM_OPTIONAL
  Z_PARAM_DOUBLE(wish->beta)
  Z_PARAM_DOUBLE(stale)
  Z_PARAM_DOUBLE(wait)
  ZEND_PARSE_PARAMETERS_END_EX(return false);
  wish->compute = compute;
  if (!zend_is_callable(compute, 0, nullptr)) {
    if (!EG(exception)) zend_argument_type_error(3, "must be a valid callback, %s given", zend_zval_type_name(compute));
    return false;
  }
  Ttl ttl;
  if (!is_plain_ttl(wish->ttl) && !parse_ttl(wish->ttl, 2, &ttl)) return false;
  if (!(wish->beta >= 0)) {
    zend_throw_exception_ex(classes.invalid_argument, 0, "beta can't be %g; it is 0 or more", wish->beta);
    return false;
  }
  return parse_duration(stale, "stale time", Least::kZero, &wish->stale) &&
         parse_duration(wait, "wait", Least::kZero, &wish->wait);
}

// Functions of PHP's own that take nothing are not given anything: they would throw.
std::uint32_t arguments_for(const zend_fcall_info_cache& function) {
  const zend_function* f = function.function_handler;
  return f->type == ZEND_INTERNAL_FUNCTION && f->common.num_args == 0 && (f->common.fn_flags & ZEND_ACC_VARIADIC) == 0
             ? 0
             : 1;
}

// Calls $compute. false: an exception was thrown.
bool call_compute(zval* compute, zval* pending, zval* result) {
  zend_fcall_info call;
  zend_fcall_info_cache function;
  if (zend_fcall_info_init(compute, 0, &call, &function, nullptr, nullptr) != SUCCESS) {
    zend_throw_error(nullptr, "the callback of remember() can't be called any more");
    return false;
  }
  ZVAL_UNDEF(result);
  call.retval = result;
  call.params = pending;
  call.param_count = arguments_for(function);
  zend_call_function(&call, &function);
  if (EG(exception) || Z_ISUNDEF_P(result)) {
    zval_ptr_dtor(result);
    return false;
  }
  if (Z_ISREF_P(result)) zend_unwrap_reference(result);
  return true;
}

// The lease ends without a value, which is its caller's alone; that is said unless user code ended the request. false:
// there is an exception to be seen by the caller.
bool give_up_storing(PendingObject& pending, std::string_view key) {
  zend_object* const exception = EG(exception);
  if (exception == nullptr || is_exit(exception) || exception->ce != classes.serialization) return false;
  Failure failure;
  zval text;
  zval* const message = zend_read_property_ex(exception->ce, exception, ZSTR_KNOWN(ZEND_STR_MESSAGE), true, &text);
  char sentence[sizeof failure.text];
  snprintf(sentence, sizeof sentence, "remember() returns a value that it could not store: %s",
           Z_TYPE_P(message) == IS_STRING ? Z_STRVAL_P(message) : ShownKey(key).text());
  failure.set(Failure::Kind::kNotSerializable, sentence);
  zend_clear_exception();
  drop_lease(pending);
  report_failure(failure, false);
  return !EG(exception);
}

// Stores a computed value under its lease. false: an exception was thrown.
bool store_computed(CacheObject& cache, std::string_view key, PendingObject& pending, Millis stale,
                    std::int64_t microseconds, zval* value) {
  Encoded encoded;
  if (!encode_value(cache, key, value, &encoded)) return give_up_storing(pending, key);
  if (!has_lease(pending) || pending.skip) {  // the code that encodes may have forked, or thought better of it
    encoded.release();
    return true;
  }
  Version version = 0;
  Failure failure;
  const Fill fill{.token = pending.token,
                  .type = encoded.type,
                  .bytes = encoded.bytes,
                  .ttl = pending.ttl,
                  .stale = stale,
                  .compute_us = static_cast<std::uint32_t>(microseconds > UINT32_MAX ? UINT32_MAX : microseconds),
                  .tags = tag_views(pending.tags),
                  .stored = &version};
  const Outcome outcome = cache.backend->fill(key, fill, &failure);
  const std::size_t size = encoded.bytes.size();
  encoded.release();
  // Whatever became of the value, its lease is over; an owner that could not be asked has seen the connection end.
  pending.backend = nullptr;
  // The value was computed: its caller has it whatever on_error says.
  if (outcome == Outcome::kFailed) report_failure(failure, false);
  if (EG(exception)) return false;
  if (outcome == Outcome::kDone && version != 0) keep_stored(cache, key, encoded.type, size, version, value);
  return true;
}

// Computes; under the lease `token` if there is one. Leaves the value in `out`, or an exception.
void compute(CacheObject& cache, std::string_view key, const Wish& wish, const std::uint64_t* token, zval* out) {
  Ttl ttl;
  zval pending;
  make_pending(&pending, token != nullptr ? cache.backend : nullptr, token != nullptr ? *token : 0, kNoDeadline);
  PendingObject& state = *pending_of(Z_OBJ(pending));
  zval value;
  if (parse_ttl(wish.ttl, 2, &ttl)) {
    state.ttl = ttl;
    const std::int64_t began = now_us();
    bool good = call_compute(wish.compute, &pending, &value);
    if (good && !state.skip && has_lease(state) &&
        !store_computed(cache, key, state, wish.stale, now_us() - began, &value)) {
      zval_ptr_dtor(&value);
      good = false;
    }
    if (good) ZVAL_COPY_VALUE(out, &value);
  }
  drop_lease(state);
  zval_ptr_dtor(&pending);
}

// The old value of a version that somebody else was refreshing a moment ago is served without asking again.
constexpr Millis kAskAgain = 10;
bool is_being_refreshed(const CacheObject& cache, Version version, Millis now) {
  const ThreadState& state = thread_state();
  return state.refreshed == version && state.refreshed_at == cache.backend && now - state.refreshed_asked < kAskAgain;
}
void note_being_refreshed(const CacheObject& cache, Version version, Millis now) {
  ThreadState& state = thread_state();
  state.refreshed = version;
  state.refreshed_at = cache.backend;
  state.refreshed_asked = now;
}

// Where the read was no answer. `has_old`: `out` holds the value of version `seen`, which is to be renewed; else `seen`
// is that of an entry that can't be used, or 0.
[[gnu::noinline]] void lease_and_compute(CacheObject& cache, std::string_view key, const Wish& wish, bool has_old,
                                         Version seen, zval* out) {
  const bool forced = has_old && wish.beta == ZEND_INFINITY;
  const Millis until = deadline_after(coarse_now(), wish.wait);
  const auto take_old_away = [&] {
    if (has_old) zval_ptr_dtor(out);
    ZVAL_NULL(out);
    has_old = false;
  };
  for (;;) {
    const Millis now = coarse_now();
    if (has_old && !forced && is_being_refreshed(cache, seen, now)) return;
    Failure failure;
    LeaseAnswer answer;
    const Millis left = until == kNoDeadline ? kNoDeadline : until > now ? until - now : 0;
    const LeaseRequest request{.party = thread_state().party.id(), .wait = has_old && !forced ? 0 : left, .seen = seen};
    if (cache.backend->lease(key, request, &answer, &failure) == Outcome::kFailed) {
      if (failure.kind != Failure::Kind::kLoading) report_failure(failure, cache.throws);
      if (EG(exception)) return take_old_away();
      answer.what = LeaseAnswer::What::kSelf;
    }
    switch (answer.what) {
      case LeaseAnswer::What::kGranted:
        take_old_away();
        return compute(cache, key, wish, &answer.token, out);
      case LeaseAnswer::What::kSelf:
        if (has_old && !forced) return note_being_refreshed(cache, seen, now);
        take_old_away();
        return compute(cache, key, wish, nullptr, out);
      case LeaseAnswer::What::kStored:
        break;
    }
    take_old_away();
    seen = 0;
    Raw raw;
    Millis read_at;
    if (read_refreshable(cache, key, &raw, &read_at, &failure) == Outcome::kDone) {
      seen = raw.info.version;
      if (decode_raw(cache, key, &raw, out)) return;
      if (EG(exception)) return;
    }
    // Gone again: the next round asks for what is left of the wait.
  }
}

// Where the reading came to something else than a value to be used as it is; `raw` has one to be renewed if `outcome`
// is kDone.
[[gnu::noinline]] void go_on(CacheObject& cache, std::string_view key, const Wish& wish, Outcome outcome, Raw* raw,
                             const Failure& failure, zval* out) {
  if (outcome == Outcome::kFailed) {
    report_failure(failure, cache.throws);
    if (EG(exception)) return;
    return compute(cache, key, wish, nullptr, out);
  }
  if (outcome == Outcome::kNot) return lease_and_compute(cache, key, wish, false, 0, out);
  const Version version = raw->info.version;
  const bool good = decode_raw(cache, key, raw, out);
  if (!EG(exception)) lease_and_compute(cache, key, wish, good, version, out);
}

// `read`: read_refreshable() or its inline form. `wish`: makes the Wish, which a hit has no need of.
template <class Read, class MakeWish>
[[gnu::always_inline]] inline void answer(CacheObject& cache, std::string_view key, double beta, const Read& read,
                                          const MakeWish& wish, zval* out) {
  guarded([&] {
    Raw raw;
    Millis now;
    Failure failure;
    const Outcome outcome = read(cache, key, &raw, &now, &failure);
    if (UNEXPECTED(outcome != Outcome::kDone || wants_refresh(raw.info, now, beta)))
      return go_on(cache, key, wish(), outcome, &raw, failure, out);
    if (EXPECTED(decode_raw(cache, key, &raw, out)) || EG(exception)) return;
    lease_and_compute(cache, key, wish(), false, raw.info.version, out);
  });
}

[[gnu::noinline]] void remember_with_care(zend_execute_data* execute_data, zval* return_value) {
  zend_string* key;
  Wish wish;
  WholeKey whole;
  CacheObject& cache = *COPPICE_THIS();
  if (!parse_wish(execute_data, &key, &wish) || !whole.make(cache, key)) RETURN_THROWS();
  answer(
      cache, whole.get(), wish.beta, read_refreshable, [&]() -> const Wish& { return wish; }, return_value);
}

}  // namespace

extern "C" ZEND_METHOD(Coppice_Cache, remember) {
  zval* const arguments = ZEND_CALL_ARG(execute_data, 1);
  if (UNEXPECTED(ZEND_NUM_ARGS() != 3 || !is_usual(arguments))) return remember_with_care(execute_data, return_value);
  CacheObject& cache = *COPPICE_THIS();
  WholeKey whole;
  if (!whole.make(cache, Z_STR(arguments[0]))) RETURN_THROWS();
  answer(
      cache, whole.get(), 1, [](auto&&... a) __attribute__((always_inline)) { return read_refreshable_inline(a...); },
      [&] {
        return Wish{&arguments[1], &arguments[2], 1, 0, kDefaultWait};
      },
      return_value);
}

}  // namespace coppice::php
