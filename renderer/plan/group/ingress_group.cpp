#include "renderer/plan/group/ingress_group.h"

#include <fmt/format.h>

#include "renderer/contract/annotations.h"
#include "renderer/kube/name_grammar.h"
#include "renderer/plan/annotations.h"
#include "renderer/plan/checks/object_checks.h"
#include "renderer/plan/device_tags.h"
#include "renderer/plan/grammar.h"
#include "renderer/plan/hostnames.h"
#include "renderer/plan/ineffective_annotations.h"
#include "renderer/plan/start_workload.h"
#include "renderer/plan/workload/backends.h"
#include "renderer/plan/workload/l7_ingress.h"

namespace renderer::plan {

namespace {

constexpr std::string_view kByIngress =
    "proxy-group-ingress: annotation tailscale.com/proxy-group on an Ingress";
constexpr std::string_view kByService =
    "proxy-group-ingress: annotation tailscale.com/proxy-group on an exposed Service";
constexpr std::string_view kEnabled = "enabled";

void check_rendered(const classify::ParentInput& parent, const ProxyGroupInput& group,
                    const ProxyInputs& inputs, Diagnostics& diagnostics) {
    if (!is_rendered(inputs.loaded, *group.doc)) {
        classify::about(parent, diagnostics)
            .warning(
                "group-not-rendered", parent.annotation(annotation::kProxyGroup)->pos(),
                fmt::format("the configuration of the ProxyGroup \"{}\" is not part of this output",
                            group.name))
            .hint("render the group together with everything that it serves");
    }
}

// Returns a service; it has no hostname if the hostname is unknown.
OfferedService start_service(const classify::ParentInput& parent, Offer offer,
                             std::string_view rule, const std::optional<Hostname>& hostname) {
    OfferedService service;
    service.origin = {parent.pos(), parent.doc->object_name(), rule};
    service.offer = offer;
    if (hostname) {
        service.hostname = hostname->text;
        service.hostname_pos = hostname->pos;
    }
    return service;
}

void join_group(const classify::ParentInput& parent, const ProxyGroupInput& group,
                const ProxyInputs& inputs, OfferedService& service, Diagnostics& diagnostics) {
    service.group = group.name;
    service.tailnet = group.tailnet.text;
    service.tags = plan_tags(parent, inputs.settings, diagnostics);
    check_group_type(parent, group, GroupType::Ingress, diagnostics);
    check_ignored(parent, diagnostics);
    check_rendered(parent, group, inputs, diagnostics);
}

void check_certificate_name(const classify::IngressInput& ingress, Diagnostics& diagnostics) {
    if (ingress.name.size() <= kMaxLabel) {
        return;
    }
    classify::about(ingress, diagnostics)
        .error("name-too-long", ingress.name_pos(),
               "the name of this Ingress is too long for a label of its certificate")
        .found(fmt::format("{} bytes", ingress.name.size()))
        .expected(fmt::format("at most {} bytes", kMaxLabel));
}

void check_tls(const classify::IngressInput& ingress, Diagnostics& diagnostics) {
    if (ingress.tls_entries <= 1 && ingress.tls_hosts.size() <= 1) {
        return;
    }
    classify::about(ingress, diagnostics)
        .error("several-tls-hosts",
               ingress.tls_hosts.size() > 1
                   ? ingress.tls_hosts[1].pos
                   : classify::known_or(ingress.tls_host_pos, ingress.pos()),
               "an Ingress of a group must have one host")
        .found(fmt::format("{} in {} {} of spec.tls", counted(ingress.tls_hosts.size(), "host"),
                           ingress.tls_entries, ingress.tls_entries == 1 ? "entry" : "entries"))
        .expected("one entry in spec.tls with one host")
        .hint("use another Ingress for another host");
}

PlainHttp plain_http(const classify::IngressInput& ingress, Diagnostics& diagnostics) {
    const std::string_view endpoint = annotation_text(ingress, annotation::kHttpEndpoint);
    if (endpoint == kEnabled) {
        return PlainHttp::Same;
    }
    if (!endpoint.empty() && endpoint != "disabled") {
        classify::about(ingress, diagnostics)
            .warning("not-exactly-enabled", ingress.annotation(annotation::kHttpEndpoint)->pos(),
                     fmt::format("invalid value of annotation \"{}\": only \"{}\" enables it",
                                 annotation::kHttpEndpoint, kEnabled));
    }
    return is_exactly_true(ingress, annotation::kHttpRedirect) ? PlainHttp::Redirect
                                                               : PlainHttp::Off;
}

OfferedService plan_ingress(const classify::IngressInput& ingress, const ProxyGroupInput& group,
                            const ProxyInputs& inputs, Diagnostics& diagnostics) {
    check_namespace(ingress, inputs.loaded, diagnostics);
    check_certificate_name(ingress, diagnostics);
    check_tls(ingress, diagnostics);
    OfferedService service = start_service(ingress, Offer::Web, kByIngress,
                                           ingress_hostname(ingress, inputs.settings, diagnostics));
    join_group(ingress, group, inputs, service, diagnostics);
    service.plain_http = plain_http(ingress, diagnostics);
    const bool is_ingress = group.type == GroupType::Ingress || group.type == GroupType::Unset;
    if (is_ingress && dns_label_error(service.hostname).empty()) {
        service.dns_name = service_dns_name(ingress, group, service.hostname, service.hostname_pos,
                                            inputs.settings, diagnostics);
    }
    PlannedBackends planned =
        plan_backends(ingress, {.name = service.dns_name, .origin = "its name in the tailnet"},
                      inputs, diagnostics);
    service.handlers = std::move(planned.handlers);
    service.target_text = std::move(planned.target_text);
    service.backends = std::move(planned.services);
    return service;
}

// The operator ignores such a Service, because it waits for an address.
void check_group_address(const classify::ServiceInput& service, Diagnostics& diagnostics) {
    if (!service.headless && service.type != classify::ServiceType::ExternalName) {
        return;
    }
    classify::about(service, diagnostics)
        .error(service.headless ? "headless-service" : "external-name-in-group",
               service.headless ? service.cluster_ip_pos : service.pos(),
               fmt::format("{} has no address for a group to target",
                           service.headless ? "a headless Service" : "an ExternalName Service"))
        .expected("a Service with a cluster IP")
        .hint(service.headless
                  ? "expose a second Service with the same selector and a cluster IP"
                  : "remove the annotation \"tailscale.com/proxy-group\" to use a separate proxy");
}

OfferedService plan_service(const classify::ServiceInput& input, const ProxyGroupInput& group,
                            const ProxyInputs& inputs, Diagnostics& diagnostics) {
    check_namespace(input, inputs.loaded, diagnostics);
    check_group_address(input, diagnostics);
    warn_of_sctp(input, diagnostics);
    OfferedService service = start_service(input, Offer::Address, kByService,
                                           service_hostname(input, inputs.settings, diagnostics));
    join_group(input, group, inputs, service, diagnostics);
    service.target_text = fmt::format("{}/{}", input.ns, input.name);
    return service;
}

}  // namespace

std::string service_dns_name(const classify::ParentInput& parent, const ProxyGroupInput& group,
                             const std::string& hostname, Pos pos, const Settings& settings,
                             Diagnostics& diagnostics) {
    if (settings.tailnet_domain.empty()) {
        classify::about(parent, diagnostics)
            .error("no-tailnet-domain", pos,
                   fmt::format("the full name of \"{}\" in the tailnet is unknown", hostname))
            .expected("\"tailrender.tailnetDomain\", such as tail1234.ts.net")
            .hint(
                "the admin console shows it under DNS; set it in the values or in "
                ".tailrender.yaml");
        return {};
    }
    if (!group.tailnet.text.empty()) {
        classify::about(parent, diagnostics)
            .warning("other-tailnet-domain", pos,
                     fmt::format("\"{}\" is also assumed to be the domain of the tailnet \"{}\"",
                                 settings.tailnet_domain, group.tailnet.text))
            .hint("certificates cannot be issued if that tailnet has another domain");
    }
    std::string name = fmt::format("{}.{}", hostname, settings.tailnet_domain);
    if (name.size() > kMaxLabel && !settings.release.has(Trait::ShortenedLabels)) {
        classify::about(parent, diagnostics)
            .error(
                "name-too-long", pos,
                fmt::format("the name \"{}\" is too long for the label of its certificate's Secret",
                            name))
            .found(fmt::format("{} bytes", name.size()))
            .expected(fmt::format("at most {}, since a label holds it", kMaxLabel))
            .hint("choose a shorter hostname");
        return {};
    }
    return name;
}

std::vector<OfferedService> plan_ingress_members(const Parents& parents, const GroupIndex& groups,
                                                 const ProxyInputs& inputs,
                                                 Diagnostics& diagnostics) {
    std::vector<OfferedService> offered;
    // A group that does not exist is reported once; the names of its members are still planned.
    Diagnostics discarded;
    for (const classify::IngressInput* ingress : parents.group_ingresses) {
        check_object(*ingress, diagnostics);
        const ProxyGroupInput* group =
            ingress->served ? find_group(*ingress, groups, diagnostics) : nullptr;
        if (group != nullptr) {
            offered.push_back(plan_ingress(*ingress, *group, inputs, diagnostics));
        } else if (ingress->served) {
            offered.push_back(start_service(
                *ingress, Offer::Web, {}, ingress_hostname(*ingress, inputs.settings, discarded)));
        }
    }
    for (const classify::ServiceInput* service : parents.group_services) {
        check_object(*service, diagnostics);
        const ProxyGroupInput* group = find_group(*service, groups, diagnostics);
        offered.push_back(
            group != nullptr
                ? plan_service(*service, *group, inputs, diagnostics)
                : start_service(*service, Offer::Address, {},
                                service_hostname(*service, inputs.settings, discarded)));
    }
    for (const classify::ServiceInput* service : parents.idle_services) {
        if (find_group(*service, groups, diagnostics) != nullptr) {
            classify::about(*service, diagnostics)
                .warning("annotation-without-effect",
                         service->annotation(annotation::kProxyGroup)->pos(),
                         fmt::format("\"{}\" has no effect: the Service is neither exposed nor "
                                     "targets the tailnet",
                                     annotation::kProxyGroup))
                .hint("add tailscale.com/expose: \"true\", or loadBalancerClass: tailscale");
        }
    }
    return offered;
}

}  // namespace renderer::plan
