// Everything around one proxy pod: headless Service, config Secret, StatefulSet, and an account
// with a Role that reaches this proxy's state Secret only. Shared by every kind of proxy. Source:
// tailscale v1.96.5 cmd/k8s-operator/sts.go and deploy/manifests/{proxy,userspace-proxy}.yaml; the
// intended differences are in renderer/PARITY.md.
#pragma once

#include "renderer/generate/generate.h"
#include "renderer/plan/plan.h"

namespace renderer {

// `generator`: the name in the table of generators, static text.
void append_proxy_workload(const ProxyPlan& proxy, std::string_view generator, Objects& objects);

}  // namespace renderer
