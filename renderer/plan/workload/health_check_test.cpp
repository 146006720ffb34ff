#include "renderer/plan/workload/health_check.h"

#include <gtest/gtest.h>

#include "renderer/contract/environment.h"
#include "renderer/plan/plan_testing.h"

namespace renderer::plan {
namespace {

constexpr std::string_view kRelease =
    "tailrender: {operatorVersion: 1.98.10, dataplane: containerboot}";

std::string egress(std::string_view target) {
    return fmt::format(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: nas, namespace: shop, annotations: "
        "{{tailscale.com/tailnet-{}, tailscale.com/proxy-class: own}}}}\n"
        "spec: {{type: ExternalName, externalName: x}}\n",
        target);
}

std::string served(std::string_view forwards) {
    return ingress(
               "tls: [{hosts: [web]}], defaultBackend: {service: {name: a, port: {number: 80}}}",
               fmt::format("tailscale.com/experimental-forward-cluster-traffic-via-ingress: "
                           "'{}', tailscale.com/proxy-class: own",
                           forwards)) +
           "---\n" + service("a", "ports: [{port: 80}]");
}

std::string class_with(std::string_view variable) {
    return fmt::format(
        "---\napiVersion: tailscale.com/v1alpha1\nkind: ProxyClass\nmetadata: {{name: own}}\n"
        "spec: {{statefulSet: {{pod: {{tailscaleContainer: {{env: [{}]}}}}}}}}\n",
        variable);
}

HealthProbe probe_of(std::string stream, std::string_view values = kRelease,
                     std::string_view warning = {}) {
    const Planned run(std::move(stream), values);
    if (warning.empty()) {
        EXPECT_EQ(run.dump(), "");
    } else {
        EXPECT_NE(run.dump().find(warning), std::string::npos) << run.dump();
    }
    const auto& env = run.workload().env;
    const bool answers = !env.empty() && env.back().name == variable::kHealthCheck;
    EXPECT_EQ(answers, run.proxy().probe != HealthProbe::None);
    return run.proxy().probe;
}

TEST(HealthCheck, IsAskedFromTheNodeUnlessThePodsAddressIsForwarded) {
    const std::string plain = class_with("");
    EXPECT_EQ(probe_of(egress("ip: 100.64.0.7") + plain), HealthProbe::Inside);
    EXPECT_EQ(probe_of(egress("fqdn: nas.tail1.ts.net") + plain), HealthProbe::Inside);
    EXPECT_EQ(probe_of(served("true") + plain), HealthProbe::Inside);
    EXPECT_EQ(probe_of(served("false") + plain), HealthProbe::FromNode);
    EXPECT_EQ(probe_of(exposed("")), HealthProbe::FromNode);
    EXPECT_EQ(probe_of(exposed("", "clusterIP: 10.0.0.1, ports: [{port: 80}]")),
              HealthProbe::FromNode);
    EXPECT_EQ(probe_of("apiVersion: tailscale.com/v1alpha1\nkind: Connector\nmetadata: {name: c}\n"
                       "spec: {exitNode: true}\n"),
              HealthProbe::FromNode);
}

// Before 1.98 a pod removes its device from its state Secret when it starts.
TEST(HealthCheck, IsOfReleasesWhosePodsKeepTheirDevice) {
    const std::string stream = egress("ip: 100.64.0.7") + class_with("");
    const std::string_view values = "tailrender: {dataplane: containerboot, operatorVersion: ";
    EXPECT_EQ(probe_of(stream, fmt::format("{}1.96.5}}", values)), HealthProbe::None);
    EXPECT_EQ(probe_of(stream, fmt::format("{}1.104.5}}", values)), HealthProbe::Inside);
}

// containerboot exits if the last variable is set together with TS_ENABLE_HEALTH_CHECK.
TEST(HealthCheck, AClassThatSaysWhereAPodAnswersHasTheLastWord) {
    for (const char* variable : {"{name: TS_LOCAL_ADDR_PORT, value: '[::]:9999'}",
                                 "{name: TS_ENABLE_HEALTH_CHECK, value: 'false'}",
                                 "{name: TS_HEALTHCHECK_ADDR_PORT, value: '[::]:9999'}"}) {
        EXPECT_EQ(
            probe_of(egress("ip: 100.64.0.7") + class_with(variable), kRelease, "[custom-env]"),
            HealthProbe::None)
            << variable;
    }
    EXPECT_EQ(probe_of(egress("ip: 100.64.0.7") + class_with("{name: OTHER, value: x}")),
              HealthProbe::Inside);
}

}  // namespace
}  // namespace renderer::plan
