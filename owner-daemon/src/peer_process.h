// The process at the other end of a unix socket, as a descriptor that becomes readable when it dies. A socket alone
// does not tell: a child that the process forked keeps it open.
#pragma once

namespace coppice::daemon {

// The descriptor, the caller's; -1 where there is nothing to watch: another kind of socket, an older kernel, or a
// process that was gone already (whoever uses the socket then is not the one that made it).
int open_peer_process(int socket);

}  // namespace coppice::daemon
