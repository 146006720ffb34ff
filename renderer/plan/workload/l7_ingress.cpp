#include "renderer/plan/workload/l7_ingress.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/contract/annotations.h"
#include "renderer/contract/config_secret.h"
#include "renderer/contract/environment.h"
#include "renderer/plan/annotations.h"
#include "renderer/plan/grammar.h"
#include "renderer/plan/hostnames.h"
#include "renderer/plan/start_workload.h"
#include "renderer/plan/workload/backends.h"

namespace renderer::plan {

namespace {

constexpr std::string_view kByIngressClass = "l7-ingress: spec.ingressClassName";
constexpr std::string_view kByFunnel =
    "l7-ingress: spec.ingressClassName, public by annotation tailscale.com/funnel";

// If the tailnet's domain is not set, a custom control server may have any domain.
bool may_be_of_tailnet(std::string_view domain, const Settings& settings) {
    return domain.empty() || domain == settings.tailnet_domain || domain.ends_with(".ts.net") ||
           (settings.tailnet_domain.empty() && !settings.login_server.empty());
}

void warn_of_own_domain(const classify::IngressInput& ingress, std::string_view label,
                        const Settings& settings, Diagnostics& diagnostics) {
    const std::string_view domain =
        ingress.tls_host.substr(std::min(label.size() + 1, ingress.tls_host.size()));
    if (!dns_label_error(label).empty() || may_be_of_tailnet(domain, settings)) {
        return;
    }
    classify::about(ingress, diagnostics)
        .warning("domain-not-served", ingress.tls_host_pos,
                 fmt::format("\"{}\" is not served: the device is \"{}\", in the domain of the "
                             "tailnet",
                             ingress.tls_host, label))
        .expected(fmt::format(
            "\"{}\", for https://{}.{}", label, label,
            settings.tailnet_domain.empty() ? "TAILNET.ts.net" : settings.tailnet_domain))
        .hint(fmt::format("write \"hosts: [{}]\", and no host in the rules", label));
}

}  // namespace

std::optional<Hostname> ingress_hostname(const classify::IngressInput& ingress,
                                         const Settings& settings, Diagnostics& diagnostics) {
    const auto checked = [&](const Hostname& wanted, std::string_view advice) {
        return Hostname{checked_hostname(ingress, wanted, advice, settings, diagnostics),
                        wanted.pos};
    };
    if (ingress.has_tls_host) {
        const std::string_view label = ingress.tls_host.substr(0, ingress.tls_host.find('.'));
        warn_of_own_domain(ingress, label, settings, diagnostics);
        return checked({std::string(label), ingress.tls_host_pos},
                       "the first host of spec.tls, up to its first dot, is the device's name");
    }
    if (ingress.ns.empty()) {
        return std::nullopt;
    }
    return checked({fmt::format("{}-{}-ingress", ingress.ns, ingress.name), ingress.name_pos()},
                   "choose one with the first host of spec.tls");
}

Workload plan_l7_ingress(const classify::IngressInput& ingress, const ProxyInputs& inputs,
                         Diagnostics& diagnostics) {
    const bool funnel = is_exactly_true(ingress, annotation::kFunnel);
    Workload workload =
        start_proxy(ingress, funnel ? kByFunnel : kByIngressClass, inputs, diagnostics);
    ProxyPlan proxy;
    proxy.target = Target::Serve;
    proxy.funnel = funnel;
    proxy.http_redirect = is_exactly_true(ingress, annotation::kHttpRedirect);
    const bool forwards = is_exactly_true(ingress, annotation::kForwardClusterTraffic);
    proxy.userspace = !forwards;
    if (forwards) {
        workload.env.push_back({"EXPERIMENTAL_ALLOW_PROXYING_CLUSTER_TRAFFIC_VIA_INGRESS", "true"});
        if (inputs.settings.release.has(Trait::ServeOnAllInterfaces) ||
            workload.dataplane == Dataplane::Native) {
            workload.env.push_back({variable::kServeAllInterfaces, "true"});
        }
    } else {
        workload.metrics_type = "ingress_resource";
    }
    add_firewall_mode(inputs.settings, workload);
    workload.env.push_back({variable::kServeConfig, std::string(kServeFileOfPod)});
    workload.env.push_back({variable::kInternalApp, "k8s-operator-ingress-resource"});
    workload.volumes.push_back(kServeVolume);
    workload.certificates = true;
    check_proxied_name(ingress, diagnostics);
    set_hostname(ingress_hostname(ingress, inputs.settings, diagnostics), workload);
    workload.hostname_advice = kIngressHostnameAdvice;
    PlannedBackends planned =
        plan_backends(ingress, {.name = ingress.tls_host, .origin = "the first of spec.tls"},
                      inputs, diagnostics);
    proxy.handlers = std::move(planned.handlers);
    workload.target_text = std::move(planned.target_text);
    workload.backends = std::move(planned.services);
    workload.feature = std::move(proxy);
    return workload;
}

}  // namespace renderer::plan
