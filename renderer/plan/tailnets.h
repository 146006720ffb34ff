// Tailnets other than the controller's own: the login server of their devices, and the Secret that
// mints their keys. Source: tailscale v1.96.5
// cmd/k8s-operator/{tailnet,connector,tsrecorder,proxygroup}.go, k8s-operator/reconciler/tailnet.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"
#include "renderer/plan/model.h"
#include "renderer/plan/settings/settings.h"

namespace renderer::plan {

struct ProxyInputs;

// The `spec.tailnet` of an object.
struct TailnetReference {
    std::string_view name;  // "" = the controller's own tailnet
    Pos pos;
};

// The Tailnets among the inputs, by name. Applied documents take precedence over facts.
class Tailnets {
public:
    // The arguments must outlive this object.
    Tailnets(const load::Loaded& loaded, const classify::Inventory& inventory,
             const Settings& settings);

    // Returns the login server for devices of `user`; "" = Tailscale's own, by default. Reports a
    // Tailnet that is not among the inputs.
    [[nodiscard]] std::string server_url(const classify::ParentInput& user,
                                         const TailnetReference& wanted,
                                         Diagnostics& diagnostics) const;

private:
    const Settings& settings_;
    std::map<std::string_view, const classify::CustomResource*> by_name_;
};

// Returns the Tailnets that are applied, sorted by name.
std::vector<TailnetPlan> plan_tailnets(const classify::Inventory& inventory,
                                       const ProxyInputs& inputs);

// Reports what is wrong with Tailnets and their Secrets: one error, with all objects that join the
// tailnet. Returns what must exist in the cluster, for the summary.
std::vector<std::string> check_tailnets(const load::Loaded& loaded,
                                        const classify::Inventory& inventory,
                                        const Settings& settings, Diagnostics& diagnostics);

}  // namespace renderer::plan
