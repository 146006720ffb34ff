#include "renderer/load/documents.h"

#include <gtest/gtest.h>

#include "renderer/load/load_testing.h"

namespace renderer::load {
namespace {

LoadedText load_stream_text(std::string stream, std::string ns = "") {
    repo::LoadOptions options = in_namespace(std::move(ns));
    options.stream = std::move(stream);
    return load_text({}, std::move(options));
}

constexpr std::string_view kWeb = "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n";

TEST(Documents, StreamBorders) {
    const LoadedText text = load_stream_text(
        "# licence\n---\n---\n# Source: a\napiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n"
        "---\nnull\n...\n--- # b\r\napiVersion: v1\r\nkind: Secret\r\nmetadata:\r\n  name: b\r\n",
        "shop");
    EXPECT_EQ(text.documents, "<stdin>:6:7 Secret/shop/a\n<stdin>:14:7 Secret/shop/b\n");
    EXPECT_EQ(text.diagnostics, "");
    EXPECT_EQ(text.files, "bundle \"\" name \"\" default \"shop\" forced \"\"\n");
}

TEST(Documents, GluedSeparatorIsAWarning) {
    const LoadedText text =
        load_stream_text("---apiVersion: v1\nkind: Service\nmetadata: {name: a, namespace: x}\n");
    EXPECT_EQ(text.documents, "<stdin>:2:7 Service/x/a tree\n");
    EXPECT_EQ(text.diagnostics,
              "<stdin>:1:4: warning: text after a document separator [glued-separator]\n"
              "    1 | ---apiVersion: v1\n"
              "      |    ^\n"
              "  expected: a line that holds only \"---\"\n"
              "  hint: a template trims one line break too many; other tools reject this stream\n");
}

TEST(Documents, StreamReadsWhatMentionsTailscaleWhole) {
    const LoadedText text = load_stream_text(
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n---\n"
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: tailscale\n");
    EXPECT_EQ(text.documents, "<stdin>:2:7 Secret/a\n<stdin>:7:7 Secret/tailscale tree\n");
}

TEST(Documents, StreamThatWasCutInAKeyIsRefused) {
    const std::string whole = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n";
    for (const char* cut : {"da", "da\n", "data:\n  b: c\n  da", "data:\n  - b\n  c"}) {
        const LoadedText text = load_stream_text(whole + cut);
        EXPECT_EQ(text.documents, "") << cut;
        EXPECT_NE(text.diagnostics.find("[yaml-syntax]"), std::string::npos) << cut;
    }
    EXPECT_EQ(load_stream_text(whole + "data: {}").diagnostics, "");
}

TEST(Documents, ListsAreFlattened) {
    const LoadedText text =
        load_text({{"a.yaml",
                    "apiVersion: v1\nkind: List\nitems:\n"
                    "- {apiVersion: v1, kind: Service, metadata: {name: a, namespace: x}}\n"
                    "- apiVersion: v1\n  kind: SecretList\n  items:\n"
                    "  - {apiVersion: v1, kind: Secret, metadata: {name: b, namespace: x}}\n"
                    "---\napiVersion: v1\nkind: List\nitems: null\n---\n" +
                        std::string(kWeb)}},
                  in_namespace("x"));
    EXPECT_EQ(text.documents,
              "a.yaml:2:7 List/\n"
              "a.yaml:4:26 Service/x/a tree in 0\n"
              "a.yaml:8:28 Secret/x/b tree in 0\n"
              "a.yaml:11:7 List/ tree\n"
              "a.yaml:15:7 Service/x/web tree\n");
    EXPECT_EQ(text.diagnostics, "");
}

TEST(Documents, FilesWithoutObjectsAreSkipped) {
    const LoadedText text = load_text({{"a.yaml", "some: values\n"},
                                       {"b.yml", "- kind\n"},
                                       {"c.json", "{\"version\": 1}"},
                                       {"d.yaml", "# apiVersion\n"},
                                       {"e.yaml", "a: [unclosed\n"},
                                       {"x.txt", "kind: Service\n"}});
    EXPECT_EQ(text.files, "bundle \"\" name \"\" default \"\" forced \"\"\n");
    EXPECT_EQ(text.diagnostics, "");
}

TEST(Documents, OneKeyAloneIsAnError) {
    EXPECT_EQ(load_text({{"a.yaml", "kind: Service\nmetadata: {}\n"}}).diagnostics,
              "a.yaml:1:7: error: this object has no apiVersion [incomplete-object]\n"
              "    1 | kind: Service\n"
              "      |       ^\n"
              "  found: kind \"Service\"\n"
              "  expected: apiVersion and kind\n"
              "  hint: add \"apiVersion\", or remove the file from the tree\n");
    EXPECT_EQ(load_text({{"a.yaml", "apiVersion: v1\nkind: [x]\nmetadata: {}\n"}}).diagnostics,
              "a.yaml:1:13: error: this object has no kind [incomplete-object]\n"
              "    1 | apiVersion: v1\n"
              "      |             ^\n"
              "  found: apiVersion \"v1\"\n"
              "  expected: apiVersion and kind\n"
              "  hint: add \"kind\", or remove the file from the tree\n");
}

TEST(Documents, ConfigurationOfOtherProgramsIsSkipped) {
    const std::string talos =
        "machine: {kind: x}\n---\napiVersion: v1alpha1\nkind: Volume\nname: a\n";
    for (const std::string& text :
         {talos, std::string("kind: Cluster\nname: a\n---\nkind: Machine\nname: b\n"),
          std::string("kind: {{ .kind }}\n"), std::string("kind: a\nkind: b\n"),
          std::string("apiVersion: {{ .version }}\nkind: Cluster\n")}) {
        SCOPED_TRACE(text);
        const LoadedText skipped = load_text({{"a.yaml", text}});
        EXPECT_EQ(skipped.diagnostics + skipped.documents + skipped.files,
                  "bundle \"\" name \"\" default \"\" forced \"\"\n");
        EXPECT_NE(load_text({{"a.yaml", text}, {"kustomization.yaml", "resources: [a.yaml]\n"}})
                      .diagnostics,
                  "");
    }
}

TEST(Documents, SomethingElseBesideObjectsIsAnError) {
    EXPECT_EQ(
        load_text({{"a.yaml", std::string(kWeb) + "---\n# note\nsome: values\n"}}).diagnostics,
        "a.yaml:7:1: error: this document is not a Kubernetes object [not-kubernetes]\n"
        "    7 | some: values\n"
        "      | ^\n"
        "  found: a map\n"
        "  expected: a map with apiVersion and kind\n"
        "  hint: move it to a separate file, or remove it\n");
    EXPECT_EQ(load_stream_text("just text\n").diagnostics,
              "<stdin>:1:1: error: this document is not a Kubernetes object [not-kubernetes]\n"
              "    1 | just text\n"
              "      | ^\n"
              "  found: a string\n"
              "  expected: a map with apiVersion and kind\n"
              "  hint: look at the program before the pipe: it may have failed\n");
}

TEST(Documents, NamesAreText) {
    EXPECT_EQ(load_text({{"a.yaml",
                          "apiVersion: v1\nkind: Service\nmetadata: {name: 12, namespace: y}\n"}})
                  .diagnostics,
              "a.yaml:3:18: error: metadata.name must be a string [wrong-type]\n"
              "    3 | metadata: {name: 12, namespace: y}\n"
              "      |                  ^\n"
              "  found: a number\n"
              "  expected: a string\n"
              "  hint: put it in quotes\n"
              "a.yaml:3:33: error: metadata.namespace must be a string [wrong-type]\n"
              "    3 | metadata: {name: 12, namespace: y}\n"
              "      |                                 ^\n"
              "  found: a boolean\n"
              "  expected: a string\n"
              "  hint: put it in quotes\n");
}

TEST(Documents, EveryBrokenFileIsReported) {
    const LoadedText text =
        load_text({{"a.yaml", "kind: A\nkind: B\napiVersion: v1\nmetadata: {}\n"},
                   {"b.yaml", "metadata: {}\napiVersion: v1\nkind: [\n"},
                   {"c.yaml", "apiVersion: v1\nkind: A\n\tmetadata: 1\n"}});
    EXPECT_NE(text.diagnostics.find("a.yaml:2:1: error"), std::string::npos);
    EXPECT_NE(text.diagnostics.find("b.yaml:4:1: error"), std::string::npos) << text.diagnostics;
    EXPECT_NE(text.diagnostics.find("c.yaml:3:1: error"), std::string::npos) << text.diagnostics;
}

TEST(Documents, OneFileAsPath) {
    repo::LoadOptions options;
    options.path = "dir/a.yaml";
    EXPECT_EQ(load_text({{"dir/a.yaml", std::string(kWeb)}}, options).files,
              "bundle \"\" name \"\" default \"\" forced \"\"\n0 a.yaml\n");
    EXPECT_EQ(load_text({{"dir/a.yaml", "a: 1\n"}}, options).diagnostics,
              "dir/a.yaml:1:1: error: this document is not a Kubernetes object [not-kubernetes]\n"
              "    1 | a: 1\n"
              "      | ^\n"
              "  found: a map\n"
              "  expected: a map with apiVersion and kind\n"
              "  hint: move it to a separate file, or remove it\n");
    options.path = "dir/nowhere";
    EXPECT_EQ(load_text({}, options).diagnostics,
              "dir/nowhere: error: no such file or directory [missing-path]\n"
              "  expected: a directory with manifests, or a manifest\n"
              "  hint: correct the path; it is relative to the current directory\n");
}

ScannedDocument scanned(std::string_view version, std::string_view kind) {
    ScannedDocument document;
    document.plain = true;
    document.api_version = Value(version);
    document.kind = Value(kind);
    return document;
}

TEST(Documents, NeedsTree) {
    EXPECT_TRUE(needs_tree(scanned("v1", "Service"), false));
    EXPECT_TRUE(needs_tree(scanned("v1", "Namespace"), false));
    EXPECT_TRUE(needs_tree(scanned("networking.k8s.io/v1", "Ingress"), false));
    EXPECT_TRUE(needs_tree(scanned("v1", "ConfigMapList"), false));
    EXPECT_TRUE(needs_tree(scanned("tailscale.com/v1alpha1", "Connector"), false));
    EXPECT_FALSE(needs_tree(scanned("apps/v1", "Deployment"), false));
    ScannedDocument chart = scanned("v1", "ConfigMap");
    chart.mentions_tailscale = true;
    EXPECT_FALSE(needs_tree(chart, false));
    EXPECT_TRUE(needs_tree(chart, true));
    ScannedDocument workload = scanned("apps/v1", "Deployment");
    workload.mentions_tailscale = true;
    EXPECT_TRUE(needs_tree(workload, false));
    ScannedDocument odd = scanned("apps/v1", "Deployment");
    odd.plain = false;
    EXPECT_TRUE(needs_tree(odd, false));
}

}  // namespace
}  // namespace renderer::load
