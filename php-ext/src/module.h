// The module's globals: one set a thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bridge.h"
#include "codec.h"
#include "decoded_table.h"
#include "options.h"
#include "party.h"
#include "scratch.h"
#include "shared_backend.h"

#define COPPICE_VERSION "0.1.0"

namespace coppice::php {

// What a thread keeps over calls and requests. Methods take their memory from here, so that nothing leaks when a
// request ends in the middle of one. A buffer is in use only between two calls into Zend that may run user code.
struct ThreadState {
  CodecState codec;
  DecodedTable decoded;
  Scratch value;                        // one encoded value, on its way in or out
  Scratch keys;                         // keys with their prefix
  std::vector<std::string_view> views;  // into `keys`, or into strings of the request
  std::vector<KeyValue> values;
  std::vector<std::string_view> tags;
  std::vector<std::string> tag_names;
  Page page;
  std::string resume;  // where a walk goes on
  Options options;     // of the open() in progress
  std::string error;
  std::map<std::string, std::unique_ptr<SharedBackend>> owners;  // connections, by what they were opened with
  Party party;
  // Of the last entry that somebody else was refreshing: not asked for again at once.
  const Backend* refreshed_at = nullptr;
  Version refreshed = 0;
  Millis refreshed_asked = 0;
};

}  // namespace coppice::php

ZEND_BEGIN_MODULE_GLOBALS(coppice)
coppice::php::ThreadState* state;
coppice::Millis warned[coppice::php::kFailureKinds];  // when, in this request, by Failure::Kind; 0: not yet
char* dsn;
char* max_memory;
char* prefix;
char* owner_uid;
char* on_error;
char* allowed_classes;
char* serializer;
zend_long decoded_memory;  // bytes
coppice::php::DecodedScope decoded_scope;
ZEND_END_MODULE_GLOBALS(coppice)

ZEND_EXTERN_MODULE_GLOBALS(coppice)
#define COPPICE_G(v) ZEND_MODULE_GLOBALS_ACCESSOR(coppice, v)
#if defined(ZTS) && defined(COMPILE_DL_COPPICE)
ZEND_TSRMLS_CACHE_EXTERN()
#endif

extern zend_module_entry coppice_module_entry;

namespace coppice::php {
inline ThreadState& thread_state() { return *COPPICE_G(state); }
}  // namespace coppice::php
