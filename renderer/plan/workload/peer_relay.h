// PeerRelays: a StatefulSet each, with a load balancer for every pod that anyone on the internet
// can send packets to. Their addresses are known to a cluster only: testdata/contract/
// peer-relay.md. Source of the rules: tailscale v1.104.5 k8s-operator/reconciler/peerrelay,
// k8s-operator/apis/v1alpha1/types_peerrelay.go.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/value.h"

namespace renderer {

struct Inventory;
struct ProxyInputs;
struct Workload;

// Of AWS, for the load balancer of one replica.
struct ElasticIp {
    std::string_view allocation, subnet;
};

struct PeerRelayPlan {
    int capability = 0;                  // part of the name of the pods' configuration
    std::int64_t port = 0;               // UDP, of load balancers and pods
    const Value* annotations = nullptr;  // of the Services, as the user wishes; a map
    std::vector<ElasticIp> elastic_ips;  // of the first replicas; empty, or enough for all
    std::vector<std::string_view> static_endpoints;  // "203.0.113.7:41641"
};

// Sorted by name. Refuses what the operator refuses, and what could not run.
std::vector<Workload> plan_peer_relays(const Inventory& inventory, const ProxyInputs& inputs,
                                       Diagnostics& diagnostics);

}  // namespace renderer
