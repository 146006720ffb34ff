// The fields that all workloads have in common, and all proxies: their namespace, names and labels
// of their objects, and the image. The features (l3_ingress, l7_ingress) add the proxy's target.
#pragma once

#include <string_view>

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/plan/model.h"
#include "renderer/plan/proxy_inputs.h"
#include "renderer/plan/settings/settings.h"

namespace renderer::plan {

// Returns a workload with the fields that do not depend on the feature. `origin.rule` begins with
// the generator: "connector: …".
Workload start_workload(const classify::ParentInput& parent, std::string_view rule,
                        const ProxyInputs& inputs);

// Also sets names, labels, claims and volumes of a single proxy.
Workload bare_proxy(const classify::ParentInput& parent, std::string_view rule,
                    const ProxyInputs& inputs);

// Returns the proxy of a Service or an Ingress with everything except hostname
// and target. Reports a missing namespace and malformed tags.
Workload start_proxy(const classify::ParentInput& parent, std::string_view rule,
                     const ProxyInputs& inputs, Diagnostics& diagnostics);

void add_firewall_mode(const Settings& settings, Workload& workload);

// Reports a missing namespace, and where the engine of this object takes one from.
void check_namespace(const classify::ParentInput& parent, const load::Loaded& loaded,
                     Diagnostics& diagnostics);

// Checks the name of a parent whose name may be longer than a label or have dots. The names of a
// proxy's objects begin with it, and it is the value of a label, so the API server would refuse the
// objects that the operator creates for such names.
void check_proxied_name(const classify::ParentInput& parent, Diagnostics& diagnostics);

}  // namespace renderer::plan
