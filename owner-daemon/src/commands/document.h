// docs/commands.md, made from the command table.
#pragma once

#include <string>

namespace coppice::daemon {

std::string commands_document();

}  // namespace coppice::daemon
