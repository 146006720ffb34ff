#include "renderer/schema/validator.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "renderer/core/source_map.h"
#include "renderer/core/yaml_reader.h"

namespace renderer::schema {
namespace {

// One line for each fault: "line: rule: message | found | expected | hint".
std::string validator_faults_of(std::string_view yaml, std::string_view version = "1.35") {
    SourceMap sources;
    Diagnostics diagnostics;
    const Value root = read_yaml(sources, sources.add("a.yaml", std::string(yaml)), diagnostics);
    EXPECT_TRUE(diagnostics.empty()) << diagnostics.print(sources, false);
    TypeTable table(version);
    const ValueType* type = table.find(root.find("apiVersion")->text(), root.find("kind")->text());
    if (type == nullptr) {
        return "no such kind";
    }
    std::string lines;
    for (const SchemaFault& fault : validate(root, *type, version)) {
        if (fault.may_change) {
            continue;
        }
        const Diagnostic& d = fault.diagnostic;
        EXPECT_TRUE(d.pos.known()) << d.message;
        lines += fmt::format("{}: {}: {} | {} | {} | {}\n", sources.locate(d.pos).line, d.rule,
                             d.message, d.found, d.expected, d.hint);
    }
    return lines;
}

constexpr std::string_view kPod =
    "apiVersion: v1\n"
    "kind: Pod\n"
    "metadata: {name: web}\n";

std::string pod_faults(std::string_view rest) {
    return validator_faults_of(std::string(kPod) + std::string(rest));
}

TEST(Validator, PassesWhatIsGood) {
    EXPECT_EQ(pod_faults("spec:\n"
                         "  terminationGracePeriodSeconds: 3e1\n"
                         "  nodeSelector:\n"
                         "  tolerations: [{operator: Exists, tolerationSeconds: null}]\n"
                         "  containers:\n"
                         "  - name: web\n"
                         "    image: web:1\n"
                         "    ports: [{containerPort: 80.0, protocol: TCP}]\n"
                         "    livenessProbe: {httpGet: {port: http}, periodSeconds: 0x10}\n"
                         "    readinessProbe: {httpGet: {port: 8080}}\n"
                         "    resources: {limits: {cpu: 1, memory: 1Gi, example.com/gpu: .5}}\n"),
              "");
}

TEST(Validator, NamesUnknownFields) {
    EXPECT_EQ(pod_faults("spec:\n"
                         "  containers:\n"
                         "  - name: web\n"
                         "    imagePullPolice: Always\n"
                         "    ports:\n"
                         "    - containerport: 80\n"
                         "      containerPort: 80\n"),
              "7: schema-unknown-field: unknown field \"spec.containers[0].imagePullPolice\" |  "
              "|  | did you mean \"imagePullPolicy\"?\n"
              "9: schema-unknown-field: unknown field "
              "\"spec.containers[0].ports[0].containerport\" |  | one of { containerPort, hostIP, "
              "hostPort, name, protocol } | did you mean \"containerPort\"?\n");
}

TEST(Validator, SaysWhichVersionsHaveAField) {
    const std::string pod = std::string(kPod) +
                            "spec:\n"
                            "  containers: [{name: web}]\n"
                            "  hostnameOverride: web\n";
    EXPECT_EQ(validator_faults_of(pod, "1.34"), "");
    EXPECT_EQ(validator_faults_of(pod, "1.33"),
              "6: schema-unknown-field: unknown field \"spec.hostnameOverride\" |  |  | it exists "
              "in Kubernetes 1.34 to 1.37; this cluster is assumed to have 1.33\n");
}

TEST(Validator, ChecksTypes) {
    EXPECT_EQ(
        pod_faults("spec:\n"
                   "  hostNetwork: \"true\"\n"
                   "  nodeSelector: {disk: 1}\n"
                   "  priority: 3000000000\n"
                   "  activeDeadlineSeconds: 3000000000\n"
                   "  terminationGracePeriodSeconds: 1.5\n"
                   "  containers: {name: web}\n"
                   "  volumes: [data]\n"),
        "5: schema-type: \"spec.hostNetwork\" has the wrong type | a string | a boolean | "
        "remove the quotes\n"
        "6: schema-type: \"spec.nodeSelector.disk\" has the wrong type | a number | a string "
        "| put it in quotes\n"
        "7: schema-type: \"spec.priority\" has the wrong type | a number of more than 32 bits "
        "| an integer | \n"
        "9: schema-type: \"spec.terminationGracePeriodSeconds\" has the wrong type | 1.5 | an "
        "integer | \n"
        "10: schema-type: \"spec.containers\" has the wrong type | a map | a list | "
        "it is a list: begin each entry with \"- \"\n"
        "11: schema-type: \"spec.volumes[0]\" has the wrong type | a string | a map | \n");
}

TEST(Validator, ChecksNumbersAndTexts) {
    EXPECT_EQ(
        pod_faults("spec:\n"
                   "  containers:\n"
                   "  - name: web\n"
                   "    ports: [{containerPort: \"80\"}]\n"
                   "    livenessProbe: {httpGet: {port: true}}\n"
                   "    resources: {limits: {example.com/gpu: two}}\n"),
        "7: schema-type: \"spec.containers[0].ports[0].containerPort\" has the wrong type | a "
        "string | an integer | remove the quotes\n"
        "8: schema-type: \"spec.containers[0].livenessProbe.httpGet.port\" has the wrong type "
        "| a boolean | an integer or a string | \n"
        "9: schema-type: \"spec.containers[0].resources.limits[example.com/gpu]\" has the "
        "wrong type | a string | a quantity, such as \"100m\" or \"1Gi\" | \n");
}

TEST(Validator, ChecksWhatIsEncoded) {
    EXPECT_EQ(
        validator_faults_of("apiVersion: v1\n"
                            "kind: Secret\n"
                            "metadata: {name: web, creationTimestamp: yesterday}\n"
                            "data: {good: aGVsbG8=, bad: hello, number: 5}\n"),
        "3: schema-type: \"metadata.creationTimestamp\" has the wrong type | a string | a "
        "time, such as \"2026-01-02T15:04:05Z\" | \n"
        "4: schema-type: \"data.bad\" has the wrong type | text that is not base64 | base64 | "
        "plain text goes into \"stringData\" of a Secret\n"
        "4: schema-type: \"data.number\" has the wrong type | a number | base64 | put it in "
        "quotes\n");
}

TEST(Validator, MissesFields) {
    EXPECT_EQ(pod_faults("spec:\n"
                         "  containers:\n"
                         "  - image: web\n"
                         "    env: [{value: a}, {name: null}]\n"),
              "7: schema-required: \"spec.containers[0].env[0].name\" is missing |  | a string | \n"
              "7: schema-required: \"spec.containers[0].env[1].name\" is missing |  | a string | \n"
              "6: schema-required: \"spec.containers[0].name\" is missing |  | a string | \n");
    EXPECT_EQ(validator_faults_of("apiVersion: tailscale.com/v1alpha1\n"
                                  "kind: ProxyClass\n"
                                  "metadata: {name: edge}\n"),
              "2: schema-required: \"spec\" is missing |  | a map | \n");
    EXPECT_EQ(validator_faults_of("apiVersion: tailscale.com/v1alpha1\n"
                                  "kind: DNSConfig\n"
                                  "metadata: {name: dns}\n"
                                  "spec: {}\n"),
              "2: schema-required: \"spec.nameserver\" is missing |  | a map | "
              "\"nameserver: {}\" takes all defaults\n");
}

TEST(Validator, NamesAMisspelledFieldOnce) {
    EXPECT_EQ(validator_faults_of("apiVersion: tailscale.com/v1alpha1\n"
                                  "kind: Connector\n"
                                  "metadata: {name: office}\n"
                                  "spec: {subnetRouter: {advertisedRoutes: [10.0.0.0/8]}}\n"),
              "4: schema-unknown-field: unknown field \"spec.subnetRouter.advertisedRoutes\" |  "
              "| one of { advertiseRoutes } | did you mean \"advertiseRoutes\"?\n");
}

TEST(Validator, HoldsTheLimitsOfCustomResources) {
    EXPECT_EQ(validator_faults_of("apiVersion: tailscale.com/v1alpha1\n"
                                  "kind: Connector\n"
                                  "metadata: {name: edge}\n"
                                  "spec:\n"
                                  "  replicas: -1\n"
                                  "  hostname: Edge\n"
                                  "  subnetRouter: {advertiseRoutes: [10.0.0.0/8, 10.0.0.1]}\n"
                                  "  appConnector: {routes: []}\n"
                                  "  tags: [\"tag:a\", b]\n"),
              "5: schema-value: invalid value of \"spec.replicas\" | -1 | at least 0 "
              "| \n"
              "6: schema-value: invalid value of \"spec.hostname\" | \"Edge\" | text "
              "that matches ^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$ | \n"
              "7: schema-value: invalid value of \"spec.subnetRouter.advertiseRoutes[1]\" | "
              "\"10.0.0.1\" | a CIDR block, such as \"10.0.0.0/8\" | \n"
              "8: schema-value: invalid value of \"spec.appConnector.routes\" | 0 "
              "items | at least 1 | \n"
              "9: schema-value: invalid value of \"spec.tags[1]\" | \"b\" | text that "
              "matches ^tag:[a-zA-Z][a-zA-Z0-9-]*$ | \n");
}

TEST(Validator, HoldsNumbersOfCustomResourcesTo32Bits) {
    EXPECT_EQ(validator_faults_of("apiVersion: tailscale.com/v1alpha1\n"
                                  "kind: Connector\n"
                                  "metadata: {name: edge}\n"
                                  "spec: {replicas: 3000000000, exitNode: true}\n"),
              "4: schema-type: \"spec.replicas\" has the wrong type | a number of more than 32 "
              "bits | an integer | \n");
}

TEST(Validator, HoldsChoicesLengthsAndKeys) {
    const std::string label(64, 'a');
    EXPECT_EQ(
        validator_faults_of("apiVersion: tailscale.com/v1alpha1\n"
                            "kind: ProxyClass\n"
                            "metadata: {name: edge}\n"
                            "spec:\n"
                            "  statefulSet:\n"
                            "    labels: {a: " +
                            label +
                            "}\n"
                            "    pod:\n"
                            "      tailscaleContainer:\n"
                            "        imagePullPolicy: Sometimes\n"
                            "        resources: {claims: [{name: a}, {name: b}, {name: a}]}\n"),
        "6: schema-value: invalid value of \"spec.statefulSet.labels.a\" | 64 "
        "characters | at most 63 | \n"
        "9: schema-value: invalid value of "
        "\"spec.statefulSet.pod.tailscaleContainer.imagePullPolicy\" | \"Sometimes\" | one "
        "of { Always, Never, IfNotPresent } | "
        "\n"
        "10: schema-value: invalid value of "
        "\"spec.statefulSet.pod.tailscaleContainer.resources.claims\" | a second \"a\" | "
        "items with unique name | \n");
}

TEST(Validator, SaysNothingAboutWhatIsReplacedLater) {
    EXPECT_EQ(pod_faults("spec:\n"
                         "  priority: ${PRIORITY}\n"
                         "  containers: ${CONTAINERS}\n"
                         "  \"${FIELD}\": 1\n"),
              "");
}

}  // namespace
}  // namespace renderer::schema
