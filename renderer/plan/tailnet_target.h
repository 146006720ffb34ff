// The target in the tailnet that a Service names by annotation, and the targets that the operator
// refuses. Source: tailscale v1.96.5 cmd/k8s-operator/svc.go (tailnetTargetAnnotation,
// validateService).
#pragma once

#include <string_view>

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"

namespace renderer::plan {

// Returns the annotation that decides: the address, its old spelling, the name. Returns nullptr if
// the Service has no target in the tailnet.
const Value* tailnet_target(const classify::ServiceInput& service);

// True for <host>.<tailnet>.ts.net, with or without a final dot.
bool is_magic_dns_name(std::string_view name);

// Reports two targets at once, a malformed name, and a malformed address. `hint` tells what to do
// for this Service.
void check_tailnet_target(const classify::ServiceInput& service, std::string_view hint,
                          Diagnostics& diagnostics);

}  // namespace renderer::plan
