#include "renderer/plan/workload/l3_ingress.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/contract/annotations.h"
#include "renderer/contract/environment.h"
#include "renderer/plan/annotations.h"
#include "renderer/plan/hostnames.h"
#include "renderer/plan/ineffective_annotations.h"
#include "renderer/plan/start_workload.h"
#include "renderer/plan/tailnet_target.h"

namespace renderer::plan {

namespace {

constexpr std::string_view kByAnnotation = "l3-ingress: annotation tailscale.com/expose";
constexpr std::string_view kByExternalName =
    "l3-ingress: annotation tailscale.com/expose on an ExternalName Service";
constexpr std::string_view kByLoadBalancerClass = "l3-ingress: loadBalancerClass tailscale";
constexpr std::string_view kByDefault =
    "l3-ingress: LoadBalancer without a class, and OPERATOR_DEFAULT_LOAD_BALANCER";

std::string_view rule_of(const classify::ServiceInput& service) {
    if (is_exactly_true(service, annotation::kExpose)) {
        return service.type == classify::ServiceType::ExternalName ? kByExternalName
                                                                   : kByAnnotation;
    }
    return service.has_load_balancer_class ? kByLoadBalancerClass : kByDefault;
}

void check_not_headless(const classify::ServiceInput& service, Diagnostics& diagnostics) {
    if (service.headless) {
        classify::about(service, diagnostics)
            .error("headless-service", service.cluster_ip_pos,
                   "a headless Service has no address for a proxy to target")
            .expected("a Service without \"clusterIP: None\"")
            .hint("expose a second Service with the same selector and a cluster IP");
    }
}

// The stock image resolves a DNS target to IPv4 addresses only. `by_default`: nothing chose it.
void check_families(const classify::ServiceInput& service, Dataplane dataplane, bool by_default,
                    Diagnostics& diagnostics) {
    const bool v6 = std::ranges::count(service.ip_families, classify::IpFamily::V6) > 0;
    const bool both = service.ip_family_policy == classify::IpFamilyPolicy::PreferDual ||
                      service.ip_family_policy == classify::IpFamilyPolicy::RequireDual ||
                      service.ip_families.size() > 1;
    if (dataplane != Dataplane::Containerboot || (!both && !v6)) {
        return;
    }
    classify::about(service, diagnostics)
        .say(both ? Severity::Warning : Severity::Error, "ipv6-dns-target", service.families_pos,
             both ? "the proxy will only target the IPv4 address of this dual-stack Service"
                  : "the proxy cannot target an IPv6 address that it looks up by name")
        .found(both ? "a dual-stack Service without a pinned clusterIP"
                    : "a Service whose only family is IPv6, without a pinned clusterIP")
        .hint(fmt::format("{}{}",
                          both ? "pin spec.clusterIP to choose the address"
                               : "pin spec.clusterIP, or give the Service an IPv4 address",
                          by_default ? "; or set \"tailrender.proxyImage\": tailrender-proxy "
                                       "targets all addresses"
                                     : ""));
}

// Sets the target. The operator keeps it in an annotation of the pod.
void plan_service_target(const classify::ServiceInput& service, const Settings& settings,
                         Workload& workload, Diagnostics& diagnostics) {
    ProxyPlan proxy;
    if (service.type == classify::ServiceType::ExternalName) {
        proxy.target_value = service.external_name;
    } else if (!service.cluster_ip.empty()) {
        proxy.target = Target::ClusterIp;
        proxy.target_value = service.cluster_ip;
    } else {
        proxy.target_value = cluster_dns_name(service.ns, service.name, settings);
        if (!service.headless) {
            const bool by_default = !settings.sets_dataplane && !workload.dataplane_pos.known();
            check_families(service, workload.dataplane, by_default, diagnostics);
        }
    }
    const bool is_ip = proxy.target == Target::ClusterIp;
    workload.target_text = service.type == classify::ServiceType::ExternalName
                               ? proxy.target_value
                               : fmt::format("{}/{}", service.ns, service.name);
    workload.env.push_back(
        {is_ip ? variable::kDestIp : variable::kDestDnsName, proxy.target_value});
    workload.pod_annotations.emplace_back(
        is_ip ? annotation::kLastClusterIp : annotation::kLastClusterName, proxy.target_value);
    workload.feature = std::move(proxy);
}

}  // namespace

Workload plan_l3_ingress(const classify::ServiceInput& service, const ProxyInputs& inputs,
                         Diagnostics& diagnostics) {
    Workload proxy = start_proxy(service, rule_of(service), inputs, diagnostics);
    proxy.metrics_type = "ingress_service";
    check_not_headless(service, diagnostics);
    warn_of_sctp(service, diagnostics);
    check_tailnet_target(service, "remove the annotation: this Service targets the cluster",
                         diagnostics);
    set_hostname(service_hostname(service, inputs.settings, diagnostics), proxy);
    proxy.hostname_advice = kHostnameAdvice;
    add_firewall_mode(inputs.settings, proxy);
    plan_service_target(service, inputs.settings, proxy, diagnostics);
    proxy.env.push_back({variable::kInternalApp, "k8s-operator-ingress-proxy"});
    return proxy;
}

}  // namespace renderer::plan
