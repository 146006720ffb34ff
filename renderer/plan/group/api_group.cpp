#include "renderer/plan/group/api_group.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/contract/config_secret.h"
#include "renderer/contract/environment.h"
#include "renderer/plan/dataplanes.h"
#include "renderer/plan/device_tags.h"
#include "renderer/plan/grammar.h"
#include "renderer/plan/group/ingress_group.h"
#include "renderer/plan/hostnames.h"
#include "renderer/plan/install/controller.h"
#include "renderer/plan/settings/settings_decoder.h"
#include "renderer/plan/workload/workload.h"

namespace renderer::plan {

namespace {

constexpr std::string_view kApiGroupRule = "proxy-group-apiserver: spec.type kube-apiserver";

// The operator logs at the level of its most talkative sink, which is the upload of its logs
// unless that is switched off.
std::string_view log_level(const Settings& settings) {
    const bool info = text_at(settings.chart, {"operatorConfig", "logging"}, "info") == "info";
    return info && !settings.log_upload ? "info" : "debug";
}

bool account_exists(const load::Loaded& loaded, const Settings& settings) {
    return wants_auth_proxy(settings) ||
           std::ranges::any_of(loaded.documents, [&](const Document& doc) {
               return doc.kind.is_string() && doc.kind.text() == "ServiceAccount" &&
                      doc.name.is_string() && doc.name.text() == kAuthProxyAccount &&
                      doc.effective_namespace == settings.ns;
           });
}

// The controller looks at a single pod in that namespace, whose name it knows.
void report_apart(const ProxyGroupInput& input, const Settings& settings,
                  Diagnostics& diagnostics) {
    classify::about(input, diagnostics)
        .error("not-supported", input.pos(),
               fmt::format("the pods of this group need the ServiceAccount \"{}\", which is in "
                           "another namespace",
                           kAuthProxyAccount))
        .found(fmt::format("\"tailrender.apiProxyNamespace: {}\"", settings.api_ns))
        .expected("no group of mode \"auth\" together with that setting")
        .hint(
            "serve the Kubernetes API by apiServerProxyConfig.mode: \"true\", set "
            "spec.kubeAPIServer.mode: noauth, or remove \"tailrender.apiProxyNamespace\"");
}

void report_no_account(const ProxyGroupInput& input, bool all_known, Diagnostics& diagnostics) {
    classify::about(input, diagnostics)
        .say(all_known ? Severity::Error : Severity::Warning, "missing-api-account", input.pos(),
             fmt::format("the ServiceAccount \"{}\" of this group's pods is not in the inputs",
                         kAuthProxyAccount))
        .expected("the chart's ServiceAccount, which may impersonate users")
        .hint(
            "set apiServerProxyConfig.allowImpersonation: \"true\" in the values, or "
            "spec.kubeAPIServer.mode: noauth")
        .is_absence();
}

OfferedService make_service(const ProxyGroupInput& input, const Workload& group,
                            const ProxyInputs& inputs, Diagnostics& diagnostics) {
    const bool has_hostname = !input.api_hostname.text.empty();
    OfferedService service;
    service.origin = {input.pos(), input.doc->object_name(), kApiGroupRule};
    service.group = group.name;
    service.tailnet = group.tailnet;
    service.target_text = "Kubernetes API";
    service.offer = Offer::KubeApi;
    service.hostname_pos = has_hostname ? input.api_hostname.pos : input.name_pos();
    service.tags = spec_tags(input.tags, inputs.settings.default_tags);
    const Hostname wanted = {std::string(has_hostname ? input.api_hostname.text : input.name),
                             service.hostname_pos};
    service.hostname =
        checked_hostname(input, wanted, kApiHostnameAdvice, inputs.settings, diagnostics);
    if (dns_label_error(service.hostname).empty()) {
        service.dns_name = service_dns_name(input, input, service.hostname, service.hostname_pos,
                                            inputs.settings, diagnostics);
    }
    return service;
}

}  // namespace

void fill_api_group(const ProxyGroupInput& input, const Settings& settings, Workload& workload,
                    ProxyGroupPlan& group) {
    if (workload.dataplane == Dataplane::Native) {
        group.api_unrecorded = settings.api_unrecorded;
        workload.volumes = {kConfigVolume, kAuthVolume, kServeVolume};
        workload.env.push_back({variable::kInternalApp, std::string(kApiGroupApp)});
        workload.env.push_back({variable::kServeConfig, std::string(kServeFileOfPod)});
        workload.env.push_back({variable::kCertShare, "true"});
    } else {
        workload.image = settings.k8s_proxy_image.empty() ? std::string(kK8sProxyImage)
                                                          : settings.k8s_proxy_image;
        workload.pull_policy = {};
        group.log_level = log_level(settings);
    }
    if (input.api_auth) {
        workload.account = kAuthProxyAccount;
        workload.makes_account = false;
    }
}

void check_api_accounts(const GroupIndex& groups, bool installs, const ProxyInputs& inputs,
                        Diagnostics& diagnostics) {
    const bool is_apart = inputs.settings.has_api_namespace();
    if (!is_apart && account_exists(inputs.loaded, inputs.settings)) {
        return;
    }
    const bool all_known = installs || inputs.settings.inputs == InputsMode::Complete;
    for (const ProxyGroupInput& group : groups.sorted()) {
        if (group.type != GroupType::KubeApiServer || !group.api_auth ||
            !is_rendered(inputs.loaded, *group.doc)) {
            continue;
        }
        is_apart ? report_apart(group, inputs.settings, diagnostics)
                 : report_no_account(group, all_known, diagnostics);
    }
}

std::vector<OfferedService> plan_api_services(const std::vector<Workload>& groups,
                                              const ProxyInputs& inputs, Diagnostics& diagnostics) {
    std::vector<OfferedService> services;
    for_each_of<ProxyGroupPlan>(groups, [&](const Workload& workload, const ProxyGroupPlan& group) {
        if (group.serves_api()) {
            services.push_back(make_service(group.input, workload, inputs, diagnostics));
        }
    });
    return services;
}

}  // namespace renderer::plan
