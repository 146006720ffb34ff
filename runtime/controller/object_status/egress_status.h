// The conditions of a Service that an egress group connects with the tailnet: how many of the
// group's replicas route it. Source of the shapes: tailscale v1.96.5
// cmd/k8s-operator/egress-services.go, egress-services-readiness.go. A replica counts once the
// tailnet has sent it the addresses of the target.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/controller/object_status/status_writer.h"
#include "runtime/controller/records/devices.h"

namespace runtime::controller {

// What a replica of an egress group reports about its Services (`egress-services`).
struct EgressReplica {
    struct Target {
        std::string ip, fqdn;
        std::set<std::pair<std::string, std::int64_t>> ports;  // protocol and port of the target
        bool has_addresses = false;

        bool operator==(const Target&) const = default;
    };
    std::map<std::string, Target> targets;  // by "<namespace>-<name>" of the Service

    bool operator==(const EgressReplica&) const = default;
};
std::optional<EgressReplica> decode_egress_replica(const renderer::Value& secret);

// The group of a Service that targets the tailnet; "" for other Services.
std::string_view egress_group(const Parent& service);

// `replicas` are those of the group's devices, in their order; nullptr if one has not reported
// anything. Without devices the group does not exist.
StatusChange egress_status(const Parent& service, const std::vector<Device>& devices,
                           const std::vector<const EgressReplica*>& replicas);
// For a Service that no longer targets the tailnet.
StatusChange no_egress_status();

}  // namespace runtime::controller
