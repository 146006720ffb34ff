#include "runtime/controller/object_status/proxy_class_status.h"

#include <gtest/gtest.h>

#include "renderer/core/json.h"

namespace runtime::controller {
namespace {

using renderer::read_json;

Parent proxy_class(const std::string& name, const std::string& spec,
                   const std::string& status = "{}") {
    Parent parent;
    parent.kind = "ProxyClass";
    parent.name = name;
    parent.generation = 3;
    parent.spec = std::move(*read_json(spec));
    parent.status = PackedValue(*read_json(status));
    return parent;
}

std::string faults(const std::string& spec) {
    Mirror<Parent>::Objects classes;
    classes["all"] = {proxy_class("all", spec)};
    return class_faults(classes).at("all");
}

std::string ports(const std::string& list) {
    return R"({"staticEndpoints":{"nodePort":{"ports":[)" + list + "]}}}";
}

constexpr std::string_view kRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

TEST(ProxyClassStatus, KnowsGoodClasses) {
    EXPECT_EQ(faults("{}"), "");
    EXPECT_EQ(faults(R"({"statefulSet":{"labels":{"a":"b","example.com/my_Name.1":""},
        "annotations":{"Example.COM/x":"y"},"pod":{"tailscaleContainer":{"debug":{"enable":true}}}},
        "metrics":{"enable":true,"serviceMonitor":{"enable":true,"labels":{"team":"x"}}}})"),
              "");
    EXPECT_EQ(faults(ports(R"({"port":31000,"endPort":31009},{"port":30500})")), "");
}

TEST(ProxyClassStatus, RefusesKeys) {
    const std::string rule(kRule);
    EXPECT_EQ(faults(R"({"statefulSet":{"labels":{"-a":"b"}}})"),
              R"(.spec.statefulSet.labels: Invalid value: "-a": name part )" + rule);
    EXPECT_EQ(faults(R"({"statefulSet":{"pod":{"annotations":{"A_b.c/d":""}}}})"),
              R"(.spec.statefulSet.pod.annotations: Invalid value: "A_b.c/d": prefix part )"
              "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "
              "'-' or '.', and must start and end with an alphanumeric character (e.g. "
              "'example.com', regex used for validation is "
              "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
    EXPECT_EQ(faults(R"({"metrics":{"serviceMonitor":{"labels":{"a/b/c":""}}}})"),
              R"(.spec.metrics.serviceMonitor.labels: Invalid value: "a/b/c": a qualified name )" +
                  rule +
                  " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
    EXPECT_EQ(
        faults(R"({"statefulSet":{"pod":{"labels":{"/a":"","b/":""}}}})"),
        R"([.spec.statefulSet.pod.labels: Invalid value: "/a": prefix part must be non-empty, )"
        R"(.spec.statefulSet.pod.labels: Invalid value: "b/": name part must be non-empty, )"
        R"(.spec.statefulSet.pod.labels: Invalid value: "b/": name part )" +
            rule + "]");
    const std::string name(64, 'a');
    EXPECT_EQ(faults(R"({"statefulSet":{"annotations":{")" + std::string(254, 'a') + "/" + name +
                     R"(":""}}})"),
              "[.spec.statefulSet.annotations: Invalid value: \"" + std::string(254, 'a') + "/" +
                  name +
                  "\": prefix part must be no more than 253 characters, "
                  ".spec.statefulSet.annotations: Invalid value: \"" +
                  std::string(254, 'a') + "/" + name +
                  "\": name part must be no more than 63 characters]");
    EXPECT_EQ(
        faults(R"({"statefulSet":{"annotations":{"a":")" + std::string(1 << 18, 'b') + R"("}}})"),
        ".spec.statefulSet.annotations: Too long: may not be more than 262144 bytes");
}

TEST(ProxyClassStatus, RefusesImages) {
    EXPECT_EQ(faults(R"({"statefulSet":{"pod":{"tailscaleContainer":{"image":"FOO bar"},
        "tailscaleInitContainer":{"image":"tailscale/tailscale:v1.96.5"}}}})"),
              R"(spec.statefulSet.pod.tailscaleContainer.image: Invalid value: "FOO bar": )"
              "invalid reference format: repository name (library/FOO bar) must be lowercase");
    EXPECT_EQ(faults(R"({"statefulSet":{"pod":{"tailscaleInitContainer":{"image":"a:"}}}})"),
              R"(spec.statefulSet.pod.tailscaleInitContainer.image: Invalid value: "a:": )"
              "invalid reference format");
}

TEST(ProxyClassStatus, RefusesDebugOfTheInitContainer) {
    EXPECT_EQ(
        faults(R"({"statefulSet":{"pod":{"tailscaleInitContainer":{"debug":{"enable":false}}}}})"),
        R"(spec.statefulSet.pod.tailscaleInitContainer.debug: Invalid value: {"enable":false}: )"
        "debug settings cannot be configured on the init container");
}

TEST(ProxyClassStatus, RefusesPorts) {
    const std::string path = "spec.staticEndpoints.nodePort.ports: Invalid value: ";
    EXPECT_EQ(faults(ports(R"({"port":31009,"endPort":31000})")),
              path + R"("31009-31000": port range "31009-31000" is invalid)");
    EXPECT_EQ(faults(ports(R"({"port":0})")), path + R"("0": port range "0" is invalid)");
    EXPECT_EQ(faults(ports(R"({"port":70000})")),
              path + R"("70000": port range "70000" is invalid)");
    EXPECT_EQ(faults(ports(R"({"port":31005},{"port":31000,"endPort":31005})")),
              path + R"("31000-31005, 31005": overlapping ranges: "31000-31005" and "31005")");
}

TEST(ProxyClassStatus, LetsTheClassThatIsReadyHaveItsPorts) {
    const std::string range = ports(R"({"port":31000,"endPort":31009})");
    const std::string one = ports(R"({"port":31009})");
    const std::string ready =
        R"({"conditions":[{"type":"ProxyClassReady","status":"True","observedGeneration":3}]})";
    Mirror<Parent>::Objects classes;
    classes["a"] = {proxy_class("a", range)};
    classes["b"] = {proxy_class("b", one)};
    auto found = class_faults(classes);
    EXPECT_EQ(found.at("a"), "");
    EXPECT_EQ(found.at("b"),
              R"(spec.staticEndpoints.nodePort.ports: Invalid value: "31009": port ranges for )"
              R"(ProxyClass "b" clash with existing ProxyClass "a")");
    classes["b"] = {proxy_class("b", one, ready)};
    found = class_faults(classes);
    EXPECT_EQ(found.at("b"), "");
    EXPECT_NE(found.at("a").find(R"(clash with existing ProxyClass "b")"), std::string::npos);
    classes["b"].generation = 4;  // it was ready in another generation
    EXPECT_EQ(class_faults(classes).at("a"), "");
}

}  // namespace
}  // namespace runtime::controller
