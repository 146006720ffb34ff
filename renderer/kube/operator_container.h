// Which Deployment is the operator's: known by what its process reads, not by its name. Names and
// images get changed by the chart's values, mirrors and overlays. Source: tailscale v1.104.5
// cmd/k8s-operator/operator.go.
#pragma once

#include <string_view>

#include "renderer/core/value.h"

namespace renderer {

// The entry of a container's `env`, of several the last one, as in a container; nullptr: none.
const Value* find_env(const Value& container, std::string_view name);

// The container that runs the operator; nullptr when this is not the operator's Deployment.
const Value* operator_container(const Value& deployment);
Value* operator_container(Value& deployment);

}  // namespace renderer
