// Tailnets beside the controller's own: which login server the devices of each one use, and which
// Secret mints their keys. Source: tailscale v1.96.5 cmd/k8s-operator/{tailnet,connector,
// tsrecorder,proxygroup}.go, k8s-operator/reconciler/tailnet.
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

namespace renderer {

struct ProxyInputs;

// What an object says as `spec.tailnet`.
struct TailnetWish {
    std::string_view name;  // "" = the controller's own tailnet
    Pos pos;
};

// The Tailnets among the inputs, by name. What an applier sees wins over facts.
class Tailnets {
public:
    // All of them must outlive this.
    Tailnets(const Loaded& loaded, const Inventory& inventory, const Settings& settings);

    // The login server for devices of `user`; "" = Tailscale's own, by default. Reports a Tailnet
    // that is not among the inputs.
    [[nodiscard]] std::string server_url(const ParentInput& user, const TailnetWish& wish,
                                         Diagnostics& diagnostics) const;

private:
    const Settings& settings_;
    std::map<std::string_view, const CustomResource*> by_name_;
};

// Those that an applier sees, sorted by name.
std::vector<TailnetPlan> plan_tailnets(const Inventory& inventory, const ProxyInputs& inputs);

// Reports what is wrong with Tailnets and their Secrets: one error, which lists all who join that
// tailnet. Returns what has to exist in the cluster, for the summary.
std::vector<std::string> check_tailnets(const Loaded& loaded, const Inventory& inventory,
                                        const Settings& settings, Diagnostics& diagnostics);

}  // namespace renderer
