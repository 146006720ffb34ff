#include "renderer/engines/kustomize/plug_ins.h"

#include <gtest/gtest.h>

#include <map>

#include "renderer/repo/memory_tree_testing.h"

namespace renderer::engines {
namespace {

std::string foreign(const std::map<std::string, std::string>& files, const std::string& entry) {
    const repo::MemoryTree tree(files);
    SourceMap sources;
    KustomizationReader reader(tree, sources);
    return foreign_plug_in(tree, reader, "app", entry);
}

constexpr const char* kPrefix =
    "apiVersion: builtin\nkind: PrefixTransformer\nmetadata: {name: p}\nprefix: a-\n";
constexpr const char* kRun = "apiVersion: example.com/v1\nkind: Run\nmetadata: {name: r}\n";
constexpr const char* kPlugInChart =
    "apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: c}\n";
constexpr const char* kFunction =
    "apiVersion: builtin\nkind: PrefixTransformer\nmetadata:\n  name: f\n  annotations:\n"
    "    config.kubernetes.io/function: |\n      exec: {path: ./run}\n";

TEST(PlugIns, AreBuiltinInAllDocumentsOfAFile) {
    const std::string separator = "---\n";
    const std::pair<std::string, bool> rows[] = {
        {kPrefix, true},
        {kPrefix + separator + kPrefix, true},
        {"# apiVersion: builtin\n" + std::string(kRun), false},
        {kPrefix + separator + kRun, false},
        {kRun + std::string("note: |\n  apiVersion: builtin\n"), false},
        {kPlugInChart, false},
        {kFunction, false},
        {"apiVersion: v1\nkind: List\nitems: [{apiVersion: builtin, kind: PrefixTransformer}]\n",
         false},
        {"{apiVersion: builtin, kind: PrefixTransformer, metadata: {name: p}}", true},
        {"apiVersion: builtin\nkind: [", false},
        {"", false},
    };
    for (const auto& [text, builtin] : rows) {
        EXPECT_EQ(foreign({{"app/p.yaml", text}}, "p.yaml"), builtin ? "" : "app/p.yaml") << text;
    }
}

TEST(PlugIns, AreJudgedInTheEntryItself) {
    EXPECT_EQ(foreign({}, kPrefix), "");
    EXPECT_EQ(foreign({}, kRun), "Run");
    EXPECT_EQ(foreign({}, kPrefix + std::string("---\n") + kPlugInChart),
              "HelmChartInflationGenerator");
    EXPECT_EQ(foreign({}, kFunction), "PrefixTransformer");
    EXPECT_EQ(foreign({}, "{apiVersion: example.com/v1, kind: Run}"), "Run");
}

TEST(PlugIns, OfADirectoryAreBuiltinInAllOfIt) {
    std::map<std::string, std::string> files = {
        {"plug/kustomization.yaml", "resources: [p.yaml, more]\n"},
        {"plug/p.yaml", kPrefix},
        {"plug/more/kustomization.yaml", "resources: [p.yaml]\n"},
        {"plug/more/p.yaml", kPrefix}};
    EXPECT_EQ(foreign(files, "../plug"), "");
    files["plug/more/p.yaml"] = kRun;
    EXPECT_EQ(foreign(files, "../plug"), "plug");
    files["plug/more/p.yaml"] = kPrefix;
    files["plug/kustomization.yaml"] += "patches: [{patch: x}]\n";
    EXPECT_EQ(foreign(files, "../plug"), "plug");
    files["plug/kustomization.yaml"] = "resources: [../plug]\n";
    EXPECT_EQ(foreign(files, "../plug"), "plug");
    files.erase("plug/kustomization.yaml");
    EXPECT_EQ(foreign(files, "../plug"), "plug");
}

// kustomize itself reports missing files.
TEST(PlugIns, MayBeAbsent) {
    EXPECT_EQ(foreign({}, "absent.yaml"), "");
}

}  // namespace
}  // namespace renderer::engines
