#include "renderer/plan/workload/l3_egress.h"

#include <fmt/format.h>

#include "renderer/contract/annotations.h"
#include "renderer/contract/environment.h"
#include "renderer/plan/annotations.h"
#include "renderer/plan/checks/object_checks.h"
#include "renderer/plan/grammar.h"
#include "renderer/plan/hostnames.h"
#include "renderer/plan/start_workload.h"
#include "renderer/plan/tailnet_target.h"
#include "renderer/plan/workload/external_name.h"

namespace renderer::plan {

namespace {

constexpr std::string_view kByIp = "l3-egress: annotation tailscale.com/tailnet-ip";
constexpr std::string_view kByOldIp =
    "l3-egress: annotation tailscale.com/ts-tailnet-target-ip (deprecated)";
constexpr std::string_view kByFqdn = "l3-egress: annotation tailscale.com/tailnet-fqdn";
// The operator passes the address to the pod unchecked, and the pod then cannot start.
void check_old_address(const classify::ServiceInput& service, Diagnostics& diagnostics) {
    const std::string_view address = annotation_text(service, annotation::kOldTailnetIp);
    if (ip_family(address, true)) {
        return;
    }
    classify::about(service, diagnostics)
        .error("invalid-tailnet-ip", service.annotation(annotation::kOldTailnetIp)->pos(),
               fmt::format("invalid IP address \"{}\"", address))
        .expected("an address such as \"100.64.0.7\"");
}

// Warns of further targets: only one counts, and the others would be silently ignored.
void check_passed_over(const classify::ServiceInput& service, std::string_view winner,
                       Diagnostics& diagnostics) {
    for (const std::string_view key : {annotation::kOldTailnetIp, annotation::kTailnetFqdn}) {
        // Reported as a separate error.
        const bool conflict = winner == annotation::kTailnetIp && key == annotation::kTailnetFqdn;
        if (key == winner || conflict || annotation_text(service, key).empty()) {
            continue;
        }
        classify::about(service, diagnostics)
            .warning(
                "annotation-without-effect", service.annotation(key)->pos(),
                fmt::format("annotation \"{}\" has no effect together with \"{}\"", key, winner))
            .hint("remove one of the two");
    }
}

// The annotation that sets the target in the tailnet, and its rule for messages.
struct Annotated {
    std::string_view key, rule;
};

Annotated annotated_of(const classify::ServiceInput& service) {
    if (!annotation_text(service, annotation::kTailnetIp).empty()) {
        return {annotation::kTailnetIp, kByIp};
    }
    return annotation_text(service, annotation::kOldTailnetIp).empty()
               ? Annotated{annotation::kTailnetFqdn, kByFqdn}
               : Annotated{annotation::kOldTailnetIp, kByOldIp};
}

void plan_tailnet_target(const classify::ServiceInput& service, std::string_view key,
                         Workload& workload, Diagnostics& diagnostics) {
    check_tailnet_target(service, "", diagnostics);
    ProxyPlan proxy;
    proxy.target_value = annotation_text(service, key);
    proxy.target_pos = service.annotation(key)->pos();
    const bool is_name = key == annotation::kTailnetFqdn;
    if (is_name) {
        proxy.target = Target::TailnetName;
        proxy.target_value += proxy.target_value.ends_with('.') ? "" : ".";
    } else {
        proxy.target = Target::TailnetIp;
        proxy.family = ip_family(proxy.target_value, true);
        check_passed_over(service, key, diagnostics);
    }
    if (key == annotation::kOldTailnetIp) {
        check_old_address(service, diagnostics);
    }
    const std::string_view shown = proxy.target_value;
    workload.target_text =
        fmt::format("tailnet {}", shown.substr(0, shown.size() - (shown.ends_with('.') ? 1 : 0)));
    workload.env.push_back(
        {is_name ? variable::kTailnetTargetFqdn : variable::kTailnetTargetIp, proxy.target_value});
    workload.pod_annotations.emplace_back(
        is_name ? annotation::kLastTailnetName : annotation::kLastTailnetIp, proxy.target_value);
    workload.feature = std::move(proxy);
}

}  // namespace

Workload plan_l3_egress(const classify::ServiceInput& service, const ProxyInputs& inputs,
                        Diagnostics& diagnostics) {
    const Annotated wanted = annotated_of(service);
    Workload proxy = start_proxy(service, wanted.rule, inputs, diagnostics);
    check_egress_object(service, diagnostics);
    check_headless(service, diagnostics);
    if (!service.headless) {
        check_external_name_type(service, diagnostics);
    }
    set_hostname(service_hostname(service, inputs.settings, diagnostics), proxy);
    proxy.hostname_advice = kHostnameAdvice;
    add_firewall_mode(inputs.settings, proxy);
    plan_tailnet_target(service, wanted.key, proxy, diagnostics);
    proxy.env.push_back({variable::kInternalApp, "k8s-operator-egress-proxy"});
    if (service.type == classify::ServiceType::ExternalName && service.faults.empty()) {
        proxy.edits = name_target(service, cluster_dns_name(proxy.ns, proxy.name, inputs.settings),
                                  inputs.loaded, diagnostics);
    }
    return proxy;
}

}  // namespace renderer::plan
