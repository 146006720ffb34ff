// Finds the devices that the Secrets of replicas name, for `cleanup`. A pod can write any device
// into its state Secret, so such a device is checked with the tailnet first
// (controller/keys/own_devices.h). A device that the controller has noted on an auth Secret is
// already proven.
#pragma once

#include <string>
#include <vector>

#include "runtime/controller/keys/own_devices.h"
#include "runtime/operate/kube_jobs.h"

namespace runtime::operate {

struct NamedDevice {
    controller::DeviceClaim claim;
    bool is_noted = false;
};

// Returns the noted devices, each once, then the other devices that replicas claim. `sets` has
// hostnames and tags of the replicas that are still wanted.
std::vector<NamedDevice> named_devices(const Objects& secrets, const Objects& sets);

}  // namespace runtime::operate
