// Pods whose class accepts routes prefer a route of the tailnet to one of their own network.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "renderer/plan/checks/cross_checks.h"
#include "renderer/plan/routes.h"

namespace renderer::plan {

namespace {

struct DefaultNetwork {
    std::string_view route, what;
};

constexpr std::array kDefaultNetworks = {
    DefaultNetwork{"10.42.0.0/16", "the network of pods in k3s and RKE2"},
    DefaultNetwork{"10.43.0.0/16", "the network of Services in k3s and RKE2"},
    DefaultNetwork{"10.244.0.0/16", "the network of pods with Flannel, kind and minikube"},
    DefaultNetwork{"10.96.0.0/12", "the network of Services in kubeadm"},
};

bool overlap(Route a, Route b) {
    const unsigned bits = std::min(a.bits, b.bits);
    a.bits = b.bits = bits;
    return a.v6 == b.v6 && masked(a) == masked(b);
}

std::optional<Route> route_of(std::string_view address) {
    const bool v6 = address.find(':') != std::string_view::npos;
    return parse_route(fmt::format("{}/{}", address, v6 ? 128 : 32));
}

// Returns what of the cluster the route targets; "" if nothing is known.
std::string part_of_cluster(const Route& route, const classify::Inventory& inventory) {
    for (const classify::ServiceInput& service : inventory.services) {
        const std::optional<Route> address = route_of(service.cluster_ip);
        if (address && overlap(route, *address)) {
            return fmt::format("the address of {}", service.doc->object_name());
        }
    }
    for (const DefaultNetwork& network : kDefaultNetworks) {
        if (overlap(route, parse_route(network.route).value())) {
            return fmt::format("{}, which is {} by default", network.route, network.what);
        }
    }
    return {};
}

// Reports the first route to its own cluster that the workload accepts from a Connector.
void report_own_route(const Workload& user, const Plan& plan, const classify::Inventory& inventory,
                      Diagnostics& diagnostics) {
    for (const Workload& connector : plan.workloads) {
        const auto* proxy = connector.as<ProxyPlan>();
        if (&connector == &user || proxy == nullptr || connector.tailnet != user.tailnet) {
            continue;
        }
        for (const std::string& text : proxy->routes) {
            const Route route = parse_route(text).value();
            const std::string part =
                route.bits == 0 ? std::string() : part_of_cluster(route, inventory);
            if (!part.empty()) {
                about(user.proxy_class->origin, diagnostics)
                    .warning(
                        "accepts-own-network", user.proxy_class->accept_routes_pos,
                        fmt::format("pods of this class would look for {} in the tailnet", text))
                    .found(fmt::format("a route to {}", part))
                    .expected("accepted routes to other networks only")
                    .hint("remove \"acceptRoutes\", or give the class only to proxies that need it")
                    .note({.pos = connector.origin.pos,
                           .object = connector.origin.parent,
                           .text = "advertises the route"})
                    .note({.pos = user.origin.pos,
                           .object = user.origin.parent,
                           .text = "uses the class"});
                return;
            }
        }
    }
}

}  // namespace

void check_accepted_routes(const classify::Inventory& inventory, const Plan& plan,
                           Diagnostics& diagnostics) {
    for (const ProxyClassPlan& one : plan.proxy_classes) {
        const auto user = std::ranges::find_if(plan.workloads, [&](const Workload& workload) {
            return workload.proxy_class == &one && one.accept_routes && forwards(workload);
        });
        if (user != plan.workloads.end()) {
            report_own_route(*user, plan, inventory, diagnostics);
        }
    }
}

}  // namespace renderer::plan
