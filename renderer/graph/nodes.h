// The nodes of a graph that depend on nothing but the plan.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "renderer/classify/classify.h"
#include "renderer/graph/model.h"
#include "renderer/plan/workload/workload.h"

namespace renderer::graph {

struct ServiceName {
    std::string ns, name;
    friend auto operator<=>(const ServiceName&, const ServiceName&) = default;
};

// Returns "tcp/80, udp/53"; "every port" if there is no Service or it lists none.
std::string ports_text(const classify::ServiceInput* service);

// Returns the name without the dot at its end.
std::string_view without_dot(std::string_view name);

// Returns the namespace and name of "Ingress/shop/web"; no namespace for "Connector/net".
ServiceName names_in(std::string_view object);

Node internet_node();
Node pods_of_cluster();
Node kubernetes_api();
Node dns_name(std::string_view host);
// A Service with no details.
Node bare_service(const ServiceName& name);
// `tailnet` is "" for the controller's own.
Node target_node(const std::string& tailnet, std::string_view target);
Node proxy_node(const plan::Workload& one);
// `title` is the hostname, or the name of a Tailscale Service.
Node device_node(NodeKind kind, const std::string& tailnet, const std::string& title);

}  // namespace renderer::graph
