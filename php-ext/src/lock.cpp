#include "lock.h"

#include <unistd.h>

#include <optional>

#include "cache_object.h"
#include "ttl.h"

namespace coppice::php {

namespace {

zend_object_handlers lock_handlers;

struct LockObject {
  Backend* backend;
  zend_string* name;
  zend_string* owner;
  Millis lease;
  bool bound;          // the token is the object's own
  bool held;           // was acquired in process `pid` and not released since
  pid_t pid;           // whose lock this is
  std::int64_t fence;  // of the last grant; 0: none
  zend_object std;
};

LockObject* lock_of(zend_object* object) {
  return reinterpret_cast<LockObject*>(reinterpret_cast<char*>(object) - offsetof(LockObject, std));
}

zend_string* make_token() {
  unsigned char random[16];
  fill_random(random, sizeof random);
  zend_string* token = zend_string_alloc(2 * sizeof random, false);
  char* to = ZSTR_VAL(token);
  for (const unsigned char byte : random) {
    constexpr char kDigits[] = "0123456789abcdef";
    *to++ = kDigits[byte >> 4];
    *to++ = kDigits[byte & 15];
  }
  *to = '\0';
  return token;
}

zend_object* create_lock(zend_class_entry* ce) {
  auto* lock = static_cast<LockObject*>(zend_object_alloc(sizeof(LockObject), ce));
  lock->backend = nullptr;
  lock->name = lock->owner = ZSTR_EMPTY_ALLOC();
  lock->lease = kNoDeadline;
  lock->bound = lock->held = false;
  lock->pid = 0;
  lock->fence = 0;
  zend_object_std_init(&lock->std, ce);
  object_properties_init(&lock->std, ce);
  lock->std.handlers = &lock_handlers;
  return &lock->std;
}

void free_lock(zend_object* object) {
  LockObject& lock = *lock_of(object);
  if (lock.held && lock.bound && lock.pid == getpid()) {
    try {
      lock.backend->let_go(view(lock.name), view(lock.owner));
    } catch (const std::exception&) {  // no memory: it ends with the connection
    }
  }
  zend_string_release(lock.name);
  zend_string_release(lock.owner);
  zend_object_std_dtor(object);
}

// The lock of this process: in a forked child it is another one than the parent's, unless its token is the caller's.
LockObject& own_lock(zval* self) {
  LockObject& lock = *lock_of(Z_OBJ_P(self));
  const pid_t pid = getpid();
  if (EXPECTED(lock.pid == pid)) return lock;
  lock.pid = pid;
  lock.held = false;
  if (!lock.bound) return lock;
  lock.fence = 0;
  zend_string_release(lock.owner);
  lock.owner = make_token();
  return lock;
}
#define COPPICE_LOCK() own_lock(ZEND_THIS)

// A lock that can't be asked for has no harmless answer.
bool settle_lock(Outcome outcome, const Failure& failure) {
  if (outcome == Outcome::kFailed) throw_failure(failure);
  return outcome == Outcome::kDone;
}

// Of release() and forceRelease().
bool settle_end(LockObject& lock, Outcome outcome, const Failure& failure) {
  lock.held = false;
  lock.fence = 0;
  return settle_lock(outcome, failure);
}

// The lock's state at its owner's; nothing while nobody holds it, or with an exception.
std::optional<LockState> state_of(const LockObject& lock) {
  Failure failure;
  LockState state;
  if (!settle_lock(lock.backend->lock_state(view(lock.name), view(lock.owner), &state, &failure), failure)) return {};
  return state;
}

}  // namespace

void register_lock_class() {
  classes.lock->create_object = create_lock;
  std::memcpy(&lock_handlers, &std_object_handlers, sizeof lock_handlers);
  lock_handlers.offset = offsetof(LockObject, std);
  lock_handlers.free_obj = free_lock;
  lock_handlers.clone_obj = nullptr;
}

void make_lock(zval* out, Backend* backend, zend_string* name, Millis lease, zend_string* owner) {
  object_init_ex(out, classes.lock);
  LockObject& lock = *lock_of(Z_OBJ_P(out));
  lock.backend = backend;
  lock.name = name;
  lock.owner = owner != nullptr ? owner : make_token();
  lock.bound = owner == nullptr;
  lock.lease = lease;
  lock.pid = getpid();
}

extern "C" {

ZEND_METHOD(Coppice_Lock, __construct) { ZEND_PARSE_PARAMETERS_NONE(); }

ZEND_METHOD(Coppice_Lock, acquire) {
  double wait = 0;
  ZEND_PARSE_PARAMETERS_START(0, 1)
  Z_PARAM_OPTIONAL
  Z_PARAM_DOUBLE(wait)
  ZEND_PARSE_PARAMETERS_END();
  LockObject& lock = COPPICE_LOCK();
  Millis patience;
  if (!parse_duration(wait, "wait", Least::kZero, &patience)) RETURN_THROWS();
  guarded([&] {
    Failure failure;
    const LockRequest request{.name = view(lock.name),
                              .owner = view(lock.owner),
                              .lease = lock.lease,
                              .wait = patience,
                              .bound = lock.bound,
                              .party = thread_state().party.id()};
    lock.held = settle_lock(lock.backend->lock(request, &lock.fence, &failure), failure);
    RETVAL_BOOL(lock.held);
  });
}

ZEND_METHOD(Coppice_Lock, release) {
  ZEND_PARSE_PARAMETERS_NONE();
  LockObject& lock = COPPICE_LOCK();
  guarded([&] {
    Failure failure;
    RETVAL_BOOL(settle_end(lock, lock.backend->unlock(view(lock.name), view(lock.owner), &failure), failure));
  });
}

ZEND_METHOD(Coppice_Lock, forceRelease) {
  ZEND_PARSE_PARAMETERS_NONE();
  LockObject& lock = COPPICE_LOCK();
  guarded([&] {
    Failure failure;
    RETVAL_BOOL(settle_end(lock, lock.backend->force_unlock(view(lock.name), &failure), failure));
  });
}

ZEND_METHOD(Coppice_Lock, refresh) {
  double seconds = 0;
  bool is_null = true;
  ZEND_PARSE_PARAMETERS_START(0, 1)
  Z_PARAM_OPTIONAL
  Z_PARAM_DOUBLE_OR_NULL(seconds, is_null)
  ZEND_PARSE_PARAMETERS_END();
  LockObject& lock = COPPICE_LOCK();
  Millis lease = lock.lease;
  if (!is_null && !parse_duration(seconds, "lease", Least::kMoreThanZero, &lease)) RETURN_THROWS();
  guarded([&] {
    Failure failure;
    RETVAL_BOOL(settle_lock(lock.backend->relock(view(lock.name), view(lock.owner), lease, &failure), failure));
  });
}

ZEND_METHOD(Coppice_Lock, isHeld) {
  ZEND_PARSE_PARAMETERS_NONE();
  LockObject& lock = COPPICE_LOCK();
  guarded([&] {
    const auto state = state_of(lock);
    RETVAL_BOOL(state && state->is_owner);
  });
}

ZEND_METHOD(Coppice_Lock, isLocked) {
  ZEND_PARSE_PARAMETERS_NONE();
  LockObject& lock = COPPICE_LOCK();
  guarded([&] { RETVAL_BOOL(state_of(lock).has_value()); });
}

ZEND_METHOD(Coppice_Lock, owner) {
  ZEND_PARSE_PARAMETERS_NONE();
  RETURN_STR_COPY(COPPICE_LOCK().owner);
}

ZEND_METHOD(Coppice_Lock, fence) {
  ZEND_PARSE_PARAMETERS_NONE();
  LockObject& lock = COPPICE_LOCK();
  if (lock.fence != 0) RETURN_LONG(lock.fence);
  guarded([&] {
    const auto state = state_of(lock);
    RETVAL_LONG(state && state->is_owner ? state->fence : 0);
  });
}

ZEND_METHOD(Coppice_Cache, lock) {
  zend_string* name;
  double seconds = ZEND_INFINITY;
  zend_string* owner = nullptr;
  ZEND_PARSE_PARAMETERS_START(1, 3)
  Z_PARAM_STR(name)
  Z_PARAM_OPTIONAL
  Z_PARAM_DOUBLE(seconds)
  Z_PARAM_STR_OR_NULL(owner)
  ZEND_PARSE_PARAMETERS_END();
  CacheObject& cache = *COPPICE_THIS();
  Millis lease;
  if (!parse_duration(seconds, "lease", Least::kMoreThanZero, &lease)) RETURN_THROWS();
  const std::size_t length = ZSTR_LEN(cache.prefix) + ZSTR_LEN(name);
  constexpr std::size_t kLongestOwner = 256;
  if (ZSTR_LEN(name) == 0) {
    zend_throw_exception(classes.invalid_argument, "the lock's name is empty", 0);
  } else if (length > kMaxKeyLength) {
    zend_throw_exception_ex(classes.invalid_argument, 0, "the lock's name has %zu bytes%s; %zu are the limit", length,
                            ZSTR_LEN(cache.prefix) == 0 ? "" : " with its prefix", kMaxKeyLength);
  } else if (owner != nullptr && (ZSTR_LEN(owner) == 0 || ZSTR_LEN(owner) > kLongestOwner)) {
    zend_throw_exception_ex(classes.invalid_argument, 0, "the lock's owner token has %zu bytes; it needs 1 to %zu",
                            ZSTR_LEN(owner), kLongestOwner);
  } else if (owner != nullptr && zend_string_equals_literal_ci(owner, "FORCE")) {
    zend_throw_exception(classes.invalid_argument, "FORCE can't be the owner token of a lock", 0);
  } else {
    make_lock(return_value, cache.backend,
              zend_string_concat2(ZSTR_VAL(cache.prefix), ZSTR_LEN(cache.prefix), ZSTR_VAL(name), ZSTR_LEN(name)),
              lease, owner != nullptr ? zend_string_copy(owner) : nullptr);
  }
}

ZEND_METHOD(Coppice_Cache, flushLocks) {
  ZEND_PARSE_PARAMETERS_NONE();
  CacheObject& cache = *COPPICE_THIS();
  guarded([&] {
    Failure failure;
    RETVAL_BOOL(settle_lock(cache.backend->flush_locks(view(cache.prefix), &failure), failure));
  });
}

}  // extern "C"

}  // namespace coppice::php
