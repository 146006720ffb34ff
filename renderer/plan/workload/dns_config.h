// The nameserver of a DNSConfig, which answers for ts.net names inside the cluster. A cluster has
// at most one. Source of the rules: tailscale v1.104.5 cmd/k8s-operator/nameserver.go.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "renderer/core/diagnostics.h"
#include "renderer/core/value.h"

namespace renderer::classify {
struct Inventory;
}

namespace renderer::plan {

struct ProxyInputs;
struct Workload;

constexpr std::string_view kNameserver = "nameserver";  // Deployment, Service, ServiceAccount

// Returns the nameserver, if there is a DNSConfig.
std::optional<Workload> plan_dns_config(const classify::Inventory& inventory,
                                        const ProxyInputs& inputs, Diagnostics& diagnostics);

}  // namespace renderer::plan
