// What is decided about the cluster's one nameserver.
#pragma once

#include <cstdint>
#include <string>

#include "renderer/core/document.h"
#include "renderer/core/value.h"

namespace renderer {

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

}  // namespace renderer
