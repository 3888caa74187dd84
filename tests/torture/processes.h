// Child processes of the torture test: the owner, and readers and writers that are this program exec'd anew.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace torture {

// fork and exec; `arguments[0]` is the program. Descriptors below 3 and `kept` are inherited.
pid_t spawn(const std::vector<std::string>& arguments, int kept, const std::string& output);
// Waits at most this long. false: it still runs. `status` as waitpid's.
bool wait_for(pid_t pid, int timeout_ms, int* status);
// "exit status 1", "signal 11 (Segmentation fault)"
std::string describe(int status);

}  // namespace torture
