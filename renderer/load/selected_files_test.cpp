#include <gtest/gtest.h>

#include "renderer/engines/engines.h"
#include "renderer/load/load_testing.h"

namespace renderer::load {
namespace {

const std::string kSelectedSecret =
    "apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: x}\n";

TEST(Select, RawBundle) {
    const LoadedText text = load_text({{"apps/fleet.yaml", "name: apps\ndefaultNamespace: shop\n"},
                                       {"apps/a.yaml", kSelectedSecret},
                                       {"apps/deep/b.json",
                                        "{\"apiVersion\": \"v1\", \"kind\": "
                                        "\"Secret\", \"metadata\": {\"name\": \"b\"}}"},
                                       {"apps/overlays/x/c.yaml", kSelectedSecret},
                                       {"apps/chart/Chart.yaml", "name: x\n"},
                                       {"apps/chart/templates/t.yaml", "{{ kind }}"},
                                       {"apps/.hidden.yaml", kSelectedSecret},
                                       {"apps/.fleetignore", "ign*.yaml  \n# comment\nskipped/*\n"},
                                       {"apps/ignored.yaml", "kind: broken"},
                                       {"apps/skipped/d.yaml", "kind: broken"},
                                       {"apps/deep/ignored.yaml", "kind: broken"},
                                       {"apps/nested/fleet.yml", "name: nested\n"},
                                       {"apps/nested/e.yaml", kSelectedSecret}});
    EXPECT_EQ(text.files,
              "bundle \"apps\" name \"apps\" default \"shop\" forced \"\"\n"
              "bundle \"apps/nested\" name \"nested\" default \"\" forced \"\"\n"
              "0 a.yaml\n"
              "0 deep/b.json\n"
              "0 overlays/x/c.yaml unreachable\n"
              "1 e.yaml\n");
    EXPECT_EQ(text.diagnostics, "");
}

TEST(Select, FilesOutsideOfBundles) {
    EXPECT_EQ(load_text({{"apps/fleet.yaml", "name: apps\n"},
                         {"apps/a.yaml", kSelectedSecret},
                         {"top.yaml", kSelectedSecret}})
                  .files,
              "bundle \"\" name \"\" default \"\" forced \"\"\n"
              "bundle \"apps\" name \"apps\" default \"\" forced \"\"\n"
              "0 top.yaml\n"
              "1 a.yaml\n");
}

TEST(Select, BundlesOfTheCluster) {
    const Files files = {
        {".tailrender.yaml", "clusters: [{name: home, bundles: [apps, 'infra/*']}]\n"},
        {"apps/fleet.yaml", "name: apps\n"},
        {"apps/a.yaml", kSelectedSecret},
        {"infra/dns/b.yaml", kSelectedSecret},
        {"infra/c.yaml", kSelectedSecret},
        {"lab/fleet.yaml", "name: lab\nunknown: 1\n"},
        {"top.yaml", kSelectedSecret}};
    EXPECT_EQ(load_text(files).files,
              "bundle \"\" name \"\" default \"\" forced \"\"\n"
              "bundle \"apps\" name \"apps\" default \"\" forced \"\"\n"
              "0 infra/dns/b.yaml\n"
              "1 a.yaml\n");
    EXPECT_EQ(load_text(files).diagnostics, "");
    Files wrong = files;
    wrong[".tailrender.yaml"] = "clusters: [{name: home, bundles: [app]}]\n";
    EXPECT_EQ(load_text(wrong).diagnostics,
              ".tailrender.yaml:1:35: error: no directory matches \"app\" [unknown-bundle]\n"
              "    1 | clusters: [{name: home, bundles: [app]}]\n"
              "      |                                   ^\n"
              "  expected: the path of a bundle's directory, or a glob of such paths\n"
              "  hint: paths are relative to the directory of .tailrender.yaml\n");
}

TEST(Select, OperatorBundle) {
    const LoadedText text =
        load_text({{"op/fleet.yaml",
                    "name: op\ndefaultNamespace: ts\n"
                    "helm: {chart: tailscale-operator, version: 1.96.5, valuesFiles: [o/v.yaml]}\n"
                    "kustomize: {dir: o}\n"},
                   {"op/o/kustomization.yaml", "resources: [a.yaml]\n"},
                   {"op/o/a.yaml", kSelectedSecret},
                   {"op/o/v.yaml", "a: 1\n"},
                   {"op/o/bootstrap/kustomization.yaml",
                    "namePrefix: x\nsecretGenerator: [{name: operator-oauth, envs: [.env]}]\n"},
                   {"op/loose.yaml", kSelectedSecret}});
    EXPECT_EQ(text.files,
              "bundle \"op\" name \"op\" default \"ts\" forced \"\" operator 1.96.5\n"
              "0 loose.yaml unreachable\n"
              "0 o/a.yaml\n");
    EXPECT_EQ(text.diagnostics, "");
}

TEST(Select, TellsWhatACopyLacks) {
    const Files files = {
        {"apps/web/fleet.yaml",
         "name: web\ndefaultNamespace: web\n"
         "helm: {chart: ./chart, valuesFiles: [values.yaml, env/../values.yaml, ../a.yaml]}\n"
         "kustomize: {dir: ../k}\n"
         "targetCustomizations:\n"
         "- {clusterName: x, helm: {chart: ../chart, valuesFiles: [.hidden.yaml, ignored.yaml]}}\n"
         "- {clusterName: z, helm: {chart: oci://example.com/web}, kustomize: {dir: .}}\n"},
        {"apps/web/chart/Chart.yaml", "name: web\n"},
        {"apps/web/values.yaml", "a: b\n"},
        {"apps/web/.hidden.yaml", "a: b\n"},
        {"apps/web/ignored.yaml", "a: b\n"},
        {"apps/web/.fleetignore", "ignored.yaml\n"},
        {"apps/a.yaml", "a: b\n"}};
    repo::LoadOptions options;
    options.cluster = "z";
    const LoadedText loaded = load_text(files, options);
    EXPECT_NE(
        loaded.files.find(
            "copied oci://example.com/web without ../a.yaml without ../k without .hidden.yaml "
            "without ignored.yaml without ../chart\n"),
        std::string::npos)
        << loaded.files << loaded.diagnostics;
}

TEST(Select, OtherChartsAreCopied) {
    const Files files = {{"web/fleet.yaml", "# why\ndefaultNamespace: web\nhelm: {chart: nginx}\n"},
                         {"web/values.yaml", "{{ not yaml"},
                         {"web/x.txt", "x"},
                         {"local/fleet.yaml", "name: local\n"},
                         {"local/Chart.yaml", "name: local\n"},
                         {"local/templates/a.yaml", "{{ x }}"}};
    EXPECT_EQ(load_text(files).files,
              "bundle \"local\" name \"local\" default \"\" forced \"\" copied local/Chart.yaml\n"
              "bundle \"web\" name \"web\" default \"web\" forced \"\" copied nginx\n"
              "0 Chart.yaml copied\n"
              "0 fleet.yaml copied\n"
              "0 templates/a.yaml copied\n"
              "1 fleet.yaml copied\n"
              "1 values.yaml copied\n"
              "1 x.txt copied\n");
    repo::LoadOptions options;
    options.output_dir = "out";
    EXPECT_EQ(load_text(files, options).diagnostics,
              "web/fleet.yaml:1:1: warning: this bundle has no name, so Fleet derives one from the "
              "GitRepo's name and the path [unnamed-bundle]\n"
              "    1 | # why\n"
              "      | ^\n"
              "  found: \"web\" is written instead\n"
              "  hint: set \"name\" to the bundle's current name; a renamed bundle is deleted and "
              "installed again\n");
}

struct SelectRow {
    std::string name;
    Files files;
    std::string want;
};

TEST(Select, FleetErrors) {
    const std::vector<SelectRow> rows = {
        {"kustomization of another name",
         {{"b/fleet.yaml", "kustomize: {dir: o}\n"},
          {"b/o/kustomization.yml", "resources: [a.yaml]\n"},
          {"b/o/a.yaml", kSelectedSecret}},
         "b/fleet.yaml:1:18: error: Fleet finds no kustomization.yaml in \"b/o\" and does not run "
         "kustomize "
         "[fleet-kustomization]\n"
         "    1 | kustomize: {dir: o}\n"
         "      |                  ^\n"
         "  expected: a file \"b/o/kustomization.yaml\"\n"
         "  hint: rename the file\n"},
        {"kustomization in a raw bundle",
         {{"b/fleet.yaml", "name: b\n"},
          {"b/o/kustomization.yaml", "resources: [a.yaml]\n"},
          {"b/o/a.yaml", kSelectedSecret}},
         "b/o/kustomization.yaml: error: Fleet does not build this kustomization, but applies "
         "every manifest of the bundle [fleet-kustomization]\n"
         "  expected: kustomize.dir in fleet.yaml\n"
         "  hint: set kustomize.dir to the directory, or exclude it in .fleetignore\n"},
        {"kustomize.dir that is not there",
         {{"b/fleet.yaml", "kustomize: {dir: o}\n"}, {"b/a.yaml", kSelectedSecret}},
         "b/fleet.yaml:1:18: error: Fleet finds no kustomization.yaml in \"b/o\" and does not run "
         "kustomize "
         "[fleet-kustomization]\n"
         "    1 | kustomize: {dir: o}\n"
         "      |                  ^\n"
         "  expected: a file \"b/o/kustomization.yaml\"\n"
         "  hint: fix kustomize.dir\n"},
        {"base outside of the bundle",
         {{"b/fleet.yaml", "name: b\n"},
          {"b/kustomization.yaml", "resources: [../base]\n"},
          {"base/kustomization.yaml", "resources: [a.yaml]\n"},
          {"base/a.yaml", kSelectedSecret}},
         "b/kustomization.yaml:1:13: error: \"../base\" is outside the bundle "
         "[outside-bundle]\n"
         "    1 | resources: [../base]\n"
         "      |             ^\n"
         "  expected: a directory below b\n"
         "  hint: Fleet only reads the bundle's own directory; move the base into it\n"},
        {"overlays of raw bundles",
         {{"b/fleet.yaml", "yaml: {overlays: [x]}\n"}, {"b/a.yaml", kSelectedSecret}},
         "b/fleet.yaml:1:19: error: \"yaml.overlays\" is not supported by tailrender "
         "[not-supported]\n"
         "    1 | yaml: {overlays: [x]}\n"
         "      |                   ^\n"
         "  expected: a kustomization\n"
         "  hint: write the overlay as a kustomization and set kustomize.dir to it\n"},
        {"templates without a chart",
         {{"b/fleet.yaml", "name: b\n"},
          {"b/templates/a.yaml", kSelectedSecret + "# {{ .Values.x }}\n"}},
         "b/templates/a.yaml: error: Fleet renders \"templates/\" with Helm, tailrender does not "
         "[not-supported]\n"
         "  found: a template in a bundle without a chart\n"
         "  hint: add a Chart.yaml, or move the file out of \"templates/\"\n"},
        {"two operators",
         {{"a/fleet.yaml", "helm: {chart: tailscale-operator}\n"},
          {"b/fleet.yaml", "helm: {chart: tailscale-operator}\n"}},
         "b/fleet.yaml:1:7: error: two bundles install the operator's chart "
         "[second-operator]\n"
         "    1 | helm: {chart: tailscale-operator}\n"
         "      |       ^\n"
         "  hint: keep one of the bundles, or select bundles in .tailrender.yaml\n"
         "a/fleet.yaml:1:7: note: the first bundle installs it here\n"},
        {"overlay that moves the operator",
         {{"a/fleet.yaml", "defaultNamespace: ts\nhelm: {chart: tailscale-operator}\n"},
          {"a/kustomization.yaml", "namespace: other\nresources: [a.yaml]\n"},
          {"a/a.yaml", kSelectedSecret}},
         "a/kustomization.yaml:1:12: error: this overlay moves the operator's chart to another "
         "namespace [not-supported]\n"
         "    1 | namespace: other\n"
         "      |            ^\n"
         "  found: namespace \"other\"\n"
         "  expected: \"ts\", as in fleet.yaml\n"
         "  hint: set defaultNamespace in fleet.yaml instead\n"},
        {"two fleet files",
         {{"a/fleet.yaml", "name: a\n"},
          {"a/fleet.yml", "name: a\n"},
          {"a/a.yaml", kSelectedSecret}},
         "a/fleet.yml: error: this directory has fleet.yaml and fleet.yml [two-fleet-files]\n"
         "  expected: one of them\n"
         "  hint: keep fleet.yaml\n"},
        {"two env files",
         {{"a/fleet.yaml", "name: a\nhelm: {chart: tailscale-operator}\n"},
          {"a/x/kustomization.yaml", "secretGenerator: [{name: operator-oauth, envs: [x.env]}]\n"},
          {"a/x/x.env", "client_id=1\n"},
          {"a/y/kustomization.yaml", "secretGenerator: [{name: operator-oauth, envs: [y.env]}]\n"},
          {"a/y/y.env", "client_id=2\n"}},
         "a/y/kustomization.yaml:1:49: error: two generators named \"operator-oauth\" have an env "
         "file "
         "[two-oauth-files]\n"
         "    1 | secretGenerator: [{name: operator-oauth, envs: [y.env]}]\n"
         "      |                                                 ^\n"
         "  found: \"a/x/x.env\" and \"a/y/y.env\"\n"
         "  hint: keep the one of this cluster\n"
         "a/x/kustomization.yaml:1:49: note: the other one is here\n"},
    };
    for (const SelectRow& row : rows) {
        SCOPED_TRACE(row.name);
        EXPECT_EQ(load_text(row.files).diagnostics, row.want);
    }
}

TEST(Select, Context) {
    repo::LoadOptions options;
    options.path = "apps";
    options.context_dirs = {"facts", "apps/"};
    options.default_namespace = "shop";
    const LoadedText text =
        load_text({{"apps/a.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n"},
                   {"facts/x/fleet.yaml", "name: x\ndefaultNamespace: far\n"},
                   {"facts/x/b.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: b}\n"}},
                  options);
    EXPECT_EQ(text.files,
              "bundle \"\" name \"\" default \"shop\" forced \"\"\n"
              "0 a.yaml\n"
              "0 facts/x/b.yaml unreachable\n");
    EXPECT_EQ(text.documents,
              "apps/a.yaml:2:7 Service/shop/a tree\n"
              "facts/x/b.yaml:2:7 Service/far/b tree unreachable\n");
    options.stream = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n";
    options.context_dirs = {"facts"};
    EXPECT_EQ(load_text({{"facts/b.yaml",
                          "apiVersion: v1\nkind: Service\nmetadata: {name: b, namespace: z}\n"}},
                        options)
                  .documents,
              "<stdin>:2:7 Secret/shop/s tree\n"
              "facts/b.yaml:2:7 Service/z/b tree unreachable\n");
}

}  // namespace
}  // namespace renderer::load
