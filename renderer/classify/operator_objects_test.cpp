#include "renderer/classify/operator_objects.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "renderer/load/load.h"

namespace renderer::classify {
namespace {

std::string read_file(const std::string& path) {
    std::ifstream file(path);
    EXPECT_TRUE(file.good()) << path;
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

// Keeps Loaded alive, which Inventory points into.
struct ClassifiedCase {
    Diagnostics diagnostics;
    load::Loaded loaded;
    Inventory inventory;

    explicit ClassifiedCase(std::string stream) {
        repo::LoadOptions options;
        options.stream = std::move(stream);
        loaded = load::load(options, diagnostics);
        classify_operator(loaded, inventory, diagnostics);
    }
    [[nodiscard]] std::vector<std::string> parts() const {
        std::vector<std::string> names;
        for (const Document* document : inventory.stock_operator.parts) {
            names.push_back(document->object_name());
        }
        return names;
    }
    [[nodiscard]] std::string value(std::initializer_list<std::string_view> path) const {
        const Value* found = inventory.stock_operator.values.at(path);
        return found != nullptr && found->is_string() ? std::string(found->text()) : "(none)";
    }
};

TEST(ClassifyReference, TakesEveryDocumentOfTheChartsStream) {
    const ClassifiedCase run(read_file(TESTDATA "/chart-streams/default.yaml"));
    EXPECT_TRUE(run.diagnostics.empty());
    ASSERT_NE(run.inventory.stock_operator.deployment, nullptr);
    EXPECT_EQ(run.inventory.stock_operator.deployment->object_name(),
              "Deployment/tailscale/operator");
    EXPECT_EQ(run.parts().size(), 11U);
    EXPECT_EQ(run.value({"proxyConfig", "defaultTags"}), "tag:k8s");
    EXPECT_EQ(run.value({"proxyConfig", "image", "tag"}), "v1.96.5");
    const Value* enabled = run.inventory.stock_operator.values.at({"ingressClass", "enabled"});
    ASSERT_NE(enabled, nullptr);
    EXPECT_TRUE(enabled->as_bool());
}

TEST(ClassifyReference, ReadsSettingsAtTheirLine) {
    const ClassifiedCase run(read_file(TESTDATA "/chart-streams/ozilab.yaml"));
    EXPECT_EQ(run.value({"proxyConfig", "defaultTags"}), "tag:k8s,tag:ozilab");
    EXPECT_EQ(run.value({"proxyConfig", "firewallMode"}), "nftables");
    EXPECT_EQ(run.value({"operatorConfig", "logging"}), "debug");
    EXPECT_EQ(run.value({"apiServerProxyConfig", "mode"}), "true");
    EXPECT_EQ(run.value({"loginServer"}), "");
    const Value* tags = run.inventory.stock_operator.values.at({"proxyConfig", "defaultTags"});
    EXPECT_EQ(run.loaded.sources.locate(tags->pos()).text,
              "              value: tag:k8s,tag:ozilab");
    EXPECT_EQ(run.parts().size(), 13U);
}

TEST(ClassifyReference, TakesTheCrdsToo) {
    const ClassifiedCase run(read_file(TESTDATA "/chart-streams/with-crds.yaml"));
    EXPECT_EQ(run.parts().size(), 18U);
}

TEST(ClassifyReference, LeavesAloneWhatOnlySharesAName) {
    const ClassifiedCase run(
        "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: operator, namespace: elsewhere}\n"
        "---\n" +
        read_file(TESTDATA "/chart-streams/default.yaml"));
    const std::vector<std::string> parts = run.parts();
    EXPECT_EQ(parts.size(), 11U);
    EXPECT_EQ(std::ranges::count(parts, "ServiceAccount/elsewhere/operator"), 0);
}

TEST(ClassifyReference, FindsNothingInOtherStreams) {
    const ClassifiedCase run(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: operator, namespace: a}\n"
        "spec: {template: {spec: {containers: [{name: operator, image: x}]}}}\n---\n"
        "apiVersion: v1\nkind: Secret\nmetadata: {name: operator-oauth, namespace: a}\n");
    EXPECT_EQ(run.inventory.stock_operator.deployment, nullptr);
    EXPECT_TRUE(run.parts().empty());
    EXPECT_TRUE(run.diagnostics.empty());
}

TEST(ClassifyReference, ASecondOperatorIsAnError) {
    const std::string one =
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: NAME, namespace: a}\n"
        "spec: {template: {spec: {containers: [{env: [{name: OPERATOR_SECRET}, {name: "
        "PROXY_IMAGE}]}]}}}\n";
    const auto named = [&](std::string_view name) {
        std::string text = one;
        return text.replace(text.find("NAME"), 4, name);
    };
    const ClassifiedCase run(named("one") + "---\n" + named("two"));
    ASSERT_EQ(run.diagnostics.all().size(), 1U);
    const Diagnostic& only = run.diagnostics.all().front();
    EXPECT_EQ(only.rule, "second-operator");
    EXPECT_EQ(only.object, "Deployment/a/two");
    ASSERT_EQ(only.notes.size(), 1U);
    EXPECT_EQ(only.notes.front().object, "Deployment/a/one");
}

TEST(ClassifyReference, AnOperatorInAListIsAnError) {
    const ClassifiedCase run(
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: apps/v1\n  kind: Deployment\n"
        "  metadata: {name: x, namespace: a}\n  spec: {template: {spec: {containers: [{env: "
        "[{name: "
        "OPERATOR_SECRET}, {name: PROXY_IMAGE}]}]}}}\n");
    ASSERT_EQ(run.diagnostics.all().size(), 1U);
    EXPECT_EQ(run.diagnostics.all().front().rule, "not-supported");
}

}  // namespace
}  // namespace renderer::classify
