#include "renderer/generate/group/group_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/contract/ports.h"
#include "renderer/core/json.h"
#include "renderer/generate/workload/api_pod.h"
#include "renderer/generate/workload/proxy_config.h"
#include "renderer/generate/workload/workload_objects.h"
#include "renderer/plan/group/api_group.h"

namespace renderer::generate {

namespace {

Value member_ports(const plan::EgressMember& member) {
    std::vector<const plan::GroupPort*> sorted;
    for (const plan::GroupPort& port : member.ports) {
        sorted.push_back(&port);
    }
    std::ranges::stable_sort(sorted, {}, [](const plan::GroupPort* port) {
        return std::pair(port->port, port->protocol);
    });
    Value ports = Value::list();
    for (const plan::GroupPort* port : sorted) {
        ports.append(Value::map({{"protocol", Value::borrowed(port->protocol)},
                                 {"matchPort", port->match_port},
                                 {"targetPort", port->port}}));
    }
    return ports;
}

Value serve_handlers(const plan::OfferedService& service, bool redirect) {
    Value handlers = Value::map();
    for (const plan::ServeHandler& handler : service.handlers) {
        handlers.add(handler.path, redirect ? Value::map({{"Redirect", Value::borrowed(kRedirect)}})
                                            : Value::map({{"Proxy", handler.proxy}}));
    }
    return Value::map({{"Handlers", std::move(handlers)}});
}

Value serve_service(const plan::OfferedService& service) {
    Value tcp = Value::map({{"443", Value::map({{"HTTPS", true}})}});
    Value web =
        Value::map({{fmt::format("{}:443", service.dns_name), serve_handlers(service, false)}});
    if (service.plain_http != plan::PlainHttp::Off) {
        tcp.add("80", Value::map({{"HTTP", true}}));
        web.add(fmt::format("{}:80", service.dns_name),
                serve_handlers(service, service.plain_http == plan::PlainHttp::Redirect));
    }
    return Value::map({{"TCP", std::move(tcp)}, {"Web", std::move(web)}});
}

void add_endpoints(const plan::ProxyGroupPlan& group, std::size_t ordinal, Value& config) {
    if (!group.endpoints.empty()) {
        config.add("StaticEndpoints", text_list(group.endpoints[ordinal].addresses));
    }
}

}  // namespace

Offered offered_by(const plan::Workload& workload, const plan::Plan& plan) {
    Offered offered;
    for (const plan::OfferedService& service : plan.offered) {
        if (service.group == workload.name) {
            offered.push_back(&service);
        }
    }
    return offered;
}

std::string group_config(const plan::Workload& workload, const plan::ProxyGroupPlan& group,
                         const Offered& offered, std::size_t ordinal) {
    Value config = replica_config(workload, ordinal);
    Value names = Value::list();
    for (const plan::OfferedService* service : offered) {
        names.append(service->name());
    }
    put_if(config, !offered.empty(), "AdvertiseServices", std::move(names));
    put_if(config, group.serves_api(), "OperatorUser", Value::borrowed(kApiUserName));
    add_endpoints(group, ordinal, config);
    return write_json(config);
}

std::string api_config(const plan::Workload& workload, const plan::ProxyGroupPlan& group,
                       const Offered& offered, std::size_t ordinal) {
    Value config = Value::map({{"Version", "v1alpha1"},
                               {"State", fmt::format("kube:{}", workload.pod(ordinal))},
                               {"LogLevel", Value::borrowed(group.log_level)},
                               {"App", Value::borrowed(plan::kApiGroupApp)}});
    const plan::ProxyClassPlan* chosen = workload.proxy_class;
    const std::string_view server = plan::spelled_server(workload.release, workload.server_url);
    put_if(config, !server.empty(), "ServerURL", server);
    config.add("LocalPort", port::kLocal);
    if (chosen != nullptr && chosen->has_metrics) {
        config.add("MetricsEnabled", chosen->metrics);
    }
    config.add("HealthCheckEnabled", true);
    config.add("Hostname", workload.hostnames[ordinal]);
    if (chosen != nullptr && chosen->has_tailscale) {
        config.add("AcceptRoutes", chosen->accept_routes);
    }
    const std::string_view mode = group.input.api_auth ? "auth" : "noauth";
    Value proxy = Value::map({{"Enabled", true}, {"Mode", Value::borrowed(mode)}});
    if (!offered.empty()) {
        proxy.add("ServiceName", offered.front()->name());
    }
    proxy.add("IssueCerts", ordinal == 0);
    config.add("APIServerProxy", std::move(proxy));
    add_endpoints(group, ordinal, config);
    return write_json(config);
}

std::string egress_services(const plan::Workload& workload, const plan::Plan& plan) {
    std::vector<const plan::EgressMember*> members;
    for (const plan::EgressMember& member : plan.egress_members) {
        if (member.group == workload.name) {
            members.push_back(&member);
        }
    }
    std::ranges::stable_sort(members, {}, &plan::EgressMember::key);
    Value services = Value::map();
    for (const plan::EgressMember* member : members) {
        services.add(
            member->key,
            Value::map({{"healthCheckEndpoint", member->health_url},
                        {"tailnetTarget", Value::map({{"ip", member->ip}, {"fqdn", member->fqdn}})},
                        {"ports", member_ports(*member)}}));
    }
    return members.empty() ? std::string() : write_json(services);
}

std::string api_serve_config(const Offered& offered) {
    Value services = Value::map();
    for (const plan::OfferedService* service : offered) {
        services.add(
            service->name(),
            Value::map(
                {{"TCP", Value::map({{"443", Value::map({{"TCPForward",
                                                          Value::borrowed(port::kApiProxyAddress)},
                                                         {"TerminateTLS", service->dns_name},
                                                         {"ProxyProtocol", 2}})}})}}));
    }
    return write_json(Value::map({{"Services", std::move(services)}}));
}

std::string group_serve_config(const Offered& offered) {
    Value services = Value::map();
    for (const plan::OfferedService* service : offered) {
        if (service->offer == plan::Offer::Web) {
            services.add(service->name(), serve_service(*service));
        }
    }
    return services.size() == 0 ? std::string()
                                : write_json(Value::map({{"Services", std::move(services)}}));
}

}  // namespace renderer::generate
