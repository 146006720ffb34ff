// What the grants of the tailnet policy allow a caller in the cluster: the groups, and whether
// sessions are recorded. A grant that cannot be parsed exactly is an error; it is never read as
// less than it grants.
// Sources: tailscale v1.96.5 kube/kubetypes/grants.go, k8s-operator/api-proxy/proxy.go.
#pragma once

#include <string>
#include <vector>

#include "renderer/core/result.h"
#include "renderer/core/value.h"

namespace runtime::api_proxy {

inline constexpr std::string_view kCapability = "tailscale.com/cap/kubernetes";
// Used if there is no rule for kCapability. Only groups are taken from it.
inline constexpr std::string_view kLegacyCapability = "https://tailscale.com/cap/kubernetes";

struct Grants {
    std::vector<std::string> groups = {};  // each once, in the order of the rules
    std::vector<std::string> recorders = {};
    bool enforces_recorder = false;
    bool records_events = false;
};

// `capabilities` is the CapMap of WhoIs, or nullptr if it is missing.
renderer::Result<Grants> read_grants(const renderer::Value* capabilities);

}  // namespace runtime::api_proxy
