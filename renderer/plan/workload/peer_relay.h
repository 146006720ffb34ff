// PeerRelays: each is a StatefulSet, with a load balancer for every pod that anyone on the internet
// can send packets to. Only the cluster has their addresses: testdata/contract/peer-relay.md.
// Source of the rules: tailscale v1.104.5 k8s-operator/reconciler/peerrelay,
// k8s-operator/apis/v1alpha1/types_peerrelay.go.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/value.h"

namespace renderer::classify {
struct Inventory;
}

namespace renderer::plan {

struct ProxyInputs;
struct Workload;

// Returns the relays, sorted by name. Refuses what the operator refuses, and what could not run.
std::vector<Workload> plan_peer_relays(const classify::Inventory& inventory,
                                       const ProxyInputs& inputs, Diagnostics& diagnostics);

}  // namespace renderer::plan
