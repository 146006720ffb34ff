#include "renderer/plan/workload/l7_ingress.h"

#include <fmt/format.h>

#include "renderer/plan/annotations.h"
#include "renderer/plan/names.h"
#include "renderer/plan/workload/backends.h"

namespace renderer {

namespace {

constexpr std::string_view kByClass = "l7-ingress: spec.ingressClassName";
constexpr std::string_view kByFunnel =
    "l7-ingress: spec.ingressClassName, public by annotation tailscale.com/funnel";

}  // namespace

void plan_ingress_hostname(const IngressInput& ingress, const Settings& settings, ProxyPlan& proxy,
                           Diagnostics& diagnostics) {
    if (ingress.has_tls_host) {
        const std::string_view label = ingress.tls_host.substr(0, ingress.tls_host.find('.'));
        add_hostname(ingress, std::string(label), ingress.tls_host_pos,
                     "the first host of spec.tls, up to its first dot, is the device's name",
                     settings, proxy, diagnostics);
    } else if (!ingress.ns.empty()) {
        add_hostname(ingress, fmt::format("{}-{}-ingress", ingress.ns, ingress.name),
                     ingress.name_pos(), "choose one with the first host of spec.tls", settings,
                     proxy, diagnostics);
    }
}

void plan_l7_ingress(const IngressInput& ingress, const ProxyInputs& inputs, Plan& plan,
                     std::vector<const ServiceInput*>& backends, Diagnostics& diagnostics) {
    const bool funnel = is_exactly_true(ingress, kFunnel);
    ProxyPlan proxy = start_proxy(ingress, funnel ? kByFunnel : kByClass, inputs, diagnostics);
    proxy.parent_type = "ingress";
    proxy.internal_app = "k8s-operator-ingress-resource";
    proxy.target = Target::Serve;
    proxy.forward_cluster_traffic = is_exactly_true(ingress, kForwardClusterTraffic);
    proxy.userspace = !proxy.forward_cluster_traffic;
    proxy.funnel = funnel;
    proxy.http_redirect = is_exactly_true(ingress, kHttpRedirect);
    check_proxied_name(ingress, diagnostics);
    plan_ingress_hostname(ingress, inputs.settings, proxy, diagnostics);
    PlannedBackends planned =
        plan_backends(ingress, {.name = ingress.tls_host, .origin = "the first of spec.tls"},
                      inputs, diagnostics);
    proxy.handlers = std::move(planned.handlers);
    backends.insert(backends.end(), planned.services.begin(), planned.services.end());
    plan.devices.push_back(device_row(proxy, std::move(planned.leads_to)));
    plan.proxies.push_back(std::move(proxy));
}

}  // namespace renderer
