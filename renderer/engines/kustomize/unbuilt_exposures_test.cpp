#include "renderer/engines/kustomize/unbuilt_exposures.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "renderer/repo/memory_tree_testing.h"

namespace renderer::engines {
namespace {

constexpr const char* kPatch =
    "patches:\n- target: {kind: Service, name: web}\n"
    "  patch: '[{op: add, path: /metadata/annotations/tailscale.com~1expose, value: \"true\"}]'\n";
constexpr const char* kService = "kind: Service\nmetadata: {name: web}\n";

std::string unbuilt(const std::map<std::string, std::string>& files) {
    const repo::MemoryTree tree(files);
    SourceMap sources;
    KustomizationReader reader(tree, sources);
    const std::string dir = "app";
    std::string out;
    for (const UnbuiltExposure& one :
         patches_of_build({tree, reader, reader, nullptr, dir}, sources).unbuilt) {
        out += sources.describe(one.patch.pos) + " " + one.what.what + "\n";
    }
    return out;
}

TEST(UnbuiltExposures, AreOfWhatIsFetched) {
    EXPECT_EQ(unbuilt({{"app/kustomization.yaml",
                        std::string("resources: [\"https://a.example/x.yaml\"]\n") + kPatch}}),
              "app/kustomization.yaml:3:3 https://a.example/x.yaml\n");
    EXPECT_EQ(
        unbuilt({{"app/kustomization.yaml", std::string("helmCharts: [{name: web}]\n") + kPatch}}),
        "app/kustomization.yaml:3:3 chart web\n");
    EXPECT_EQ(unbuilt({{"app/kustomization.yaml", kPatch}}), "");
}

TEST(UnbuiltExposures, AreNotOfObjectsInTheBuild) {
    EXPECT_EQ(
        unbuilt({{"app/kustomization.yaml",
                  std::string("resources: [s.yaml, \"https://a.example/x.yaml\"]\n") + kPatch},
                 {"app/s.yaml", kService}}),
        "");
    EXPECT_EQ(unbuilt({{"app/kustomization.yaml",
                        std::string("resources: [base, \"https://a.example/x.yaml\"]\n") + kPatch},
                       {"app/base/kustomization.yaml", "namePrefix: w\nresources: [s.yaml]\n"},
                       {"app/base/s.yaml", "kind: Service\nmetadata: {name: eb}\n"}}),
              "");
}

TEST(UnbuiltExposures, MayBeOfSeveralObjects) {
    EXPECT_EQ(unbuilt({{"app/kustomization.yaml",
                        "resources: [s.yaml, \"https://a.example/x.yaml\"]\n"
                        "commonAnnotations: {tailscale.com/expose: \"true\"}\n"},
                       {"app/s.yaml", kService}}),
              "app/kustomization.yaml:2:21 https://a.example/x.yaml\n");
}

TEST(UnbuiltExposures, AreOnlyOfWhatAKustomizationNames) {
    EXPECT_EQ(
        unbuilt({{"app/kustomization.yaml", "resources: [a, b]\n"},
                 {"app/a/kustomization.yaml",
                  "resources: [s.yaml]\ncommonAnnotations: {tailscale.com/expose: \"true\"}\n"},
                 {"app/a/s.yaml", kService},
                 {"app/b/kustomization.yaml", "resources: [\"https://a.example/x.yaml\"]\n"}}),
        "");
    EXPECT_EQ(unbuilt({{"app/kustomization.yaml",
                        "resources: [\"https://a.example/x.yaml\"]\ncomponents: [c]\n"},
                       {"app/c/kustomization.yaml", std::string("kind: Component\n") + kPatch}}),
              "app/c/kustomization.yaml:3:3 https://a.example/x.yaml\n");
}

TEST(UnbuiltExposures, AreNotOfTheOperatorAndOfPlugIns) {
    const std::string all = "commonAnnotations: {tailscale.com/expose: \"true\"}\n";
    EXPECT_EQ(
        unbuilt({{"app/kustomization.yaml", "helmCharts: [{name: tailscale-operator}]\n" + all}}),
        "");
    EXPECT_EQ(unbuilt({{"app/kustomization.yaml", "generators: [g.yaml]\n" + all},
                       {"app/g.yaml", "apiVersion: viaduct.ai/v1\nkind: ksops\n"}}),
              "");
}

}  // namespace
}  // namespace renderer::engines
