#include "renderer/plan/workload/connector.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "renderer/plan/checks/connector_checks.h"
#include "renderer/plan/parents.h"
#include "renderer/plan/routes.h"

namespace renderer {

namespace {

constexpr std::string_view kSubnetRule = "connector: spec.subnetRouter";
constexpr std::string_view kExitRule = "connector: spec.exitNode";
constexpr std::string_view kBothRule = "connector: spec.subnetRouter and spec.exitNode";
constexpr std::string_view kAppRule = "connector: spec.appConnector";

std::string_view rule_of(const ConnectorInput& connector) {
    if (connector.app_connector.exists) {
        return kAppRule;
    }
    if (connector.subnet_router.exists) {
        return connector.exit_node ? kBothRule : kSubnetRule;
    }
    return kExitRule;
}

std::vector<std::string> plan_tags(const ConnectorInput& connector, const Settings& settings) {
    std::vector<std::string> tags;
    for (const TextInput& tag : connector.tags) {
        tags.emplace_back(tag.text);
    }
    return tags.empty() ? settings.default_tags : tags;
}

// With a prefix, "<prefix>-<ordinal>" even for one replica; without, all share one name.
void plan_hostnames(const ConnectorInput& connector, const Settings& settings, ProxyPlan& proxy,
                    Diagnostics& diagnostics) {
    const std::size_t before = diagnostics.error_count();
    const auto replicas = static_cast<std::size_t>(connector.replicas);
    if (const auto& prefix = connector.hostname_prefix) {
        for (std::size_t i = 0; i < replicas && diagnostics.error_count() == before; ++i) {
            add_hostname(connector, fmt::format("{}-{}", prefix->text, i), prefix->pos,
                         "choose a shorter \"spec.hostnamePrefix\"", settings, proxy, diagnostics);
        }
        return;
    }
    if (const auto& hostname = connector.hostname) {
        add_hostname(connector, std::string(hostname->text), hostname->pos,
                     "choose a shorter \"spec.hostname\"", settings, proxy, diagnostics);
    } else {
        add_hostname(connector, fmt::format("{}-connector", connector.name), connector.name_pos(),
                     "choose one with \"spec.hostname\" or \"spec.hostnamePrefix\"", settings,
                     proxy, diagnostics);
    }
    const std::string shared = proxy.hostnames.front();
    proxy.hostnames.resize(replicas, shared);
}

std::vector<Route> listed_routes(const ConnectorInput& connector) {
    std::vector<Route> routes;
    for (const ConnectorRoutes* block : {&connector.subnet_router, &connector.app_connector}) {
        for (const TextInput& text : block->routes) {
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

// For the table of devices, too: "10.40.0.0/14, exit node".
std::string plan_routes(const ConnectorInput& connector, ProxyPlan& proxy) {
    std::vector<Route> routes = listed_routes(connector);
    std::vector<std::string> places = texts_of(routes);
    if (connector.exit_node) {
        routes.push_back({});
        routes.push_back({.v6 = true});
        routes = sorted_routes(std::move(routes));
        places.emplace_back("exit node");
    }
    if (connector.app_connector.exists) {
        places.emplace_back("app connector");
    }
    proxy.target = Target::Routes;
    proxy.routes = texts_of(routes);
    proxy.app_connector = connector.app_connector.exists;
    return fmt::format("{}", fmt::join(places, ", "));
}

void plan_connector(const ConnectorInput& connector, const ProxyInputs& inputs, Plan& plan,
                    Diagnostics& diagnostics) {
    const std::size_t before = diagnostics.error_count();
    std::string server_url = inputs.tailnets.server_url(
        connector, {connector.tailnet.text, connector.tailnet.pos}, diagnostics);
    check_object(connector, diagnostics);
    const ProxyClassPlan* proxy_class = inputs.classes.named(
        connector, {connector.proxy_class.text, connector.proxy_class.pos}, diagnostics);
    if (diagnostics.error_count() > before) {
        return;
    }
    ProxyPlan proxy = bare_proxy(connector, rule_of(connector), inputs);
    proxy.proxy_class = proxy_class;
    proxy.parent_type = "connector";
    proxy.internal_app = "k8s-operator-connector-resource";
    proxy.tags = device_tags(plan_tags(connector, inputs.settings), inputs.settings);
    proxy.tailnet = connector.tailnet.text;
    proxy.server_url = std::move(server_url);
    plan_hostnames(connector, inputs.settings, proxy, diagnostics);
    DeviceRow row = device_row(proxy, plan_routes(connector, proxy));
    for (const std::string& hostname : proxy.hostnames) {
        row.hostname = hostname;
        plan.devices.push_back(row);
    }
    plan.proxies.push_back(std::move(proxy));
}

}  // namespace

void plan_connectors(const Inventory& inventory, const ProxyInputs& inputs, Plan& plan,
                     Diagnostics& diagnostics) {
    std::vector<const ConnectorInput*> connectors;
    for (const ConnectorInput& connector : inventory.connectors) {
        if (is_rendered(inputs.loaded, *connector.doc)) {
            connectors.push_back(&connector);
        }
    }
    std::ranges::stable_sort(connectors, {}, [](const auto* one) { return one->name; });
    for (const ConnectorInput* connector : connectors) {
        plan_connector(*connector, inputs, plan, diagnostics);
    }
}

}  // namespace renderer
