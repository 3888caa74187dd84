// What the daemon knows about one connection, apart from its socket.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "coppice/types.h"
#include "pubsub.h"
#include "push_sink.h"
#include "tracking.h"
#include "transaction.h"

namespace coppice::daemon {

struct CommandSpec;
class User;

// CLIENT REPLY.
enum class Replies : std::uint8_t { kOn, kOff, kSkipNext };

struct Session {
  std::uint64_t id = 0;
  bool unix_socket = false;
  bool authenticated = true;
  bool attached = false;
  bool coordinated = false;  // it may hold locks or leases, or wait: its end must be told to the coordinator
  bool queuing = false;      // between MULTI and EXEC
  bool executing = false;    // within EXEC, where nothing may wait
  bool monitoring = false;   // is shown all commands: Monitors
  int protocol = 2;
  Replies replies = Replies::kOn;
  Database database = 0;
  Millis connected_at = 0;
  Millis active_at = 0;                       // when it last sent something, to a tick
  const User* user = nullptr;                 // set by Service::begin(); "default" until the client logs in
  const CommandSpec* last_command = nullptr;  // null: none yet
  std::string address;                        // "host:port", or "path:0" of a unix socket
  std::string name;
  std::string library_name;
  std::string library_version;
  std::unique_ptr<Transaction> transaction;              // there while queuing or watching
  PushSink* sink = nullptr;                              // null: the client can't get messages
  std::unique_ptr<PubSub::Subscriptions> subscriptions;  // there while it has any
  std::unique_ptr<Tracking::Client> tracking;            // there while it tracks
};

}  // namespace coppice::daemon
