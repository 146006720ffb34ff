#include "renderer/load/krm/function_config.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "renderer/core/yaml_reader.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/repo/memory_tree_testing.h"

namespace renderer::load {
namespace {

struct Read {
    FunctionConfig config;
    std::string layers;  // one YAML document per layer
    std::string diagnostics;
};

Read read(std::string text, std::map<std::string, std::string> files = {}) {
    SourceMap sources;
    Diagnostics diagnostics;
    const SourceId source = sources.add("<stdin>", std::move(text));
    const Value root = read_yaml(sources, source, diagnostics);
    const repo::MemoryTree tree(std::move(files));
    Read result;
    result.config = read_function_config(tree, root, sources, diagnostics);
    for (const Value& layer : result.config.layers) {
        write_yaml(layer, result.layers);
        result.layers += "---\n";
    }
    result.diagnostics = diagnostics.print(sources, false);
    return result;
}

std::string own(const std::string& spec) {
    return "apiVersion: tailrender.dev/v1alpha1\nkind: TailscaleRender\nspec:\n" + spec;
}

std::string config_map(const std::string& data) {
    return "apiVersion: v1\nkind: ConfigMap\ndata:\n" + data;
}

TEST(FunctionConfig, NoneMeansTheDefaults) {
    const Read result = read("");
    EXPECT_EQ(result.diagnostics, "");
    EXPECT_EQ(result.config.repo, "");
    EXPECT_FALSE(result.config.validate);
    EXPECT_TRUE(result.config.layers.empty());
}

TEST(FunctionConfig, OurKindAndAConfigMapSayTheSame) {
    const std::map<std::string, std::string> files = {{"v.yaml", "a: {b: file}\n"}};
    const Read ours = read(own("  repo: fleet\n  cluster: home\n  namespace: shop\n"
                               "  kubernetesVersion: '1.33'\n  output: made\n  validate: true\n"
                               "  context: [one, two]\n  valuesFiles: [v.yaml]\n"
                               "  values: {a: {b: inline}}\n  set: [a.b=set]\n"),
                           files);
    const Read map = read(config_map("  repo: fleet\n  cluster: home\n  namespace: shop\n"
                                     "  kubernetesVersion: '1.33'\n  output: made\n"
                                     "  validate: 'true'\n  context: |\n    one\n    two\n"
                                     "  valuesFiles: v.yaml\n  values: 'a: {b: inline}'\n"
                                     "  set: a.b=set\n"),
                          files);
    for (const Read* result : {&ours, &map}) {
        EXPECT_EQ(result->diagnostics, "");
        EXPECT_EQ(result->config.repo, "fleet");
        EXPECT_EQ(result->config.cluster, "home");
        EXPECT_EQ(result->config.ns, "shop");
        EXPECT_EQ(result->config.kubernetes_version, "1.33");
        EXPECT_EQ(result->config.output, "made");
        EXPECT_EQ(result->config.context_dirs, (std::vector<std::string>{"one", "two"}));
        EXPECT_TRUE(result->config.validate);
        EXPECT_EQ(result->layers, "a:\n  b: file\n---\na:\n  b: inline\n---\na:\n  b: set\n---\n")
            << "the later wins";
    }
}

TEST(FunctionConfig, ScalarsOfAConfigMapMayBeAnything) {
    const Read result = read(config_map("  kubernetesVersion: 1.33\n  validate: true\n"));
    EXPECT_EQ(result.diagnostics, "");
    EXPECT_EQ(result.config.kubernetes_version, "1.33");
    EXPECT_TRUE(result.config.validate);
}

TEST(FunctionConfig, MistakesAreReported) {
    const std::vector<std::pair<std::string, std::string>> rows = {
        {"apiVersion: example.com/v1\nkind: Other\n", "[function-config]"},
        {"apiVersion: tailrender.dev/v1\nkind: TailscaleRender\n", "[function-config]"},
        {"[]", "[function-config]"},
        {own("  valeus: {}\n"), "did you mean \"values\"?"},
        {own("  values: text\n"), "[wrong-type]"},
        {own("  set: a=b\n"), "[wrong-type]"},
        {own("  validate: 'true'\n"), "[wrong-type]"},
        {own("  valuesFiles: [absent.yaml]\n"), "[unreadable]"},
        {own("  set: ['=']\n"), "error"},
        {config_map("  repos: x\n"), "did you mean \"repo\"?"},
        {config_map("  values: {a: b}\n"), "\"values\" of a ConfigMap has the wrong type"},
        {config_map("  values: '[]'\n"), "\"values\" has the wrong type"},
        {config_map("  values: '{'\n"), "<stdin>:data.values:1:"},
        {config_map("  validate: maybe\n"), "\"true\" or \"false\""},
    };
    for (const auto& [text, want] : rows) {
        const std::string diagnostics = read(text).diagnostics;
        EXPECT_NE(diagnostics.find(want), std::string::npos) << text << "\n" << diagnostics;
    }
}

}  // namespace
}  // namespace renderer::load
