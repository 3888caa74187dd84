// Cache::open(): from DSN, settings and options to a handle.
#include <charconv>
#include <cstdlib>

#include "cache_object.h"
#include "serializer.h"

namespace coppice::php {

namespace {

// A scalar option as DSNs write it.
bool option_text(std::string_view name, zval* value, std::string* text, std::string* error) {
  ZVAL_DEREF(value);
  switch (Z_TYPE_P(value)) {
    case IS_FALSE:
      *text = "0";
      return true;
    case IS_TRUE:
      *text = "1";
      return true;
    case IS_LONG:
      *text = std::to_string(Z_LVAL_P(value));
      return true;
    case IS_DOUBLE: {
      char digits[32];
      text->assign(digits, std::to_chars(digits, digits + sizeof digits, Z_DVAL_P(value)).ptr);
      return true;
    }
    case IS_STRING:
      *text = view(Z_STR_P(value));
      return true;
    default:
      break;
  }
  *error = "option " + std::string(name) + " must be a string, number or bool, not " + zend_zval_type_name(value);
  return false;
}

bool class_list_text(zval* value, std::string* text, std::string* error) {
  text->clear();
  zval* name;
  ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(value), name) {
    ZVAL_DEREF(name);
    if (Z_TYPE_P(name) != IS_STRING) {
      *error = "option allowed_classes must list class names";
      return false;
    }
    if (!text->empty()) *text += ',';
    *text += view(Z_STR_P(name));
  }
  ZEND_HASH_FOREACH_END();
  return true;
}

bool apply_settings(Options& o, std::string* error) {
  const auto setting = [&](const char* name, const char* value, const char* option) {
    if (value == nullptr || *value == '\0') return true;
    if (apply_option(o, option, value, error)) return true;
    *error = "setting coppice." + std::string(name) + ": " + *error;
    return false;
  };
  if (!setting("prefix", COPPICE_G(prefix), "prefix") || !setting("on_error", COPPICE_G(on_error), "on_error") ||
      !setting("allowed_classes", COPPICE_G(allowed_classes), "allowed_classes") ||
      !setting("serializer", COPPICE_G(serializer), "serializer"))
    return false;
  // An empty list would be taken for "none", and a setting that is empty says nothing.
  if (o.scheme == Scheme::kUnix) return setting("owner_uid", COPPICE_G(owner_uid), "owner_uid");
  const char* size = COPPICE_G(max_memory);
  if (size == nullptr || *size == '\0') return true;
  if (parse_size(size, &o.default_max_memory) && o.default_max_memory >= kSmallestMaxMemory) return true;
  *error = "setting coppice.max_memory can't be \"" + std::string(size) +
           "\"; sizes are written as 256M, and 2M is the least";
  return false;
}

std::string_view resolve_auto(std::string_view dsn) {
  if (!dsn.starts_with("auto:")) return dsn;
  if (const char* setting = COPPICE_G(dsn); setting != nullptr && *setting != '\0') return setting;
  if (const char* variable = std::getenv("COPPICE_DSN"); variable != nullptr && *variable != '\0') return variable;
  return "local:";
}

bool gather(std::string_view given, zend_array* array, Options& o, std::string* error) {
  const std::string_view dsn = resolve_auto(given);
  if (dsn.data() != given.data() && given != "auto:") {
    *error = "an auto: DSN has no options of its own";
    return false;
  }
  // Settings first, so that the DSN overrides them; but which of them apply depends on the DSN's scheme.
  Options scheme;
  if (!apply_dsn(scheme, dsn, error)) return false;
  o.scheme = scheme.scheme;
  if (!apply_settings(o, error) || !apply_dsn(o, dsn, error)) return false;
  if (array == nullptr) return true;
  zend_string* name;
  zval* value;
  ZEND_HASH_FOREACH_STR_KEY_VAL(array, name, value) {
    if (name == nullptr) {
      *error = "options are given by name";
      return false;
    }
    ZVAL_DEREF(value);
    if (Z_TYPE_P(value) == IS_NULL) continue;
    std::string text;
    const bool is_list = Z_TYPE_P(value) == IS_ARRAY && view(name) == "allowed_classes";
    if (is_list ? !class_list_text(value, &text, error) : !option_text(view(name), value, &text, error)) return false;
    if (!apply_option(o, view(name), text, error)) return false;
  }
  ZEND_HASH_FOREACH_END();
  return true;
}

Backend* backend_for(const Options& o, std::string* error) {
  if (o.scheme == Scheme::kLocal) return LocalBackend::open(o, error);
  std::string identity = o.path;
  for (const std::string& part : {o.user, o.password, std::to_string(o.database), std::to_string(o.timeout_ms),
                                  std::to_string(o.prefault), std::to_string(o.owner_uid)}) {
    identity += '\0';
    identity += part;
  }
  auto& owner = thread_state().owners[identity];
  if (owner == nullptr)
    owner = std::make_unique<SharedBackend>(ClientOptions{.path = o.path,
                                                          .user = o.user,
                                                          .password = o.password,
                                                          .database = o.database,
                                                          .owner_uid = o.owner_uid,
                                                          .timeout_ms = o.timeout_ms,
                                                          .prefault = o.prefault});
  return owner.get();
}

// Null: `state.error` says why.
Backend* find_backend(std::string_view dsn, zend_array* array) {
  ThreadState& state = thread_state();
  state.error.clear();
  state.options = Options();
  if (!gather(dsn, array, state.options, &state.error)) return nullptr;
  if (state.options.igbinary && !igbinary_is_loaded()) {
    state.error = "serializer=igbinary, but the igbinary extension is not loaded";
    return nullptr;
  }
  return backend_for(state.options, &state.error);
}

zend_array* class_table(const Options& o) {
  if (o.all_classes) return nullptr;
  zend_array* table = zend_new_array(static_cast<std::uint32_t>(o.classes.size()));
  for (const std::string& name : o.classes) zend_hash_str_add_empty_element(table, name.data(), name.size());
  return table;
}

}  // namespace

extern "C" ZEND_METHOD(Coppice_Cache, open) {
  zend_string* dsn = nullptr;
  zend_array* options = nullptr;
  ZEND_PARSE_PARAMETERS_START(0, 2)
  Z_PARAM_OPTIONAL
  Z_PARAM_STR(dsn)
  Z_PARAM_ARRAY_HT(options)
  ZEND_PARSE_PARAMETERS_END();
  Backend* backend = guarded([&] { return find_backend(dsn != nullptr ? view(dsn) : "auto:", options); });
  if (EG(exception)) RETURN_THROWS();
  ThreadState& state = thread_state();
  if (backend == nullptr) {
    zend_throw_exception(classes.invalid_argument, state.error.c_str(), 0);
    RETURN_THROWS();
  }
  const Options& o = state.options;
  object_init_ex(return_value, classes.cache);
  CacheObject* cache = cache_of(Z_OBJ_P(return_value));
  cache->backend = backend;
  cache->is_shared = backend->is_shared();
  cache->throws = o.throw_on_error;
  cache->igbinary = o.igbinary;
  cache->prefix = zend_string_init_fast(o.prefix.data(), o.prefix.size());
  cache->allowed_classes = class_table(o);
}

}  // namespace coppice::php
