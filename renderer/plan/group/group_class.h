// The ProxyClass of a ProxyGroup: its own, else the default class. Labels and annotations of its
// Services do not count. Source: tailscale v1.96.5 cmd/k8s-operator/proxygroup.go (validate).
#pragma once

#include "renderer/core/diagnostics.h"
#include "renderer/plan/group/proxy_group_input.h"
#include "renderer/plan/proxy_inputs.h"
#include "renderer/plan/workload/workload.h"

namespace renderer::plan {

// Returns nullptr if the group has no class, or if the class does not exist, which is reported.
// Reports what does not fit a group of this type.
const ProxyClassPlan* group_class(const ProxyGroupInput& group, const ProxyInputs& inputs,
                                  Diagnostics& diagnostics);

// True if the class changes the pods' address for health checks and the shutdown hook.
bool moves_local_port(const Workload& group);

}  // namespace renderer::plan
