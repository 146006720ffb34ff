// Ports of Nodes at which clients reach the pods of a ProxyGroup without a relay: one NodePort per
// replica, from the ranges of the group's ProxyClass, and the external addresses of the Nodes that
// the class selects. Nodes are inputs, usually of a --context directory. Source: tailscale v1.96.5
// cmd/k8s-operator/{nodeport-service-ports,proxygroup}.go; the operator chooses the port of
// tailscaled at random.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"
#include "renderer/plan/workload/workload.h"

namespace renderer::plan {

// Returns the UDP port on which the tailscaled of a group listens. It depends only on the group's
// name, and is outside of the range of match ports.
std::int64_t tailscaled_port(std::string_view group);

// Fills `endpoints` of the groups whose class has static endpoints, and returns the ports for the
// lock file.
std::vector<load::LockedPort> plan_static_endpoints(const load::Loaded& loaded,
                                                    const classify::Inventory& inventory,
                                                    std::vector<Workload>& groups,
                                                    Diagnostics& diagnostics);

}  // namespace renderer::plan
