// The owners of a Tailscale Service. Its annotation lists them, one for each cluster that serves
// it; a group that serves the Kubernetes API is the only owner of its service. Source: tailscale
// v1.96.5, cmd/k8s-operator/tailscale_service_owners.go. Nothing is sent here.
#pragma once

#include <string>

#include "renderer/core/value.h"
#include "runtime/controller/ingress_groups/group_objects.h"

namespace runtime::controller {

// The result of a claim: a body to PUT, nothing (null), or a refusal.
struct Claim {
    renderer::Value body = {};
    std::string refusal = {};
};

// This installation, as services name it, and the operator that it replaced (empty: none): services
// of that operator belong to this installation, and name it after the next claim.
struct Owner {
    std::string id, predecessor;
};

// `existing` is the service in the tailnet, nullptr if it does not exist.
Claim claim_service(const Offer& offer, const Owner& owner, const renderer::Value* existing);

struct Release {
    bool deletes = false;
    renderer::Value body = {};  // the remaining service, for a PUT; null: no change
};
Release release_service(const Owner& owner, const renderer::Value& existing);

}  // namespace runtime::controller
