#include "renderer/generate/workload/pod_metrics.h"

#include <fmt/format.h>

#include "renderer/contract/labels.h"
#include "renderer/contract/ports.h"
#include "renderer/generate/workload/workload_objects.h"

namespace renderer::generate {

namespace {

std::string metrics_name(const plan::MetricsPlan& metrics) {
    return fmt::format("{}-metrics", metrics.target);
}

Value labels(const plan::MetricsPlan& metrics) {
    Value all = Value::map({{label::kManaged, "true"},
                            {label::kMetricsTarget, metrics.target},
                            {"ts_prom_job", metrics.job},
                            {"ts_proxy_parent_name", metrics.parent_name},
                            {"ts_proxy_type", Value::borrowed(metrics.proxy_type)}});
    put_if(all, !metrics.parent_ns.empty(), "ts_proxy_parent_namespace", metrics.parent_ns);
    return all;
}

// Returns the labels of the monitor. Ours override the class's.
Value monitor_labels(const plan::MetricsPlan& metrics) {
    Value all = metrics.monitor_labels.is_map() ? metrics.monitor_labels.clone() : Value::map();
    Value ours = labels(metrics);
    for (Member& label : ours.members()) {
        all.put(std::move(label.key), std::move(label.value));
    }
    return all;
}

Value service(const plan::MetricsPlan& metrics) {
    return Value::map(
        {{"apiVersion", "v1"},
         {"kind", "Service"},
         {"metadata", Value::map({{"name", metrics_name(metrics)},
                                  {"namespace", metrics.ns},
                                  {"labels", labels(metrics)}})},
         {"spec", Value::map({{"type", "ClusterIP"},
                              {"selector", metrics.pod_labels.clone()},
                              {"ports", Value::list({Value::map({{"name", "metrics"},
                                                                 {"port", port::kLocal},
                                                                 {"protocol", "TCP"}})})}})}});
}

Value service_monitor(const plan::MetricsPlan& metrics) {
    return Value::map(
        {{"apiVersion", "monitoring.coreos.com/v1"},
         {"kind", "ServiceMonitor"},
         {"metadata", Value::map({{"name", metrics_name(metrics)},
                                  {"namespace", metrics.ns},
                                  {"labels", monitor_labels(metrics)}})},
         {"spec",
          Value::map(
              {{"endpoints", Value::list({Value::map({{"port", "metrics"}})})},
               {"jobLabel", "ts_prom_job"},
               {"namespaceSelector", Value::map({{"matchNames", Value::list({metrics.ns})}})},
               {"selector", Value::map({{"matchLabels", labels(metrics)}})},
               {"targetLabels", Value::list({"ts_proxy_parent_name", "ts_proxy_parent_namespace",
                                             "ts_proxy_type"})}})}});
}

}  // namespace

void generate_metrics(const plan::Plan& plan, Objects& objects) {
    const auto add = [&](const plan::MetricsPlan& metrics, Value root) {
        objects.push_back(Object{.root = std::move(root),
                                 .origin = metrics.origin,
                                 .bundle = metrics.bundle,
                                 .generator = "metrics"});
    };
    for (const plan::MetricsPlan& metrics : plan.metrics) {
        add(metrics, service(metrics));
        if (metrics.monitored) {
            add(metrics, service_monitor(metrics));
        }
    }
}

}  // namespace renderer::generate
