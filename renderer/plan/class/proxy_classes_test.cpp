#include "renderer/plan/class/proxy_classes.h"

#include <gtest/gtest.h>

#include "renderer/core/yaml_writer.h"
#include "renderer/plan/plan_testing.h"

namespace renderer::plan {
namespace {

// Returns a ProxyClass. Its lines: kind 2, metadata 3, spec 4.
std::string proxy_class(std::string_view spec, std::string_view name = "web-class") {
    return fmt::format(
        "apiVersion: tailscale.com/v1alpha1\nkind: ProxyClass\nmetadata: {{name: {}}}\nspec: "
        "{{{}}}\n",
        name, spec);
}

std::string pod(std::string_view fields) {
    return proxy_class(fmt::format("statefulSet: {{pod: {{{}}}}}", fields));
}

std::string container(std::string_view fields) {
    return pod(fmt::format("tailscaleContainer: {{{}}}", fields));
}

// Returns the document with a Service that uses the class. The Service begins at line 6.
std::string used(const std::string& document, std::string_view key = "web-class") {
    return document + std::string(kSeparator) +
           exposed(fmt::format("tailscale.com/proxy-class: \"{}\"", key));
}

std::string dump_class(std::string stream, std::string_view values = "") {
    return Planned(std::move(stream), values).dump();
}

const ProxyClassPlan& only_class(const Planned& planned) {
    return planned.plan.proxy_classes.at(0);
}

std::string yaml(const Value& value) {
    std::string text;
    write_yaml(value, text);
    return text;
}

TEST(ProxyClasses, LabelThenAnnotationThenDefault) {
    const std::string classes = proxy_class("", "a") + std::string(kSeparator) +
                                proxy_class("", "b") + std::string(kSeparator) +
                                proxy_class("", "c") + std::string(kSeparator);
    const auto chosen = [&](std::string_view metadata) {
        const Planned planned(
            classes + fmt::format("apiVersion: v1\nkind: Service\nmetadata: {{name: web, "
                                  "namespace: shop, {}}}\nspec: {{ports: [{{port: 80}}]}}\n",
                                  metadata),
            "proxyConfig: {defaultProxyClass: c}");
        EXPECT_EQ(planned.dump(), "") << metadata;
        const ProxyClassPlan* found = planned.workload().proxy_class;
        return found == nullptr ? std::string("none") : found->name;
    };
    const std::string expose = "tailscale.com/expose: \"true\"";
    const std::string by_label = "labels: {tailscale.com/proxy-class: a}, ";
    const std::string by_annotation = ", tailscale.com/proxy-class: b}";
    EXPECT_EQ(chosen(by_label + "annotations: {" + expose + by_annotation), "a");
    EXPECT_EQ(chosen("annotations: {" + expose + by_annotation), "b");
    EXPECT_EQ(chosen("annotations: {" + expose + "}"), "c");
    EXPECT_EQ(chosen("labels: {tailscale.com/proxy-class: \"\"}, annotations: {" + expose +
                     by_annotation),
              "none");
    EXPECT_EQ(chosen("annotations: {" + expose + ", tailscale.com/proxy-class: \"\"}"), "none");
}

TEST(ProxyClasses, AMissingClassIsAnErrorWhereItIsNamed) {
    EXPECT_EQ(dump_class(exposed("tailscale.com/proxy-class: nowhere")),
              "3: error [missing-proxy-class] Service/shop/web: ProxyClass \"nowhere\" not found "
              "| the name of a ProxyClass in the inputs | fix the name, or pass its manifest with "
              "--context DIR\n");
    EXPECT_EQ(dump_class(exposed(), "proxyConfig: {defaultProxyClass: nowhere}"),
              "1: error [missing-proxy-class] ProxyClass \"nowhere\" not found | the name of a "
              "ProxyClass in the inputs | fix \"proxyConfig.defaultProxyClass\", or pass the "
              "class's manifest with --context DIR\n  2: Service/shop/web: uses the default "
              "class\n");
}

TEST(ProxyClasses, AFaultOfAClassNamesItsUsers) {
    EXPECT_EQ(dump_class(used(container("image: \"Not An Image\""))),
              "4: error [invalid-image] ProxyClass/web-class: invalid reference format: repository "
              "name (library/Not An Image) must be lowercase | \"Not An Image\" | an image such as "
              "\"registry.example.com/tailscale:v1.96.5\"\n  8: Service/shop/web: uses it\n");
}

TEST(ProxyClasses, PortsAreCheckedAgainstTheClusterAndOtherClasses) {
    const auto ports = [](std::string_view list, std::string_view name = "web-class") {
        return proxy_class(fmt::format("staticEndpoints: {{nodePort: {{ports: [{}]}}}}", list),
                           name);
    };
    const auto only = [&](std::string_view list) {
        const std::string found =
            dump_class(ports(list), "tailrender: {nodePortRange: 30000-32767}");
        return found.substr(0, found.find(" | "));
    };
    constexpr std::string_view kWho = "4: error [invalid-port-range] ProxyClass/web-class: ";
    EXPECT_EQ(only("{port: 30000, endPort: 32767}"), "");
    EXPECT_EQ(only("{port: 31000, endPort: 0}"), "");
    EXPECT_EQ(only("{port: 70000}"), fmt::format("{}invalid port \"70000\"", kWho));
    EXPECT_EQ(only("{port: 31000, endPort: 70000}"), fmt::format("{}invalid port \"70000\"", kWho));
    EXPECT_EQ(only("{port: 0}"), fmt::format("{}invalid port \"0\"", kWho));
    EXPECT_EQ(only("{port: 31010, endPort: 31000}"),
              fmt::format("{}port range \"31010-31000\" ends before it begins", kWho));
    EXPECT_EQ(only("{port: 20000}"),
              fmt::format("{}range \"20000\" is outside the cluster's NodePorts", kWho));
    EXPECT_EQ(only("{port: 32767, endPort: 32768}"),
              fmt::format("{}range \"32767-32768\" is outside the cluster's NodePorts", kWho));
    EXPECT_EQ(only("{port: 30150}, {port: 30100, endPort: 30150}"),
              fmt::format("{}overlapping ranges: \"30100-30150\" and \"30150\"", kWho));
    EXPECT_EQ(dump_class(ports("{port: 20000}")), "");
    EXPECT_EQ(dump_class(ports("{port: 30100, endPort: 30110}", "first") + std::string(kSeparator) +
                         ports("{port: 30200}, {port: 30110}", "second")),
              "9: error [invalid-port-range] ProxyClass/second: the ProxyClass \"first\" also has "
              "this port | \"30200, 30110\" | ports that no other ProxyClass has\n  4: "
              "ProxyClass/first: it has 30100-30110\n");
}

TEST(ProxyClasses, AWholeNumberIsAnAmount) {
    const Planned planned(used(
        container("resources: {limits: {cpu: 1e3, memory: 4294967296}, requests: {cpu: 1.0}}")));
    EXPECT_EQ(planned.dump(), "");
    EXPECT_EQ(yaml(only_class(planned).container.limits), "cpu: \"1k\"\nmemory: \"4294967296\"\n");
    EXPECT_EQ(yaml(only_class(planned).container.requests), "cpu: \"1\"\n");
}

TEST(ProxyClasses, AClassIsReadAsAWhole) {
    const Planned planned(
        used(proxy_class(
            "useLetsEncryptStagingEnvironment: true, tailscale: {acceptRoutes: true}, metrics: "
            "{enable: true}, statefulSet: {pod: {nodeSelector: {}, imagePullSecrets: [], affinity: "
            "{}, nodeName: \"\", tolerations: [{key: edge, value: \"\", effect: NoSchedule}], "
            "securityContext: {fsGroup: 1, runAsUser: null}, tailscaleContainer: {image: "
            "\"a:v1.2.3\", resources: {requests: {cpu: 0.5, memory: 1024Mi}, limits: {}}}}}")),
        "tailrender: {dataplane: containerboot}");
    EXPECT_EQ(
        planned.dump(),
        "4: error [schema-type] ProxyClass/web-class: "
        "\"spec.statefulSet.pod.tailscaleContainer.resources.requests.cpu\" has the wrong "
        "type | a number | an integer or a string | write cpu: \"0.5\"\n  8: "
        "Service/shop/web: uses it\n4: warning [class-field-without-effect] "
        "ProxyClass/web-class: \"spec.useLetsEncryptStagingEnvironment\" has no effect on the "
        "objects that use this class | a class of an Ingress, or a ProxyGroup of type ingress "
        "or kube-apiserver | remove the field, or give these objects another class\n  7: "
        "Service/shop/web: uses the class\n");
    const ProxyClassPlan& found = only_class(planned);
    EXPECT_TRUE(found.acme_staging && found.accept_routes && found.metrics && found.debug);
    EXPECT_TRUE(found.container.pinned && found.container.exists && !found.init_container.exists);
    EXPECT_EQ(yaml(found.pod_spec),
              "affinity: {}\nsecurityContext:\n  fsGroup: 1\ntolerations:\n- effect: NoSchedule\n  "
              "key: edge\n");
    EXPECT_EQ(yaml(found.container.requests), "cpu: \"\"\nmemory: \"1Gi\"\n");
    EXPECT_TRUE(found.container.limits.is_null());
}

TEST(ProxyClasses, DebugFollowsMetricsUntilItIsSet) {
    const auto debug = [](std::string_view spec) {
        return only_class(Planned(proxy_class(spec))).debug;
    };
    EXPECT_TRUE(debug("metrics: {enable: true}"));
    EXPECT_FALSE(
        debug("metrics: {enable: true}, statefulSet: {pod: {tailscaleContainer: {debug: "
              "{}}}}"));
    EXPECT_TRUE(debug("statefulSet: {pod: {tailscaleContainer: {debug: {enable: true}}}}"));
    EXPECT_FALSE(debug("metrics: {enable: false}"));
}

TEST(ProxyClasses, MetricsOfAProxyThatCanAnswer) {
    const auto jobs = [](const std::string& stream) {
        const Planned planned(
            proxy_class("metrics: {enable: true}") + std::string(kSeparator) + stream,
            "proxyConfig: {defaultProxyClass: web-class}");
        std::string found = planned.dump();
        for (const MetricsPlan& metrics : planned.plan.metrics) {
            found += metrics.job;
        }
        return found;
    };
    EXPECT_EQ(jobs(exposed()), "ts_ingress_service_shop_web");
    const std::string site = "defaultBackend: {service: {name: b, port: {number: 80}}}";
    const std::string backend =
        std::string(kSeparator) + service("b", "ports: [{port: 80}], clusterIP: 10.0.0.1");
    EXPECT_EQ(jobs(ingress(site) + backend), "ts_ingress_resource_shop_site");
    EXPECT_EQ(
        jobs(ingress(site,
                     "tailscale.com/experimental-forward-cluster-traffic-via-ingress: \"true\"") +
             backend),
        "4: warning [class-field-without-effect] ProxyClass/web-class: \"spec.metrics.enable\" has "
        "no effect on the objects that use this class | a class of a proxy other than that of an "
        "egress Service, of a PeerRelay, or of an Ingress that forwards cluster traffic | remove "
        "the field, or give these objects another class\n  7: Ingress/shop/site: uses the class\n");
}

TEST(ProxyClasses, TheNameOfAJobFitsIntoALabel) {
    EXPECT_EQ(
        dump_class(used(proxy_class("metrics: {enable: true}")) + std::string(kSeparator) +
                       exposed("tailscale.com/hostname: x, tailscale.com/proxy-class: web-class",
                               "ports: [{port: 80}]", std::string(40, 'a')),
                   "tailrender: {operatorVersion: 1.96.5}"),
        fmt::format("12: error [name-too-long] Service/shop/{0}: the label \"ts_prom_job: "
                    "ts_ingress_service_shop_{0}\" of its metrics is too long | 64 bytes | at "
                    "most 63 bytes | shorten its name, or use a ProxyClass without metrics\n  2: "
                    "ProxyClass/web-class: this class asks for metrics\n",
                    std::string(40, 'a')));
}

}  // namespace
}  // namespace renderer::plan
