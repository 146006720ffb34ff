// Tailnets beside the controller's own: which login server the devices of each one use, and which
// Secret mints their keys. Remembers who asked, so that a fault of a Tailnet is one error that
// lists all who depend on it. Source: tailscale v1.96.5 cmd/k8s-operator/{tailnet,connector,
// tsrecorder,proxygroup}.go, k8s-operator/reconciler/tailnet.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/load/load.h"
#include "renderer/plan/plan.h"
#include "renderer/plan/settings/settings.h"

namespace renderer {

struct ProxyInputs;

// What an object says as `spec.tailnet`.
struct TailnetWish {
    std::string_view name;  // "" = the controller's own tailnet
    Pos pos;
};

class Tailnets {
public:
    // All of them must outlive this.
    Tailnets(const Loaded& loaded, const Inventory& inventory, const Settings& settings);

    // The login server for devices of `user`; "" = Tailscale's own, by default. Reports a Tailnet
    // that is not among the inputs.
    std::string server_url(const ParentInput& user, const TailnetWish& wish,
                           Diagnostics& diagnostics);

    // Once all users have asked: fills plan.tailnets, and reports what is wrong with Tailnets and
    // their Secrets.
    void finish(const ProxyInputs& inputs, Plan& plan, Diagnostics& diagnostics);

private:
    void check_url(const TailnetInput& tailnet, Diagnostics& diagnostics) const;
    void check_name(const TailnetInput& tailnet, Diagnostics& diagnostics) const;
    void check_label(const TailnetInput& tailnet, std::string_view label,
                     Diagnostics& diagnostics) const;
    void check_secret(const TailnetInput& tailnet, Plan& plan, Diagnostics& diagnostics) const;
    void report(const TailnetInput& tailnet, Diagnostic diagnostic, Diagnostics& diagnostics) const;

    const Loaded& loaded_;
    const Inventory& inventory_;
    const Settings& settings_;
    std::map<std::string_view, const TailnetInput*> by_name_;
    std::map<std::string_view, std::vector<Note>> users_;
};

}  // namespace renderer
