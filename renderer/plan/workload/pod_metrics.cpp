#include "renderer/plan/workload/pod_metrics.h"

#include <fmt/format.h>

#include "renderer/kube/label_value.h"
#include "renderer/kube/name_grammar.h"

namespace renderer::plan {

namespace {

void check_job(const MetricsPlan& metrics, const ProxyClassPlan& chosen, Diagnostics& diagnostics) {
    if (metrics.job.size() <= kMaxLabel) {
        return;
    }
    about(metrics.origin, diagnostics)
        .error("name-too-long", metrics.origin.pos,
               fmt::format("the label \"ts_prom_job: {}\" of its metrics is too long", metrics.job))
        .found(fmt::format("{} bytes", metrics.job.size()))
        .expected(fmt::format("at most {} bytes", kMaxLabel))
        .hint("shorten its name, or use a ProxyClass without metrics")
        .note({.pos = chosen.origin.pos,
               .object = chosen.origin.parent,
               .text = "this class asks for metrics"});
}

MetricsPlan metrics_of(const Workload& workload) {
    MetricsPlan metrics;
    metrics.origin = {workload.origin.pos, workload.origin.parent,
                      "metrics: spec.metrics of a ProxyClass"};
    metrics.bundle = workload.bundle;
    metrics.target = workload.name;
    metrics.ns = workload.ns;
    metrics.proxy_type = workload.metrics_type;
    const auto label = [&](const std::string& value) {
        return workload.release.has(Trait::ShortenedLabels) ? shortened_label(value) : value;
    };
    metrics.parent_name = label(workload.parent_name);
    metrics.parent_ns = label(workload.parent_ns);
    metrics.job = label(metrics_job(metrics.proxy_type, workload.parent_ns, workload.parent_name));
    metrics.pod_labels = labels_of(workload);
    metrics.monitored = workload.proxy_class->service_monitor;
    metrics.monitor_labels = workload.proxy_class->monitor_labels.clone();
    return metrics;
}

}  // namespace

std::string metrics_job(std::string_view proxy_type, std::string_view ns, std::string_view name) {
    return ns.empty() ? fmt::format("ts_{}_{}", proxy_type, name)
                      : fmt::format("ts_{}_{}_{}", proxy_type, ns, name);
}

std::vector<MetricsPlan> plan_metrics(const std::vector<Workload>& workloads,
                                      Diagnostics& diagnostics) {
    std::vector<MetricsPlan> planned;
    for (const Workload& one : workloads) {
        if (one.proxy_class != nullptr && one.proxy_class->metrics && !one.metrics_type.empty()) {
            planned.push_back(metrics_of(one));
            check_job(planned.back(), *one.proxy_class, diagnostics);
        }
    }
    return planned;
}

}  // namespace renderer::plan
