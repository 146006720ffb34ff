// Where in the tailnet a Service says that it leads, by annotation, and what the operator refuses
// of it. Source: tailscale v1.96.5 cmd/k8s-operator/svc.go (tailnetTargetAnnotation,
// validateService).
#pragma once

#include <string_view>

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"

namespace renderer {

// The annotation that decides: the address, its old spelling, the name. nullptr: the Service leads
// nowhere in the tailnet.
const Value* tailnet_target(const ServiceInput& service);

// <host>.<tailnet>.ts.net, with or without a dot at the end.
bool is_magic_dns_name(std::string_view name);

// Two targets at once, a malformed name, a malformed address. `hint`: what to do on this Service.
void check_tailnet_target(const ServiceInput& service, std::string_view hint,
                          Diagnostics& diagnostics);

}  // namespace renderer
