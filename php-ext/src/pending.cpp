#include "pending.h"

#include <unistd.h>

#include "errors.h"
#include "tag_list.h"
#include "ttl.h"

namespace coppice::php {

namespace {

zend_object_handlers pending_handlers;

zend_object* create_pending(zend_class_entry* ce) {
  auto* pending = static_cast<PendingObject*>(zend_object_alloc(sizeof(PendingObject), ce));
  pending->backend = nullptr;
  pending->token = 0;
  pending->pid = 0;
  pending->skip = false;
  pending->ttl = kNoDeadline;
  pending->tags = nullptr;
  zend_object_std_init(&pending->std, ce);
  object_properties_init(&pending->std, ce);
  pending->std.handlers = &pending_handlers;
  return &pending->std;
}

void free_pending(zend_object* object) {
  PendingObject& pending = *pending_of(object);
  drop_lease(pending);
  if (pending.tags != nullptr) zend_array_release(pending.tags);
  zend_object_std_dtor(object);
}

}  // namespace

void register_pending_class() {
  classes.pending->create_object = create_pending;
  std::memcpy(&pending_handlers, &std_object_handlers, sizeof pending_handlers);
  pending_handlers.offset = offsetof(PendingObject, std);
  pending_handlers.free_obj = free_pending;
  pending_handlers.clone_obj = nullptr;
}

void make_pending(zval* out, Backend* backend, std::uint64_t token, Ttl ttl) {
  object_init_ex(out, classes.pending);
  PendingObject& pending = *pending_of(Z_OBJ_P(out));
  pending.backend = backend;
  pending.token = token;
  pending.pid = backend != nullptr ? getpid() : 0;
  pending.ttl = ttl;
}

bool has_lease(const PendingObject& pending) { return pending.backend != nullptr && pending.pid == getpid(); }

void drop_lease(PendingObject& pending) {
  if (has_lease(pending)) {
    try {
      pending.backend->drop(pending.token);
    } catch (const std::exception&) {  // no memory: its ceiling ends it
    }
  }
  pending.backend = nullptr;
}

extern "C" {

ZEND_METHOD(Coppice_Pending, __construct) { ZEND_PARSE_PARAMETERS_NONE(); }

ZEND_METHOD(Coppice_Pending, ttl) {
  zval* ttl;
  ZEND_PARSE_PARAMETERS_START(1, 1)
  Z_PARAM_ZVAL(ttl)
  ZEND_PARSE_PARAMETERS_END();
  Ttl wanted;
  if (!parse_ttl(ttl, 1, &wanted)) RETURN_THROWS();
  pending_of(Z_OBJ_P(ZEND_THIS))->ttl = wanted;
}

ZEND_METHOD(Coppice_Pending, tags) {
  zval* tags;
  int count;
  ZEND_PARSE_PARAMETERS_START(0, -1)
  Z_PARAM_VARIADIC('*', tags, count)
  ZEND_PARSE_PARAMETERS_END();
  zend_array* list = read_tag_arguments(tags, count);
  if (list == nullptr) RETURN_THROWS();
  PendingObject& pending = *pending_of(Z_OBJ_P(ZEND_THIS));
  if (pending.tags != nullptr) zend_array_release(pending.tags);
  pending.tags = list;
}

ZEND_METHOD(Coppice_Pending, skip) {
  ZEND_PARSE_PARAMETERS_NONE();
  pending_of(Z_OBJ_P(ZEND_THIS))->skip = true;
}

}  // extern "C"

}  // namespace coppice::php
