// One client in a line, as CLIENT LIST, CLIENT INFO and ACL LOG describe it.
#pragma once

#include <string>

#include "service.h"
#include "session.h"

namespace coppice::daemon {

// Without a line end.
std::string describe_client(const Service& service, const Session& client);

}  // namespace coppice::daemon
