// Which devices of the tailnets the Secrets of replicas name, for `cleanup`. A pod writes its state
// Secret, so what that names is asked of the tailnet first (controller/own_devices.h); what the
// controller has noted on an auth Secret is proven already.
#pragma once

#include <string>
#include <vector>

#include "runtime/controller/keys/own_devices.h"
#include "runtime/operate/kube_jobs.h"

namespace runtime {

struct NamedDevice {
    DeviceClaim claim;
    bool is_noted = false;
};

// The noted ones first, each once; then what replicas claim of others. `sets` say hostnames and
// tags of the replicas that are still wanted.
std::vector<NamedDevice> named_devices(const Objects& secrets, const Objects& sets);

}  // namespace runtime
