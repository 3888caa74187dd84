// The module: settings, start and end of process, thread and request.
#include "module.h"

#include "cache_object.h"
#include "lock.h"
#include "pairs.h"
#include "pending.h"
#include "scan.h"
#include "serializer.h"

extern "C" {
#include "../coppice_arginfo.h"
}

ZEND_DECLARE_MODULE_GLOBALS(coppice)

namespace {

// phpinfo() and the like show no password.
ZEND_INI_DISP(display_dsn) {
  const zend_string* value =
      type == ZEND_INI_DISPLAY_ORIG && ini_entry->modified ? ini_entry->orig_value : ini_entry->value;
  if (value == nullptr || ZSTR_LEN(value) == 0) {
    PHPWRITE("no value", sizeof "no value" - 1);
    return;
  }
  const std::string_view text = coppice::php::view(value);
  const std::size_t at = text.find('@');
  const std::size_t slashes = text.find("://");
  if (at == std::string_view::npos || slashes == std::string_view::npos || at < slashes) {
    if (text.find("password=") == std::string_view::npos) {
      PHPWRITE(text.data(), text.size());
      return;
    }
    PHPWRITE("(contains a password)", sizeof "(contains a password)" - 1);
    return;
  }
  PHPWRITE(text.data(), slashes + 3);
  PHPWRITE("...", 3);
  PHPWRITE(text.data() + at, text.size() - at);
}

#ifndef ZEND_INI_GET_ADDR
#define ZEND_INI_GET_ADDR() (ZEND_INI_GET_BASE() + reinterpret_cast<std::size_t>(mh_arg1))
#endif

// What can't be used is refused where it is given; the value before it stays.
void refuse_setting(const zend_ini_entry* entry, const zend_string* value, const char* what_can) {
  php_error_docref(nullptr, E_WARNING, "setting %s can't be \"%.100s\"; %s", ZSTR_VAL(entry->name),
                   value != nullptr ? ZSTR_VAL(value) : "", what_can);
}

ZEND_INI_MH(on_decoded_memory) {
  (void)stage, (void)mh_arg3;
  std::uint64_t bytes;
  if (new_value == nullptr || !coppice::php::parse_size(coppice::php::view(new_value), &bytes) ||
      bytes > static_cast<std::uint64_t>(ZEND_LONG_MAX)) {
    refuse_setting(entry, new_value, "sizes are written as 32M, and 0 keeps no decoded values");
    return FAILURE;
  }
  *reinterpret_cast<zend_long*>(ZEND_INI_GET_ADDR()) = static_cast<zend_long>(bytes);
  return SUCCESS;
}

ZEND_INI_MH(on_decoded_scope) {
  (void)stage, (void)mh_arg3;
  coppice::php::DecodedScope scope;
  if (new_value == nullptr || !coppice::php::parse_decoded_scope(coppice::php::view(new_value), &scope)) {
    refuse_setting(entry, new_value, "it is process, request or off");
    return FAILURE;
  }
  *reinterpret_cast<coppice::php::DecodedScope*>(ZEND_INI_GET_ADDR()) = scope;
  return SUCCESS;
}

}  // namespace

PHP_INI_BEGIN()
STD_PHP_INI_ENTRY_EX("coppice.dsn", "", PHP_INI_ALL, OnUpdateString, dsn, zend_coppice_globals, coppice_globals,
                     display_dsn)
STD_PHP_INI_ENTRY("coppice.max_memory", "256M", PHP_INI_ALL, OnUpdateString, max_memory, zend_coppice_globals,
                  coppice_globals)
STD_PHP_INI_ENTRY("coppice.prefix", "", PHP_INI_ALL, OnUpdateString, prefix, zend_coppice_globals, coppice_globals)
STD_PHP_INI_ENTRY("coppice.owner_uid", "", PHP_INI_SYSTEM, OnUpdateString, owner_uid, zend_coppice_globals,
                  coppice_globals)
STD_PHP_INI_ENTRY("coppice.on_error", "warn", PHP_INI_ALL, OnUpdateString, on_error, zend_coppice_globals,
                  coppice_globals)
STD_PHP_INI_ENTRY("coppice.allowed_classes", "1", PHP_INI_ALL, OnUpdateString, allowed_classes, zend_coppice_globals,
                  coppice_globals)
STD_PHP_INI_ENTRY("coppice.serializer", "php", PHP_INI_ALL, OnUpdateString, serializer, zend_coppice_globals,
                  coppice_globals)
STD_PHP_INI_ENTRY("coppice.decoded_memory", "32M", PHP_INI_SYSTEM, on_decoded_memory, decoded_memory,
                  zend_coppice_globals, coppice_globals)
STD_PHP_INI_ENTRY("coppice.decoded_scope", "process", PHP_INI_SYSTEM, on_decoded_scope, decoded_scope,
                  zend_coppice_globals, coppice_globals)
PHP_INI_END()

namespace {

PHP_GINIT_FUNCTION(coppice) {
#if defined(COMPILE_DL_COPPICE) && defined(ZTS)
  ZEND_TSRMLS_CACHE_UPDATE();
#endif
  *coppice_globals = {};
  // For where php.ini says something that is refused.
  coppice_globals->decoded_memory = 32 << 20;
  coppice_globals->decoded_scope = coppice::php::DecodedScope::kProcess;
  coppice_globals->state = new coppice::php::ThreadState;
}

PHP_GSHUTDOWN_FUNCTION(coppice) {
  delete coppice_globals->state;
  coppice_globals->state = nullptr;
}

PHP_MINIT_FUNCTION(coppice) {
  (void)type;
  REGISTER_INI_ENTRIES();
  using coppice::php::classes;
  classes.cache_exception = register_class_Coppice_CacheException(zend_ce_throwable);
  classes.invalid_argument =
      register_class_Coppice_InvalidArgumentException(spl_ce_InvalidArgumentException, classes.cache_exception);
  classes.invalid_key = register_class_Coppice_InvalidKeyException(classes.invalid_argument);
  classes.overflow = register_class_Coppice_OverflowException(spl_ce_OverflowException, classes.cache_exception);
  classes.wrong_type = register_class_Coppice_WrongTypeException(spl_ce_RuntimeException, classes.cache_exception);
  classes.serialization =
      register_class_Coppice_SerializationException(spl_ce_RuntimeException, classes.cache_exception);
  classes.connection = register_class_Coppice_ConnectionException(spl_ce_RuntimeException, classes.cache_exception);
  classes.refused = register_class_Coppice_RefusedException(spl_ce_RuntimeException, classes.cache_exception);
  classes.cache = register_class_Coppice_Cache();
  classes.entry = register_class_Coppice_Entry();
  classes.scan = register_class_Coppice_Scan(zend_ce_aggregate);
  classes.pairs = register_class_Coppice_Pairs(zend_ce_aggregate, zend_ce_countable);
  coppice::php::register_cache_class();
  coppice::php::register_scan_class();
  classes.pending = register_class_Coppice_Pending();
  classes.throttle = register_class_Coppice_Throttle();
  classes.lock = register_class_Coppice_Lock();
  coppice::php::register_pairs_class();
  coppice::php::register_pending_class();
  coppice::php::register_lock_class();
#if PHP_VERSION_ID >= 80200
  // A DSN may hold a password: stack traces leave it out.
  auto* open = static_cast<zend_function*>(zend_hash_str_find_ptr(&classes.cache->function_table, "open", 4));
  zend_string* sensitive = zend_string_init_interned("SensitiveParameter", sizeof "SensitiveParameter" - 1, true);
  for (std::uint32_t argument = 0; argument < 2; ++argument) zend_add_parameter_attribute(open, argument, sensitive, 0);
#endif
  return SUCCESS;
}

PHP_MSHUTDOWN_FUNCTION(coppice) {
  (void)type;
  UNREGISTER_INI_ENTRIES();
  coppice::php::LocalBackend::close_all();
  return SUCCESS;
}

PHP_RINIT_FUNCTION(coppice) {
  (void)type;
  (void)module_number;
#if defined(COMPILE_DL_COPPICE) && defined(ZTS)
  ZEND_TSRMLS_CACHE_UPDATE();
#endif
  std::memset(COPPICE_G(warned), 0, sizeof COPPICE_G(warned));
  using coppice::php::DecodedTable;
  coppice::php::thread_state().decoded.begin_request(DecodedTable::form_of(COPPICE_G(decoded_scope)));
  return SUCCESS;
}

// Not RSHUTDOWN: session handlers and destructors may still use a cache after it.
auto post_deactivate() -> decltype(zend_module_entry{}.post_deactivate_func()) {
  coppice::php::thread_state().decoded.end_request();
  coppice::php::thread_state().codec.end_request();
  return SUCCESS;
}

PHP_MINFO_FUNCTION(coppice) {
  (void)zend_module;
  static constexpr const char* kForms[] = {"off", "request", "process"};
  char stores[24];
  snprintf(stores, sizeof stores, "%zu", coppice::php::LocalBackend::open_stores());
  php_info_print_table_start();
  php_info_print_table_row(2, "Coppice", "enabled");
  php_info_print_table_row(2, "Version", COPPICE_VERSION);
  php_info_print_table_row(2, "Local stores open in this process", stores);
  php_info_print_table_row(2, "Decoded values are kept for",
                           kForms[static_cast<int>(coppice::php::thread_state().decoded.form())]);
  php_info_print_table_row(2, "igbinary", coppice::php::igbinary_is_loaded() ? "available" : "not loaded");
  php_info_print_table_end();
  DISPLAY_INI_ENTRIES();
}

}  // namespace

zend_module_entry coppice_module_entry = {STANDARD_MODULE_HEADER,
                                          "coppice",
                                          nullptr,
                                          PHP_MINIT(coppice),
                                          PHP_MSHUTDOWN(coppice),
                                          PHP_RINIT(coppice),
                                          nullptr,
                                          PHP_MINFO(coppice),
                                          COPPICE_VERSION,
                                          PHP_MODULE_GLOBALS(coppice),
                                          PHP_GINIT(coppice),
                                          PHP_GSHUTDOWN(coppice),
                                          post_deactivate,
                                          STANDARD_MODULE_PROPERTIES_EX};

#ifdef COMPILE_DL_COPPICE
#ifdef ZTS
ZEND_TSRMLS_CACHE_DEFINE()
#endif
extern "C" {
ZEND_GET_MODULE(coppice)
}
#endif
