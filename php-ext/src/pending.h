// Coppice\Pending: what a computation says of how its value is to be stored, and the owner of its lease, which ends
// with the object however the request ends (fatal errors skip everything but free_obj).
#pragma once

#include "backend.h"
#include "bridge.h"

namespace coppice::php {

struct PendingObject {
  Backend* backend;  // where the lease is out; null: there is none
  std::uint64_t token;
  pid_t pid;  // the process that it was granted to
  bool skip;
  Ttl ttl;
  zend_array* tags;  // strings; null: none
  zend_object std;
};

inline PendingObject* pending_of(zend_object* object) {
  return reinterpret_cast<PendingObject*>(reinterpret_cast<char*>(object) - offsetof(PendingObject, std));
}

void register_pending_class();
// `backend` is null where the value is not to be stored.
void make_pending(zval* out, Backend* backend, std::uint64_t token, Ttl ttl);
// Ends the lease without a value, unless it has ended, or is of the process that this one was forked from.
void drop_lease(PendingObject& pending);
// Whether the lease is still out, and this process's.
bool has_lease(const PendingObject& pending);

}  // namespace coppice::php
