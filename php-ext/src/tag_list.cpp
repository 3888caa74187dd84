#include "tag_list.h"

#include "errors.h"
#include "module.h"

namespace coppice::php {

bool check_tag(const zend_string* tag) {
  if (EXPECTED(ZSTR_LEN(tag) - 1 < kLongestTag)) return true;
  if (ZSTR_LEN(tag) == 0)
    zend_throw_exception(classes.invalid_argument, "a tag is empty", 0);
  else
    zend_throw_exception_ex(classes.invalid_argument, 0, "a tag has %zu bytes; %zu are the limit", ZSTR_LEN(tag),
                            kLongestTag);
  return false;
}

bool check_tags(zend_array* tags) {
  if (tags == nullptr) return true;
  zval* tag;
  ZEND_HASH_FOREACH_VAL(tags, tag) {
    ZVAL_DEREF(tag);
    if (Z_TYPE_P(tag) != IS_STRING) {
      zend_throw_exception_ex(classes.invalid_argument, 0, "a tag must be a string, %s given",
                              zend_zval_type_name(tag));
      return false;
    }
    if (!check_tag(Z_STR_P(tag))) return false;
  }
  ZEND_HASH_FOREACH_END();
  return true;
}

zend_array* read_tag_arguments(zval* arguments, int count) {
  zend_array* list = zend_new_array(static_cast<std::uint32_t>(count));
  for (int i = 0; i < count; ++i) {
    zend_string* tag;
    if (!zend_parse_arg_str(&arguments[i], &tag, false, static_cast<std::uint32_t>(i) + 1)) {
      if (!EG(exception))
        zend_argument_type_error(static_cast<std::uint32_t>(i) + 1, "must be of type string, %s given",
                                 zend_zval_type_name(&arguments[i]));
    } else if (check_tag(tag)) {
      zval element;
      ZVAL_STR_COPY(&element, tag);
      zend_hash_next_index_insert_new(list, &element);
      continue;
    }
    zend_array_release(list);
    return nullptr;
  }
  return list;
}

TagList tag_views(zend_array* tags) {
  if (tags == nullptr) return {};
  std::vector<std::string_view>& views = thread_state().tags;
  views.clear();
  zval* tag;
  ZEND_HASH_FOREACH_VAL(tags, tag) {
    ZVAL_DEREF(tag);
    if (Z_TYPE_P(tag) == IS_STRING && ZSTR_LEN(Z_STR_P(tag)) - 1 < kLongestTag) views.push_back(view(Z_STR_P(tag)));
  }
  ZEND_HASH_FOREACH_END();
  return views;
}

}  // namespace coppice::php
