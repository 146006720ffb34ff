// The pod that serves the Kubernetes API to the tailnet: tailscaled in user space, and
// `tailrender-proxy api` beside it, each with its own user. Contract: testdata/contract/proxy.md,
// "The Kubernetes API".
#pragma once

#include <string_view>

#include "renderer/generate/model.h"

namespace renderer::generate {

// The name of the user of `tailrender-proxy api` in the image. tailscaled, which runs as another
// user, looks it up. `tailrender-proxy api` trusts only connections of tailscaled's user.
constexpr std::string_view kApiUserName = "api-proxy";

struct ApiPod {
    bool impersonates = true;
    std::string_view service = {};     // "svc:NAME" that it serves; "": the name of its device
    std::string_view unrecorded = {};  // RESOURCE/SUBRESOURCE that enforceRecorder allows
};

// Appends the variables of tailscaled's container in any such pod.
void append_api_environment(Value& environment);

// Returns the pod's spec without scheduling fields. `environment` is that of tailscaled's
// container, which is the first.
Value api_pod_spec(const plan::Workload& workload, const ApiPod& pod, Value environment);

}  // namespace renderer::generate
