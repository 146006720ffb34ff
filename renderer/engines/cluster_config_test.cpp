#include "renderer/engines/cluster_config.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "renderer/core/json.h"
#include "renderer/repo/memory_tree_testing.h"

namespace renderer::engines {
namespace {

std::string load_config(std::string text, std::string name = "") {
    const repo::MemoryTree tree(
        text.empty() ? std::map<std::string, std::string>{{"a.yaml", ""}}
                     : std::map<std::string, std::string>{{".tailrender.yaml", std::move(text)}});
    repo::LoadOptions options;
    options.path = ".";
    options.cluster = std::move(name);
    SourceMap sources;
    Diagnostics diagnostics;
    const Cluster cluster = load_cluster(tree, options, sources, diagnostics);
    std::string out = fmt::format("{}{}", cluster.name, cluster.configured ? " configured" : "");
    for (const auto& [key, value] : cluster.labels) {
        out += fmt::format(" {}={}", key, value);
    }
    for (const BundleGlob& glob : cluster.bundles) {
        out += fmt::format(" {}@{}", glob.pattern, sources.describe(glob.pos));
    }
    for (const Value& layer : cluster.layers) {
        out += " " + write_json(layer);
    }
    return out + "\n" + diagnostics.print(sources, false);
}

TEST(ClusterConfig, WithoutAFile) {
    EXPECT_EQ(load_config(""), "\n");
    EXPECT_EQ(load_config("", "home"), "home\n");
}

TEST(ClusterConfig, Whole) {
    EXPECT_EQ(
        load_config("clusters:\n"
                    "  - name: home\n"
                    "    labels: {env: prod}\n"
                    "    bundles: [apps/, infra/*]\n"
                    "    clusterDomain: cluster.example\n"
                    "    tailnetDomain: x.ts.net\n"
                    "    values: {loginServer: a, tailrender: {secrets: generate}}\n",
                    "home"),
        "home configured env=prod apps@.tailrender.yaml:4:15 infra/*@.tailrender.yaml:4:22 "
        "{\"tailrender\":{\"clusterDomain\":\"cluster.example\",\"tailnetDomain\":\"x.ts.net\"}} "
        "{\"loginServer\":\"a\",\"tailrender\":{\"secrets\":\"generate\"}}\n");
}

// Each flag that says what is applied has a key, for all clusters and for one.
TEST(ClusterConfig, KeysOfFlags) {
    const repo::MemoryTree tree({{".tailrender.yaml",
                                  "include: [a]\n"
                                  "ignore: [b]\n"
                                  "sources: {GitRepository/a: a}\n"
                                  "charts: [vendor/]\n"
                                  "substitute: {A: one}\n"
                                  "argoClusters: [one]\n"
                                  "clusters:\n"
                                  "  - name: home\n"
                                  "    include: [c]\n"
                                  "    ignore: [d]\n"
                                  "    sources: {GitRepository/b: b}\n"
                                  "    charts: [more]\n"
                                  "    substitute: {B: two}\n"
                                  "    argoClusters: [two]\n"},
                                 {"vendor/zoo/Chart.yaml", ""},
                                 {"more/ape-1.0.0.tgz", ""}});
    repo::LoadOptions options;
    options.path = ".";
    SourceMap sources;
    Diagnostics diagnostics;
    const Cluster cluster = load_cluster(tree, options, sources, diagnostics);
    EXPECT_EQ(diagnostics.print(sources, false), "");
    const auto paths = [](const std::vector<NamedPath>& named) {
        std::string out;
        for (const NamedPath& one : named) {
            out += one.path + " ";
        }
        return out;
    };
    EXPECT_EQ(paths(cluster.includes), "a c ");
    EXPECT_EQ(paths(cluster.ignores), "b d ");
    ASSERT_EQ(cluster.sources.size(), 2U);
    EXPECT_EQ(cluster.sources[0].key, "GitRepository/b");
    EXPECT_EQ(cluster.substitutes,
              (std::map<std::string, std::string>{{"A", "one"}, {"B", "two"}}));
    EXPECT_EQ(cluster.argo_clusters, (std::vector<std::string>{"two", "one"}));
    give_facts(cluster, options);
    EXPECT_EQ(options.configured_chart_dirs, (std::vector<std::string>{"vendor", "more"}));
}

TEST(ClusterConfig, Errors) {
    EXPECT_EQ(load_config("clusters: []\n"),
              " configured\n"
              ".tailrender.yaml:1:1: error: no clusters [invalid-cluster]\n"
              "    1 | clusters: []\n"
              "      | ^\n"
              "  expected: clusters: [{name: home}]\n"
              "  hint: add one, or remove .tailrender.yaml\n");
    EXPECT_EQ(
        load_config("clusters: [{labels: {a: b}}]\n"),
        " configured\n"
        ".tailrender.yaml:1:12: error: a cluster needs a name that is valid as a directory name "
        "[invalid-cluster]\n"
        "    1 | clusters: [{labels: {a: b}}]\n"
        "      |            ^\n"
        "  found: \"\"\n"
        "  expected: name: home\n");
    EXPECT_EQ(
        load_config("clusters: [{name: a, labels: {a: 1}}]\n"),
        " configured\n"
        ".tailrender.yaml:1:34: error: \"clusters.labels.a\" has the wrong type [wrong-type]\n"
        "    1 | clusters: [{name: a, labels: {a: 1}}]\n"
        "      |                                  ^\n"
        "  found: a number\n"
        "  expected: a string\n"
        "  hint: write a: \"1\"\n");
    EXPECT_EQ(load_config("- a\n"),
              " configured\n"
              ".tailrender.yaml:1:1: error: .tailrender.yaml must be a map [wrong-type]\n"
              "    1 | - a\n"
              "      | ^\n"
              "  found: a list\n"
              "  expected: a map\n"
              "  hint: remove the \"- \" before each key, and write \"key: value\"\n");
    EXPECT_EQ(load_config("clusters: [{name: a}]\n", "b"),
              "b configured\n"
              "--cluster: error: cluster \"b\" not found [unknown-cluster]\n"
              "  expected: \"a\"\n"
              "  hint: did you mean \"a\"?\n"
              ".tailrender.yaml:1:12: note: clusters are listed here\n");
}

}  // namespace
}  // namespace renderer::engines
