// Client-side caching: rows of the command table, in the order of the document.
#pragma once

#include "commands/handlers.h"
#include "commands/row.h"

namespace coppice::daemon::rows {

inline constexpr auto kTrackingRows = std::to_array<CommandSpec>({
    {"client|caching", 3, kConnection, kNoKeys, "connection", "0.2.0", "CLIENT CACHING YES | NO",
     "Whether what the next command reads is tracked, by OPTIN or OPTOUT", client_caching},
    {"client|getredir", 2, kConnection, kNoKeys, "connection", "0.2.0", "CLIENT GETREDIR",
     "The client that gets this one's invalidations; 0: itself, -1: it does not track", client_getredir},
    {"client|tracking", -3, kConnection, kNoKeys, "connection", "0.2.0",
     "CLIENT TRACKING ON | OFF [REDIRECT id] [PREFIX prefix …] [BCAST] [OPTIN] [OPTOUT] [NOLOOP] [RANGES]",
     "Whether the client is told what changed of the keys that it read, or of all with a prefix; with RANGES it takes "
     "messages that name a prefix",
     client_tracking},
    {"client|trackinginfo", 2, kConnection, kNoKeys, "connection", "0.2.0", "CLIENT TRACKINGINFO",
     "How the client tracks", client_trackinginfo},
});

}  // namespace coppice::daemon::rows
