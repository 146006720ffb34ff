#include "renderer/graph/nodes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace renderer::graph {
namespace {

using plan::Workload;

std::string_view protocol_word(classify::Protocol protocol) {
    return protocol == classify::Protocol::Udp    ? "udp"
           : protocol == classify::Protocol::Sctp ? "sctp"
                                                  : "tcp";
}

// "Ingress apps/shop" for "Ingress/apps/shop".
std::string spoken(std::string_view object) {
    const std::size_t slash = object.find('/');
    return slash == std::string_view::npos
               ? std::string(object)
               : fmt::format("{} {}", object.substr(0, slash), object.substr(slash + 1));
}

std::string_view type_word(plan::GroupType type) {
    return type == plan::GroupType::Egress          ? "egress"
           : type == plan::GroupType::KubeApiServer ? "kube-apiserver"
                                                    : "ingress";
}

}  // namespace

std::string ports_text(const classify::ServiceInput* service) {
    if (service == nullptr || service->ports.empty()) {
        return "every port";
    }
    std::vector<std::string> ports;
    for (const classify::ServicePort& port : service->ports) {
        ports.push_back(fmt::format("{}/{}", protocol_word(port.protocol), port.port));
    }
    return fmt::format("{}", fmt::join(ports, ", "));
}

std::string_view without_dot(std::string_view name) {
    return name.substr(0, name.size() - (name.ends_with('.') ? 1 : 0));
}

ServiceName names_in(std::string_view object) {
    const std::size_t first = object.find('/');
    const std::size_t last = object.rfind('/');
    return {std::string(first < last ? object.substr(first + 1, last - first - 1) : ""),
            std::string(object.substr(last + 1))};
}

Node internet_node() {
    return {.id = "internet",
            .kind = NodeKind::Internet,
            .title = "anyone",
            .details = {},
            .is_public = true};
}

Node pods_of_cluster() {
    return {.id = "pods", .kind = NodeKind::Pods, .title = "any pod of the cluster", .details = {}};
}

Node kubernetes_api() {
    return {.id = "kubernetes-api",
            .kind = NodeKind::KubernetesApi,
            .title = "kube-apiserver",
            .details = {}};
}

Node dns_name(std::string_view host) {
    return {.id = fmt::format("dns-name/{}", host),
            .kind = NodeKind::DnsName,
            .title = std::string(host),
            .details = {}};
}

Node bare_service(const ServiceName& name) {
    return {.id = fmt::format("service/{}/{}", name.ns, name.name),
            .kind = NodeKind::Service,
            .title = fmt::format("{}/{}", name.ns, name.name),
            .details = {}};
}

Node target_node(const std::string& tailnet, std::string_view target) {
    return {.id = tailnet.empty() ? fmt::format("tailnet-target/{}", target)
                                  : fmt::format("tailnet-target/{}/{}", tailnet, target),
            .kind = NodeKind::TailnetTarget,
            .title = std::string(target),
            .details = tailnet.empty() ? std::vector<std::string>()
                                       : std::vector{fmt::format("tailnet {}", tailnet)}};
}

Node proxy_node(const Workload& one) {
    Node node{.id = fmt::format("proxy/{}", one.origin.parent),
              .kind = NodeKind::Proxy,
              .title = one.parent_name,
              .details = {},
              .pods = &one.traits()};
    const auto* proxy = one.as<plan::ProxyPlan>();
    if (proxy != nullptr && proxy->target != plan::Target::Routes) {
        node.title = spoken(one.origin.parent);
    } else if (one.as<plan::ApiProxyPlan>() != nullptr) {
        node.id = "api-proxy";
    }
    if (const auto* group = one.as<plan::ProxyGroupPlan>()) {
        node.id = fmt::format("group/{}", one.name);
        node.title = one.name;
        node.details.push_back(fmt::format("type {}", type_word(group->input.type)));
    }
    const std::size_t replicas = one.hostnames.size();
    if (node.is_group() || replicas > 1) {
        node.details.push_back(fmt::format("{} replica{}: {}", replicas, replicas == 1 ? "" : "s",
                                           fmt::join(one.hostnames, ", ")));
    }
    node.details.push_back(fmt::format("{}/{}", one.ns, one.name));
    return node;
}

Node device_node(NodeKind kind, const std::string& tailnet, const std::string& title) {
    return {.id = tailnet.empty() ? fmt::format("device/{}", title)
                                  : fmt::format("device/{}/{}", tailnet, title),
            .kind = kind,
            .title = title,
            .details = {}};
}

}  // namespace renderer::graph
