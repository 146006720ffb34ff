#include "renderer/plan/l7_ingress.h"

#include <fmt/format.h>

#include "renderer/plan/annotations.h"
#include "renderer/plan/backends.h"
#include "renderer/plan/grammar.h"
#include "renderer/plan/names.h"

namespace renderer {

namespace {

constexpr std::string_view kByClass = "l7-ingress: spec.ingressClassName";
constexpr std::string_view kByFunnel =
    "l7-ingress: spec.ingressClassName, public by annotation tailscale.com/funnel";

// The names of a proxy's objects begin with the parent's, which is also the value of a label. The
// API server refuses what the reference makes of such an Ingress.
void check_name(const IngressInput& ingress, Diagnostics& diagnostics) {
    Diagnostic found{.pos = ingress.name_pos(), .object = ingress.doc->object_name()};
    if (ingress.name.size() > kMaxLabel) {
        found.rule = "name-too-long";
        found.message = "the name of this Ingress does not fit into a label of its proxy";
        found.found = fmt::format("{} bytes", ingress.name.size());
        found.expected = fmt::format("at most {} bytes", kMaxLabel);
        diagnostics.add(std::move(found));
    } else if (ingress.name.substr(0, kKeptParentBytes).find('.') != std::string_view::npos) {
        found.rule = "invalid-object";
        found.message =
            "the name of this Ingress has a dot, but its proxy's Service is named "
            "after it";
        found.found = fmt::format("\"{}\"", ingress.name);
        found.expected = "letters, digits and dashes";
        diagnostics.add(std::move(found));
    }
}

void plan_hostname(const IngressInput& ingress, const Settings& settings, ProxyPlan& proxy,
                   Diagnostics& diagnostics) {
    if (ingress.has_tls_host) {
        const std::string_view label = ingress.tls_host.substr(0, ingress.tls_host.find('.'));
        set_hostname(ingress, std::string(label), ingress.tls_host_pos,
                     "the first host of spec.tls, up to its first dot, is the device's name",
                     settings, proxy, diagnostics);
    } else if (!ingress.ns.empty()) {
        set_hostname(ingress, fmt::format("{}-{}-ingress", ingress.ns, ingress.name),
                     ingress.name_pos(), "choose one with the first host of spec.tls", settings,
                     proxy, diagnostics);
    }
}

}  // namespace

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
    check_name(ingress, diagnostics);
    plan_hostname(ingress, inputs.settings, proxy, diagnostics);
    PlannedBackends planned = plan_backends(ingress, inputs, diagnostics);
    proxy.handlers = std::move(planned.handlers);
    backends.insert(backends.end(), planned.services.begin(), planned.services.end());
    plan.devices.push_back(device_row(proxy, std::move(planned.leads_to)));
    plan.proxies.push_back(std::move(proxy));
}

}  // namespace renderer
