// Opens the sockets that the daemon listens on.
//
// Thread safety: none; called once at the start.
#pragma once

#include <string>

#include "config.h"

namespace coppice::daemon {

// A listening descriptor with mode and group set before anybody can connect; -1: `error` says why. Replaces a socket
// that nobody serves; anything else at the path is left alone. REQUIRES: the lock file is held.
int listen_unix(const Config& config, std::string* error);
// Whether users other than the owner and root could put another socket in this one's place.
bool others_can_replace(const std::string& socket_path);
// A listening descriptor; -1: `error` says why. `port` is the one in use (the endpoint's may be 0). Refuses addresses
// beyond loopback when clients need no password (`open`).
int listen_tcp(const Endpoint& endpoint, bool open, std::uint16_t* port, std::string* error);

}  // namespace coppice::daemon
