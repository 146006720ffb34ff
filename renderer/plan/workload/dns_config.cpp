#include "renderer/plan/workload/dns_config.h"

#include <fmt/format.h>

#include "renderer/contract/controller_objects.h"
#include "renderer/plan/checks/metadata_checks.h"
#include "renderer/plan/custom_resources.h"
#include "renderer/plan/dataplanes.h"
#include "renderer/plan/grammar.h"
#include "renderer/plan/install/controller.h"
#include "renderer/plan/parents.h"
#include "renderer/plan/start_workload.h"

namespace renderer::plan {

namespace {

constexpr std::string_view kDnsConfigRule = "dns-config: a DNSConfig";

std::int64_t replicas(const classify::CustomResource& config) {
    return config.fields_at({"nameserver"}).number("replicas").value_or(1);
}

classify::TextInput cluster_ip(const classify::CustomResource& config) {
    return config.fields_at({"nameserver", "service"})
        .placed("clusterIP")
        .value_or(classify::TextInput());
}

void refuse_second(const classify::CustomResource& config, const Origin& first,
                   Diagnostics& diagnostics) {
    classify::about(config, diagnostics)
        .error("second-dns-config", config.pos(),
               "duplicate DNSConfig: a cluster has one nameserver")
        .hint("remove one of the two")
        .note({.pos = first.pos, .object = first.parent, .text = "the first is here"});
}

void check(const classify::CustomResource& config, Diagnostics& diagnostics) {
    check_custom_resource(config, diagnostics);
    refuse_native(config, "pods of the nameserver", diagnostics);
    const classify::Fields nameserver = config.fields_at({"nameserver"});
    if (replicas(config) < 0) {
        report_invalid(config, nameserver.pos("replicas"), "spec.nameserver.replicas is negative",
                       fmt::format("{}", replicas(config)), "0 or more", diagnostics);
    }
    const classify::TextInput ip = cluster_ip(config);
    if (!ip.text.empty() && ip.text != "None" && !ip_family(ip.text)) {
        report_invalid(config, ip.pos, "spec.nameserver.service.clusterIP is not an IP address",
                       fmt::format("\"{}\"", ip.text), "a free address of the cluster's Services",
                       diagnostics);
    }
    const classify::Fields image(nameserver.map("image"));
    if (!image.text("repo").empty() || !image.text("tag").empty()) {
        classify::about(config, diagnostics)
            .warning("unused-image", nameserver.pos("image"),
                     "this image is not used: the nameserver is part of tailrender's image")
            .hint("remove \"image\"; set \"tailrender.image\" for a mirror");
    }
}

Workload make_nameserver(const classify::CustomResource& config, const ProxyInputs& inputs) {
    Workload made = start_workload(config, kDnsConfigRule, inputs);
    made.name = kNameserver;
    made.account = kNameserver;
    made.parent_ns = made.ns;
    made.labels = {{"app.kubernetes.io/component", "nameserver"},
                   {"app.kubernetes.io/name", "tailscale"}};
    made.add_parent_labels(true);
    made.claim({"Deployment", "Service", "ServiceAccount"}, made.name);
    made.claim({"ConfigMap"}, std::string(kDnsRecords));
    made.image = inputs.settings.image.reference();
    made.pull_policy = controller_pull_policy(inputs.settings);
    const classify::Fields pod = config.fields_at({"nameserver", "pod"});
    made.feature = NameserverPlan{.cluster_ip = std::string(cluster_ip(config).text),
                                  .replicas = replicas(config),
                                  .affinity = pod.map("affinity"),
                                  .node_selector = pod.map("nodeSelector"),
                                  .pull_secrets = pod.list("imagePullSecrets"),
                                  .tolerations = pod.list("tolerations")};
    return made;
}

}  // namespace

std::optional<Workload> plan_dns_config(const classify::Inventory& inventory,
                                        const ProxyInputs& inputs, Diagnostics& diagnostics) {
    std::optional<Workload> nameserver;
    for (const classify::CustomResource& config : inventory.of(kind_of("DNSConfig"))) {
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

}  // namespace renderer::plan
