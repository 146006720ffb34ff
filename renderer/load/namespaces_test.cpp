#include "renderer/load/namespaces.h"

#include <gtest/gtest.h>

#include <array>

#include "renderer/load/load_testing.h"

namespace renderer::load {
namespace {

struct NamespaceRow {
    std::string_view name, text, want;
};

// `--namespace shop` over a document that has none.
TEST(Namespaces, Inserted) {
    constexpr std::array kRows = {
        NamespaceRow{
            "scanned",
            "# c\napiVersion: v1\nkind: Secret\nmetadata:\n  labels: {}\n  name: a # b\n",
            "# c\napiVersion: v1\nkind: Secret\nmetadata:\n  labels: {}\n  namespace: shop\n  "
            "name: a # b\n"},
        NamespaceRow{
            "tree", "apiVersion: v1\nkind: Service\nmetadata:\n    name: a\n    labels: {}\n",
            "apiVersion: v1\nkind: Service\nmetadata:\n    namespace: shop\n    name: a\n    "
            "labels: {}\n"},
        NamespaceRow{
            "line ends", "apiVersion: v1\r\nkind: Secret\r\nmetadata:\r\n  name: a\r\n",
            "apiVersion: v1\r\nkind: Secret\r\nmetadata:\r\n  namespace: shop\r\n  name: a\r\n"},
        NamespaceRow{
            "line ends of a tree", "apiVersion: v1\r\nkind: Service\r\nmetadata:\r\n  name: a\r\n",
            "apiVersion: v1\r\nkind: Service\r\nmetadata:\r\n  namespace: shop\r\n  name: a\r\n"},
        NamespaceRow{"flow style", "{apiVersion: v1, kind: Secret, metadata: {name: a}}\n",
                     "{apiVersion: v1, kind: Secret, metadata: {namespace: shop, name: a}}\n"},
        NamespaceRow{"flow style with blanks",
                     "apiVersion: v1\nkind: Secret\nmetadata: { name: a }\n",
                     "apiVersion: v1\nkind: Secret\nmetadata: {namespace: shop, name: a }\n"},
        NamespaceRow{"empty flow map", "apiVersion: v1\nkind: Secret\nmetadata: {}\n",
                     "apiVersion: v1\nkind: Secret\nmetadata: {namespace: shop}\n"},
        NamespaceRow{
            "JSON",
            "{\"apiVersion\": \"v1\", \"kind\": \"Secret\", \"metadata\": {\"name\": \"a\"}}",
            "{\"apiVersion\": \"v1\", \"kind\": \"Secret\", \"metadata\": {\"namespace\": "
            "\"shop\", "
            "\"name\": \"a\"}}"},
        NamespaceRow{
            "JSON on lines",
            "{\"apiVersion\": \"v1\", \"kind\": \"Secret\",\n \"metadata\": {\n  \"name\": \"a\"}}",
            "{\"apiVersion\": \"v1\", \"kind\": \"Secret\",\n \"metadata\": {\"namespace\": "
            "\"shop\",\n"
            "  \"name\": \"a\"}}"},
        NamespaceRow{
            "quoted keys", "\"apiVersion\": v1\nkind: Secret\n'metadata':\n  'name': a\n",
            "\"apiVersion\": v1\nkind: Secret\n'metadata':\n  namespace: shop\n  'name': a\n"},
        NamespaceRow{
            "generateName", "apiVersion: v1\nkind: Pod\nmetadata:\n  generateName: a-\n",
            "apiVersion: v1\nkind: Pod\nmetadata:\n  namespace: shop\n  generateName: a-\n"},
        NamespaceRow{
            "item of a list",
            "apiVersion: v1\nkind: List\nitems:\n- metadata:\n    name: a\n  kind: Secret\n"
            "  apiVersion: v1\n",
            "apiVersion: v1\nkind: List\nitems:\n- metadata:\n    namespace: shop\n    name: a\n  "
            "kind: Secret\n"
            "  apiVersion: v1\n"},
        NamespaceRow{"own namespace stays",
                     "apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: x}\n",
                     "apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: x}\n"},
        NamespaceRow{"empty namespace",
                     "apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: \"\"}\n",
                     "apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: \"shop\"}\n"},
        NamespaceRow{
            "cluster-scoped",
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: a\n",
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: a\n"},
    };
    for (const NamespaceRow& row : kRows) {
        SCOPED_TRACE(row.name);
        EXPECT_EQ(edited({{"a.yaml", std::string(row.text)}}, "a.yaml", in_namespace("shop")),
                  row.want);
    }
}

// A kustomization with `namespace: shop`.
TEST(Namespaces, Overwritten) {
    constexpr std::array kRows = {
        NamespaceRow{
            "plain", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n  namespace: x # why\n",
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n  namespace: shop # why\n"},
        NamespaceRow{"quoted",
                     "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n  namespace: 'x'\n",
                     "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n  namespace: 'shop'\n"},
        NamespaceRow{"same", "apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: shop}\n",
                     "apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: shop}\n"},
        NamespaceRow{"Namespace", "apiVersion: v1\nkind: Namespace\nmetadata: {name: x}\n",
                     "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n"},
        NamespaceRow{
            "default subjects",
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: "
            "a}\n"
            "subjects:\n- kind: ServiceAccount\n  name: default\n- {kind: ServiceAccount, name: "
            "x}\n"
            "- name: default\n  namespace: z\n",
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: "
            "a}\n"
            "subjects:\n- namespace: shop\n  kind: ServiceAccount\n  name: default\n- {kind: "
            "ServiceAccount, name: x}\n"
            "- name: default\n  namespace: shop\n"},
        NamespaceRow{
            "API service",
            "apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: {name: a}\n"
            "spec: {service: {name: x}}\n",
            "apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: {name: a}\n"
            "spec: {service: {namespace: shop, name: x}}\n"},
        NamespaceRow{
            "conversion webhook",
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: "
            "a}\n"
            "spec: {conversion: {webhook: {clientConfig: {service: {namespace: x}}}}}\n",
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: "
            "a}\n"
            "spec: {conversion: {webhook: {clientConfig: {service: {namespace: shop}}}}}\n"},
    };
    for (const NamespaceRow& row : kRows) {
        SCOPED_TRACE(row.name);
        EXPECT_EQ(edited({{"a.yaml", std::string(row.text)},
                          {"kustomization.yaml", "namespace: shop\nresources: [a.yaml]\n"}},
                         "a.yaml"),
                  row.want);
    }
}

TEST(Namespaces, NothingIsWrittenBehindAnAlias) {
    EXPECT_EQ(
        load_text({{"a.yaml", "apiVersion: v1\nkind: Service\nx: &m {name: a}\nmetadata: *m\n"}},
                  in_namespace("shop"))
            .diagnostics,
        "a.yaml:2:7: error: Service/shop/a: cannot write \"namespace: shop\" into this "
        "document [cannot-edit]\n"
        "    2 | kind: Service\n"
        "      |       ^\n"
        "  found: metadata that uses an alias, an anchor or a tag, or no metadata\n"
        "  hint: write \"namespace: shop\" into this file\n");
}

TEST(Namespaces, SharedMetadataOfTwoItems) {
    EXPECT_EQ(load_text({{"a.yaml",
                          "apiVersion: v1\nkind: List\nitems:\n"
                          "- &base {apiVersion: v1, kind: Widget, metadata: {name: a}}\n"
                          "- <<: *base\n  kind: ConfigMap\n"}},
                        in_namespace("shop"))
                  .diagnostics,
              "a.yaml:4:51: error: two documents share this text, so it cannot be changed for only "
              "one of them "
              "[cannot-edit]\n"
              "    4 | - &base {apiVersion: v1, kind: Widget, metadata: {name: a}}\n"
              "      |                                                   ^\n"
              "  found: edits for \"namespace shop\" and \"namespace shop\"\n"
              "  hint: repeat the text where it is used\n");
}

TEST(Namespaces, CustomResourceDefinitionsSayTheScope) {
    const LoadedText text = load_text(
        {{"a.yaml",
          "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n"
          "  name: things.example.com\nspec:\n  group: example.com\n  names: {kind: Thing}\n"
          "  scope: Cluster\n---\napiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: one\n"
          "---\napiVersion: example.com/v1\nkind: Other\nmetadata:\n  name: two\n"}},
        in_namespace("shop"));
    EXPECT_EQ(text.documents,
              "a.yaml:2:7 CustomResourceDefinition/things.example.com\n"
              "a.yaml:11:7 Thing/one\n"
              "a.yaml:16:7 Other/shop/two\n");
}

TEST(Namespaces, ForcedNamespace) {
    const Files files = {
        {"b/fleet.yaml", "name: b\nnamespace: forced\ndefaultNamespace: x\n"},
        {"b/a.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: z}\n"}};
    EXPECT_EQ(edited(files, "b/a.yaml"),
              "apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: forced}\n");
    Files wide = files;
    wide["b/c.yaml"] = "apiVersion: v1\nkind: Namespace\nmetadata: {name: z}\n";
    EXPECT_EQ(load_text(wide).diagnostics,
              "b/c.yaml:2:7: error: Namespace/z: Fleet rejects a bundle with \"namespace\" that "
              "has a cluster-scoped object [forced-namespace]\n"
              "    2 | kind: Namespace\n"
              "      |       ^\n"
              "  found: Namespace in a bundle with namespace \"forced\"\n"
              "  hint: use defaultNamespace, or move the object to another bundle\n"
              "b/fleet.yaml:2:12: note: the namespace is forced here\n");
}

TEST(Namespaces, StreamsAreNotEdited) {
    const std::string text = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n";
    repo::LoadOptions options = in_namespace("shop");
    options.stream.emplace(text);
    EXPECT_EQ(edited({}, "<stdin>", options), text);
    EXPECT_EQ(load_text({}, options).documents, "<stdin>:2:7 Secret/shop/a\n");
}

}  // namespace
}  // namespace renderer::load
