#include "renderer/classify/operator_deployment.h"

#include <gtest/gtest.h>

#include "renderer/core/json.h"
#include "renderer/core/yaml_reader.h"

namespace renderer::classify {
namespace {

struct Parsed {
    SourceMap sources;
    Diagnostics diagnostics;
    Value root;

    explicit Parsed(std::string_view text) {
        const SourceId id = sources.add("d.yaml", std::string(text));
        root = read_yaml(sources, id, diagnostics);
    }
};

std::string deployment(std::string_view container, std::string_view pod = "{}") {
    return "spec: {template: {spec: {<<: " + std::string(pod) + ", containers: [{name: sidecar}, " +
           std::string(container) + "]}}}";
}

std::string values_of(const Parsed& parsed) {
    Diagnostics diagnostics;
    return write_json_sorted(operator_values(parsed.root, "Deployment/a/b", diagnostics));
}

TEST(OperatorValues, AreWhatTheChartWouldTurnIntoThisEnv) {
    const Parsed parsed(deployment(
        "{env: [{name: OPERATOR_SECRET, value: operator}, {name: OPERATOR_LOGIN_SERVER, value: }, "
        "{name: OPERATOR_INGRESS_CLASS_NAME, value: ts}, {name: PROXY_IMAGE, value: "
        "'r.example:5000/a/b:v1@sha256:00'}, {name: PROXY_TAGS, value: 'tag:x'}, {name: "
        "PROXY_TAGS, value: 'tag:y'}, {name: APISERVER_PROXY, value: 'true'}, {name: DEBUG, value: "
        "'1'}]}",
        "{nodeSelector: {kubernetes.io/os: linux}}"));
    EXPECT_EQ(values_of(parsed),
              R"({"apiServerProxyConfig":{"mode":"true"},"ingressClass":{"name":"ts"},)"
              R"("loginServer":"","operatorConfig":{"extraEnv":[{"name":"DEBUG","value":"1"}],)"
              R"("nodeSelector":{"kubernetes.io/os":"linux"}},)"
              R"("proxyConfig":{"defaultTags":"tag:y","firewallMode":"",)"
              R"("image":{"repository":"r.example:5000/a/b","tag":"v1@sha256:00"}}})");
}

TEST(OperatorValues, AnImageWithoutTagIsLatest) {
    const Parsed parsed(
        deployment("{env: [{name: OPERATOR_SECRET}, {name: PROXY_IMAGE, value: "
                   "'localhost:5000/a'}]}"));
    Diagnostics diagnostics;
    const Value values = operator_values(parsed.root, "", diagnostics);
    EXPECT_EQ(write_json_sorted(*values.at({"proxyConfig", "image"})),
              R"({"repository":"localhost:5000/a","tag":"latest"})");
}

TEST(OperatorValues, KeepThePodsSettings) {
    const Parsed parsed(
        "spec:\n"
        "  template:\n"
        "    metadata: {labels: {app: operator, team: net}, annotations: {a: b}}\n"
        "    spec:\n"
        "      imagePullSecrets: [{name: regcred}]\n"
        "      tolerations: [{operator: Exists}]\n"
        "      affinity: {nodeAffinity: {}}\n"
        "      securityContext: {fsGroup: 1}\n"
        "      volumes: [{name: oauth, csi: {driver: x}}]\n"
        "      containers:\n"
        "      - resources: {limits: {cpu: 1}}\n"
        "        securityContext: {runAsUser: 5}\n"
        "        env: [{name: OPERATOR_SECRET}, {name: PROXY_IMAGE}, {name: PROXY_FIREWALL_MODE, "
        "value: nftables}]\n");
    EXPECT_EQ(
        values_of(parsed),
        R"({"imagePullSecrets":[{"name":"regcred"}],"oauthSecretVolume":{"csi":{"driver":"x"}},)"
        R"("operatorConfig":{"affinity":{"nodeAffinity":{}},"extraEnv":[],)"
        R"("nodeSelector":{"kubernetes.io/os":null},"podAnnotations":{"a":"b"},)"
        R"("podLabels":{"team":"net"},"podSecurityContext":{"fsGroup":1},)"
        R"("resources":{"limits":{"cpu":1}},"securityContext":{"runAsUser":5},)"
        R"("tolerations":[{"operator":"Exists"}]},"proxyConfig":{"firewallMode":"nftables"}})");
}

TEST(OperatorValues, TellTheThreeWaysOfCredentialsApart) {
    const std::vector<std::pair<std::string_view, std::string_view>> rows = {
        {"{name: oauth, secret: {secretName: operator-oauth}}", "null null"},
        {"{name: oauth, secret: {secretName: other}}", R"({"secret":{"secretName":"other"}} null)"},
        {"{name: oidc-jwt, projected: {sources: [{serviceAccountToken: {audience: a/b}}]}}",
         R"(null "a/b")"},
    };
    const auto json = [](const Value* value) {
        return value == nullptr ? std::string("null") : write_json_sorted(*value);
    };
    for (const auto& [volume, want] : rows) {
        const Parsed parsed(deployment("{env: [{name: OPERATOR_SECRET}, {name: PROXY_IMAGE}]}",
                                       "{volumes: [" + std::string(volume) + "]}"));
        Diagnostics diagnostics;
        const Value values = operator_values(parsed.root, "", diagnostics);
        EXPECT_EQ(
            json(values.find("oauthSecretVolume")) + " " + json(values.at({"oauth", "audience"})),
            want);
    }
}

TEST(OperatorValues, WhatIsOnlyKnownInTheClusterIsAnError) {
    const Parsed parsed(
        deployment("{env: [{name: OPERATOR_SECRET}, {name: PROXY_IMAGE}, {name: "
                   "PROXY_TAGS, valueFrom: {configMapKeyRef: {name: a, key: b}}}]}"));
    Diagnostics diagnostics;
    operator_values(parsed.root, "Deployment/a/b", diagnostics);
    ASSERT_EQ(diagnostics.all().size(), 1U);
    const Diagnostic& only = diagnostics.all().front();
    EXPECT_EQ(only.rule, "unknown-offline");
    EXPECT_EQ(only.object, "Deployment/a/b");
    EXPECT_EQ(only.message, "the value of \"PROXY_TAGS\" is only known in the cluster");
    EXPECT_NE(only.hint.find("proxyConfig.defaultTags"), std::string::npos);
    EXPECT_TRUE(only.pos.known());
}

}  // namespace
}  // namespace renderer::classify
