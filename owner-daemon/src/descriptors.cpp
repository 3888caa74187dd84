#include "descriptors.h"

#include <sys/resource.h>

#include <algorithm>

namespace coppice::daemon {

namespace {

// What the daemon needs itself.
constexpr rlim_t kOwnDescriptors = 64;

}  // namespace

// Each attached worker takes one socket; its hint page's descriptor is closed once it is sent.
std::uint64_t allow_descriptors(std::uint64_t clients) {
  rlimit limit{};
  const rlim_t wanted = clients + kOwnDescriptors;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return clients;
  if (limit.rlim_cur < wanted) {
    rlimit raised = limit;
    raised.rlim_cur = std::min(wanted, limit.rlim_max);
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  return std::min<std::uint64_t>(clients, limit.rlim_cur > kOwnDescriptors ? limit.rlim_cur - kOwnDescriptors : 0);
}

}  // namespace coppice::daemon
