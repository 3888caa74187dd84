// What the daemon knows about one connection, apart from its socket.
#pragma once

#include <cstdint>
#include <string>

#include "coppice/types.h"

namespace coppice::daemon {

struct Session {
  std::uint64_t id = 0;
  bool unix_socket = false;
  bool authenticated = true;
  bool attached = false;
  bool coordinated = false;  // it may hold locks or leases, or wait: its end must be told to the coordinator
  int protocol = 2;
  Database database = 0;
  std::string name;
  std::string library_name;
  std::string library_version;
};

}  // namespace coppice::daemon
