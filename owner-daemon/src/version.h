// What the daemon calls itself.
#pragma once

namespace coppice::daemon {

inline constexpr const char* kVersion = COPPICE_VERSION;
// What INFO and HELLO answer as redis_version: clients switch features on by it.
inline constexpr const char* kRedisVersion = "7.4.0";

}  // namespace coppice::daemon
