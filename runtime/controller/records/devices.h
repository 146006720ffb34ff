// Devices of replicas, and their lines in the table of devices. What a device is called and reached
// at is what the controller has noted of it (device_notes.h); its pod only says whether it has
// joined with it, and whether it serves HTTPS. Everything that is published is made of a `Device`.
// Pure functions.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/controller/decide.h"

namespace runtime::controller {

enum class DeviceState {
    Waiting,     // has not joined yet, or with a device that is not noted
    Joined,      // the running pod has said so, and the device is its own
    Restarting,  // known from a pod that is leaving, or gone
    Leaving      // wanted no more
};
inline constexpr int kDeviceStates = 4;
std::string_view name_of(DeviceState state);

struct Device {
    std::string pod;  // a copy: the replicas that it comes from are recreated for every look
    DeviceState state = DeviceState::Waiting;
    // As the tailnet says; empty: nothing is noted.
    std::string id, fqdn, hostname;  // fqdn: without a dot at its end
    std::vector<std::string> addresses;
    bool is_described = true;  // false: noted by an earlier version, and not asked for yet
    std::vector<std::string> static_endpoints = {};  // of a ProxyGroup's replica
    // Where it serves HTTPS; empty: it does not.
    std::string https_name;

    [[nodiscard]] bool is_live() const { return state == DeviceState::Joined; }
};

Device device_of(const Replica& replica);

// What blocks a replica; "": nothing.
using ProblemOf = std::function<std::string(std::string_view pod)>;

// An object.
renderer::Value device_line(const Replica& replica, const std::string& problem);

}  // namespace runtime::controller
