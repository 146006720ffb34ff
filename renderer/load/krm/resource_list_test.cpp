#include "renderer/load/krm/resource_list.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "renderer/repo/memory_tree_testing.h"

namespace renderer::load {
namespace {

struct ReadList {
    repo::LoadOptions options;
    Loaded loaded;
    std::string diagnostics;

    explicit ReadList(std::string text) {
        options.stream = std::move(text);
        Diagnostics found;
        const repo::MemoryTree tree;
        (void)read_resource_list(tree, options, loaded, found);
        diagnostics = found.print(loaded.sources, false);
    }

    // Returns the bytes of each item that is read, without the dash.
    [[nodiscard]] std::vector<std::string> inputs() const {
        std::vector<std::string> texts;
        for (const RawDocument& range : input_items(*loaded.resource_list)) {
            const std::string_view text = loaded.sources.text(loaded.resource_list->source);
            texts.emplace_back(text.substr(range.begin, range.end - range.begin));
        }
        return texts;
    }
};

constexpr std::string_view kHead = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n";

std::string list(std::string_view rest) {
    return fmt::format("{}{}", kHead, rest);
}

std::string annotated(std::string_view name, std::string_view annotations) {
    return fmt::format("- kind: A\n  metadata: {{name: {}, annotations: {{{}}}}}\n", name,
                       annotations);
}

TEST(ReadResourceList, AnItemIsADocumentAtItsPosition) {
    const ReadList read(
        list("items:\n- kind: A  # one\n  x: 1\n-   kind: B\n    x: |\n      - no item\n"
             "results: []\n"));
    EXPECT_EQ(read.diagnostics, "");
    EXPECT_EQ(read.inputs(),
              (std::vector<std::string>{"  kind: A  # one\n  x: 1\n",
                                        "    kind: B\n    x: |\n      - no item\n"}));
    EXPECT_EQ(read.loaded.resource_list->dash_column, 0U);
    EXPECT_TRUE(read.options.stream.has_value()) << "the items are what is rendered";
}

// kyaml puts the dash in front of the comment with which a document begins.
TEST(ReadResourceList, CommentsAboveTheFirstKeyBelongToTheItem) {
    const ReadList read(
        list("items:\n- # one\n  # two\n\n  kind: 'A'\n  x: {y: 0x10}\n- # three\n  kind: B\n"
             "# end\nresults: []\n"));
    EXPECT_EQ(read.diagnostics, "");
    EXPECT_EQ(read.inputs(),
              (std::vector<std::string>{"  # one\n  # two\n\n  kind: 'A'\n  x: {y: 0x10}\n",
                                        "  # three\n  kind: B\n# end\n"}));
}

TEST(ReadResourceList, PlacesOfAPackageAreFilesAndPositions) {
    const ReadList read(list("items:\n" +
                             annotated("a",
                                       "internal.config.kubernetes.io/path: a.yaml, "
                                       "internal.config.kubernetes.io/index: '3'") +
                             annotated("b", "config.kubernetes.io/path: b.yaml") +
                             annotated("c", "") + "functionConfig: {kind: TailscaleRender}\n"));
    const SourceMap& sources = read.loaded.sources;
    std::vector<std::string> places;
    for (const ListItem& item : read.loaded.resource_list->items) {
        places.push_back(sources.describe(sources.pos(0, item.range.begin + 3)));
    }
    EXPECT_EQ(places, (std::vector<std::string>{"a.yaml[3]", "b.yaml[0]", "items[2]"}));
    EXPECT_EQ(read.diagnostics.substr(0, 23), "functionConfig: error: ");
}

TEST(ReadResourceList, OtherSpellingsAreRewrittenFirst) {
    const std::vector<std::string> rows = {
        "{\"apiVersion\": \"config.kubernetes.io/v1\", \"kind\": \"ResourceList\", \"items\": "
        "[{\"kind\": \"A\"}, {\"kind\": \"B\"}]}",
        list("items: [{kind: A}, {kind: B}]\n"),
        list("items:\n- &a {kind: A}\n- kind: B\nresults: [*a]\n"),
        list("items:\n-\n  kind: A\n-\n  kind: B\n"),
    };
    for (const std::string& row : rows) {
        const ReadList read(row);
        EXPECT_EQ(read.diagnostics, "") << row;
        const std::vector<std::string> inputs = read.inputs();
        ASSERT_EQ(inputs.size(), 2U) << row;
        EXPECT_NE(inputs[0].find("kind: A"), std::string::npos) << inputs[0];
        EXPECT_NE(inputs[1].find("kind: B"), std::string::npos) << inputs[1];
    }
}

TEST(ReadResourceList, AnItemGetsTheValueOfAnAnchorInAnotherItem) {
    const ReadList read(list("items:\n- kind: A\n  x: &x {z: 1}\n- kind: B\n  x: *x\n"));
    EXPECT_EQ(read.diagnostics, "");
    ASSERT_EQ(read.inputs().size(), 2U);
    EXPECT_NE(read.inputs()[1].find("z: 1"), std::string::npos) << read.inputs()[1];
}

TEST(ReadResourceList, LocalItemsAreFactsAndEarlierOutputIsNoInput) {
    const ReadList read(list(
        "items:\n" + annotated("a", "config.kubernetes.io/path: a.yaml") +
        annotated("b",
                  "config.kubernetes.io/local-config: 'true', config.kubernetes.io/path: b.yaml") +
        annotated("c",
                  "internal.config.kubernetes.io/path: rendered/c.yaml, "
                  "config.kubernetes.io/path: c.yaml")));
    EXPECT_EQ(read.diagnostics, "");
    const ResourceList& got = *read.loaded.resource_list;
    EXPECT_TRUE(got.is_package);
    ASSERT_EQ(got.items.size(), 3U);
    EXPECT_FALSE(got.items[0].is_local || got.items[0].is_ours);
    EXPECT_TRUE(got.items[1].is_local);
    EXPECT_TRUE(got.items[2].is_ours) << "the internal annotation wins";
    EXPECT_EQ(read.inputs().size(), 2U);
}

TEST(ReadResourceList, ItemsOfKustomizeAreNoPackage) {
    const ReadList read(list("items:\n" + annotated("a",
                                                    "kustomize.config.k8s.io/id: '1', "
                                                    "config.kubernetes.io/path: rendered/a.yaml")));
    EXPECT_FALSE(read.loaded.resource_list->is_package);
    EXPECT_FALSE(read.loaded.resource_list->items[0].is_ours);
}

TEST(ReadResourceList, FlagsWinOverTheConfiguration) {
    ReadList read(
        list("items: []\nfunctionConfig:\n  apiVersion: tailrender.dev/v1alpha1\n"
             "  kind: TailscaleRender\n  spec: {repo: fleet, cluster: home}\n"));
    EXPECT_EQ(read.options.path, "fleet");
    EXPECT_EQ(read.options.cluster, "home");
    EXPECT_FALSE(read.options.stream.has_value()) << "a directory is what is rendered";
}

TEST(ReadResourceList, OtherInputIsRefused) {
    const std::vector<std::pair<std::string, std::string>> rows = {
        {"", "[not-resource-list]"},
        {"kind: Service\n", "\"tailrender post-render\""},
        {"apiVersion: config.kubernetes.io/v2\nkind: ResourceList\nitems: []\n",
         "[not-resource-list]"},
        {list(""), "found: none"},
        {list("items: {}\n"), "\"items\" of a ResourceList must be a list"},
        {list("items: [a]\n"), "an item of a ResourceList must be an object"},
        {list("items:\n-\n"), "an item of a ResourceList must be an object"},
        {list("itmes: []\nitems: []\n"), "[unknown-key]"},
        {list("items: ["), "<stdin>:3:"},
        {list("items:\n- kind: A\n  metadata: {annotations: {config.kubernetes.io/local-config: "
              "'true'}}\n"),
         "[nothing-to-render]"},
        {list("items: []\nfunctionConfig: {apiVersion: v1, kind: ConfigMap, data: {output: "
              "../x}}\n"),
         "[invalid-output]"},
    };
    for (const auto& [text, want] : rows) {
        const ReadList read(text);
        EXPECT_NE(read.diagnostics.find(want), std::string::npos) << text << "\n"
                                                                  << read.diagnostics;
    }
}

}  // namespace
}  // namespace renderer::load
