// Devices of replicas, as their state Secrets tell, and their lines in the table of devices. What
// an earlier pod has written does not count: device data are live when `pod_uid` is the UID of the
// pod that runs. Pure functions.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/controller/decide.h"

namespace runtime {

enum class DeviceState {
    Waiting,     // has not joined yet
    Joined,      // the running pod has said so
    Restarting,  // known from a pod that is leaving, or gone
    Leaving      // wanted no more
};
inline constexpr int kDeviceStates = 4;
std::string_view name_of(DeviceState state);

struct Device {
    std::string pod;  // a copy: the replicas that it comes from are made anew for every look
    DeviceState state = DeviceState::Waiting;
    std::string fqdn;                                // without a dot at its end
    std::vector<std::string> addresses;              // as the pod wrote them
    std::vector<std::string> static_endpoints = {};  // of a ProxyGroup's replica
    std::string hostname = {};                       // of a recorder, as the tailnet's API tells it
    // Where it serves HTTPS; empty: it does not.
    std::string https_name;

    [[nodiscard]] bool is_live() const { return state == DeviceState::Joined; }
};

Device device_of(const Replica& replica);

// What stands in the way of a replica; "": nothing.
using ProblemOf = std::function<std::string(std::string_view pod)>;

// An object.
renderer::Value device_line(const Replica& replica, const std::string& problem);

}  // namespace runtime
