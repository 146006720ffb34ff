// The controller and the pod rely on testdata/contract/proxy.md, "The Kubernetes API".
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "renderer/base/base64.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/generate/contract_testing.h"
#include "renderer/generate/generate.h"
#include "renderer/plan/workload/api_proxy.h"

namespace renderer::generate {
namespace {

constexpr std::string_view kSection = "## The Kubernetes API";

struct RenderedApiProxy {
    SourceMap sources;
    Diagnostics diagnostics;
    plan::Plan plan;
    Objects objects;

    explicit RenderedApiProxy(std::string_view values) {
        const SourceId id = sources.add("values.yaml", std::string(values));
        const Value layer = read_yaml(sources, id, diagnostics);
        plan.settings = plan::decode_settings({&layer}, "ts-sys", {}, diagnostics);
        if (std::optional<plan::Workload> proxy =
                plan::plan_api_proxy(plan.settings, diagnostics)) {
            plan.workloads.push_back(std::move(*proxy));
        }
        objects = generate(plan);
        EXPECT_TRUE(diagnostics.empty());
    }
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> names;
        std::ranges::transform(objects, std::back_inserter(names), &Object::object_name);
        std::ranges::sort(names);
        return names;
    }
    [[nodiscard]] const Value& root(std::string_view name) const {
        const auto found = std::ranges::find(objects, name, &Object::object_name);
        EXPECT_NE(found, objects.end()) << name;
        return found->root;
    }
    [[nodiscard]] const Value& set() const {
        return root("StatefulSet/ts-sys/kube-apiserver-proxy");
    }
    [[nodiscard]] const Value& pod() const { return *set().at({"spec", "template", "spec"}); }
    [[nodiscard]] const Value& container(std::string_view name) const {
        const auto all = pod().find("containers")->items();
        const auto found = std::ranges::find_if(
            all, [&](const Value& one) { return text_of(one.find("name")) == name; });
        EXPECT_NE(found, all.end()) << name;
        return *found;
    }
};

TEST(ApiProxyContract, OnlyModesThatServeMakeObjects) {
    for (const std::string_view mode : {"false", "'false'", "''", "null"}) {
        EXPECT_EQ(RenderedApiProxy(fmt::format("apiServerProxyConfig: {{mode: {}}}", mode)).names(),
                  std::vector<std::string>())
            << mode;
    }
    const std::vector<std::string> want = {
        "Role/ts-sys/kube-apiserver-proxy", "RoleBinding/ts-sys/kube-apiserver-proxy",
        "Secret/ts-sys/kube-apiserver-proxy-0-config", "StatefulSet/ts-sys/kube-apiserver-proxy"};
    EXPECT_EQ(RenderedApiProxy("apiServerProxyConfig: {mode: true}").names(), want);
    EXPECT_EQ(RenderedApiProxy("apiServerProxyConfig: {mode: 'true'}").names(), want);
    std::vector<std::string> with_account = want;
    with_account.emplace_back("ServiceAccount/ts-sys/kube-apiserver-proxy");
    std::ranges::sort(with_account);
    EXPECT_EQ(RenderedApiProxy("apiServerProxyConfig: {mode: noauth}").names(), with_account);
}

TEST(ApiProxyContract, TheControllerFindsItLikeAnyProxy) {
    const RenderedApiProxy run(
        "apiServerProxyConfig: {mode: true}\nfullnameOverride: net\n"
        "tailrender: {operatorVersion: '1.104'}");
    const Value& head = *run.set().find("metadata");
    EXPECT_EQ(write_json_sorted(*head.find("annotations")),
              R"({"tailrender.dev/contract":"v1","tailrender.dev/hostname":"tailscale-operator",)"
              R"("tailrender.dev/parent":"Deployment/ts-sys/net",)"
              R"("tailrender.dev/tags":"tag:k8s-operator"})");
    EXPECT_EQ(write_json_sorted(*head.find("labels")),
              R"({"tailscale.com/managed":"true","tailscale.com/parent-resource":"net",)"
              R"("tailscale.com/parent-resource-ns":"ts-sys",)"
              R"("tailscale.com/parent-resource-type":"api-proxy"})");
}

TEST(ApiProxyContract, ContainersAreThoseOfThePage) {
    const RenderedApiProxy run("apiServerProxyConfig: {mode: noauth}");
    const std::vector<Row> rows = table_after("proxy.md", kSection);
    ASSERT_EQ(run.pod().find("containers")->size(), rows.size());
    for (const Row& row : rows) {
        const Value& container = run.container(row.at(0));
        EXPECT_EQ(spelling_of(container.at({"securityContext", "runAsUser"})), row.at(1));
        EXPECT_EQ(spelling_of(container.at({"securityContext", "runAsGroup"})), row.at(1));
        EXPECT_EQ(variable(container, "TS_SOCKET"), "/var/run/tailscale/tailscaled.sock");
        EXPECT_NE(container.find("readinessProbe"), nullptr);
    }
    EXPECT_EQ(variable(run.container("api"), "APISERVER_PROXY"), "noauth");
    EXPECT_EQ(run.container("tailscale").find("command"), nullptr);
    EXPECT_EQ(write_json_sorted(*run.container("api").find("command")),
              R"(["tailrender-proxy","api"])");
}

// The pod may write only its state.
TEST(ApiProxyContract, ItsRightsAndConfiguration) {
    const RenderedApiProxy run("apiServerProxyConfig: {mode: true}\nloginServer: https://hs.lan");
    EXPECT_EQ(
        write_json_sorted(*run.root("Role/ts-sys/kube-apiserver-proxy").find("rules")),
        R"([{"apiGroups":[""],"resourceNames":["kube-apiserver-proxy-0"],)"
        R"("resources":["secrets"],"verbs":["get","update","patch"]},)"
        R"({"apiGroups":[""],"resourceNames":["kube-apiserver-proxy-0-config",)"
        R"("kube-apiserver-proxy-0-auth"],"resources":["secrets"],"verbs":["get","watch"]}])");
    EXPECT_EQ(text_of(run.pod().find("serviceAccountName")), "kube-apiserver-auth-proxy");
    const Value& data = *run.root("Secret/ts-sys/kube-apiserver-proxy-0-config").find("data");
    ASSERT_EQ(data.size(), 1U);
    EXPECT_EQ(decode_base64(text_of(data.find("cap-107.hujson"))),
              R"({"Version":"alpha0","Locked":false,"ServerURL":"https://hs.lan",)"
              R"("AuthKey":"file:/etc/tsauth/kube-apiserver-proxy-0/authkey",)"
              R"("Hostname":"tailscale-operator","acceptDNS":false,"acceptRoutes":false,)"
              R"("NoStatefulFiltering":true,"OperatorUser":"api-proxy"})");
}

TEST(ApiProxyContract, ASettingSaysWhatMayPassUnrecorded) {
    const RenderedApiProxy run(
        "apiServerProxyConfig: {mode: true}\n"
        "tailrender: {apiProxyUnrecorded: [nodes/proxy, virtualmachineinstances/console]}");
    EXPECT_EQ(variable(run.container("api"), "TAILRENDER_API_UNRECORDED"),
              "nodes/proxy,virtualmachineinstances/console");
}

TEST(ApiProxyContract, ThePodWaitsLongerThanItsSessions) {
    const RenderedApiProxy run("apiServerProxyConfig: {mode: true}");
    EXPECT_EQ(variable(run.container("api"), "TAILRENDER_API_GRACE_SECONDS"), "25");
    EXPECT_EQ(spelling_of(run.pod().find("terminationGracePeriodSeconds")), "40");
    const Value* wait = run.container("tailscale").at({"lifecycle", "preStop", "exec", "command"});
    ASSERT_NE(wait, nullptr);
    const Value* port = run.container("api").find("ports")->items()[0].find("containerPort");
    EXPECT_NE(text_of(wait->items()[2]).find(fmt::format(":{:04X} ", *port->as_int())),
              std::string_view::npos);
}

// Variables for the cluster's network are passed on, but none that changes the settings of
// containerboot.
TEST(ApiProxyContract, TailscaledGetsTheUsersVariables) {
    const RenderedApiProxy run(
        "apiServerProxyConfig: {mode: true}\n"
        "operatorConfig: {extraEnv: [{name: HTTPS_PROXY, value: a}, {name: HTTPS_PROXY, value: b}, "
        "{name: TS_DEBUG_ACME_DIRECTORY_URL, value: c}, {name: TS_HOSTNAME, value: d}, {name: "
        "EXPERIMENTAL_X, value: e}, {name: TS_NO_LOGS_NO_SUPPORT, value: 'true'}, "
        "{name: TS_SOCKS5_SERVER, value: f}, {name: TS_OUTBOUND_HTTP_PROXY_LISTEN, value: g}, "
        "{name: TS_TAILSCALED_EXTRA_ARGS, value: h}]}");
    const Value& tailscale = run.container("tailscale");
    EXPECT_EQ(variable(tailscale, "HTTPS_PROXY"), "b");
    EXPECT_EQ(variable(tailscale, "TS_DEBUG_ACME_DIRECTORY_URL"), "c");
    EXPECT_EQ(variable(tailscale, "TS_NO_LOGS_NO_SUPPORT"), "true");
    EXPECT_EQ(variable(tailscale, "TS_HOSTNAME") + variable(tailscale, "EXPERIMENTAL_X"), "");
    for (const std::string_view listens :
         {"TS_SOCKS5_SERVER", "TS_OUTBOUND_HTTP_PROXY_LISTEN", "TS_TAILSCALED_EXTRA_ARGS"}) {
        EXPECT_EQ(variable(tailscale, listens), "") << listens;
    }
    EXPECT_EQ(variable(run.container("api"), "HTTPS_PROXY"), "");
}

}  // namespace
}  // namespace renderer::generate
