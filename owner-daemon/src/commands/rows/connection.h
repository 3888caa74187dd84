// Connections: rows of the command table, in the order of the document.
#pragma once

#include "commands/handlers.h"
#include "commands/row.h"

namespace coppice::daemon::rows {

inline constexpr auto kConnectionRows = std::to_array<CommandSpec>({
    {"attach", 2, kFast | kNoMulti, kNoKeys, "connection", "0.1.0", "ATTACH protocol",
     "Receives the descriptors of the shared segment and of a hint page", attach},
    {"auth", -2, kConnection | kWithoutAuth, kNoKeys, "connection", "0.1.0", "AUTH [username] password",
     "Authenticates the connection", auth},
    {"client", -2, kContainer, kNoKeys, "connection", "0.1.0", "CLIENT subcommand", "About this connection", nullptr},
    {"client|getname", 2, kConnection, kNoKeys, "connection", "0.1.0", "CLIENT GETNAME", "The connection's name",
     client_getname},
    {"client|help", 2, kWhileLoading, kNoKeys, "connection", "0.2.0", "CLIENT HELP", "What CLIENT can do", help},
    {"client|id", 2, kConnection, kNoKeys, "connection", "0.1.0", "CLIENT ID", "The connection's number", client_id},
    {"client|info", 2, kConnection, kNoKeys, "connection", "0.2.0", "CLIENT INFO", "About this connection, in one line",
     client_info},
    {"client|kill", -3, kAdmin | kConnection, kNoKeys, "connection", "0.2.0",
     "CLIENT KILL address | [ID id] [ADDR address] [TYPE type] [USER name] [SKIPME yes | no]", "Closes connections",
     client_kill},
    {"client|list", -2, kAdmin | kWhileLoading, kNoKeys, "connection", "0.2.0",
     "CLIENT LIST [TYPE type | ID id [id …]]", "About all connections, a line each", client_list},
    {"client|no-evict", 3, kAdmin | kConnection, kNoKeys, "connection", "0.2.0", "CLIENT NO-EVICT ON | OFF",
     "Nothing: no client is ever evicted", client_no_evict},
    {"client|pause", -3, kAdmin | kConnection, kNoKeys, "connection", "0.2.0",
     "CLIENT PAUSE milliseconds [WRITE | ALL]", "Lets all clients' commands wait, or those that write", client_pause},
    {"client|reply", 3, kConnection, kNoKeys, "connection", "0.2.0", "CLIENT REPLY ON | OFF | SKIP",
     "Whether the connection gets replies", client_reply},
    {"client|setinfo", 4, kConnection, kNoKeys, "connection", "0.1.0", "CLIENT SETINFO LIB-NAME name | LIB-VER version",
     "Notes which library the client uses", client_setinfo},
    {"client|setname", 3, kConnection, kNoKeys, "connection", "0.1.0", "CLIENT SETNAME name", "Names the connection",
     client_setname},
    {"client|unblock", -3, kAdmin | kConnection, kNoKeys, "connection", "0.2.0", "CLIENT UNBLOCK id [TIMEOUT | ERROR]",
     "Ends a client's wait for a lock or a lease", client_unblock},
    {"client|unpause", 2, kAdmin | kConnection, kNoKeys, "connection", "0.2.0", "CLIENT UNPAUSE", "Ends CLIENT PAUSE",
     client_unpause},
    {"echo", 2, kFast, kNoKeys, "connection", "0.1.0", "ECHO message", "Answers the message", echo},
    {"hello", -1, kConnection | kWithoutAuth, kNoKeys, "connection", "0.1.0",
     "HELLO [protover [AUTH username password] [SETNAME name]]", "Chooses RESP2 or RESP3", hello},
    {"ping", -1, kFast, kNoKeys, "connection", "0.1.0", "PING [message]", "Answers PONG or the message", ping},
    {"quit", -1, kConnection | kWithoutAuth | kNotQueued, kNoKeys, "connection", "0.1.0", "QUIT",
     "Closes the connection", quit},
    {"reset", 1, kConnection | kWithoutAuth | kNotQueued, kNoKeys, "connection", "0.1.0", "RESET",
     "Puts the connection back to its beginning", reset},
    {"select", 2, kConnection, kNoKeys, "connection", "0.1.0", "SELECT index", "Chooses the database", select},
});

}  // namespace coppice::daemon::rows
