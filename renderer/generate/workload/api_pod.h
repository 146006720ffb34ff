// The pod that serves the Kubernetes API to the tailnet: tailscaled in user space, and
// `tailrender-proxy api` beside it, as users of their own. Contract: testdata/contract/proxy.md,
// "The Kubernetes API".
#pragma once

#include <string_view>

#include "renderer/generate/model.h"

namespace renderer {

// The user of `tailrender-proxy api`, as the image names it: tailscaled, which runs as another,
// looks the name up. What comes from tailscaled's user alone is believed.
constexpr std::string_view kApiUserName = "api-proxy";

struct ApiPod {
    bool impersonates = true;
    std::string_view service = {};     // "svc:NAME" that it serves; "": the name of its device
    std::string_view unrecorded = {};  // RESOURCE/SUBRESOURCE that enforceRecorder lets pass
};

// What tailscaled's container needs to know in any such pod.
void append_api_environment(Value& environment);

// `environment`: of tailscaled's container, which is the first. Without what places the pod.
Value api_pod_spec(const Workload& workload, const ApiPod& pod, Value environment);

}  // namespace renderer
