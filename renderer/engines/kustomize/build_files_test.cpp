#include "renderer/engines/kustomize/build_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "renderer/repo/memory_tree_testing.h"

namespace renderer::engines {
namespace {

// Returns "a, b", and the other results for the files.
std::string files_found(const repo::MemoryTree& tree, const std::string& dir) {
    SourceMap sources;
    KustomizationReader reader(tree, sources);
    const BuildFiles files = find_build_files(tree, reader, ".", dir);
    return fmt::format("{}{}{}", fmt::join(files.paths, ", "),
                       files.mentions_tailscale ? "; mentioned" : "",
                       files.leaves_root ? "; leaves the root" : "");
}

const std::map<std::string, std::string> kFiles = {
    {"a/kustomization.yaml",
     "namespace: base\n"
     "resources: [x.yaml, ../base, https://example.com/x.yaml, absent.yaml]\n"
     "patches: [{path: p.yaml, target: {kind: Service}}]\n"
     "configMapGenerator: [{name: c, files: [key=c.ini]}]\n"
     "helmCharts: [{name: chart, valuesFile: values.yaml}]\n"},
    {"a/x.yaml", ""},
    {"a/p.yaml", ""},
    {"a/c.ini", ""},
    {"a/values.yaml", ""},
    {"a/base/not-named.yaml", "tailscale"},
    {"a/unused.yaml", "tailscale"},
    {"base/Kustomization", "components: [../component]\nresources: [../a]\n"},
    {"component/kustomization.yml", "kind: Component\n"}};

TEST(BuildFiles, AreAllThatAKustomizationNames) {
    EXPECT_EQ(files_found(repo::MemoryTree(kFiles), "a"),
              "a/c.ini, a/kustomization.yaml, a/p.yaml, a/values.yaml, a/x.yaml, "
              "base/Kustomization, component/kustomization.yml");
}

TEST(BuildFiles, MentionTailscaleInAnyOfThem) {
    for (const char* path : {"a/p.yaml", "a/values.yaml", "component/kustomization.yml"}) {
        auto files = kFiles;
        files[path] += "# tailscale\n";
        EXPECT_TRUE(files_found(repo::MemoryTree(files), "a").ends_with("; mentioned")) << path;
    }
    auto files = kFiles;
    files["a/kustomization.yaml"] += "secretGenerator: [{name: operator-oauth, envs: [x.env]}]\n";
    EXPECT_TRUE(files_found(repo::MemoryTree(files), "a").ends_with("; mentioned"));
}

TEST(BuildFiles, OfADirectoryWithoutAKustomizationAreAllInIt) {
    const repo::MemoryTree tree({{"a/kustomization.yaml", "helmGlobals: {chartHome: charts}\n"},
                                 {"a/charts/web/Chart.yaml", ""},
                                 {"a/charts/web/templates/t.yaml", "tailscale"}});
    EXPECT_EQ(files_found(tree, "a"),
              "a/charts/web/Chart.yaml, a/charts/web/templates/t.yaml, a/kustomization.yaml; "
              "mentioned");
}

TEST(BuildFiles, OfAKustomizationThatCannotBeReadAreAllBesideIt) {
    const repo::MemoryTree tree(
        {{"a/kustomization.yaml", "resources: [\n"}, {"a/x.yaml", "tailscale"}});
    EXPECT_EQ(files_found(tree, "a"), "a/kustomization.yaml, a/x.yaml; mentioned");
}

TEST(BuildFiles, OutsideOfTheRootAreNotOpened) {
    const std::map<std::string, std::string> one = {
        {"a/kustomization.yaml", "resources: [secret.yaml, /etc/passwd]\n"}};
    repo::MemoryTree tree(one);
    tree.link("a/secret.yaml", "../outside.yaml");
    EXPECT_EQ(files_found(tree, "a"), "a/kustomization.yaml");
    auto files = kFiles;
    files["../outside.yaml"] = "tailscale";
    files["a/kustomization.yaml"] = "resources: [../../outside.yaml]\n";
    EXPECT_EQ(files_found(repo::MemoryTree(files), "a"), "a/kustomization.yaml; leaves the root");
    files["a/kustomization.yaml"] = "resources: [../../absent]\n";
    EXPECT_EQ(files_found(repo::MemoryTree(files), "a"), "a/kustomization.yaml; leaves the root");
}

TEST(BuildFiles, AreFollowedThroughABaseThatAGeneratorHasNamedAsAFile) {
    const repo::MemoryTree tree(
        {{"a/kustomization.yaml",
          "configMapGenerator: [{name: c, files: [../b/kustomization.yaml]}]\n"
          "resources: [../b]\n"},
         {"b/kustomization.yaml", "resources: [x.yaml]\n"},
         {"b/x.yaml", "tailscale"}});
    EXPECT_EQ(files_found(tree, "a"),
              "a/kustomization.yaml, b/kustomization.yaml, b/x.yaml; mentioned");
}

TEST(BuildFiles, LeaveOutARenderedTreeBelow) {
    const repo::MemoryTree tree({{"kustomization.yaml", "resources: [tailnet, a.yaml]\n"},
                                 {"a.yaml", ""},
                                 {"tailnet/.tailrender-inventory", ""},
                                 {"tailnet/kustomization.yaml", "resources: [x.yaml]\n"},
                                 {"tailnet/x.yaml", "tailscale"}});
    EXPECT_EQ(files_found(tree, "."), "a.yaml, kustomization.yaml");
}

}  // namespace
}  // namespace renderer::engines
