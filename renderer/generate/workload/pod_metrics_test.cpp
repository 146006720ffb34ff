#include "renderer/generate/workload/pod_metrics.h"

#include <gtest/gtest.h>

#include "renderer/core/yaml_writer.h"

namespace renderer::generate {
namespace {

plan::MetricsPlan group() {
    plan::MetricsPlan metrics;
    metrics.target = "web-in";
    metrics.ns = "ts-ops";
    metrics.proxy_type = "proxygroup";
    metrics.parent_name = "web-in";
    metrics.job = "ts_proxygroup_web-in";
    metrics.pod_labels = Value::map({{"tailscale.com/parent-resource", "web-in"}});
    return metrics;
}

std::string generated(plan::MetricsPlan metrics) {
    plan::Plan plan;
    plan.metrics.push_back(std::move(metrics));
    Objects objects;
    generate_metrics(plan, objects);
    std::string text;
    for (const Object& object : objects) {
        text += "---\n";
        write_yaml(object.root, text);
    }
    return text;
}

constexpr std::string_view kService = R"(---
apiVersion: v1
kind: Service
metadata:
  name: web-in-metrics
  namespace: ts-ops
  labels:
    tailscale.com/managed: "true"
    tailscale.com/metrics-target: web-in
    ts_prom_job: ts_proxygroup_web-in
    ts_proxy_parent_name: web-in
    ts_proxy_type: proxygroup
spec:
  ports:
  - name: metrics
    port: 9002
    protocol: TCP
  selector:
    tailscale.com/parent-resource: web-in
  type: ClusterIP
)";

TEST(Metrics, WritesAServiceForThePods) {
    EXPECT_EQ(generated(group()), kService);
}

TEST(Metrics, WritesAMonitorOnWhichOurLabelsWin) {
    plan::MetricsPlan metrics = group();
    metrics.monitored = true;
    metrics.monitor_labels = Value::map({{"release", "kps"}, {"ts_proxy_type", "mine"}});
    EXPECT_EQ(generated(std::move(metrics)), std::string(kService) + R"(---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata:
  name: web-in-metrics
  namespace: ts-ops
  labels:
    release: kps
    tailscale.com/managed: "true"
    tailscale.com/metrics-target: web-in
    ts_prom_job: ts_proxygroup_web-in
    ts_proxy_parent_name: web-in
    ts_proxy_type: proxygroup
spec:
  endpoints:
  - port: metrics
  jobLabel: ts_prom_job
  namespaceSelector:
    matchNames:
    - ts-ops
  selector:
    matchLabels:
      tailscale.com/managed: "true"
      tailscale.com/metrics-target: web-in
      ts_prom_job: ts_proxygroup_web-in
      ts_proxy_parent_name: web-in
      ts_proxy_type: proxygroup
  targetLabels:
  - ts_proxy_parent_name
  - ts_proxy_parent_namespace
  - ts_proxy_type
)");
}

TEST(Metrics, NamesTheNamespaceOfTheParent) {
    plan::MetricsPlan metrics = group();
    metrics.parent_ns = "shop";
    EXPECT_NE(generated(std::move(metrics)).find("ts_proxy_parent_namespace: shop"),
              std::string::npos);
}

}  // namespace
}  // namespace renderer::generate
