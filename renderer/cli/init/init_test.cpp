#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "renderer/cli/init/new_files.h"
#include "renderer/cli/init/repository.h"
#include "renderer/repo/memory_tree_testing.h"

namespace renderer::cli {
namespace {

using Files = std::map<std::string, std::string>;

constexpr const char* kService =
    "apiVersion: v1\nkind: Service\n"
    "metadata: {name: web, namespace: shop, annotations: {tailscale.com/expose: \"true\"}}\n"
    "spec: {selector: {app: web}, ports: [{port: 80}]}\n";

std::string flux(const std::string& name, const std::string& path) {
    return "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
           "metadata: {name: " +
           name + ", namespace: gitops}\nspec: {interval: 10m, path: " + path +
           ", prune: true, sourceRef: {kind: GitRepository, name: \"on\"}}\n";
}

std::string application(const std::string& name, const std::string& path) {
    return "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: " + name +
           ", namespace: cd}\nspec:\n  project: platform\n"
           "  source: {repoURL: \"https://git.example.com/acme/home.git\", targetRevision: main, "
           "path: " +
           path + "}\n  destination: {name: in-cluster, namespace: shop}\n";
}

class Init : public testing::Test {
protected:
    // Returns the added files; `additions_` has the rest.
    Files init(const Files& files, const std::string& cluster = "") {
        repo::LoadOptions options;
        options.path = ".";
        options.cluster = cluster;
        const auto tree = std::make_shared<repo::MemoryTree>(files);
        options.tree = tree;
        SourceMap sources;
        Diagnostics diagnostics;
        repository_ = look_at(options, sources, diagnostics);
        additions_ = additions_for(repository_, *tree, ".", cluster);
        Files added;
        for (const NewFile& file : additions_.files) {
            added[file.path] = file.text;
        }
        return added;
    }

    Repository repository_;
    Additions additions_;
};

TEST_F(Init, FluxGetsAKustomizationWithTheSourceOfTheOthers) {
    Files added = init({{"clusters/home/sync.yaml", flux("flux", "./clusters/home")},
                        {"clusters/home/apps.yaml", flux("apps", "./apps")},
                        {"apps/web.yaml", kService}});
    EXPECT_EQ(repository_.inputs, 1U);
    EXPECT_EQ(added.at("clusters/home/tailscale.yaml"),
              "# The one object that tailrender needs. It prunes, since a device stays reachable "
              "otherwise after its source was deleted.\n"
              "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n"
              "  name: tailscale\n  namespace: gitops\nspec:\n  interval: \"10m\"\n"
              "  path: \"./tailscale\"\n  prune: true\n  sourceRef:\n    kind: GitRepository\n"
              "    name: \"on\"\n");
    EXPECT_EQ(added.at("tailscale/kustomization.yaml"),
              "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n"
              "- controller.yaml\n- rendered\n");
    EXPECT_TRUE(added.at("tailscale/values.yaml")
                    .starts_with("# yaml-language-server: "
                                 "$schema=../.tailrender/values.schema.json\n"));
    EXPECT_EQ(added.count(".tailrender/values.schema.json"), 1U);
    EXPECT_TRUE(additions_.by_hand.empty());
}

TEST_F(Init, FluxGetsNoKustomizationWhereTheFolderIsApplied) {
    const Files added = init({{"sync.yaml", flux("flux", "./")}, {"apps/web.yaml", kService}});
    EXPECT_EQ(added.count("tailscale.yaml"), 0U);
    EXPECT_EQ(added.count(".tailrender/values.schema.json"), 0U);
    EXPECT_TRUE(added.at("tailscale/values.yaml").starts_with("# Settings"));
}

TEST_F(Init, AKustomizationOfTheUserIsLeftToHim) {
    (void)init({{"clusters/home/sync.yaml", flux("flux", "./clusters/home")},
                {"clusters/home/kustomization.yaml", "resources: [sync.yaml]\n"},
                {"tailscale/kustomization.yaml", "resources: [./rendered/]\n"}});
    EXPECT_EQ(additions_.by_hand,
              (std::vector<std::string>{
                  "add controller.yaml to the resources of tailscale/kustomization.yaml",
                  "add tailscale.yaml to the resources of the kustomization in clusters/home"}));
}

TEST_F(Init, ArgoCdGetsAnApplicationLikeTheOthers) {
    Files added = init({{"root.yaml", application("root", "apps")},
                        {"apps/shop.yaml", application("shop", "shop")},
                        {"shop/web.yaml", kService}});
    EXPECT_EQ(added.at("apps/tailscale.yaml"),
              "# The one object that tailrender needs. It prunes, since a device stays reachable "
              "otherwise after its source was deleted.\n"
              "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n"
              "  name: tailscale\n  namespace: cd\nspec:\n  destination:\n    name: in-cluster\n"
              "    namespace: tailscale\n  project: platform\n  source:\n    path: tailscale\n"
              "    repoURL: https://git.example.com/acme/home.git\n    targetRevision: main\n"
              "  syncPolicy:\n    automated:\n      prune: true\n    syncOptions:\n"
              "    - ServerSideApply=true\n");
    EXPECT_TRUE(additions_.by_hand.empty());
}

TEST_F(Init, AnApplicationThatNothingAppliesIsAppliedByHand) {
    (void)init({{"shop.yaml", application("shop", "shop")}, {"shop/web.yaml", kService}});
    EXPECT_EQ(
        additions_.by_hand,
        std::vector<std::string>{"kubectl apply -f tailscale.yaml, unless something applies ."});
}

TEST_F(Init, FleetGetsClustersAndABundle) {
    Files added = init(
        {{"gitrepo.yaml",
          "apiVersion: fleet.cattle.io/v1alpha1\nkind: GitRepo\nmetadata: {name: apps}\n"
          "spec: {targets: [{clusterName: home}, {clusterName: \"no\"}, {clusterName: home}]}\n"},
         {"apps/fleet.yaml", "defaultNamespace: shop\n"},
         {"apps/web.yaml", kService}});
    EXPECT_EQ(added.at(".tailrender.yaml"),
              "# yaml-language-server: $schema=.tailrender/config.schema.json\nclusters:\n"
              "- name: home\n- name: \"no\"\n");
    EXPECT_EQ(added.at("tailscale-operator/fleet.yaml"),
              "# Rendered as the controller: no chart is installed.\n"
              "defaultNamespace: tailscale\nhelm:\n  chart: tailscale-operator\n"
              "  releaseName: tailscale-operator\n"
              "  repo: https://pkgs.tailscale.com/helmcharts\n  valuesFiles:\n"
              "  - values.yaml\n  version: \"1.104.5\"\nname: tailscale-operator\n");
}

TEST_F(Init, TheBundleOfTheOperatorIsEnough) {
    const Files added = init({{"ts/fleet.yaml", "helm: {chart: tailscale-operator}\n"}});
    EXPECT_EQ(repository_.operators, std::vector<std::string>{"ts/fleet.yaml:1:15"});
    EXPECT_EQ(added.count("tailscale-operator/fleet.yaml"), 0U);
}

TEST_F(Init, WithoutAnEngineTheClusterHasTheSettings) {
    const Files added = init({{"web.yaml", kService}});
    EXPECT_EQ(added.size(), 2U);
    EXPECT_NE(added.at(".tailrender.yaml").find("- name: home\n  values:\n    proxyConfig:\n"),
              std::string::npos);
}

TEST_F(Init, TheWorkflowRendersAsTheCommandsDo) {
    const Files files = {{"clusters/home/sync.yaml", flux("flux", "./clusters/home")}};
    (void)init(files);
    add_ci(Ci::GitHub, repo::MemoryTree(files), ".", additions_);
    const std::string& workflow = additions_.files.back().text;
    EXPECT_TRUE(workflow.ends_with(
        "          sha256: \"\"\n"
        "          arguments: --only generated --values tailscale/values.yaml\n"
        "      - run: tailrender check . --only generated --values tailscale/values.yaml "
        "-o tailscale/rendered\n"))
        << workflow;
}

TEST_F(Init, GitLabIncludesTheJob) {
    const Files files = {{"web.yaml", kService}};
    (void)init(files);
    add_ci(Ci::GitLab, repo::MemoryTree(files), ".", additions_);
    EXPECT_EQ(additions_.files.back().text,
              "include:\n  - local: .gitlab/tailrender.gitlab-ci.yml\n\n"
              "tailrender-check:\n  stage: test\n  script: tailrender check . -o rendered\n");
}

}  // namespace
}  // namespace renderer::cli
