#include "key_list.h"

namespace coppice::php {

namespace {
struct Collecting {
  ArgumentList* list;
  const CacheObject* cache;
};
}  // namespace

void ArgumentList::reserve(std::uint32_t count) {
  if (count <= capacity_) return;
  capacity_ = count;
  items_ = static_cast<Argument*>(safe_erealloc(items_, capacity_, sizeof(Argument), 0));
}

// Takes over the reference to `key`.
bool ArgumentList::add_string(const CacheObject& cache, zend_string* key, zval* value) {
  if (UNEXPECTED(count_ == capacity_)) reserve(capacity_ == 0 ? 16 : capacity_ * 2);
  Argument& item = items_[count_++];
  item.key = key;
  ZVAL_UNDEF(&item.value);
  Z_EXTRA(item.value) = 0;
  if (value != nullptr) ZVAL_COPY_DEREF(&item.value, value);
  if (EXPECTED(ZSTR_LEN(key) != 0 && ZSTR_LEN(cache.prefix) + ZSTR_LEN(key) <= kMaxKeyLength)) return true;
  throw_bad_key(ZSTR_LEN(cache.prefix), ZSTR_LEN(key));
  return false;
}

bool ArgumentList::add(const CacheObject& cache, zval* key, zval* value) {
  ZVAL_DEREF(key);
  if (EXPECTED(Z_TYPE_P(key) == IS_STRING)) return add_string(cache, zend_string_copy(Z_STR_P(key)), value);
  if (Z_TYPE_P(key) == IS_LONG) return add_string(cache, zend_long_to_str(Z_LVAL_P(key)), value);
  zend_throw_exception_ex(classes.invalid_key, 0, "a key must be a string, %s given", zend_zval_type_name(key));
  return false;
}

int ArgumentList::add_key(zend_object_iterator* iterator, void* state) {
  auto* collecting = static_cast<Collecting*>(state);
  zval* key = iterator->funcs->get_current_data(iterator);
  if (EG(exception) || key == nullptr) return ZEND_HASH_APPLY_STOP;
  return collecting->list->add(*collecting->cache, key, nullptr) ? ZEND_HASH_APPLY_KEEP : ZEND_HASH_APPLY_STOP;
}

int ArgumentList::add_pair(zend_object_iterator* iterator, void* state) {
  auto* collecting = static_cast<Collecting*>(state);
  zval* value = iterator->funcs->get_current_data(iterator);
  if (EG(exception) || value == nullptr) return ZEND_HASH_APPLY_STOP;
  zval key;
  if (iterator->funcs->get_current_key == nullptr)
    ZVAL_LONG(&key, static_cast<zend_long>(iterator->index));
  else
    iterator->funcs->get_current_key(iterator, &key);
  const bool good = !EG(exception) && collecting->list->add(*collecting->cache, &key, value);
  zval_ptr_dtor(&key);
  return good ? ZEND_HASH_APPLY_KEEP : ZEND_HASH_APPLY_STOP;
}

bool ArgumentList::read_keys(const CacheObject& cache, zval* iterable) {
  if (Z_TYPE_P(iterable) != IS_ARRAY) {
    Collecting collecting{this, &cache};
    spl_iterator_apply(iterable, add_key, &collecting);
    return !EG(exception);
  }
  zval* key;
  reserve(zend_hash_num_elements(Z_ARRVAL_P(iterable)));
  ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(iterable), key) {
    if (!add(cache, key, nullptr)) return false;
  }
  ZEND_HASH_FOREACH_END();
  return true;
}

bool ArgumentList::read_pairs(const CacheObject& cache, zval* iterable) {
  if (Z_TYPE_P(iterable) != IS_ARRAY) {
    Collecting collecting{this, &cache};
    spl_iterator_apply(iterable, add_pair, &collecting);
    return !EG(exception);
  }
  zend_ulong index;
  zend_string* name;
  zval* value;
  reserve(zend_hash_num_elements(Z_ARRVAL_P(iterable)));
  ZEND_HASH_FOREACH_KEY_VAL(Z_ARRVAL_P(iterable), index, name, value) {
    zval key;
    if (name != nullptr)
      ZVAL_STR(&key, name);
    else
      ZVAL_LONG(&key, static_cast<zend_long>(index));
    if (!add(cache, &key, value)) return false;
  }
  ZEND_HASH_FOREACH_END();
  return true;
}

void ArgumentList::release() {
  for (std::uint32_t i = 0; i < count_; ++i) {
    zend_string_release(items_[i].key);
    zval_ptr_dtor(&items_[i].value);
  }
  if (items_ != nullptr) efree(items_);
  items_ = nullptr;
  count_ = capacity_ = 0;
}

std::span<const std::string_view> ArgumentList::whole_keys(const CacheObject& cache) {
  ThreadState& state = thread_state();
  // A rare large call does not stay in the process for ever.
  if (state.views.capacity() > 65536) state.views = {};
  state.views.resize(count_);
  const std::string_view prefix = view(cache.prefix);
  const auto key_at = [this](std::size_t i) { return view(items_[i].key); };
  if (prefix.empty())
    for (std::uint32_t i = 0; i < count_; ++i) state.views[i] = key_at(i);
  else
    join_prefix(prefix, count_, key_at, state.views.data());
  return state.views;
}

}  // namespace coppice::php
