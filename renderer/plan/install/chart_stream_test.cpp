#include "renderer/plan/install/chart_stream.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "renderer/core/json.h"
#include "renderer/plan/install/controller.h"
#include "renderer/plan/install/install_testing.h"

namespace renderer::plan {
namespace {

constexpr std::array<std::string_view, 3> kStreams = {
    "chart-streams/default.yaml", "chart-streams/ozilab.yaml", "chart-streams/with-crds.yaml"};

const Object* find(const Plan& plan, std::string_view name) {
    const auto found = std::ranges::find_if(
        plan.replacements, [&](const Object& object) { return object.object_name() == name; });
    return found == plan.replacements.end() ? nullptr : &*found;
}

TEST(PlanChartStream, LosesNothingThatHelmManages) {
    for (const std::string_view stream : kStreams) {
        SCOPED_TRACE(stream);
        const Installed run(read_testdata(stream), Mode::Stream);
        EXPECT_FALSE(run.diagnostics.has_errors()) << run.dump();
        const std::vector<std::string> cut = run.cut();
        std::vector<std::string> want = {"ClusterRole/tailscale-operator",
                                         "Role/tailscale/operator",
                                         "Deployment/tailscale/operator"};
        if (stream == "chart-streams/ozilab.yaml") {  // which has the operator serve the API
            want.insert(want.begin() + 1, "ClusterRoleBinding/tailscale-auth-proxy");
        }
        EXPECT_EQ(cut, want);
        for (const std::string& name : cut) {
            EXPECT_NE(find(run.plan, name), nullptr) << name;
        }
        EXPECT_EQ(run.plan.replacements.size(), cut.size());
        EXPECT_EQ(run.plan.edits.size(), cut.size());
        EXPECT_FALSE(run.plan.install.has_value());
    }
}

TEST(PlanChartStream, TheDeploymentKeepsEveryFieldButTheContractsOnes) {
    for (const std::string_view stream : kStreams) {
        SCOPED_TRACE(stream);
        Installed run(read_testdata(stream), Mode::Stream);
        const Object* made = find(run.plan, "Deployment/tailscale/operator");
        ASSERT_NE(made, nullptr);
        Value ours = made->root.clone();
        Value theirs = load::read_document(run.loaded, *run.inventory.stock_operator.deployment,
                                           run.diagnostics);
        for (Value* root : {&ours, &theirs}) {
            Value& container =
                root->find("spec")->find("template")->find("spec")->find("containers")->items()[0];
            for (const std::string_view key : {"image", "imagePullPolicy", "args", "env", "ports",
                                               "livenessProbe", "readinessProbe"}) {
                container.erase(key);
            }
        }
        EXPECT_EQ(write_json_sorted(ours), write_json_sorted(theirs));
    }
}

TEST(PlanChartStream, TheDeploymentRunsTheController) {
    const Installed run(read_testdata(kStreams[1]), Mode::Stream);
    const Object* made = find(run.plan, "Deployment/tailscale/operator");
    ASSERT_NE(made, nullptr);
    const Value& container = made->root.at({"spec", "template", "spec", "containers"})->items()[0];
    EXPECT_EQ(container.find("image")->text(),
              "registry.example.com/tailrender-runtime:v" TAILRENDER_VERSION);
    EXPECT_EQ(*container.find("env"), controller_env(run.plan.settings));
    const std::string env = write_json_sorted(*container.find("env"));
    EXPECT_NE(env.find(R"("value":"tag:k8s,tag:ozilab")"), std::string::npos);
    EXPECT_NE(env.find(R"("value":"debug")"), std::string::npos);
    EXPECT_EQ(operator_container(made->root), nullptr) << "a second run must find no operator";
}

TEST(PlanChartStream, RolesKeepTheirMetadataAndGetOurRules) {
    const Installed run(read_testdata(kStreams[0]), Mode::Stream);
    const Object* cluster = find(run.plan, "ClusterRole/tailscale-operator");
    const Object* local = find(run.plan, "Role/tailscale/operator");
    ASSERT_NE(cluster, nullptr);
    ASSERT_NE(local, nullptr);
    EXPECT_EQ(*cluster->root.find("rules"), controller_cluster_rules());
    EXPECT_EQ(*local->root.find("rules"), controller_rules(run.plan.settings));
    EXPECT_EQ(local->ns(), "tailscale");
}

TEST(PlanChartStream, TheControllerMayNotImpersonate) {
    const Installed run(read_testdata("chart-streams/ozilab.yaml"), Mode::Stream);
    const Object* made = find(run.plan, "ClusterRoleBinding/tailscale-auth-proxy");
    ASSERT_NE(made, nullptr);
    EXPECT_EQ(write_json_sorted(*made->root.find("subjects")),
              R"([{"kind":"ServiceAccount","name":"kube-apiserver-auth-proxy",)"
              R"("namespace":"tailscale"}])");
}

TEST(PlanChartStream, TheAccountThatImpersonatesMovesToANamespaceOfItsOwn) {
    std::string stream = read_testdata("chart-streams/ozilab.yaml");
    stream.insert(stream.find("roleRef:"),
                  "- {kind: User, name: jane}\n"
                  "- {kind: ServiceAccount, name: ours, namespace: apps}\n");
    const Installed run(stream, Mode::Stream, "tailrender: {apiProxyNamespace: tailscale-api}");
    EXPECT_EQ(run.dump(), "");
    const Object* binding = find(run.plan, "ClusterRoleBinding/tailscale-auth-proxy");
    ASSERT_NE(binding, nullptr);
    EXPECT_EQ(write_json_sorted(*binding->root.find("subjects")),
              R"([{"kind":"ServiceAccount","name":"kube-apiserver-auth-proxy",)"
              R"("namespace":"tailscale-api"},{"kind":"User","name":"jane"},)"
              R"({"kind":"ServiceAccount","name":"ours","namespace":"apps"}])");
    EXPECT_NE(find(run.plan, "ServiceAccount/tailscale-api/kube-apiserver-auth-proxy"), nullptr);
    const std::vector<std::string> cut = run.cut();
    EXPECT_NE(std::ranges::find(cut, "ServiceAccount/tailscale/kube-apiserver-auth-proxy"),
              cut.end());
}

TEST(PlanChartStream, ValuesWinOverTheEnv) {
    const Installed run(read_testdata(kStreams[1]), Mode::Stream,
                        "operatorConfig: {logging: info}\ntailrender: {image: {tag: edge}}");
    const std::string made =
        write_json_sorted(find(run.plan, "Deployment/tailscale/operator")->root);
    EXPECT_NE(made.find(R"({"name":"OPERATOR_LOGGING","value":"info"})"), std::string::npos);
    EXPECT_NE(made.find("registry.example.com/tailrender-runtime:edge"), std::string::npos);
}

TEST(PlanChartStream, AStreamWithoutTheRolesIsAnError) {
    const std::string whole = read_testdata(kStreams[0]);
    const std::string only =
        whole.substr(whole.find("---\n# Source: tailscale-operator/templates/"
                                "deployment.yaml"));
    const Installed run(only, Mode::Stream);
    EXPECT_EQ(run.dump(),
              "5: error [incomplete-operator] the operator is in this stream, but its ClusterRole "
              "\"tailscale-operator\" is not: the controller would have no permissions | render "
              "all templates of the chart at once\n"
              "5: error [incomplete-operator] the operator is in this stream, but its Role "
              "\"operator\" is not: the controller would have no permissions | render all "
              "templates of the chart at once\n");
}

TEST(PlanChartStream, GeneratedObjectsMustLiveWhereTheControllerRuns) {
    const Installed run(read_testdata(kStreams[0]), Mode::Stream, "tailrender: {namespace: other}");
    EXPECT_NE(run.dump().find("[other-namespace]"), std::string::npos);
}

}  // namespace
}  // namespace renderer::plan
