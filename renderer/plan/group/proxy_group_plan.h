// The plan of a ProxyGroup: a StatefulSet of several replicas, and for an egress group one
// ClusterIP Service for each Service that targets the tailnet through it. What the other types
// offer to the tailnet is an OfferedService.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/document.h"
#include "renderer/plan/group/proxy_group_input.h"

namespace renderer::plan {

struct GroupPort {
    std::string name;
    std::string_view protocol;    // "TCP" | "UDP"
    std::int64_t port = 0;        // of the user's Service and of the target
    std::int64_t match_port = 0;  // on the group's pods
};

// A Service with the annotation `tailscale.com/proxy-group` that targets a tailnet address.
struct EgressMember {
    Origin origin;
    std::uint32_t bundle = 0;
    std::string group;
    std::string name;  // name of its ClusterIP Service
    std::string parent_ns, parent_name;
    std::string key;               // in the group's ConfigMap: "<namespace>-<name>"
    std::string ip, fqdn;          // exactly one is set
    std::vector<GroupPort> ports;  // without the health port
    std::int64_t health_port = 0;
    std::string health_url;  // the preStop hook requests it until no response is from its own pod
};

// The address and port of Nodes at which clients reach a replica.
struct GroupEndpoint {
    std::int64_t node_port = 0;
    std::vector<std::string> addresses;  // "203.0.113.11:30500", at most two
};

// Fields that only ProxyGroups have.
struct ProxyGroupPlan {
    ProxyGroupInput input;
    std::vector<GroupEndpoint> endpoints = {};  // one per replica, or none
    std::int64_t tailscaled_port = 0;           // UDP; 0: any
    std::string_view log_level = {};            // kube-apiserver
    std::string api_unrecorded = {};            // kube-apiserver: as in Settings
    bool shares_acme_account = false;  // ingress: replicas use the account of kAcmeAccounts

    [[nodiscard]] bool serves_api() const { return input.type == GroupType::KubeApiServer; }
};

}  // namespace renderer::plan
