// The nameserver that answers for ts.net names inside the cluster, from a DNSConfig. A cluster has
// one. Source of the rules: tailscale v1.96.5 cmd/k8s-operator/nameserver.go.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "renderer/core/diagnostics.h"
#include "renderer/core/document.h"
#include "renderer/core/value.h"

namespace renderer {

struct Inventory;
struct Plan;
struct ProxyInputs;

constexpr std::string_view kNameserver = "nameserver";  // Deployment, Service, ServiceAccount
constexpr std::string_view kDnsRecords = "dnsrecords";  // the controller's ConfigMap

struct DnsConfigPlan {
    Origin origin;
    std::uint32_t bundle = 0;
    std::string ns;
    std::string parent_name;
    std::string image, pull_policy;
    std::string cluster_ip;  // "" = not pinned
    std::int64_t replicas = 1;
    const Value* tolerations = nullptr;  // nullptr: none
};

// Fills plan.dns_config.
void plan_dns_config(const Inventory& inventory, const ProxyInputs& inputs, Plan& plan,
                     Diagnostics& diagnostics);

}  // namespace renderer
