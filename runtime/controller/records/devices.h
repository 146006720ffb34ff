// Devices of replicas, and their lines in the table of devices. The name and the addresses of a
// device are those that the controller has noted (device_notes.h); its pod only reports whether it
// has joined, and whether it serves HTTPS. Everything that is published comes from a `Device`. Pure
// functions.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/controller/decide.h"

namespace runtime::controller {

enum class DeviceState {
    Waiting,     // has not joined, or its device is not noted
    Joined,      // the running pod has reported it, and the device is its own
    Restarting,  // known from a pod that is terminating, or was deleted
    Leaving      // no longer wanted
};
inline constexpr int kDeviceStates = 4;
std::string_view name_of(DeviceState state);

struct Device {
    std::string pod;  // a copy, because each look recreates the replicas
    DeviceState state = DeviceState::Waiting;
    // As the tailnet reports it; empty if nothing is noted.
    std::string id, fqdn, hostname;  // fqdn: without a dot at its end
    std::vector<std::string> addresses;
    bool is_described = true;  // false: noted by an earlier version, and not asked for since
    std::vector<std::string> static_endpoints = {};  // of a ProxyGroup's replica
    // The name for HTTPS; empty if it serves none.
    std::string https_name;

    [[nodiscard]] bool is_live() const { return state == DeviceState::Joined; }
};

Device device_of(const Replica& replica);

// Why a replica is blocked; "" if it is not.
using ProblemOf = std::function<std::string(std::string_view pod)>;

// Returns a JSON object.
renderer::Value device_line(const Replica& replica, const std::string& problem);

}  // namespace runtime::controller
