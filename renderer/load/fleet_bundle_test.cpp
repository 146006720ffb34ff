#include "renderer/engines/fleet/fleet_bundle.h"

#include <gtest/gtest.h>

#include "renderer/core/json.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/load/load_testing.h"
#include "renderer/repo/memory_tree_testing.h"

namespace renderer::load {
namespace {

engines::Cluster home() {
    engines::Cluster cluster;
    cluster.name = "home";
    cluster.configured = true;
    cluster.labels = {{"env", "prod"}, {"region", "eu"}};
    return cluster;
}

// Returns the fleet.yaml that is written for the cluster, the chart's values and the messages.
std::string bundle_text(std::string fleet, const engines::Cluster& cluster, Files files = {}) {
    files["op/fleet.yaml"] = std::move(fleet);
    const repo::MemoryTree tree(std::move(files));
    SourceMap sources;
    Diagnostics diagnostics;
    const engines::FleetFile file =
        engines::read_fleet(tree, "op/fleet.yaml", cluster, sources, diagnostics);
    std::string text;
    if (file.usable) {
        const engines::Bundle bundle = engines::make_bundle(file, "op", "", true);
        write_yaml(bundle.fleet, text);
        text += file.deployed ? "" : "not deployed\n";
        std::vector<Value> layers;
        std::vector<engines::ValuesSource> from;
        engines::add_chart_values(tree, file, cluster, "op", sources, layers, from, diagnostics);
        for (const Value& layer : layers) {
            text += write_json(layer) + "\n";
        }
    }
    return text + diagnostics.print(sources, false);
}

TEST(FleetBundle, CustomizationIsMerged) {
    EXPECT_EQ(
        bundle_text("defaultNamespace: one\n"
                    "labels: {a: b}\n"
                    "helm:\n"
                    "  chart: oci://registry.example.com/tailscale-operator\n"
                    "  releaseName: ts\n"
                    "  values: {a: 1}\n"
                    "  valuesFiles: [v.yaml]\n"
                    "yaml: {overlays: [x]}\n"
                    "downstreamResources: [{kind: Secret, name: s}]\n"
                    "keepResources: true\n"
                    "targetCustomizations:\n"
                    "- name: other\n"
                    "  clusterName: lab\n"
                    "  defaultNamespace: never\n"
                    "- clusterSelector: {matchLabels: {env: prod}}\n"
                    "  defaultNamespace: two\n"
                    "  keepResources: false\n"
                    "  kustomize: {dir: overlays/home}\n"
                    "  downstreamResources: [{kind: Secret, name: s}, {kind: Secret, name: t}]\n"
                    "  helm: {values: {b: 2}, valuesFiles: [w.yaml]}\n"
                    "- clusterName: home\n"
                    "  defaultNamespace: three\n",
                    home(), {{"op/v.yaml", "c: 3\n"}, {"op/w.yaml", "d: 4\n"}}),
        "defaultNamespace: two\n"
        "downstreamResources:\n"
        "- kind: Secret\n"
        "  name: s\n"
        "- kind: Secret\n"
        "  name: t\n"
        "helm:\n"
        "  releaseName: ts\n"
        "keepResources: true\n"
        "kustomize:\n"
        "  dir: \".\"\n"
        "labels:\n"
        "  a: b\n"
        "name: op\n"
        "{\"a\":1}\n{\"c\":3}\n{\"b\":2}\n{\"d\":4}\n");
}

// Without takeOwnership Helm refuses a namespace that exists before the bundle.
TEST(FleetBundle, OwnershipIsTakenWhereItIsAskedFor) {
    EXPECT_EQ(bundle_text("name: x\n"
                          "targetCustomizations:\n"
                          "- clusterName: home\n"
                          "  helm: {takeOwnership: true, timeoutSeconds: 5}\n",
                          home()),
              "helm:\n  takeOwnership: true\n  timeoutSeconds: 5\n"
              "kustomize:\n  dir: \".\"\nname: x\n");
    EXPECT_EQ(bundle_text("name: x\nhelm: {takeOwnership: false}\n", home()),
              "kustomize:\n  dir: \".\"\nname: x\n");
}

// Flags are or-ed, a negative time removes the base's, and two fields are taken from the base only.
TEST(FleetBundle, WhatFleetDoesWithTheReleaseStays) {
    EXPECT_EQ(
        bundle_text("name: x\n"
                    "helm:\n"
                    "  chart: tailscale-operator\n"
                    "  atomic: true\n"
                    "  disableDNS: true\n"
                    "  force: false\n"
                    "  maxHistory: 3\n"
                    "  skipSchemaValidation: true\n"
                    "  timeoutSeconds: 60\n"
                    "  waitForJobs: true\n"
                    "targetCustomizations:\n"
                    "- clusterName: home\n"
                    "  helm: {atomic: false, force: true, maxHistory: 9, timeoutSeconds: -1}\n",
                    home()),
        "helm:\n  atomic: true\n  disableDNS: true\n  force: true\n  maxHistory: 3\n"
        "  skipSchemaValidation: true\n  waitForJobs: true\n"
        "kustomize:\n  dir: \".\"\nname: x\n");
}

TEST(FleetBundle, ImageScansAreLeftOut) {
    EXPECT_EQ(
        bundle_text("imageScans: [{image: nginx, tagName: web, policy: {semver: {range: '*'}}, "
                    "interval: 5m}]\n",
                    home()),
        "kustomize:\n  dir: \".\"\nname: op\n");
}

// The labels of customizations that do not match also count.
TEST(FleetBundle, MetadataOfTheNamespaceIsThatOfEveryTarget) {
    EXPECT_EQ(bundle_text("namespaceLabels: {a: base, b: base}\n"
                          "targetCustomizations:\n"
                          "- {clusterName: lab, namespaceLabels: {b: lab, c: lab}}\n"
                          "- {clusterName: home, namespaceAnnotations: {d: home}}\n",
                          home()),
              "kustomize:\n  dir: \".\"\nname: op\nnamespaceAnnotations:\n  d: home\n"
              "namespaceLabels:\n  a: base\n  b: lab\n  c: lab\n");
}

TEST(FleetBundle, TargetsOfItsOwn) {
    const std::vector<std::pair<std::string, bool>> rows = {
        {"{clusterName: home}", true},
        {"{clusterName: lab}", false},
        {"{clusterName: lab}, {clusterSelector: {matchLabels: {env: prod}}}", true},
        {"{clusterGroup: g}, {clusterSelector: {}}", true},
        {"{name: other}", false},
    };
    for (const auto& [targets, deployed] : rows) {
        EXPECT_EQ(bundle_text("overrideTargets: [" + targets + "]\n", home()),
                  std::string("kustomize:\n  dir: \".\"\nname: op\n") +
                      (deployed ? "" : "not deployed\n"))
            << targets;
    }
    EXPECT_EQ(bundle_text("overrideTargets: null\n", home()),
              "kustomize:\n  dir: \".\"\nname: op\n");
}

// Customizations of a bundle that is not deployed do not matter.
TEST(FleetBundle, CustomizationsOfABundleThatIsLeftOutAreNotJudged) {
    EXPECT_EQ(bundle_text("overrideTargets: [{clusterName: lab}]\n"
                          "targetCustomizations: [{clusterGroup: g}]\n",
                          home()),
              "kustomize:\n  dir: \".\"\nname: op\nnot deployed\n");
}

TEST(FleetBundle, TargetsThatCannotBeKnown) {
    EXPECT_EQ(bundle_text("overrideTargets: []\n", home()),
              "op/fleet.yaml:1:18: error: with \"overrideTargets\" without a target Fleet uses the "
              "customizations, else the cluster group \"default\" [unknown-cluster]\n"
              "    1 | overrideTargets: []\n"
              "      |                  ^\n"
              "  found: an empty list\n"
              "  expected: a list of targets, or no \"overrideTargets\" for those of the GitRepo\n"
              "  hint: name the clusters, or remove the line\n");
    EXPECT_EQ(bundle_text("overrideTargets: [{clusterName: home}]\n", engines::Cluster()),
              "op/fleet.yaml:1:19: error: cannot tell whether this target applies "
              "[unknown-cluster]\n"
              "    1 | overrideTargets: [{clusterName: home}]\n"
              "      |                   ^\n"
              "  found: no cluster to render for\n"
              "  expected: a cluster with name and labels\n"
              "  hint: list the cluster in .tailrender.yaml, or name it with --cluster\n");
}

// Labels are replaced even if disablePreProcess is set; items of lists are taken literally.
TEST(FleetBundle, LabelsOfTheClusterInValues) {
    EXPECT_EQ(
        bundle_text("helm:\n"
                    "  chart: tailscale-operator\n"
                    "  disablePreProcess: true\n"
                    "  values: {a: [global.fleet.clusterLabels.env, {b: "
                    "global.fleet.clusterLabels.env}], c: global.fleet.clusterLabels.zone, d: "
                    "\"${ x }\"}\n",
                    home()),
        "kustomize:\n  dir: \".\"\nname: op\n"
        "{\"a\":[\"global.fleet.clusterLabels.env\",{\"b\":\"prod\"}],\"d\":\"${ x }\"}\n"
        "op/fleet.yaml:4:89: error: Fleet replaces a value that begins with "
        "\"global.fleet.clusterLabels.\" by a label of the cluster [unknown-offline]\n"
        "    4 |   values: {a: [global.fleet.clusterLabels.env, {b: "
        "global.fleet.clusterLabels.env}], c: global.fleet.clusterLabels.zone,\n"
        "      |                                                                                "
        "         ^\n"
        "  found: \"global.fleet.clusterLabels.zone\"\n"
        "  expected: the label's value\n"
        "  hint: give the cluster that label in .tailrender.yaml, write the value, or pass it with "
        "--values FILE\n");
}

TEST(FleetBundle, TemplatesOfLabels) {
    EXPECT_EQ(
        bundle_text("helm:\n"
                    "  chart: tailscale-operator\n"
                    "  values:\n"
                    "    a: tag:${ .ClusterLabels.env }-${index .ClusterLabels \"region\"}\n"
                    "    b: ${ .ClusterLabels.env | upper }\n",
                    home()),
        "kustomize:\n  dir: \".\"\nname: op\n"
        "{\"a\":\"tag:prod-eu\"}\n"
        "op/fleet.yaml:5:8: error: this value is a Fleet template that cannot be evaluated offline "
        "[unknown-offline]\n"
        "    5 |     b: ${ .ClusterLabels.env | upper }\n"
        "      |        ^\n"
        "  expected: \"${ .ClusterLabels.NAME }\" with a label that .tailrender.yaml gives the "
        "cluster\n"
        "  hint: give the cluster that label in .tailrender.yaml, write the value, or pass it with "
        "--values FILE; \"helm.disablePreProcess: true\" if it is literal text\n");
}

TEST(FleetBundle, AllMatches) {
    EXPECT_EQ(
        bundle_text("name: x\n"
                    "targetCustomizationMode: AllMatches\n"
                    "targetCustomizations:\n"
                    "- {clusterName: home, defaultNamespace: one, serviceAccount: s}\n"
                    "- {clusterSelector: {matchExpressions: [{key: env, operator: In, values: "
                    "[prod]}]}, defaultNamespace: two}\n",
                    home()),
        "defaultNamespace: two\nkustomize:\n  dir: \".\"\nname: x\nserviceAccount: s\n");
}

TEST(FleetBundle, DoNotDeploy) {
    EXPECT_EQ(
        bundle_text("targetCustomizations: [{clusterName: home, doNotDeploy: true}]\n", home()),
        "kustomize:\n  dir: \".\"\nname: op\nnot deployed\n");
}

struct BundleRow {
    std::string name, criteria;
    bool matches;
};

TEST(FleetBundle, Selectors) {
    const std::vector<BundleRow> rows = {
        {"no criteria", "", false},
        {"name", "clusterName: home", true},
        {"other name", "clusterName: lab", false},
        {"name and selector", "clusterName: home, clusterSelector: {matchLabels: {env: dev}}",
         false},
        {"empty selector", "clusterSelector: {}", true},
        {"in", "clusterSelector: {matchExpressions: [{key: env, operator: In, values: [a, prod]}]}",
         true},
        {"not in",
         "clusterSelector: {matchExpressions: [{key: env, operator: NotIn, values: [prod]}]}",
         false},
        {"not in, absent",
         "clusterSelector: {matchExpressions: [{key: x, operator: NotIn, values: [a]}]}", true},
        {"exists", "clusterSelector: {matchExpressions: [{key: env, operator: Exists}]}", true},
        {"does not exist",
         "clusterSelector: {matchExpressions: [{key: env, operator: DoesNotExist}]}", false},
        {"group that cannot matter", "clusterName: lab, clusterGroup: g", false},
    };
    for (const BundleRow& row : rows) {
        SCOPED_TRACE(row.name);
        const std::string separator = row.criteria.empty() ? "" : ", ";
        EXPECT_EQ(bundle_text("targetCustomizations: [{" + row.criteria + separator +
                                  "serviceAccount: s}]\n",
                              home()),
                  std::string("kustomize:\n  dir: \".\"\nname: op\n") +
                      (row.matches ? "serviceAccount: s\n" : ""));
    }
}

TEST(FleetBundle, WhatCannotBeKnown) {
    EXPECT_EQ(bundle_text("targetCustomizations: [{clusterGroup: g}]\n", home()),
              "op/fleet.yaml:1:24: error: cannot tell offline whether the cluster is in this group "
              "[unknown-cluster]\n"
              "    1 | targetCustomizations: [{clusterGroup: g}]\n"
              "      |                        ^\n"
              "  found: a cluster group as criterion\n"
              "  expected: clusterName or clusterSelector\n"
              "  hint: match on a label, and set it on the cluster in .tailrender.yaml\n");
    EXPECT_EQ(bundle_text("targetCustomizations: [{clusterName: home}]\n", engines::Cluster()),
              "op/fleet.yaml:1:24: error: cannot tell whether this customization applies "
              "[unknown-cluster]\n"
              "    1 | targetCustomizations: [{clusterName: home}]\n"
              "      |                        ^\n"
              "  found: no cluster to render for\n"
              "  expected: a cluster with name and labels\n"
              "  hint: list the cluster in .tailrender.yaml, or name it with --cluster\n");
    engines::Cluster named;
    named.name = "home";
    EXPECT_EQ(
        bundle_text("targetCustomizations: [{clusterSelector: {matchLabels: {a: b}}}]\n", named),
        "op/fleet.yaml:1:24: error: cannot tell whether this customization applies "
        "[unknown-cluster]\n"
        "    1 | targetCustomizations: [{clusterSelector: {matchLabels: {a: b}}}]\n"
        "      |                        ^\n"
        "  found: cluster \"home\" without labels\n"
        "  expected: a cluster with name and labels\n"
        "  hint: list the cluster with its labels in .tailrender.yaml\n");
}

TEST(FleetBundle, Errors) {
    EXPECT_EQ(
        bundle_text("helm: {chart: tailscale-operator, vlaues: {}}\n", home()).substr(0, 79),
        "op/fleet.yaml:1:35: error: unknown key \"vlaues\" in \"helm\" [unknown-key]\n    1 |");
    EXPECT_EQ(
        bundle_text("targetCustomizations: [{clusterSelector: {matchExpressions: [{key: a, "
                    "operator: Is}]}}]\n",
                    home()),
        "op/fleet.yaml:1:62: error: unknown operator \"Is\" in a selector [invalid-selector]\n"
        "    1 | targetCustomizations: [{clusterSelector: {matchExpressions: [{key: a, "
        "operator: Is}]}}]\n"
        "      |                                                              ^\n"
        "  expected: In, NotIn, Exists or DoesNotExist\n");
    EXPECT_EQ(
        bundle_text(
            "helm: {chart: tailscale-operator, disablePreProcess: true, values: {a: \"${x}\"}}\n",
            home()),
        "kustomize:\n  dir: \".\"\nname: op\n{\"a\":\"${x}\"}\n");
}

TEST(FleetBundle, OperatorChart) {
    const auto is_operator = [](const std::string& helm) {
        const repo::MemoryTree tree({{"fleet.yaml", "helm: {" + helm + "}\n"}});
        SourceMap sources;
        Diagnostics diagnostics;
        const engines::FleetFile file =
            engines::read_fleet(tree, "fleet.yaml", {}, sources, diagnostics);
        const engines::Bundle bundle = engines::make_bundle(file, "", "", true);
        return bundle.operator_chart ? "yes " + bundle.chart_version : "no";
    };
    EXPECT_EQ(is_operator("chart: tailscale-operator, version: 1.96.5"), "yes 1.96.5");
    EXPECT_EQ(is_operator("chart: tailscale-operator, version: ~1.96.0"), "yes ~1.96.0");
    EXPECT_EQ(is_operator("repo: oci://r.example/tailscale-operator/"), "yes ");
    EXPECT_EQ(is_operator("chart: https://r.example/tailscale-operator-1.96.5.tgz"), "yes ");
    EXPECT_EQ(is_operator("chart: ./charts/tailscale-operator"), "yes ");
    EXPECT_EQ(is_operator("chart: my-tailscale-operator"), "no");
    EXPECT_EQ(is_operator("values: {}"), "no");
}

TEST(FleetBundle, Slug) {
    EXPECT_EQ(engines::bundle_slug("apps/Web_1"), "apps-web-1");
    EXPECT_EQ(engines::bundle_slug(""), "bundle");
    EXPECT_EQ(engines::bundle_slug(std::string(60, 'a')), std::string(53, 'a'));
}

}  // namespace
}  // namespace renderer::load
