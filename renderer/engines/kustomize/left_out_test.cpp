#include "renderer/engines/kustomize/left_out.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "renderer/engines/cluster_config.h"
#include "renderer/engines/flux/local_sources.h"
#include "renderer/repo/load_options.h"
#include "renderer/repo/memory_tree_testing.h"

namespace renderer::engines {
namespace {

// Returns "dir Kind/name".
std::string told(std::string_view message) {
    const Orphan orphan = orphan_of(message);
    return orphan.dir + " " + orphan.object;
}

TEST(LeftOut, PatchesOfWhatIsNotThere) {
    EXPECT_EQ(told("Error: recursed accumulation of path '/c/a': recursed accumulation of path "
                   "'/c/b': no resource matches strategic merge patch "
                   "\"ConfigMap.v1.[noGrp]/argocd-cm.[noNs]\": no matches for Id"),
              "/c/b ConfigMap/argocd-cm");
    EXPECT_EQ(told("no resource matches strategic merge patch "
                   "\"CustomResourceDefinition.v1.apiextensions.k8s.io/a.b.c.[noNs]\": x"),
              " CustomResourceDefinition/a.b.c");
    EXPECT_EQ(told("no resource matches strategic merge patch \"Deployment.v1.apps/web.shop\""),
              " Deployment/web");
    for (const char* other : {"", "Error: x", "no resource matches strategic merge patch \"x\"",
                              "no resource matches strategic merge patch \"",
                              "no resource matches strategic merge patch \"a/b.c\""}) {
        EXPECT_EQ(told(other), " ") << other;
    }
}

TEST(LeftOut, IsWhatIsFetchedOrRunAndWhatPatchesIt) {
    const repo::MemoryTree tree(std::map<std::string, std::string>{
        {"app/kustomization.yaml",
         "resources: [a.yaml, https://example.com/x.yaml, out]\n"
         "helmCharts: [{name: web}]\n"
         "patches:\n"
         "- patch: |\n    kind: ConfigMap\n    metadata: {name: gone}\n"
         "- path: two.yaml\n"
         "- path: there.yaml\n"
         "patchesStrategicMerge: [gone.yaml]\n"},
        {"app/two.yaml", "kind: ConfigMap\nmetadata: {name: gone}\n---\nkind: Service\n"},
        {"app/there.yaml", "kind: ConfigMap\nmetadata: {name: there}\n"},
        {"app/gone.yaml", "kind: ConfigMap\nmetadata: {name: gone}\n"},
        {"app/out/.tailrender-inventory", ""}});
    SourceMap sources;
    KustomizationReader reader(tree, sources);
    std::vector<LeftOut> left_out;
    const Result<std::string> text =
        content_for_copy(tree, reader, "app/kustomization.yaml",
                         {{"app", "ConfigMap/gone"}, {"other", "ConfigMap/there"}}, left_out);
    ASSERT_TRUE(text);
    EXPECT_EQ(*text,
              "metadata:\n  name: left-out\n"
              "patches:\n- path: two.yaml\n- path: there.yaml\n"
              "patchesStrategicMerge: []\n"
              "resources:\n- a.yaml\n");
    std::string lines;
    for (const LeftOut& one : left_out) {
        lines += fmt::format("{} {}{}\n", sources.describe(one.pos), one.what,
                             one.is_chart ? " (chart)" : "");
    }
    EXPECT_EQ(lines,
              "app/kustomization.yaml:2:14 chart web (chart)\n"
              "app/kustomization.yaml:1:21 https://example.com/x.yaml\n"
              "app/kustomization.yaml:4:3 patch of ConfigMap/gone\n"
              "app/kustomization.yaml:9:25 patch of ConfigMap/gone\n");
}

TEST(LeftOut, OfAKustomization) {
    SourceMap sources;
    const repo::MemoryTree tree(
        {{"a/kustomization.yaml", "components: [git@example.com:x/y]\nresources: [../b]\n"},
         {"b/kustomization.yaml",
          "resources: [https://example.com/../x]\ngenerators: [github.com:x/y, p.yaml]\n"},
         {"b/p.yaml", "apiVersion: viaduct.ai/v1\nkind: ksops\nmetadata: {name: p}\n"}});
    KustomizationReader reader(tree, sources);
    std::vector<std::string> urls;
    for (const char* dir : {"a", "b"}) {
        for (const LeftOut& entry : left_out_of(tree, reader, *reader.find(dir))) {
            urls.push_back(sources.describe(entry.pos) + " " + entry.what);
        }
    }
    EXPECT_EQ(
        fmt::format("{}", fmt::join(urls, ", ")),
        "a/kustomization.yaml:1:14 git@example.com:x/y, "
        "b/kustomization.yaml:1:13 https://example.com/../x, "
        "b/kustomization.yaml:2:14 github.com:x/y, b/kustomization.yaml:2:30 plug-in b/p.yaml");
}

TEST(LeftOut, AlsoPatchesAndOtherPartsThatAreFetched) {
    const repo::MemoryTree tree(std::map<std::string, std::string>{
        {"app/kustomization.yaml",
         "resources: [a.yaml]\n"
         "patches:\n- path: https://example.com/p.yaml\n- path: p.yaml\n"
         "- patch: \"{kind: A, about: 'https://example.com/'}\\n\"\n"
         "patchesStrategicMerge: [https://example.com/q.yaml, q.yaml]\n"
         "patchesJson6902: [{path: https://example.com/r.yaml, target: {kind: A}}]\n"
         "replacements: [{path: https://example.com/s.yaml}]\n"
         "configurations: [https://example.com/t.yaml]\n"}});
    SourceMap sources;
    KustomizationReader reader(tree, sources);
    std::vector<LeftOut> left_out;
    const Result<std::string> text =
        content_for_copy(tree, reader, "app/kustomization.yaml", {}, left_out);
    ASSERT_TRUE(text);
    EXPECT_EQ(*text,
              "metadata:\n  name: left-out\n"
              "configurations: []\n"
              "patches:\n- path: p.yaml\n"
              "- patch: |\n    {kind: A, about: 'https://example.com/'}\n"
              "patchesJson6902: []\n"
              "patchesStrategicMerge:\n- q.yaml\n"
              "replacements: []\n"
              "resources:\n- a.yaml\n");
    EXPECT_EQ(left_out.size(), 5U);
    EXPECT_TRUE(std::ranges::all_of(left_out, &LeftOut::is_remote));
}

TEST(LeftOut, IsNotWhatIsAtHand) {
    const repo::MemoryTree tree(std::map<std::string, std::string>{
        {"app/kustomization.yaml",
         "resources: [https://example.com/x/all.yaml, 'https://example.com/x//base?ref=v1', "
         "https://example.com/y.yaml]\n"
         "patches: [{path: https://example.com/x/p.yaml}]\n"},
        {"vendor/all.yaml", "kind: A\n"},
        {"vendor/p.yaml", "kind: B\n"},
        {"vendor/base/kustomization.yaml", "resources: [b.yaml]\n"}});
    repo::LoadOptions options;
    options.path = ".";
    options.sources = {"https://example.com/x=vendor"};
    Diagnostics mistakes;
    const auto local = std::make_shared<LocalSources>(tree, options, Cluster(), mistakes);
    EXPECT_FALSE(mistakes.has_errors());
    SourceMap sources;
    KustomizationReader reader(tree, sources, {}, local);
    std::vector<LeftOut> left_out;
    const Result<std::string> text =
        content_for_copy(tree, reader, "app/kustomization.yaml", {}, left_out);
    ASSERT_TRUE(text);
    EXPECT_EQ(*text,
              "metadata:\n  name: left-out\n"
              "patches:\n- patch: |\n    kind: B\n"
              "resources:\n- \"../vendor/all.yaml.source\"\n- \"../vendor/base\"\n");
    ASSERT_EQ(left_out.size(), 1U);
    EXPECT_EQ(left_out[0].what, "https://example.com/y.yaml");
}

}  // namespace
}  // namespace renderer::engines
