#include "renderer/plan/workload/metrics.h"

#include <fmt/format.h>

#include "renderer/kube/name_grammar.h"

namespace renderer {

namespace {

std::string_view proxy_type(const ProxyPlan& proxy) {
    if (proxy.parent_type == "svc") {
        return "ingress_service";
    }
    return proxy.parent_type == "ingress" ? "ingress_resource" : "connector";
}

void check_job(const MetricsPlan& metrics, const ProxyClassPlan& chosen, Diagnostics& diagnostics) {
    if (metrics.job.size() <= kMaxLabel) {
        return;
    }
    diagnostics.add({.rule = "name-too-long",
                     .pos = metrics.origin.pos,
                     .object = metrics.origin.parent,
                     .message = fmt::format(
                         "the label \"ts_prom_job: {}\" of its metrics is too long", metrics.job),
                     .found = fmt::format("{} bytes", metrics.job.size()),
                     .expected = fmt::format("at most {} bytes", kMaxLabel),
                     .hint = "shorten its name, or use a ProxyClass without metrics",
                     .notes = {{.pos = chosen.origin.pos,
                                .object = chosen.origin.parent,
                                .text = "this class asks for metrics"}}});
}

MetricsPlan metrics_of(const ProxyGroupPlan& group) {
    MetricsPlan metrics;
    metrics.origin = {group.origin.pos, group.origin.parent,
                      "metrics: spec.metrics of a ProxyClass"};
    metrics.bundle = group.bundle;
    metrics.target = group.name;
    metrics.ns = group.ns;
    metrics.proxy_type = "proxygroup";
    metrics.parent_name = group.name;
    metrics.job = metrics_job(metrics.proxy_type, {}, group.name);
    metrics.pod_labels = Value::map({{"tailscale.com/managed", "true"},
                                     {"tailscale.com/parent-resource", group.name},
                                     {"tailscale.com/parent-resource-type", "proxygroup"}});
    metrics.monitored = group.proxy_class->service_monitor;
    metrics.monitor_labels = group.proxy_class->monitor_labels.clone();
    return metrics;
}

MetricsPlan metrics_of(const ProxyPlan& proxy) {
    MetricsPlan metrics;
    metrics.origin = {proxy.origin.pos, proxy.origin.parent,
                      "metrics: spec.metrics of a ProxyClass"};
    metrics.bundle = proxy.bundle;
    metrics.target = proxy.name;
    metrics.ns = proxy.ns;
    metrics.proxy_type = proxy_type(proxy);
    metrics.parent_name = proxy.parent_name;
    metrics.parent_ns = proxy.parent_ns;
    metrics.job = metrics_job(metrics.proxy_type, proxy.parent_ns, proxy.parent_name);
    metrics.pod_labels = Value::map({{"tailscale.com/managed", "true"},
                                     {"tailscale.com/parent-resource", proxy.parent_name},
                                     {"tailscale.com/parent-resource-ns", proxy.parent_ns},
                                     {"tailscale.com/parent-resource-type", proxy.parent_type}});
    metrics.monitored = proxy.proxy_class->service_monitor;
    metrics.monitor_labels = proxy.proxy_class->monitor_labels.clone();
    return metrics;
}

}  // namespace

bool serves_endpoints(const ProxyPlan& proxy) {
    if (proxy.parent_type == "svc") {
        return proxy.target == Target::ClusterIp || proxy.target == Target::DnsName;
    }
    return !proxy.forward_cluster_traffic;
}

std::string metrics_job(std::string_view proxy_type, std::string_view ns, std::string_view name) {
    return ns.empty() ? fmt::format("ts_{}_{}", proxy_type, name)
                      : fmt::format("ts_{}_{}_{}", proxy_type, ns, name);
}

void plan_metrics(Plan& plan, Diagnostics& diagnostics) {
    for (const ProxyPlan& proxy : plan.proxies) {
        if (proxy.proxy_class != nullptr && proxy.proxy_class->metrics && serves_endpoints(proxy)) {
            plan.metrics.push_back(metrics_of(proxy));
            check_job(plan.metrics.back(), *proxy.proxy_class, diagnostics);
        }
    }
    for (const ProxyGroupPlan& group : plan.groups) {
        if (group.proxy_class != nullptr && group.proxy_class->metrics) {
            plan.metrics.push_back(metrics_of(group));
            check_job(plan.metrics.back(), *group.proxy_class, diagnostics);
        }
    }
}

}  // namespace renderer
