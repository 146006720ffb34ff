#include "renderer/generate/workload/proxy_class.h"

#include <gtest/gtest.h>

#include "renderer/core/yaml_reader.h"
#include "renderer/core/yaml_writer.h"

namespace renderer::generate {
namespace {

Value stateful_set() {
    Value env = Value::list(
        {Value::map({{"name", "A"}, {"value", "1"}}), Value::map({{"name", "B"}, {"value", "2"}})});
    Value container = Value::map({{"name", "tailscale"},
                                  {"image", "stock:v1.2.3"},
                                  {"imagePullPolicy", "IfNotPresent"},
                                  {"env", std::move(env)},
                                  {"securityContext", Value::map({{"privileged", true}})}});
    Value init = Value::map({{"name", "sysctler"}, {"image", "stock:v1.2.3"}});
    Value pod = Value::map(
        {{"metadata", Value::map({{"labels", Value::map({{"app", "x"}})},
                                  {"annotations",
                                   Value::map({{"tailrender.dev/config-hash", "0"},
                                               {"tailscale.com/operator-last-set-cluster-dns-name",
                                                "a.b"}})}})},
         {"spec", Value::map({{"containers", Value::list({std::move(container)})},
                              {"initContainers", Value::list({std::move(init)})},
                              {"priorityClassName", "high"}})}});
    return Value::map({{"metadata", Value::map({{"labels", Value::map({{"gone", "x"}})}})},
                       {"spec", Value::map({{"template", std::move(pod)}})}});
}

Value applied(const plan::ProxyClassPlan& chosen, const ClassScope& scope = {}) {
    Value root = stateful_set();
    apply_proxy_class(chosen, scope, root);
    return root;
}

std::string yaml(const Value* value) {
    std::string text;
    if (value != nullptr) {
        write_yaml(*value, text);
    }
    return text;
}

const Value& pod(const Value& root) {
    return *root.at({"spec", "template", "spec"});
}
const Value& container(const Value& root, std::string_view list = "containers") {
    return pod(root).find(list)->items()[0];
}

TEST(ProxyClass, AnEmptyClassChangesNothing) {
    EXPECT_TRUE(applied({}) == stateful_set());
}

TEST(ProxyClass, MergesLabelsAndKeepsWhatIsOurs) {
    plan::ProxyClassPlan chosen;
    chosen.set_labels = Value::map({{"team", "edge"}});
    chosen.pod_labels = Value::map({{"app", "theirs"}, {"tier", "proxy"}});
    chosen.pod_annotations = Value::map({{"tailrender.dev/config-hash", "theirs"}, {"note", "1"}});
    const Value root = applied(chosen);
    EXPECT_EQ(yaml(root.at({"metadata", "labels"})), "team: edge\n");
    EXPECT_EQ(yaml(root.at({"spec", "template", "metadata", "labels"})), "app: x\ntier: proxy\n");
    EXPECT_EQ(yaml(root.at({"spec", "template", "metadata", "annotations"})),
              "note: \"1\"\ntailrender.dev/config-hash: \"0\"\n"
              "tailscale.com/operator-last-set-cluster-dns-name: a.b\n");
}

TEST(ProxyClass, TakesFieldsOfThePodAndLeavesTheRest) {
    plan::ProxyClassPlan chosen;
    chosen.pod_spec = Value::map({{"nodeName", "n7"}});
    const Value root = applied(chosen);
    EXPECT_EQ(yaml(pod(root).find("nodeName")), "n7\n");
    EXPECT_EQ(yaml(pod(root).find("priorityClassName")), "high\n");
}

TEST(ProxyClass, LaysOverEachContainerOnItsOwn) {
    plan::ProxyClassPlan chosen;
    chosen.container.image = "mirror:latest";
    chosen.container.fields = Value::map({{"securityContext", Value::map()}});
    chosen.container.env = {{"A", "3"}, {"EMPTY", ""}};
    chosen.init_container.image = "mirror:v1.2.3";
    chosen.init_container.limits = Value::map({{"cpu", "1"}});
    const Value root = applied(chosen);
    EXPECT_EQ(yaml(&container(root)),
              "env:\n- name: B\n  value: \"2\"\n- name: A\n  value: \"3\"\n- name: EMPTY\n"
              "image: mirror:latest\nimagePullPolicy: Always\nname: tailscale\n"
              "securityContext: {}\n");
    EXPECT_EQ(yaml(&container(root, "initContainers")),
              "image: mirror:v1.2.3\nname: sysctler\nresources:\n  limits:\n    cpu: \"1\"\n");
}

TEST(ProxyClass, ThePolicyOfTheClassBeatsThatOfItsImage) {
    plan::ProxyClassPlan chosen;
    chosen.container.image = "mirror:v1.2.3";
    chosen.container.pinned = true;
    EXPECT_EQ(yaml(container(applied(chosen)).find("imagePullPolicy")), "IfNotPresent\n");
    chosen.container.pull_policy = "Always";
    EXPECT_EQ(yaml(container(applied(chosen)).find("imagePullPolicy")), "Always\n");
}

TEST(ProxyClass, LeavesTheImageOfPodsThatRunAnother) {
    plan::ProxyClassPlan chosen;
    chosen.container.image = "mirror:latest";
    chosen.container.pull_policy = "Always";
    const Value root = applied(chosen, {.image = false});
    EXPECT_EQ(yaml(container(root).find("image")), "stock:v1.2.3\n");
    EXPECT_EQ(yaml(container(root).find("imagePullPolicy")), "Always\n");
}

TEST(ProxyClass, AddsEndpointsInFrontOfTheClassesOwnVariables) {
    plan::ProxyClassPlan chosen;
    chosen.metrics = true;
    chosen.debug = true;
    chosen.acme_staging = true;
    chosen.container.env = {{"TS_ENABLE_METRICS", "false"}, {"A", "3"}};
    const Value root = applied(chosen, {.certificates = true});
    std::string names;
    for (const Value& entry : container(root).find("env")->items()) {
        names += std::string(entry.find("name")->text()) + ' ';
    }
    EXPECT_EQ(names,
              "B TS_DEBUG_ADDR_PORT TS_TAILSCALED_EXTRA_ARGS TS_LOCAL_ADDR_PORT "
              "TS_DEBUG_ACME_DIRECTORY_URL TS_ENABLE_METRICS A ");
    EXPECT_EQ(yaml(container(root).find("ports")),
              "- containerPort: 9001\n  name: debug\n  protocol: TCP\n"
              "- containerPort: 9002\n  name: metrics\n  protocol: TCP\n");
}

TEST(ProxyClass, LeavesOutWhatHasNoMeaningForTheProxy) {
    plan::ProxyClassPlan chosen;
    chosen.metrics = true;
    chosen.debug = true;
    chosen.acme_staging = true;
    EXPECT_TRUE(applied(chosen, {.endpoints = false}) == stateful_set());
}

}  // namespace
}  // namespace renderer::generate
