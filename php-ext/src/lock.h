// Coppice\Lock: a lock by name. One that is bound to its handle ends with the object (free_obj: fatal errors skip
// destructors), and never in a forked child.
#pragma once

#include "backend.h"
#include "bridge.h"

namespace coppice::php {

void register_lock_class();
// Takes over the references to both; a null `owner`: bound, with a token of its own.
void make_lock(zval* out, Backend* backend, zend_string* name, Millis lease, zend_string* owner);

}  // namespace coppice::php
