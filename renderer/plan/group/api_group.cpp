#include "renderer/plan/group/api_group.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/plan/grammar.h"
#include "renderer/plan/group/ingress_group.h"
#include "renderer/plan/group/proxy_group.h"
#include "renderer/plan/install/controller.h"
#include "renderer/plan/settings/settings_decoder.h"

namespace renderer {

namespace {

constexpr std::string_view kRule = "proxy-group-apiserver: spec.type kube-apiserver";
constexpr std::string_view kDefaultImage = "tailscale/k8s-proxy:latest";

// The operator logs at the level of its most talkative sink, which is the upload of its logs
// unless that is switched off.
std::string_view log_level(const Settings& settings) {
    const bool info = text_at(settings.chart, {"operatorConfig", "logging"}, "info") == "info";
    return info && !settings.log_upload ? "info" : "debug";
}

bool account_exists(const Loaded& loaded, const Settings& settings) {
    return wants_auth_proxy(settings) ||
           std::ranges::any_of(loaded.documents, [&](const Document& doc) {
               return doc.kind.is_string() && doc.kind.text() == "ServiceAccount" &&
                      doc.name.is_string() && doc.name.text() == kAuthProxyAccount &&
                      doc.effective_namespace == settings.ns;
           });
}

void check_account(const ProxyGroupInput& input, const ProxyInputs& inputs, bool installs,
                   Diagnostics& diagnostics) {
    if (!input.api_auth || account_exists(inputs.loaded, inputs.settings)) {
        return;
    }
    const bool all_known = installs || inputs.settings.inputs == InputsMode::Complete;
    diagnostics.add(
        {.severity = all_known ? Severity::Error : Severity::Warning,
         .rule = "missing-api-account",
         .pos = input.pos(),
         .object = input.doc->object_name(),
         .message =
             fmt::format("the ServiceAccount \"{}\" of this group's pods is not in the inputs",
                         kAuthProxyAccount),
         .expected = "the chart's ServiceAccount, which may impersonate users",
         .hint = "set apiServerProxyConfig.allowImpersonation: \"true\" in the values, or "
                 "spec.kubeAPIServer.mode: noauth"});
}

}  // namespace

void fill_api_group(const ProxyGroupInput& input, const ProxyInputs& inputs,
                    ProxyGroupPlan& group) {
    const Settings& settings = inputs.settings;
    group.image =
        settings.k8s_proxy_image.empty() ? std::string(kDefaultImage) : settings.k8s_proxy_image;
    group.pull_policy = {};
    group.firewall_mode.clear();
    group.api_auth = input.api_auth;
    group.log_level = log_level(settings);
    if (input.api_auth) {
        group.service_account = kAuthProxyAccount;
    }
}

void plan_api_service(const ProxyGroupInput& input, const ProxyGroupPlan& group,
                      const ProxyInputs& inputs, Plan& plan, Diagnostics& diagnostics) {
    const bool wished = !input.api_hostname.text.empty();
    OfferedService service;
    service.origin = {input.pos(), input.doc->object_name(), kRule};
    service.group = group.name;
    service.tailnet = group.tailnet;
    service.offer = Offer::KubeApi;
    service.hostname_pos = wished ? input.api_hostname.pos : input.name_pos();
    service.tags = group_tags(input, inputs.settings);
    ProxyPlan named;
    add_hostname(input, std::string(wished ? input.api_hostname.text : input.name),
                 service.hostname_pos, "choose one with \"spec.kubeAPIServer.hostname\"",
                 inputs.settings, named, diagnostics);
    service.hostname = named.hostnames.front();
    if (dns_label_error(service.hostname).empty()) {
        service.dns_name = service_dns_name(input, input, service.hostname, service.hostname_pos,
                                            inputs.settings, diagnostics);
    }
    check_account(input, inputs, plan.install.has_value(), diagnostics);
    plan.devices.push_back({.hostname = service.hostname,
                            .kind = "ProxyGroup",
                            .tags = fmt::format("{}", fmt::join(service.tags, ",")),
                            .leads_to = "Kubernetes API",
                            .pos = input.pos(),
                            .tailnet = service.tailnet});
    plan.offered.push_back(std::move(service));
}

}  // namespace renderer
