// The classes of commands that ACL rules name: `+@read`, `-@dangerous`. Derived from a command's flags and group.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "commands/command.h"

namespace coppice::daemon {

// A set of them, by their places in category_names().
using Categories = std::uint32_t;

// Redis's, those that no command here is in too, so that its rules can be used; then range, tag and typed.
std::span<const std::string_view> category_names();
// Without `@`, in any case. Nothing: there is none of that name.
std::optional<Categories> find_category(std::string_view name);
Categories categories_of(const CommandSpec& spec);

}  // namespace coppice::daemon
