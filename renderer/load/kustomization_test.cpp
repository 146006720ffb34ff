#include "renderer/engines/kustomize/kustomization.h"

#include <gtest/gtest.h>

#include "renderer/load/load_testing.h"

namespace renderer::load {
namespace {

const std::string kSecret = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n";
const std::string kOther = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: b\n";

LoadedText load_files(Files files) {
    return load_text(std::move(files));
}

TEST(Kustomization, OnlyWhatItListsIsApplied) {
    const LoadedText text =
        load_files({{"kustomization.yaml", "resources: [a.yaml, deep/b.yaml]\n"},
                    {"a.yaml", kSecret},
                    {"deep/b.yaml", kOther},
                    {"deep/c.yaml", kOther},
                    {"deep/values.yaml", "{{ broken"}});
    EXPECT_EQ(text.files,
              "bundle \"\" name \"\" default \"\" forced \"\"\n"
              "0 a.yaml\n"
              "0 deep/b.yaml\n"
              "0 deep/c.yaml unreachable\n");
    EXPECT_EQ(text.diagnostics, "");
}

TEST(Kustomization, BesideDirectoriesWithoutOne) {
    EXPECT_EQ(load_files({{"k/Kustomization", "resources: [a.yaml]\n"},
                          {"k/a.yaml", kSecret},
                          {"plain/b.yaml", kOther}})
                  .files,
              "bundle \"\" name \"\" default \"\" forced \"\"\n0 k/a.yaml\n0 plain/b.yaml\n");
}

TEST(Kustomization, OutermostNamespaceWins) {
    const Files files = {{"kustomization.yaml", "namespace: outer\nresources: [base]\n"},
                         {"base/kustomization.yaml", "namespace: inner\nresources: [a.yaml]\n"},
                         {"base/a.yaml", kSecret}};
    EXPECT_EQ(load_text(files).documents, "base/a.yaml:2:7 Secret/outer/a\n");
    Files alone = files;
    alone["kustomization.yaml"] = "resources: [base]\n";
    EXPECT_EQ(load_text(alone).documents, "base/a.yaml:2:7 Secret/inner/a\n");
}

TEST(Kustomization, BaseAboveTheRoot) {
    repo::LoadOptions options;
    options.path = "overlays/x";
    const Files files = {{"overlays/x/kustomization.yaml", "bases: [../../base]\n"},
                         {"base/kustomization.yaml", "resources: [a.yaml]\n"},
                         {"base/a.yaml", kSecret}};
    EXPECT_EQ(load_text(files, options).files,
              "bundle \"\" name \"\" default \"\" forced \"\"\n0 _up/_up/base/a.yaml\n");
}

TEST(Kustomization, EmptyForeignFieldsAreFine) {
    EXPECT_EQ(load_files({{"kustomization.yaml",
                           "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"
                           "metadata: {name: x}\npatches: []\nnamePrefix: \"\"\nimages:\n"
                           "sortOptions: {order: fifo}\nresources: [a.yaml]\n"},
                          {"a.yaml", kSecret}})
                  .diagnostics,
              "");
}

struct KustomizationRow {
    std::string name, kustomization, want;
};

TEST(Kustomization, Errors) {
    const std::vector<KustomizationRow> rows = {
        {"field of kustomize", "namePrefix: x-\nresources: [a.yaml]\n",
         "kustomization.yaml:1:1: error: \"namePrefix\" of a kustomization is not supported by "
         "tailrender [not-supported]\n"
         "    1 | namePrefix: x-\n"
         "      | ^\n"
         "  expected: resources, namespace, secretGenerator, configMapGenerator and "
         "generatorOptions\n"
         "  hint: install kustomize, which builds it then, or name it: --kustomize PROGRAM; "
         "or: kustomize build . | tailrender post-render\n"},
        {"component", "kind: Component\n",
         "kustomization.yaml:1:7: error: this file is not a Kustomization [not-supported]\n"
         "    1 | kind: Component\n"
         "      |       ^\n"
         "  found: kind \"Component\"\n"
         "  expected: kind: Kustomization\n"},
        {"empty", "# nothing\n",
         "kustomization.yaml:1:1: error: this kustomization is empty [empty-kustomization]\n"
         "    1 | # nothing\n"
         "      | ^\n"
         "  hint: list the manifests under \"resources\"\n"},
        {"wrong type", "resources: a.yaml\n",
         "kustomization.yaml:1:12: error: \"resources\" has the wrong type [wrong-type]\n"
         "    1 | resources: a.yaml\n"
         "      |            ^\n"
         "  found: a string\n"
         "  expected: a list of strings\n"
         "  hint: write resources: [a.yaml]\n"},
        {"field of a generator", "secretGenerator: [{name: s, literal: [a=b]}]\n",
         "kustomization.yaml:1:29: error: unknown key \"literal\" in \"secretGenerator\" "
         "[unknown-key]\n"
         "  expected: one of { behavior, env, envs, files, literals, name, namespace, options, "
         "type "
         "}\n"
         "  hint: did you mean \"literals\"?\n"},
        {"git", "resources:\n- github.com/x/y?ref=v1\n",
         "kustomization.yaml:2:3: error: \"github.com/x/y?ref=v1\" is a remote resource "
         "[remote-resource]\n"
         "    2 | - github.com/x/y?ref=v1\n"
         "      |   ^\n"
         "  expected: a file or directory of this repository\n"
         "  hint: copy it into this repository, name a copy with --source "
         "'github.com/x/y?ref=v1'=DIR, or: kustomize build . | tailrender post-render\n"},
        {"missing", "resources: [x.yaml]\n",
         "kustomization.yaml:1:13: error: file or directory \"x.yaml\" not found "
         "[missing-resource]\n"
         "    1 | resources: [x.yaml]\n"
         "      |             ^\n"
         "  expected: a path relative to kustomization.yaml\n"
         "  hint: fix the path, or remove the entry\n"},
        {"directory without a kustomization", "resources: [dir]\n",
         "kustomization.yaml:1:13: error: the directory \"dir\" has no kustomization "
         "[missing-resource]\n"
         "    1 | resources: [dir]\n"
         "      |             ^\n"
         "  expected: a kustomization.yaml in it\n"
         "  hint: add one, or list the files\n"},
        {"file from elsewhere", "resources: [../other/b.yaml]\n",
         "kustomization.yaml:1:13: error: \"../other/b.yaml\" is not in or below the "
         "kustomization's directory [outside-kustomization]\n"
         "    1 | resources: [../other/b.yaml]\n"
         "      |             ^\n"
         "  expected: kustomize only reads files in or below its directory\n"
         "  hint: move the file, or give its directory a kustomization.yaml and list that\n"},
        {"twice", "resources: [a.yaml, ./a.yaml]\n",
         "kustomization.yaml:1:21: error: \"a.yaml\" is part of this build twice [listed-twice]\n"
         "    1 | resources: [a.yaml, ./a.yaml]\n"
         "      |                     ^\n"
         "  hint: remove one of the two\n"
         "kustomization.yaml:1:13: note: also listed here\n"},
        {"cycle", "resources: [.]\n",
         "kustomization.yaml:1:13: error: \".\" contains this kustomization "
         "[kustomization-cycle]\n"
         "    1 | resources: [.]\n"
         "      |             ^\n"
         "  expected: bases that do not include this one\n"
         "  hint: remove the entry\n"},
        {"no object in a resource", "resources: [dir/values.yaml]\n",
         "dir/values.yaml:1:1: error: this document is not a Kubernetes object [not-kubernetes]\n"
         "    1 | a: 1\n"
         "      | ^\n"
         "  found: a map\n"
         "  expected: a map with apiVersion and kind\n"
         "  hint: move it to a separate file, or remove it\n"},
        {"generator without a name", "configMapGenerator: [{literals: [a=b]}]\n",
         "kustomization.yaml:1:22: error: a generator needs a name [invalid-generator]\n"
         "    1 | configMapGenerator: [{literals: [a=b]}]\n"
         "      |                      ^\n"
         "  expected: name: db\n"},
        {"behavior", "configMapGenerator: [{name: c, behavior: merge}]\n",
         "kustomization.yaml:1:42: error: behavior \"merge\" is not supported by tailrender "
         "[not-supported]\n"
         "    1 | configMapGenerator: [{name: c, behavior: merge}]\n"
         "      |                                          ^\n"
         "  expected: create\n"
         "  hint: install kustomize, which builds it then, or name it: --kustomize PROGRAM; "
         "or: kustomize build . | tailrender post-render\n"},
        {"literal", "secretGenerator: [{name: c, literals: [HIDDEN]}]\n",
         "kustomization.yaml:1:40: error: a literal is not \"key=value\" [invalid-generator]\n"
         "  expected: key=value\n"},
        {"file source", "secretGenerator: [{name: c, files: [a=b=c]}]\n",
         "kustomization.yaml:1:37: error: a file is not \"path\" or \"key=path\" "
         "[invalid-generator]\n"
         "  found: \"…\"\n"
         "  expected: key=path\n"},
        {"missing env file", "secretGenerator: [{name: c, envs: [.env]}]\n",
         "kustomization.yaml:1:36: error: cannot read \".env\", which generator \"c\" lists "
         "[missing-file]\n"
         "    1 | secretGenerator: [{name: c, envs: [.env]}]\n"
         "      |                                    ^\n"
         "  expected: a file\n"
         "  hint: create it, or remove the entry\n"},
        {"env file from elsewhere", "secretGenerator: [{name: c, env: ../x.env}]\n",
         "kustomization.yaml:1:34: error: \"../x.env\" is not in or below the kustomization's "
         "directory [outside-kustomization]\n"
         "    1 | secretGenerator: [{name: c, env: ../x.env}]\n"
         "      |                                  ^\n"
         "  expected: kustomize only reads files in or below its directory\n"
         "  hint: move the file\n"},
        {"bad UTF-8", "secretGenerator: [{name: c, envs: [dir/bad.env]}]\n",
         "dir/bad.env:2:1: error: this line is not UTF-8 [bad-utf8]\n"
         "  expected: UTF-8 text\n"
         "  hint: use \"files\" for binary data\n"},
        {"key twice", "secretGenerator: [{name: c, envs: [dir/x.env], literals: [HIDDEN=1]}]\n",
         "kustomization.yaml:1:59: error: generator \"c\" has this key twice [duplicate-key]\n"
         "  expected: each key once in envs, literals and files\n"
         "  hint: remove one of them\n"
         "dir/x.env:1:1: note: the first one is here\n"},
        {"object twice",
         "secretGenerator: [{name: c, literals: [a=1]}, {name: c}]\n"
         "generatorOptions: {disableNameSuffixHash: true}\n",
         "kustomization.yaml:1:47: error: Secret/c: two generators create this object "
         "[generated-twice]\n"
         "  hint: merge them, or rename one\n"
         "kustomization.yaml:1:19: note: the first generator is here\n"},
    };
    for (const KustomizationRow& row : rows) {
        SCOPED_TRACE(row.name);
        EXPECT_EQ(
            load_files({{"kustomization.yaml", std::string(row.kustomization) + "# tailscale\n"},
                        {"a.yaml", kSecret},
                        {"../other/b.yaml", kOther},
                        {"dir/values.yaml", "a: 1\n"},
                        {"dir/x.env", "HIDDEN\n"},
                        {"dir/bad.env", "a=1\nHIDDEN=\xFF\n"}})
                .diagnostics,
            row.want);
    }
}

TEST(Kustomization, CycleOfTwo) {
    EXPECT_EQ(load_files({{"a/kustomization.yaml", "resources: [../b]\n"},
                          {"b/kustomization.yaml", "resources: [../a]\n# tailscale\n"}})
                  .diagnostics,
              "b/kustomization.yaml:1:13: error: \"../a\" contains this kustomization "
              "[kustomization-cycle]\n"
              "    1 | resources: [../a]\n"
              "      |             ^\n"
              "  expected: bases that do not include this one\n"
              "  hint: remove the entry\n");
}

TEST(Kustomization, FileOfTwoBuilds) {
    const LoadedText loaded =
        load_files({{"base/kustomization.yaml", "resources: [a.yaml]\n"},
                    {"base/a.yaml", kSecret},
                    {"x/kustomization.yaml", "resources: [../base]\n"},
                    {"y/kustomization.yaml", "namespace: lab\nresources: [../base]\n"},
                    {"z/kustomization.yaml", "namespace: lab\nresources: [../base]\n"}});
    EXPECT_EQ(loaded.diagnostics, "");
    EXPECT_EQ(loaded.files,
              "bundle \"\" name \"\" default \"\" forced \"\"\n"
              "0 base/a.yaml\n"
              "0 y/_base/base/a.yaml\n");
}

TEST(Kustomization, InputOfTwoBuilds) {
    EXPECT_EQ(
        load_files({{"base/kustomization.yaml", "resources: [a.yaml]\n"},
                    {"base/a.yaml", "# tailscale\n" + std::string(kSecret)},
                    {"x/kustomization.yaml", "resources: [../base]\n"},
                    {"y/kustomization.yaml", "resources: [../base]\n"}})
            .diagnostics,
        "base/kustomization.yaml:1:13: error: \"base/a.yaml\" is part of two kustomize builds "
        "[listed-twice]\n"
        "    1 | resources: [a.yaml]\n"
        "      |             ^\n"
        "  found: builds of \"x\" and \"y\"\n"
        "  hint: render one of them: tailrender render y\n"
        "base/kustomization.yaml:1:13: note: also listed here\n");
}

TEST(Kustomization, TwoFiles) {
    EXPECT_EQ(load_files({{"k/kustomization.yaml", "resources: [a.yaml]  # tailscale\n"},
                          {"k/Kustomization", "resources: [a.yaml]\n"},
                          {"k/a.yaml", kSecret}})
                  .diagnostics,
              "k/Kustomization: error: this directory has two kustomization files "
              "[two-kustomizations]\n"
              "  found: k/kustomization.yaml, k/Kustomization\n"
              "  expected: one of them\n"
              "  hint: keep kustomization.yaml\n");
}

TEST(Kustomization, ComponentsAreBuiltWithWhatNamesThem) {
    const LoadedText loaded =
        load_files({{"x/kustomization.yaml", "resources: [a.yaml]\n"},
                    {"x/a.yaml", kSecret},
                    {"component/kustomization.yaml", "kind: Component\nresources: [b.yaml]\n"},
                    {"component/b.yaml", kSecret}});
    EXPECT_EQ(loaded.diagnostics, "");
    EXPECT_EQ(loaded.files,
              "bundle \"\" name \"\" default \"\" forced \"\"\n"
              "0 component/b.yaml unreachable\n"
              "0 x/a.yaml\n");
}

TEST(Kustomization, RenderedTreesAreNoResources) {
    const LoadedText loaded =
        load_files({{"kustomization.yaml", "resources: [a.yaml, tailnet]\n"},
                    {"a.yaml", kSecret},
                    {"tailnet/.tailrender-inventory", "kustomization.yaml\nb.yaml\n"},
                    {"tailnet/kustomization.yaml", "resources: [b.yaml]\n"},
                    {"tailnet/b.yaml", kSecret}});
    EXPECT_EQ(loaded.diagnostics, "");
    EXPECT_EQ(loaded.files, "bundle \"\" name \"\" default \"\" forced \"\"\n0 a.yaml\n");
}

TEST(Kustomization, Generators) {
    const LoadedText text = load_files(
        {{"kustomization.yaml",
          "namespace: shop\n"
          "generatorOptions: {labels: {app: all, tier: x}, disableNameSuffixHash: true}\n"
          "secretGenerator:\n"
          "- name: s\n  namespace: other\n  envs: [one.env]\n  env: two.env\n"
          "  literals: [d='4']\n  files: [e.txt, f=e.txt]\n"
          "  options: {labels: {app: mine}, disableNameSuffixHash: false}\n"},
         {"one.env", "b=2\n"},
         {"two.env", "c=3\n"},
         {"e.txt", "5\n"}});
    EXPECT_EQ(text.diagnostics, "");
    EXPECT_EQ(text.objects,
              "---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n  namespace: shop\n"
              "  labels:\n    app: mine\n    tier: x\n"
              "data:\n  b: Mg==\n  c: Mw==\n  d: NA==\n  e.txt: NQo=\n  f: NQo=\ntype: Opaque\n");
}

TEST(Kustomization, OAuthIsRecordedNotGenerated) {
    const Files files = {{"op/kustomization.yaml",
                          "secretGenerator: [{name: operator-oauth, envs: [../.oauth.env]}]\n"}};
    const LoadedText absent = load_text(files);
    EXPECT_EQ(absent.diagnostics, "");
    EXPECT_EQ(absent.objects, "");
    Files present = files;
    present[".oauth.env"] = "client_id=id\nclient_secret=\"HIDDEN\"\n";
    EXPECT_EQ(load_text(present).diagnostics,
              ".oauth.env:2:1: warning: the quotes become part of the value of \"client_secret\" "
              "[suspicious-env-file]\n"
              "  hint: remove the quotes\n");
}

}  // namespace
}  // namespace renderer::load
