// The settings of messages and of what clients leave unread: rows of the table in settings.cpp.
//
// Thread safety: none; the daemon's one loop.
#pragma once

#include <string>
#include <string_view>

#include "settings.h"

namespace coppice::daemon {

std::string output_limits_of(Service& service);
std::string plan_output_limits(Service& service, std::string_view value, Application* apply);

std::string events_of(Service& service);
std::string plan_events(Service& service, std::string_view value, Application* apply);

std::string tracking_keys_of(Service& service);
std::string plan_tracking_keys(Service& service, std::string_view value, Application* apply);

}  // namespace coppice::daemon
