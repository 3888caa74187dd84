// What the daemon knows about one connection, apart from its socket.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "coppice/types.h"
#include "transaction.h"

namespace coppice::daemon {

struct Session {
  std::uint64_t id = 0;
  bool unix_socket = false;
  bool authenticated = true;
  bool attached = false;
  bool coordinated = false;  // it may hold locks or leases, or wait: its end must be told to the coordinator
  bool queuing = false;      // between MULTI and EXEC
  bool executing = false;    // within EXEC, where nothing may wait
  int protocol = 2;
  Database database = 0;
  std::string name;
  std::string library_name;
  std::string library_version;
  std::unique_ptr<Transaction> transaction;  // there while queuing or watching
};

}  // namespace coppice::daemon
