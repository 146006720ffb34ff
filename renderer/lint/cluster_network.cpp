// Finds settings of the cluster in the repository that break proxies. Source:
// docs.cilium.io/en/stable/network/kubernetes/kubeproxy-free (socketLB), Kubernetes Pod Security
// Admission.
#include <fmt/format.h>

#include <algorithm>

#include "renderer/lint/families.h"
#include "renderer/repo/closed_schema.h"

namespace renderer::lint {

namespace {

bool is_on(const Value* value) {
    return value != nullptr && ((value->is_bool() && value->as_bool()) ||
                                text_of(value) == "true" || text_of(value) == "strict");
}

void report_cilium(const LintContext& context, Pos pos, std::string_view setting) {
    context
        .error("cilium-socket-lb", pos,
               "Cilium also replaces kube-proxy inside pods, so L3 proxies lose the connections "
               "that they forward to Services")
        .expected(fmt::format("\"{}\"", setting))
        .hint("Services are then translated outside pods, after the rules of a proxy");
}

// Checks values of Cilium's chart anywhere: in a HelmRelease, an Application, a fleet.yaml.
void check_network_values(const LintContext& context, const Value& value) {
    const Member* replacement = value.find_member("kubeProxyReplacement");
    if (replacement != nullptr && is_on(&replacement->value) &&
        !is_on(value.at({"socketLB", "hostNamespaceOnly"}))) {
        report_cilium(context, replacement->key.pos(), "socketLB: {hostNamespaceOnly: true}");
    }
    // k3s takes them as a text.
    const std::string_view text = text_of(&value);
    if (text.find("kubeProxyReplacement: true") != std::string_view::npos &&
        text.find("hostNamespaceOnly: true") == std::string_view::npos) {
        report_cilium(context, value.pos(), "socketLB: {hostNamespaceOnly: true}");
    }
}

void check_config(const LintContext& context, const RepositoryDocument& document) {
    const Value* data = repo::map_of(document.root, "data");
    const Member* replacement =
        data == nullptr ? nullptr : data->find_member("kube-proxy-replacement");
    if (document.kind() == "ConfigMap" && replacement != nullptr && is_on(&replacement->value) &&
        !is_on(data->find("bpf-lb-sock-hostns-only"))) {
        report_cilium(context, replacement->key.pos(), "bpf-lb-sock-hostns-only: \"true\"");
    }
}

bool forwards_packets(const plan::Plan& plan) {
    return std::ranges::any_of(plan.workloads, [](const plan::Workload& one) {
        const auto* proxy = one.as<plan::ProxyPlan>();
        return proxy != nullptr ? !proxy->userspace : one.as<plan::ProxyGroupPlan>() != nullptr;
    });
}

// Skips Namespaces that are rendered; render checks those.
void check_pod_security(const LintContext& context, const RepositoryDocument& document) {
    const plan::Plan& plan = context.input.plan;
    const Value* level =
        document.root.at({"metadata", "labels", "pod-security.kubernetes.io/enforce"});
    const bool restricts = text_of(level) == "baseline" || text_of(level) == "restricted";
    const bool rendered =
        plan.install && std::ranges::any_of(context.loaded.documents, [&](const Document& one) {
            return one.reachable && text_of(&one.kind) == "Namespace" &&
                   text_of(&one.name) == document.name();
        });
    if (document.name() == plan.settings.ns && restricts && !rendered) {
        context.about(document)
            .error("namespace-pod-security", level->pos(),
                   "this namespace rejects the pods of L3 proxies, which are privileged")
            .found(fmt::format("\"{}\"", level->text()))
            .expected("\"privileged\"");
    }
}

}  // namespace

void check_cluster_network(const LintContext& context) {
    if (!forwards_packets(context.input.plan)) {
        return;
    }
    for (const RepositoryDocument& document : context.repository.documents) {
        repo::for_each_value(document.root,
                             [&](const Value& value) { check_network_values(context, value); });
        check_config(context, document);
        if (document.is_core("Namespace")) {
            check_pod_security(context, document);
        }
    }
}

}  // namespace renderer::lint
