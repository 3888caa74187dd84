// The daemon's settings by Redis's names, as CONFIG GET, SET and REWRITE see them. One table: a new setting is a row.
//
// Thread safety: none; the daemon's one loop.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::daemon {

class Service;

// What is to be done once all settings of a CONFIG SET were found right. "" = done, else why not.
using Application = std::function<std::string()>;

struct Setting {
  std::string_view name;
  std::string (*get)(Service&);
  // Looks at a value without changing anything; "" = right, and `apply` will set it, else what is wrong in Redis's
  // words. Null: it can't be set.
  std::string (*plan)(Service&, std::string_view value, Application* apply) = nullptr;
  std::string_view option = {};  // the option in the configuration file that CONFIG REWRITE writes; "" = none
};

// In the order of their names.
std::span<const Setting> all_settings();
// In any case. Null: there is none of that name.
const Setting* find_setting(std::string_view name);

// "100", "100mb", "1g" as Redis reads them: k, m, g are powers of 1000, kb, mb, gb of 1024.
bool parse_memory(std::string_view text, std::uint64_t* bytes);

}  // namespace coppice::daemon
