#include "renderer/classify/custom_resource.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "renderer/classify/classify.h"
#include "renderer/load/load.h"

namespace renderer::classify {
namespace {

// Keeps Loaded alive, which Inventory points into.
struct Decoded {
    Diagnostics diagnostics;
    load::Loaded loaded;
    Inventory inventory;

    explicit Decoded(std::string_view spec) {
        repo::LoadOptions options;
        options.stream = fmt::format(
            "apiVersion: tailscale.com/v1alpha1\nkind: ProxyClass\nmetadata: {{name: c}}\n{}",
            spec);
        loaded = load::load(options, diagnostics);
        inventory =
            classify(loaded, validate::validate_inputs(loaded, false, 1, diagnostics), diagnostics);
    }
    [[nodiscard]] const CustomResource& input() const {
        return inventory.of(kind_of("ProxyClass"))[0];
    }
    // Returns "4: message | found | expected | hint" for each fault, with "?" for warnings.
    [[nodiscard]] std::string faults() const {
        std::string out;
        for (const Diagnostic& one : input().faults) {
            out += fmt::format("{}{}: {}", loaded.sources.locate(one.pos).line,
                               one.severity == Severity::Warning ? "?" : "", one.message);
            for (const std::string* part : {&one.found, &one.expected, &one.hint}) {
                out += part->empty() ? "" : " | " + *part;
            }
            out += '\n';
        }
        return out;
    }
};

TEST(CustomResource, TheSchemaKnowsEveryField) {
    const Decoded run(R"(spec:
  useLetsEncryptStagingEnvironment: true
  tailscale: {acceptRoutes: true}
  metrics: {enable: true, serviceMonitor: {enable: true, labels: {a: b}}}
  staticEndpoints: {nodePort: {ports: [{port: 1, endPort: 2}, {port: 3}], selector: {c: d}}}
  statefulSet:
    labels: {e: f}
    annotations: {g: h}
    pod:
      labels: {i: j}
      annotations: {k: l}
      dnsPolicy: None
      nodeName: node-1
      tolerations: [{}]
      tailscaleContainer:
        env: [{name: m, value: o}, {name: p}]
        image: q
        imagePullPolicy: Never
        resources: {requests: {cpu: 1}, limits: {cpu: 2}, claims: [{name: r}]}
        securityContext: {}
        debug: {enable: true}
      tailscaleInitContainer: {image: s}
)");
    EXPECT_EQ(run.faults(), "");
    EXPECT_EQ(run.input().fields_at({"statefulSet"}).map("labels")->size(), 1U);
    EXPECT_FALSE(run.input().fields_at({"statefulSet", "pod", "tolerations"}).exists());
}

TEST(CustomResource, NothingIsThere) {
    EXPECT_EQ(Decoded("spec: {}").faults(), "");
    EXPECT_EQ(Decoded("spec: {statefulSet: null, metrics: null, staticEndpoints: null}").faults(),
              "");
    EXPECT_EQ(Decoded("").faults(), "2: \"spec\" is missing | a map\n");
}

TEST(CustomResource, WhatTheSchemaRefuses) {
    constexpr std::string_view kPod = "spec: {{statefulSet: {{pod: {{{}}}}}}}";
    const auto pod = [&](std::string_view fields) {
        return Decoded(fmt::format(kPod, fields)).faults();
    };
    EXPECT_EQ(Decoded("spec: []").faults(),
              "4: \"spec\" has the wrong type | a list | a map | it is a map: remove the \"- \" "
              "before its keys\n");
    EXPECT_EQ(pod("tailscaleContainer: {imagePullPolicy: ''}"),
              "4: invalid value of \"spec.statefulSet.pod.tailscaleContainer.imagePullPolicy\" | "
              "\"\" | one of { Always, Never, IfNotPresent }\n");
    EXPECT_EQ(pod("tailscaleContainer: {env: [{value: x}]}"),
              "4: \"spec.statefulSet.pod.tailscaleContainer.env[0].name\" is missing | a string\n");
    EXPECT_EQ(
        pod("tolerations: [x]"),
        "4: \"spec.statefulSet.pod.tolerations[0]\" has the wrong type | a string | a map | it is "
        "a map with the keys { effect, key, operator, tolerationSeconds, value }\n");
    EXPECT_EQ(pod("topologySpreadConstraints: [{maxSkew: 1, topologyKey: null}]"),
              "4: \"spec.statefulSet.pod.topologySpreadConstraints[0].topologyKey\" is missing | a "
              "string\n"
              "4: \"spec.statefulSet.pod.topologySpreadConstraints[0].whenUnsatisfiable\" is "
              "missing | a string\n");
    EXPECT_EQ(pod("dnsPolicy: Cluster"),
              "4: invalid value of \"spec.statefulSet.pod.dnsPolicy\" | \"Cluster\" | one of { "
              "ClusterFirstWithHostNet, ClusterFirst, Default, None }\n");
    EXPECT_EQ(
        pod("labels: {a: null, b: 1}"),
        "4: \"spec.statefulSet.pod.labels.a\" has the wrong type | null | a string\n"
        "4: \"spec.statefulSet.pod.labels.b\" has the wrong type | a number | a string | write "
        "b: \"1\"\n");
    EXPECT_EQ(Decoded("spec: {metrics: {serviceMonitor: {}}}").faults(),
              "4: \"spec.metrics.serviceMonitor.enable\" is missing | a boolean\n"
              "4: \"spec.metrics.enable\" is missing | a boolean\n");
    EXPECT_EQ(Decoded("spec: {staticEndpoints: {nodePort: {}}}").faults(),
              "4: \"spec.staticEndpoints.nodePort.ports\" is missing | a list\n");
    EXPECT_EQ(
        Decoded("spec: {staticEndpoints: {nodePort: {ports: [{}, 1, {port: x}]}}}").faults(),
        "4: \"spec.staticEndpoints.nodePort.ports[0].port\" is missing | an integer\n"
        "4: \"spec.staticEndpoints.nodePort.ports[1]\" has the wrong type | a number | a map | "
        "it is a map with the keys { endPort, port }\n"
        "4: \"spec.staticEndpoints.nodePort.ports[2].port\" has the wrong type | a string | "
        "an integer\n");
}

}  // namespace
}  // namespace renderer::classify
