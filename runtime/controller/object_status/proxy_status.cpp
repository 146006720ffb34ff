#include "runtime/controller/object_status/proxy_status.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "renderer/contract/annotations.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/kinds.h"
#include "runtime/base/log.h"
#include "runtime/controller/object_status/group_status.h"
#include "runtime/controller/view/objects.h"

namespace runtime::controller {

using renderer::text_list;
using renderer::text_of;
using renderer::Value;

namespace {

constexpr std::string_view kWaiting =
    "no Tailscale hostname known yet, waiting for proxy pod to finish auth";

bool is_v6(std::string_view address) {
    return address.find(':') != std::string_view::npos;
}

bool has_family(const Parent& service, bool v6) {
    return std::ranges::any_of(
        renderer::items_of(service.spec.find("clusterIPs")),
        [v6](const Value& address) { return is_v6(text_of(address)) == v6; });
}

Condition ready_condition(const renderer::Kind& kind, const Proxies& proxies) {
    if (proxies.all_live()) {
        const std::string created = fmt::format("{}Created", kind.name);
        return {.type = std::string(kind.role.condition),
                .is_true = true,
                .reason = created,
                .message = created};
    }
    if (!proxies.problem.empty()) {
        return {.type = std::string(kind.role.condition),
                .reason = fmt::format("{}CreationFailed", kind.name),
                .message = redact(proxies.problem)};
    }
    return {.type = std::string(kind.role.condition),
            .reason = fmt::format("{}Creating", kind.name),
            .message = fmt::format("{} of {} devices have joined", proxies.live(),
                                   proxies.devices.size())};
}

bool is_set(const Parent& parent, std::string_view key) {
    const Value* value = parent.spec.find(key);
    return value != nullptr && !(value->is_bool() && !value->as_bool());
}

std::string joined_routes(const Parent& connector) {
    const auto routes = texts_of(connector.spec.at({"subnetRouter", "advertiseRoutes"}));
    return fmt::format("{}", fmt::join(routes, ","));
}

// True if it has joined and its name is known: the name comes after the id, and is a key in lists
// of devices.
bool has_name(const Device& device) {
    return device.is_live() && device.fqdn.find('.') != std::string::npos;
}

std::size_t running(const Proxies& proxies) {
    return static_cast<std::size_t>(
        std::count_if(proxies.devices.begin(), proxies.devices.end(), has_name));
}

std::string running_text(const Proxies& proxies) {
    return fmt::format("{}/{} ProxyGroup pods running", running(proxies), proxies.devices.size());
}

Condition group_is_ready(const Parent& group, const Proxies& proxies) {
    const bool is_api = text_of(group.spec.find("type")) == "kube-apiserver";
    const std::string valid = condition_status(group, "KubeAPIServerProxyValid");
    const std::size_t wanted = proxies.devices.size();
    const bool all_run = running(proxies) == wanted;
    Condition ready{.type = std::string(renderer::kind_of("ProxyGroup").role.condition),
                    .reason = "ProxyGroupCreating"};
    if ((!all_run || wanted == 0) && !proxies.problem.empty()) {
        ready.reason = "ProxyGroupCreationFailed";
        ready.message = redact(proxies.problem);
    } else if (is_api && !valid.empty() && valid != "True") {
        ready.reason = "ProxyGroupInvalid";
        ready.message = "waiting for config in spec.kubeAPIServer to be marked valid";
    } else if (!all_run) {
        ready.message = running_text(proxies);
    } else if (is_api && condition_status(group, "KubeAPIServerProxyConfigured") != "True") {
        ready.message =
            "waiting for proxies to start advertising the kube-apiserver proxy's hostname";
    } else {
        ready.is_true = true;
        ready.reason = ready.message = "ProxyGroupReady";
    }
    return ready;
}

}  // namespace

std::size_t Proxies::live() const {
    return static_cast<std::size_t>(std::count_if(
        devices.begin(), devices.end(), [](const Device& device) { return device.is_live(); }));
}

bool Proxies::are_described() const {
    return std::all_of(devices.begin(), devices.end(), [](const Device& device) {
        return !device.is_live() || device.is_described;
    });
}

bool is_of_group(const Parent& parent) {
    const auto group = parent.annotations.find(renderer::annotation::kProxyGroup);
    return group != parent.annotations.end() && !group->second.empty();
}

bool has_our_class(const Parent& service) {
    return text_of(service.spec.find("type")) == "LoadBalancer" &&
           text_of(service.spec.find("loadBalancerClass")) == "tailscale";
}

bool is_our_load_balancer(const Parent& service) {
    if (text_of(service.spec.find("type")) != "LoadBalancer") {
        return false;
    }
    const Value* its_class = service.spec.find("loadBalancerClass");
    // A Service without a class has a proxy because the user exposes it, and then another
    // controller serves its load balancer; or because our class is the default.
    return its_class == nullptr ? !service.annotations.contains(renderer::annotation::kExpose)
                                : text_of(its_class) == "tailscale";
}

StatusChange unserved_status(const Parent& parent, const std::set<std::string>& gone) {
    StatusChange change;
    change.conditions_to_remove.emplace_back(renderer::kind_of("Service").role.condition);
    if (is_of_group(parent)) {
        return change;  // the group writes the rest
    }
    if (has_our_class(parent)) {
        change.fields.emplace_back("loadBalancer", Value());
    }
    change.gone = gone;
    return change;
}

StatusChange group_status(const Parent& group, const Proxies& proxies) {
    Value devices = Value::list();
    for (const Device& device : proxies.devices) {
        if (has_name(device)) {
            Value entry = Value::map({{"hostname", device.fqdn.substr(0, device.fqdn.find('.'))},
                                      {"tailnetIPs", text_list(device.addresses)}});
            put_if(entry, !device.static_endpoints.empty(), "staticEndpoints",
                   text_list(device.static_endpoints));
            devices.append(std::move(entry));
        }
    }
    const std::size_t count = running(proxies);
    const bool all_run = count > 0 && count == proxies.devices.size();
    StatusChange change;
    change.fields.emplace_back("devices", std::move(devices));
    change.conditions.push_back({.type = "ProxyGroupAvailable",
                                 .is_true = count > 0,
                                 .reason = all_run ? "ProxyGroupAvailable" : "ProxyGroupCreating",
                                 .message = running_text(proxies),
                                 .observes_generation = false});
    change.conditions.push_back(group_is_ready(group, proxies));
    return change;
}

namespace {

StatusChange service_status(const Parent& service, const Proxies& proxies) {
    StatusChange change;
    change.conditions_to_remove = {std::string(kServiceCondition), std::string(kServiceIsValid)};
    Condition ready{.type = std::string(renderer::kind_of("Service").role.condition),
                    .reason = "ProxyPending",
                    .message = std::string(kWaiting),
                    .observes_generation = false};
    if (proxies.all_live()) {
        ready.is_true = true;
        ready.reason = ready.message = "ProxyCreated";
    } else if (!proxies.problem.empty()) {
        ready.reason = "ProxyFailed";
        ready.message = redact(proxies.problem);
    }
    change.conditions.push_back(std::move(ready));
    if (!is_our_load_balancer(service)) {
        return change;
    }
    Value ingress = Value::list();
    for (const Device& device : proxies.devices) {
        if (!device.is_live() || device.fqdn.empty()) {
            continue;
        }
        ingress.append(Value::map({{"hostname", device.fqdn}}));
        for (const std::string& address : device.addresses) {
            if (has_family(service, is_v6(address))) {
                ingress.append(Value::map({{"ip", address}}));
            }
        }
    }
    change.fields.emplace_back("loadBalancer", Value::map({{"ingress", std::move(ingress)}}));
    return change;
}

StatusChange ingress_status(const Parent& ingress, const Proxies& proxies) {
    const auto redirect = ingress.annotations.find(renderer::annotation::kHttpRedirect);
    const bool has_http = redirect != ingress.annotations.end() && redirect->second == "true";
    Value entries = Value::list();
    for (const Device& device : proxies.devices) {
        if (!device.is_live() || device.https_name.empty()) {
            continue;
        }
        Value ports = Value::list({Value::map({{"port", 443}, {"protocol", "TCP"}})});
        if (has_http) {
            ports.append(Value::map({{"port", 80}, {"protocol", "TCP"}}));
        }
        entries.append(Value::map({{"hostname", device.https_name}, {"ports", std::move(ports)}}));
    }
    StatusChange change;
    change.fields.emplace_back("loadBalancer", Value::map({{"ingress", std::move(entries)}}));
    return change;
}

StatusChange connector_status(const Parent& connector, const Proxies& proxies) {
    Value devices = Value::list();
    for (const Device& device : proxies.devices) {
        if (has_name(device)) {
            devices.append(Value::map(
                {{"hostname", device.fqdn}, {"tailnetIPs", text_list(device.addresses)}}));
        }
    }
    const bool has_device = devices.size() > 0;
    Value hostname = has_device ? devices.items()[0].find("hostname")->clone() : Value();
    Value addresses = has_device ? devices.items()[0].find("tailnetIPs")->clone() : Value();
    StatusChange change;
    change.conditions.push_back(ready_condition(renderer::kind_of("Connector"), proxies));
    change.fields.emplace_back("subnetRoutes", joined_routes(connector));
    change.fields.emplace_back("isExitNode", is_set(connector, "exitNode"));
    change.fields.emplace_back("isAppConnector", is_set(connector, "appConnector"));
    change.fields.emplace_back("devices", std::move(devices));
    change.fields.emplace_back("hostname", std::move(hostname));
    change.fields.emplace_back("tailnetIPs", std::move(addresses));
    return change;
}

StatusChange recorder_status(const Parent& /*recorder*/, const Proxies& proxies) {
    Value devices = Value::list();
    for (const Device& device : proxies.devices) {
        if (!device.is_live()) {
            continue;
        }
        Value entry = Value::map(
            {{"hostname", device.hostname}, {"tailnetIPs", text_list(device.addresses)}});
        put_if(entry, !device.fqdn.empty(), "url", Value("https://" + device.fqdn));
        devices.append(std::move(entry));
    }
    StatusChange change;
    change.fields.emplace_back("devices", std::move(devices));
    change.conditions.push_back(ready_condition(renderer::kind_of("Recorder"), proxies));
    return change;
}

struct StatusOfKind {
    const renderer::Kind& kind;
    StatusChange (*status)(const Parent& parent, const Proxies& proxies);
};
constexpr StatusOfKind kStatuses[] = {
    {kube::kServices, service_status},
    {kube::kIngresses, ingress_status},
    {renderer::kind_of("Connector"), connector_status},
    {renderer::kind_of("ProxyGroup"), group_status},
    {renderer::kind_of("Recorder"), recorder_status},
};

}  // namespace

std::optional<StatusChange> proxy_status(const Parent& parent, const Proxies& proxies) {
    for (const auto& [kind, status] : kStatuses) {
        if (kind.name == parent.kind) {
            return status(parent, proxies);
        }
    }
    return std::nullopt;
}

}  // namespace runtime::controller
