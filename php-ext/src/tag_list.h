// Tags that a script passed, on their way to a backend.
#pragma once

#include <span>
#include <string_view>

#include "bridge.h"

namespace coppice::php {

inline constexpr std::size_t kLongestTag = 1024;

using TagList = std::span<const std::string_view>;

// Throw InvalidArgumentException and answer false where one is no string, empty or too long.
bool check_tag(const zend_string* tag);
bool check_tags(zend_array* tags);
// The arguments of a `string ...$tags`, as a new array of strings; null: an exception was thrown.
zend_array* read_tag_arguments(zval* arguments, int count);
// The tags of an array as they are now, in ThreadState::tags: good until the next user code, which may also have put
// something else behind a reference since check_tags(); that is left out. `tags` may be null.
TagList tag_views(zend_array* tags);

}  // namespace coppice::php
