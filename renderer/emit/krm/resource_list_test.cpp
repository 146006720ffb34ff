#include "renderer/emit/krm/resource_list.h"

#include <gtest/gtest.h>

#include "renderer/core/yaml_reader.h"
#include "renderer/emit/test_input.h"
#include "renderer/load/krm/resource_list.h"
#include "renderer/repo/memory_tree_testing.h"

namespace renderer::emit {
namespace {

constexpr std::string_view kHead = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n";

// A loaded ResourceList, and the objects of a run.
struct Given : TestInput {
    explicit Given(const std::string& rest) {
        add_bundle("");
        repo::LoadOptions options;
        options.stream = std::string(kHead) + rest;
        Diagnostics diagnostics;
        const repo::MemoryTree tree;
        (void)load::read_resource_list(tree, options, loaded, diagnostics);
        EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.print(loaded.sources, false);
        loaded.is_stream = true;
        const load::ResourceList& list = *loaded.resource_list;
        for (const RawDocument& range : load::input_items(list)) {
            Document document;
            document.source = list.source;
            document.range = range;
            document.kind = Value("A");
            loaded.documents.push_back(std::move(document));
        }
    }

    [[nodiscard]] std::string items() const {
        Result<std::string> text = emit_items(output());
        return text ? std::move(*text) : text.error().diagnostic.rule;
    }
};

std::string item(const std::string& name, const std::string& annotations = "") {
    return "- apiVersion: v1\n  kind: A\n  metadata:\n    name: " + name + "  # why\n" +
           (annotations.empty() ? "" : "    annotations: {" + annotations + "}\n");
}

constexpr std::string_view kNew =
    "- apiVersion: v1\n  kind: Secret\n  metadata:\n    name: made\n    namespace: shop\n";

TEST(EmitItems, GivenOnesKeepTheirBytesAndNewOnesFollow) {
    Given given("items:\n" + item("a") + item("b"));
    given.add_object("Secret", "shop", "made");
    EXPECT_EQ(given.items(), "items:\n" + item("a") + item("b") + std::string(kNew));
}

TEST(EmitItems, IndentNewItemsLikeTheGivenOnes) {
    Given given("items:\n  - kind: A\n    metadata: {name: a}\n");
    given.add_object("Secret", "", "made");
    EXPECT_EQ(given.items(),
              "items:\n  - kind: A\n    metadata: {name: a}\n"
              "  - apiVersion: v1\n    kind: Secret\n    metadata:\n      name: made\n");
}

TEST(EmitItems, ReplaceCutItemsAtTheirPositions) {
    Given given("items:\n" + item("a") + item("b") + item("c"));
    given.cut(0);
    EXPECT_EQ(given.items(), "items:\n" + item("b") + item("c"));
    given.cut(1);
    Object object;
    object.root = Value::map({{"kind", "B"}, {"metadata", Value::map({{"name", "b"}})}});
    object.origin.pos = given.loaded.sources.pos(0, given.loaded.documents[1].range.begin);
    given.loaded.documents[1].kind = Value("A");
    given.loaded.documents[1].kind.set_pos(object.origin.pos);
    given.plan.replacements.push_back(std::move(object));
    EXPECT_EQ(given.items(), "items:\n- kind: B\n  metadata:\n    name: b\n" + item("c"));
}

TEST(EmitItems, NoneAtAllIsAnEmptyList) {
    EXPECT_EQ(Given("items: []\n").items(), "items: []\n");
}

TEST(EmitItems, NewOnesOfAPackageGetAFile) {
    const std::string given_item = item("a", "config.kubernetes.io/path: a.yaml");
    Given given("items:\n" + given_item);
    given.add_object("Secret", "shop", "made");
    EXPECT_EQ(given.items(), "items:\n" + given_item + std::string(kNew) +
                                 "    annotations:\n"
                                 "      internal.config.kubernetes.io/index: \"0\"\n"
                                 "      internal.config.kubernetes.io/path: "
                                 "rendered/shop/secret_made.yaml\n");
}

TEST(EmitItems, WhatAnEarlierRunMadeKeepsItsFile) {
    const std::string given_item = item("a", "config.kubernetes.io/path: a.yaml");
    Given given("items:\n" + given_item +
                "- apiVersion: v1\n  kind: Secret\n  metadata: {name: made, namespace: shop, "
                "annotations: {config.kubernetes.io/path: rendered/x.yaml, other: y}}\n"
                "- apiVersion: v1\n  kind: Secret\n  metadata: {name: old, namespace: shop, "
                "annotations: {config.kubernetes.io/path: rendered/y.yaml}}\n");
    given.add_object("Secret", "shop", "made");
    EXPECT_EQ(given.items(), "items:\n" + given_item + std::string(kNew) +
                                 "    annotations:\n"
                                 "      config.kubernetes.io/path: rendered/x.yaml\n");
}

TEST(EmitItems, RefuseADuplicateObject) {
    Given given("items:\n- {apiVersion: v1, kind: Secret, metadata: {name: made}}\n");
    given.loaded.documents.clear();
    given.add_object("Secret", "", "made");
    EXPECT_EQ(given.items(), "duplicate-object");
}

TEST(EmitItems, APathOfAPackageStaysInIt) {
    struct Row {
        const char *ns, *name;
    };
    for (const Row& row : {Row{"..", "made"}, Row{"a/../..", "made"}, Row{"shop", "../../made"},
                           Row{"shop", "a\nb"}, Row{".git", "made"}}) {
        Given package("items:\n" + item("a", "config.kubernetes.io/path: a.yaml"));
        package.add_object("Secret", row.ns, row.name);
        EXPECT_EQ(package.items(), "unsafe-path") << row.ns << " " << row.name;
    }
}

TEST(WrapItems, TheConfigurationGoesBackUnlessTheRunFailed) {
    const Given given("items: []\nfunctionConfig: {apiVersion: v1, kind: ConfigMap}\n");
    Diagnostics none;
    EXPECT_EQ(
        wrap_items(given.loaded, "items: []\n", none),
        std::string(kHead) + "items: []\nfunctionConfig:\n  apiVersion: v1\n  kind: ConfigMap\n");
    Diagnostics error;
    error.add({.rule = "some-rule", .where = "x", .message = "wrong"});
    EXPECT_EQ(wrap_items(given.loaded, "items: []\n", error),
              std::string(kHead) +
                  "items: []\nresults:\n- message: wrong\n  severity: error\n  tags:\n    "
                  "rule: some-rule\n    where: x\n");
}

TEST(WrapItems, AResultNamesTheFieldButNoValueOfASecret) {
    const std::string text =
        "items:\n- apiVersion: v1\n  kind: Secret\n  metadata: {name: a}\n  type: hunter2\n";
    const Given given(text);
    const std::size_t at = given.loaded.sources.text(0).find("hunter2");
    for (const std::string object : {"Secret/a", "ConfigMap/a"}) {
        Diagnostics diagnostics;
        diagnostics.add({.severity = Severity::Warning,
                         .rule = "some-rule",
                         .pos = given.loaded.sources.pos(0, at),
                         .object = object,
                         .message = "wrong",
                         .found = "\"hunter2\""});
        const std::string out = wrap_items(given.loaded, "items: []\n", diagnostics);
        EXPECT_NE(out.find("path: type"), std::string::npos) << out;
        EXPECT_EQ(out.find("hunter2") == std::string::npos, object == "Secret/a") << out;
    }
}

TEST(WrapItems, WhatCameInIsGivenBackAfterAnError) {
    const Given given("items:\n" + item("a"));
    EXPECT_EQ(unchanged_items(given.loaded),
              "items:\n- apiVersion: v1\n  kind: A\n  metadata:\n    name: a\n");
    EXPECT_EQ(unchanged_items(load::Loaded()), "items: []\n");
}

}  // namespace
}  // namespace renderer::emit
