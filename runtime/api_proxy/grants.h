// What the grants of the tailnet's policy let a caller be in the cluster: the groups, and whether
// sessions are recorded. A grant that cannot be read exactly is an error, never less than it says.
// Sources: tailscale v1.96.5 kube/kubetypes/grants.go, k8s-operator/api-proxy/proxy.go.
#pragma once

#include <string>
#include <vector>

#include "renderer/core/result.h"
#include "renderer/core/value.h"

namespace runtime::api_proxy {

inline constexpr std::string_view kCapability = "tailscale.com/cap/kubernetes";
// Counts where there is no rule of the other; only groups are taken from it.
inline constexpr std::string_view kLegacyCapability = "https://tailscale.com/cap/kubernetes";

struct Grants {
    std::vector<std::string> groups = {};  // each once, in the order of the rules
    std::vector<std::string> recorders = {};
    bool enforces_recorder = false;
    bool records_events = false;
};

// `capabilities`: the CapMap of WhoIs, which may be missing.
renderer::Result<Grants> read_grants(const renderer::Value* capabilities);

}  // namespace runtime::api_proxy
