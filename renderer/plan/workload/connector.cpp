#include "renderer/plan/workload/connector.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "renderer/contract/environment.h"
#include "renderer/plan/checks/connector_checks.h"
#include "renderer/plan/class/proxy_classes.h"
#include "renderer/plan/dataplanes.h"
#include "renderer/plan/device_tags.h"
#include "renderer/plan/hostnames.h"
#include "renderer/plan/parents.h"
#include "renderer/plan/routes.h"
#include "renderer/plan/start_workload.h"
#include "renderer/plan/tailnets.h"

namespace renderer::plan {

namespace {

constexpr std::string_view kSubnetRule = "connector: spec.subnetRouter";
constexpr std::string_view kExitRule = "connector: spec.exitNode";
constexpr std::string_view kBothRule = "connector: spec.subnetRouter and spec.exitNode";
constexpr std::string_view kAppRule = "connector: spec.appConnector";
constexpr std::string_view kConnectorAdvice =
    "choose one with \"spec.hostname\" or \"spec.hostnamePrefix\"";

std::string_view rule_of(const ConnectorInput& connector) {
    if (connector.app_connector.exists) {
        return kAppRule;
    }
    if (connector.subnet_router.exists) {
        return connector.exit_node ? kBothRule : kSubnetRule;
    }
    return kExitRule;
}

// With a prefix, hostnames are "<prefix>-<ordinal>" even for one replica; without, all replicas
// share one name.
void plan_hostnames(const ConnectorInput& connector, const Settings& settings, Workload& proxy,
                    Diagnostics& diagnostics) {
    const auto replicas = static_cast<std::size_t>(connector.replicas);
    const auto checked = [&](std::string wanted, Pos pos, std::string_view advice) {
        proxy.hostname_pos = pos;
        return checked_hostname(connector, {std::move(wanted), pos}, advice, settings, diagnostics);
    };
    if (const auto& prefix = connector.hostname_prefix) {
        const std::size_t before = diagnostics.error_count();
        for (std::size_t i = 0; i < replicas && diagnostics.error_count() == before; ++i) {
            proxy.hostnames.push_back(checked(fmt::format("{}-{}", prefix->text, i), prefix->pos,
                                              "choose a shorter \"spec.hostnamePrefix\""));
        }
        return;
    }
    const auto& hostname = connector.hostname;
    proxy.hostnames.assign(replicas, hostname ? checked(std::string(hostname->text), hostname->pos,
                                                        "choose a shorter \"spec.hostname\"")
                                              : checked(fmt::format("{}-connector", connector.name),
                                                        connector.name_pos(), kConnectorAdvice));
}

std::vector<Route> listed_routes(const ConnectorInput& connector) {
    std::vector<Route> routes;
    for (const ConnectorRoutes* block : {&connector.subnet_router, &connector.app_connector}) {
        for (const classify::TextInput& text : block->routes) {
            routes.push_back(parse_route(text.text).value());
        }
    }
    return sorted_routes(std::move(routes));
}

std::vector<std::string> texts_of(const std::vector<Route>& routes) {
    std::vector<std::string> texts;
    texts.reserve(routes.size());
    for (const Route& route : routes) {
        texts.push_back(route_text(route));
    }
    return texts;
}

ProxyPlan plan_routes(const ConnectorInput& connector) {
    std::vector<Route> routes = listed_routes(connector);
    if (connector.exit_node) {
        routes.push_back({});
        routes.push_back({.v6 = true});
        routes = sorted_routes(std::move(routes));
    }
    ProxyPlan proxy;
    proxy.target = Target::Routes;
    proxy.routes = texts_of(routes);
    proxy.app_connector = connector.app_connector.exists;
    return proxy;
}

// Returns "10.40.0.0/14, exit node".
std::string target_text(const ConnectorInput& connector) {
    std::vector<std::string> places = texts_of(listed_routes(connector));
    if (connector.exit_node) {
        places.emplace_back("exit node");
    }
    if (connector.app_connector.exists) {
        places.emplace_back("app connector");
    }
    return fmt::format("{}", fmt::join(places, ", "));
}

// Returns none if the Connector is refused.
std::optional<Workload> plan_connector(const ConnectorInput& connector, const ProxyInputs& inputs,
                                       Diagnostics& diagnostics) {
    const std::size_t before = diagnostics.error_count();
    std::string server_url = inputs.tailnets.server_url(
        connector, {connector.tailnet.text, connector.tailnet.pos}, diagnostics);
    check_object(connector, diagnostics);
    const ProxyClassPlan* proxy_class = inputs.classes.named(
        connector, {connector.proxy_class.text, connector.proxy_class.pos}, diagnostics);
    if (diagnostics.error_count() > before) {
        return std::nullopt;
    }
    Workload proxy = bare_proxy(connector, rule_of(connector), inputs);
    proxy.proxy_class = proxy_class;
    choose_dataplane(connector, inputs.settings, proxy, diagnostics);
    proxy.metrics_type = "connector";
    proxy.tags =
        device_tags(spec_tags(connector.tags, inputs.settings.default_tags), inputs.settings);
    proxy.tailnet = connector.tailnet.text;
    proxy.server_url = std::move(server_url);
    plan_hostnames(connector, inputs.settings, proxy, diagnostics);
    proxy.hostname_advice = kConnectorAdvice;
    proxy.target_text = target_text(connector);
    add_firewall_mode(inputs.settings, proxy);
    proxy.env.push_back({variable::kInternalApp, "k8s-operator-connector-resource"});
    proxy.feature = plan_routes(connector);
    return proxy;
}

}  // namespace

std::vector<Workload> plan_connectors(const classify::Inventory& inventory,
                                      const ProxyInputs& inputs, Diagnostics& diagnostics) {
    std::vector<Workload> proxies;
    for (const classify::CustomResource& resource : inventory.of(kind_of("Connector"))) {
        if (is_rendered(inputs.loaded, *resource.doc)) {
            if (auto proxy = plan_connector(ConnectorInput(resource), inputs, diagnostics)) {
                proxies.push_back(std::move(*proxy));
            }
        }
    }
    std::ranges::stable_sort(proxies, {}, &Workload::parent_name);
    return proxies;
}

}  // namespace renderer::plan
