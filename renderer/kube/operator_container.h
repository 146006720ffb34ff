// Recognises the operator's Deployment by the variables that its process reads, not by its name:
// names and images are changed by the chart's values, mirrors and overlays. Source: tailscale
// v1.104.5 cmd/k8s-operator/operator.go.
#pragma once

#include <string_view>

#include "renderer/core/value.h"

namespace renderer::inline kube {

// Returns the entry of a container's `env`, or nullptr. Of several entries the last one wins, as in
// a container.
const Value* find_env(const Value& container, std::string_view name);

// Returns the container that runs the operator; nullptr if this is not the operator's Deployment.
const Value* operator_container(const Value& deployment);
Value* operator_container(Value& deployment);

}  // namespace renderer::inline kube
