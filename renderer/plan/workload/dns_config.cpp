#include "renderer/plan/workload/dns_config.h"

#include <fmt/format.h>

#include "renderer/plan/checks/metadata_checks.h"
#include "renderer/plan/custom_resources.h"
#include "renderer/plan/grammar.h"
#include "renderer/plan/install/controller.h"
#include "renderer/plan/parents.h"
#include "renderer/plan/proxy.h"

namespace renderer {

namespace {

constexpr std::string_view kRule = "dns-config: a DNSConfig";

void refuse_second(const DnsConfigInput& config, const Origin& first, Diagnostics& diagnostics) {
    about(config, diagnostics)
        .error("second-dns-config", config.pos(),
               "duplicate DNSConfig: a cluster has one nameserver")
        .hint("remove one of the two")
        .note({.pos = first.pos, .object = first.parent, .text = "the first is here"});
}

void check(const DnsConfigInput& config, Diagnostics& diagnostics) {
    check_custom_resource(config, diagnostics);
    if (config.replicas < 0) {
        report_invalid(config, config.replicas_pos, "spec.nameserver.replicas is negative",
                       fmt::format("{}", config.replicas), "0 or more", diagnostics);
    }
    if (!config.cluster_ip.empty() && config.cluster_ip != "None" &&
        !ip_family(config.cluster_ip)) {
        report_invalid(config, config.cluster_ip_pos,
                       "spec.nameserver.service.clusterIP is not an IP address",
                       fmt::format("\"{}\"", config.cluster_ip),
                       "a free address of the cluster's Services", diagnostics);
    }
    if (config.image_pos.known()) {
        about(config, diagnostics)
            .warning("unused-image", config.image_pos,
                     "this image is not used: the nameserver is part of tailrender's image")
            .hint("remove \"image\"; set \"tailrender.image\" for a mirror");
    }
}

Workload make_nameserver(const DnsConfigInput& config, const ProxyInputs& inputs) {
    Workload made = start_workload(config, kRule, inputs);
    made.name = kNameserver;
    made.account = kNameserver;
    made.parent_ns = made.ns;
    made.labels = {{"app.kubernetes.io/component", "nameserver"},
                   {"app.kubernetes.io/name", "tailscale"},
                   {"tailscale.com/managed", "true"},
                   {"tailscale.com/parent-resource", made.parent_name},
                   {"tailscale.com/parent-resource-ns", made.parent_ns},
                   {"tailscale.com/parent-resource-type", "nameserver"}};
    for (const std::string_view kind : {"Deployment", "Service", "ServiceAccount"}) {
        made.claims.push_back({kind, made.name, made.origin.pos});
    }
    made.claims.push_back({"ConfigMap", std::string(kDnsRecords), made.origin.pos});
    made.image = inputs.settings.image.reference();
    made.pull_policy = controller_pull_policy(inputs.settings);
    made.feature = NameserverPlan{.cluster_ip = std::string(config.cluster_ip),
                                  .replicas = config.replicas,
                                  .tolerations = config.tolerations};
    return made;
}

}  // namespace

std::optional<Workload> plan_dns_config(const Inventory& inventory, const ProxyInputs& inputs,
                                        Diagnostics& diagnostics) {
    std::optional<Workload> nameserver;
    for (const DnsConfigInput& config : inventory.dns_configs) {
        if (!is_rendered(inputs.loaded, *config.doc)) {
            continue;
        }
        if (nameserver) {
            refuse_second(config, nameserver->origin, diagnostics);
            continue;
        }
        check(config, diagnostics);
        nameserver = make_nameserver(config, inputs);
    }
    return nameserver;
}

}  // namespace renderer
