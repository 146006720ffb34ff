// Who a Tailscale Service belongs to. Its annotation lists its owners, one for each cluster that
// serves it; a group that serves the Kubernetes API owns its service alone. Source: tailscale
// v1.96.5, cmd/k8s-operator/tailscale_service_owners.go. Nothing is sent here.
#pragma once

#include <string>

#include "renderer/core/value.h"
#include "runtime/controller/ingress_groups/group_objects.h"

namespace runtime::controller {

// What a claim leads to: a body to PUT, nothing (null), or a refusal.
struct Claim {
    renderer::Value body = {};
    std::string refusal = {};
};

// This installation, as services name it, and the operator that it has followed (empty: none): what
// belongs to that one is ours, and says so after the next claim.
struct Owner {
    std::string id, predecessor;
};

// `existing` is the service as the tailnet has it, nullptr when it has none.
Claim claim_service(const Offer& offer, const Owner& owner, const renderer::Value* existing);

struct Release {
    bool deletes = false;
    renderer::Value body = {};  // what remains, for a PUT; null: nothing to do
};
Release release_service(const Owner& owner, const renderer::Value& existing);

}  // namespace runtime::controller
