#include "renderer/plan/workload/l3_egress.h"

#include <fmt/format.h>

#include "renderer/plan/annotations.h"
#include "renderer/plan/checks/object_checks.h"
#include "renderer/plan/grammar.h"
#include "renderer/plan/tailnet_target.h"
#include "renderer/plan/workload/external_name.h"

namespace renderer {

namespace {

constexpr std::string_view kByIp = "l3-egress: annotation tailscale.com/tailnet-ip";
constexpr std::string_view kByOldIp =
    "l3-egress: annotation tailscale.com/ts-tailnet-target-ip (deprecated)";
constexpr std::string_view kByFqdn = "l3-egress: annotation tailscale.com/tailnet-fqdn";
Diagnostic about(const ServiceInput& service, std::string_view rule, Pos pos, std::string message) {
    return {.rule = std::string(rule),
            .pos = pos,
            .object = service.doc->object_name(),
            .message = std::move(message)};
}

// The operator hands it to the pod unseen, which then cannot start.
void check_old_address(const ServiceInput& service, Diagnostics& diagnostics) {
    const std::string_view address = annotation_text(service, kOldTailnetIp);
    if (ip_family(address, true)) {
        return;
    }
    Diagnostic refusal =
        about(service, "invalid-tailnet-ip", service.annotation(kOldTailnetIp)->pos(),
              fmt::format("invalid IP address \"{}\"", address));
    refusal.expected = "an address such as \"100.64.0.7\"";
    diagnostics.add(std::move(refusal));
}

// Of several targets one counts; the others would be silently ignored.
void check_passed_over(const ServiceInput& service, std::string_view winner,
                       Diagnostics& diagnostics) {
    for (const std::string_view key : {kOldTailnetIp, kTailnetFqdn}) {
        const bool conflict = winner == kTailnetIp && key == kTailnetFqdn;  // an error of its own
        if (key == winner || conflict || annotation_text(service, key).empty()) {
            continue;
        }
        Diagnostic warning =
            about(service, "annotation-without-effect", service.annotation(key)->pos(),
                  fmt::format("annotation \"{}\" has no effect together with \"{}\"", key, winner));
        warning.severity = Severity::Warning;
        warning.hint = "remove one of the two";
        diagnostics.add(std::move(warning));
    }
}

void plan_target(const ServiceInput& service, ProxyPlan& proxy, Diagnostics& diagnostics) {
    check_tailnet_target(service, "", diagnostics);
    const auto lead_to_address = [&](std::string_view key, std::string_view rule) {
        proxy.origin.rule = rule;
        proxy.target = Target::TailnetIp;
        proxy.target_value = annotation_text(service, key);
        proxy.target_pos = service.annotation(key)->pos();
        proxy.family = ip_family(proxy.target_value, true);
        check_passed_over(service, key, diagnostics);
    };
    if (!annotation_text(service, kTailnetIp).empty()) {
        lead_to_address(kTailnetIp, kByIp);
    } else if (!annotation_text(service, kOldTailnetIp).empty()) {
        lead_to_address(kOldTailnetIp, kByOldIp);
        check_old_address(service, diagnostics);
    } else {
        proxy.origin.rule = kByFqdn;
        proxy.target = Target::TailnetName;
        proxy.target_value = annotation_text(service, kTailnetFqdn);
        proxy.target_pos = service.annotation(kTailnetFqdn)->pos();
        proxy.target_value += proxy.target_value.ends_with('.') ? "" : ".";
    }
}

}  // namespace

void plan_l3_egress(const ServiceInput& service, const ProxyInputs& inputs, Plan& plan,
                    Diagnostics& diagnostics) {
    ProxyPlan proxy = start_proxy(service, kByIp, inputs, diagnostics);
    proxy.parent_type = "svc";
    proxy.internal_app = "k8s-operator-egress-proxy";
    check_egress_object(service, diagnostics);
    check_headless(service, diagnostics);
    if (!service.headless) {
        check_external_name_type(service, diagnostics);
    }
    plan_service_hostname(service, inputs.settings, proxy, diagnostics);
    plan_target(service, proxy, diagnostics);
    if (service.type == ServiceType::ExternalName && service.faults.empty()) {
        lead_to(service, cluster_dns_name(proxy.ns, proxy.name, inputs.settings), inputs, plan,
                diagnostics);
    }
    plan.devices.push_back(device_row(proxy, fmt::format("tailnet {}", proxy.target_value)));
    plan.proxies.push_back(std::move(proxy));
}

}  // namespace renderer
