// What all workloads have in common, and all proxies: where they live, how their objects are called
// and labelled, which image they run. The features (l3_ingress, l7_ingress) add what the proxy
// targets.
#pragma once

#include <string_view>

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/plan/model.h"
#include "renderer/plan/proxy_inputs.h"
#include "renderer/plan/settings/settings.h"

namespace renderer {

// What does not depend on the feature. `origin.rule` begins with the generator: "connector: …".
Workload start_workload(const ParentInput& parent, std::string_view rule,
                        const ProxyInputs& inputs);

// Of a single proxy: names, labels, claims and volumes, too.
Workload bare_proxy(const ParentInput& parent, std::string_view parent_type, std::string_view rule,
                    const ProxyInputs& inputs);

// Of a Service ("svc") or an Ingress ("ingress"): everything but hostname and target. Reports a
// missing namespace and malformed tags.
Workload start_proxy(const ParentInput& parent, std::string_view parent_type, std::string_view rule,
                     const ProxyInputs& inputs, Diagnostics& diagnostics);

constexpr std::string_view kFirewallMode = "TS_DEBUG_FIREWALL_MODE";
void add_firewall_mode(const Settings& settings, Workload& workload);

// Reports a missing namespace.
void check_namespace(const ParentInput& parent, Diagnostics& diagnostics);

// The names of a proxy's objects begin with the parent's, which is also the value of a label: the
// API server refuses what the operator makes of other names. For parents whose own names may be
// longer and have dots.
void check_proxied_name(const ParentInput& parent, Diagnostics& diagnostics);

}  // namespace renderer
