#include "renderer/plan/checks/connector_checks.h"

#include <fmt/format.h>

#include "renderer/kube/name_grammar.h"
#include "renderer/plan/checks/metadata_checks.h"
#include "renderer/plan/custom_resources.h"
#include "renderer/plan/grammar.h"
#include "renderer/plan/routes.h"
#include "renderer/plan/start_workload.h"

namespace renderer::plan {

namespace {

constexpr std::size_t kMinHostname = 2;

void check_purpose(const ConnectorInput& connector, Diagnostics& diagnostics) {
    const bool subnet_or_exit = connector.subnet_router.exists || connector.exit_node;
    const bool apps = connector.app_connector.exists;
    if (!subnet_or_exit && !apps) {
        classify::about(connector, diagnostics)
            .error("connector-without-purpose",
                   connector.exit_node_pos.known() ? connector.exit_node_pos : connector.pos(),
                   "Connector without a purpose")
            .expected("at least one of { subnetRouter, exitNode: true, appConnector }");
    }
    if (subnet_or_exit && apps) {
        classify::about(connector, diagnostics)
            .error("app-connector-not-alone", connector.app_connector.pos,
                   fmt::format("an app connector cannot also be {}",
                               connector.exit_node ? "an exit node" : "a subnet router"))
            .hint("use a separate Connector for \"appConnector\"");
    }
}

void check_name_of_device(const ConnectorInput& connector, const classify::TextInput& name,
                          std::string_view key, bool valid, Diagnostics& diagnostics) {
    if (valid) {
        return;
    }
    classify::about(connector, diagnostics)
        .error("invalid-hostname", name.pos, fmt::format("invalid {} \"{}\"", key, name.text))
        .expected(key == "hostname"
                      ? "2 to 63 lower-case letters, digits and dashes, no dash at either end"
                      : "1 to 62 lower-case letters, digits and dashes, no dash first");
}

// Warns of several replicas with one hostname: they work, but the tailnet renames all but one.
void warn_of_shared_name(const ConnectorInput& connector, Diagnostics& diagnostics) {
    classify::about(connector, diagnostics)
        .warning("shared-hostname", connector.replicas_pos,
                 fmt::format("{} replicas have the same hostname", connector.replicas))
        .expected("\"hostnamePrefix\", to which each replica appends its number");
}

void check_hostnames(const ConnectorInput& connector, Diagnostics& diagnostics) {
    const auto& hostname = connector.hostname;
    const auto& prefix = connector.hostname_prefix;
    if (hostname) {
        check_name_of_device(
            connector, *hostname, "hostname",
            hostname->text.size() >= kMinHostname && is_dns1123_label(hostname->text), diagnostics);
    }
    if (prefix) {
        check_name_of_device(connector, *prefix, "hostnamePrefix", is_hostname_prefix(prefix->text),
                             diagnostics);
    }
    if (hostname && prefix) {
        classify::about(connector, diagnostics)
            .error("hostname-conflict", prefix->pos, "both \"hostname\" and \"hostnamePrefix\"")
            .hint("remove one of the two");
    }
    if (hostname && connector.replicas > 1) {
        classify::about(connector, diagnostics)
            .error("hostname-of-several", hostname->pos,
                   fmt::format("one hostname for {} replicas", connector.replicas))
            .expected("\"hostnamePrefix\", to which each replica appends its number");
    }
    if (!hostname && !prefix && connector.replicas > 1) {
        warn_of_shared_name(connector, diagnostics);
    }
}

// Without replicas, the operator leaves one pod without its configuration.
void check_replicas(const ConnectorInput& connector, Diagnostics& diagnostics) {
    const std::int64_t replicas = connector.replicas;
    if (replicas >= 1 && replicas <= kMaxReplicas) {
        return;
    }
    classify::about(connector, diagnostics)
        .error(replicas < 0 ? "invalid-object" : "replicas-out-of-range", connector.replicas_pos,
               replicas == 0 ? "Connector without replicas" : "\"spec.replicas\" is out of range")
        .found(fmt::format("{}", replicas))
        .expected(fmt::format("a number from 1 to {}", kMaxReplicas))
        .hint(replicas == 0 ? "remove the Connector from the inputs" : "");
}

void check_route(const ConnectorInput& connector, const classify::TextInput& text,
                 Diagnostics& diagnostics) {
    const auto refuse = [&](std::string message, std::string_view expected) {
        classify::about(connector, diagnostics)
            .error("invalid-route", text.pos, std::move(message))
            .expected(expected);
    };
    const std::optional<Route> route = parse_route(text.text);
    if (!route) {
        refuse(fmt::format("invalid route \"{}\"", text.text),
               "a network in CIDR notation, such as \"10.40.0.0/14\"");
        return;
    }
    if (masked(*route) != *route) {
        refuse(fmt::format("route \"{}\" has bits set after its prefix", text.text),
               fmt::format("\"{}\"", route_text(masked(*route))));
    }
    if (std::string wrong = site_error(*route); !wrong.empty()) {
        refuse(fmt::format("invalid route \"{}\": {}", text.text, wrong), "");
    } else if (const std::string_view local = local_site_addresses(*route); !local.empty()) {
        classify::about(connector, diagnostics)
            .warning("local-site-route", text.pos,
                     fmt::format("the addresses of this site are {}: since v1.102.3 nothing is "
                                 "forwarded to them",
                                 local))
            .found(fmt::format("\"{}\"", text.text));
    }
}

// Tailscale accepts the default routes of both families or none.
void check_default_routes(const ConnectorInput& connector, const ConnectorRoutes& block,
                          Diagnostics& diagnostics) {
    const classify::TextInput* v4 = nullptr;
    const classify::TextInput* v6 = nullptr;
    for (const classify::TextInput& text : block.routes) {
        const std::optional<Route> route = parse_route(text.text);
        if (route && route->bits == 0) {
            (route->v6 ? v6 : v4) = &text;
        }
    }
    if ((v4 == nullptr) == (v6 == nullptr)) {
        return;
    }
    const classify::TextInput& lonely = v4 != nullptr ? *v4 : *v6;
    classify::about(connector, diagnostics)
        .error("lone-default-route", lonely.pos,
               fmt::format("default route \"{}\" of only one address family", lonely.text))
        .expected(fmt::format("also \"{}\"", v4 != nullptr ? "::/0" : "0.0.0.0/0"))
        .hint("for an exit node, set \"exitNode: true\" instead of both");
}

void check_routes(const ConnectorInput& connector, const ConnectorRoutes& block, bool is_router,
                  Diagnostics& diagnostics) {
    if (!block.exists) {
        return;
    }
    if (block.routes.empty() && block.has_list) {
        classify::about(connector, diagnostics)
            .error("no-routes", block.pos,
                   is_router ? "subnet router without routes"
                             : "app connector with an empty list of routes")
            .expected(is_router ? "at least one network in \"advertiseRoutes\""
                                : "at least one network, or no \"routes\"");
    }
    for (const classify::TextInput& route : block.routes) {
        check_route(connector, route, diagnostics);
    }
    check_default_routes(connector, block, diagnostics);
}

}  // namespace

void check_object(const ConnectorInput& connector, Diagnostics& diagnostics) {
    check_custom_resource(connector, diagnostics);
    check_proxied_name(connector, diagnostics);
    if (connector.faults.empty()) {  // a field with a fault may be its purpose
        check_purpose(connector, diagnostics);
    }
    check_hostnames(connector, diagnostics);
    check_replicas(connector, diagnostics);
    check_tags(connector, connector.tags, "tag:router", diagnostics);
    check_routes(connector, connector.subnet_router, true, diagnostics);
    check_routes(connector, connector.app_connector, false, diagnostics);
}

}  // namespace renderer::plan
