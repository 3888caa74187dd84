// Writes settings that were changed while the daemon runs back into its configuration file (CONFIG REWRITE).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace coppice::daemon {

class Service;

// The text of a TOML file with these top-level keys set to these values (in TOML), and all else, comments too, as it
// was. "" = done; else why not, and `text` is unchanged.
std::string edit_toml(std::string* text, const std::vector<std::pair<std::string, std::string>>& values);
// A string in TOML.
std::string toml_string(std::string_view text);

// Replaces the file at once (written beside it, then renamed); its mode and owner stay. "" = done, else why not.
std::string rewrite_config_file(Service& service);

}  // namespace coppice::daemon
