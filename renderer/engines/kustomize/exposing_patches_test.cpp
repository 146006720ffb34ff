#include "renderer/engines/kustomize/exposing_patches.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "renderer/core/yaml_reader.h"
#include "renderer/repo/memory_tree_testing.h"

namespace renderer::engines {
namespace {

std::string patches_in(std::string kustomization,
                       const std::map<std::string, std::string>& files = {}) {
    const repo::MemoryTree tree(files);
    SourceMap sources;
    const SourceId source = sources.add("k.yaml", std::move(kustomization));
    Diagnostics diagnostics;
    const Value root = read_yaml(sources, source, diagnostics);
    std::string out;
    for (const ExposingPatch& one : exposing_patches(tree, "app", root, sources)) {
        out += sources.describe(one.pos) + " " + (one.is_public() ? "PUBLIC " : "") +
               (one.is_for_one ? "one: " : "") + one.text() + "\n";
    }
    return out + diagnostics.print(sources, false);
}

TEST(ExposingPatches, AreOperationsOfJsonPatches) {
    EXPECT_EQ(patches_in(R"(
patches:
- target: {kind: Service, name: web}
  patch: |-
    - op: add
      path: /metadata/annotations/tailscale.com~1expose
      value: "true"
)"),
              "k.yaml:3:3 one: metadata.annotations.tailscale.com/expose: true, for Service/web\n");
    EXPECT_EQ(patches_in(R"(
patchesJson6902:
- target: {version: v1, kind: Ingress, name: web}
  patch: '[{"op": "replace", "path": "/spec/ingressClassName", "value": "tailscale"}]'
)"),
              "k.yaml:3:3 one: spec.ingressClassName: tailscale, for Ingress/web\n");
    EXPECT_EQ(patches_in(R"(
patches:
- target: {kind: Ingress, labelSelector: a=b}
  patch: |-
    - op: add
      path: /metadata/annotations
      value: {a: b, tailscale.com/funnel: "true"}
)"),
              "k.yaml:3:3 PUBLIC metadata.annotations.tailscale.com/funnel: true, for Ingress\n");
    EXPECT_EQ(patches_in(R"(
patches:
- target: {kind: Service, name: web}
  patch: |-
    - {op: add, path: /spec, value: {type: LoadBalancer, loadBalancerClass: tailscale}}
    - {op: replace, path: /metadata/annotations/tailscale.com~1tailnet-fqdn, value: a.b}
)"),
              "k.yaml:3:3 one: spec.loadBalancerClass: tailscale, and 1 more, for Service/web\n");
}

TEST(ExposingPatches, AreNotOperationsThatTakeAwayOrCompare) {
    EXPECT_EQ(patches_in(R"(
patches:
- target: {kind: Service, name: web}
  patch: |-
    # tailscale
    - {op: remove, path: /metadata/annotations/tailscale.com~1expose}
    - {op: test, path: /spec/loadBalancerClass, value: tailscale}
    - {op: add, path: /metadata/annotations/tailscale.com~1hostname, value: web}
)"),
              "");
    EXPECT_EQ(patches_in("patchesStrategicMerge:\n- |\n  $patch: delete\n  kind: Service\n"
                         "  metadata: {name: a, annotations: {tailscale.com/expose: \"true\"}}\n"),
              "");
}

TEST(ExposingPatches, AreObjectsOfWhichOnlyThatIsGiven) {
    EXPECT_EQ(patches_in(R"(
patches:
- patch: |-
    kind: Ingress
    metadata: {name: web, annotations: {tailscale.com/funnel: "true"}}
    spec: {ingressClassName: tailscale}
)"),
              "k.yaml:3:3 PUBLIC one: metadata.annotations.tailscale.com/funnel: true, and 1 more, "
              "for Ingress/web\n");
    EXPECT_EQ(patches_in("patches: [{path: p.yaml}]\npatchesStrategicMerge: [q.yaml]\n",
                         {{"app/p.yaml",
                           "kind: Service\nmetadata: {name: a}\nspec:\n"
                           "  loadBalancerClass: tailscale\n"},
                          {"app/q.yaml",
                           "kind: Service\n---\nkind: Service\nmetadata:\n  name: b\n"
                           "  annotations: {tailscale.com/expose: \"true\"}\n"}}),
              "app/p.yaml:4:3 one: spec.loadBalancerClass: tailscale, for Service/a\n"
              "app/q.yaml:6:17 one: metadata.annotations.tailscale.com/expose: true, for "
              "Service/b\n");
}

TEST(ExposingPatches, AreOfDevicesThatAreElsewhere) {
    EXPECT_EQ(patches_in("patches:\n- patch: |-\n    apiVersion: tailscale.com/v1alpha1\n"
                         "    kind: Connector\n    metadata: {name: exit}\n"),
              "k.yaml:2:3 one: kind: Connector, for Connector/exit\n");
    EXPECT_EQ(patches_in("patches:\n- target: {group: tailscale.com, kind: ProxyGroup, name: a}\n"
                         "  patch: '[{op: replace, path: /spec/replicas, value: 3}]'\n"),
              "k.yaml:2:3 one: kind: ProxyGroup, for ProxyGroup/a\n");
    EXPECT_EQ(patches_in("patches:\n- patch: |-\n    apiVersion: tailscale.com/v1alpha1\n"
                         "    kind: ProxyClass\n    metadata: {name: exit}\n"),
              "");
}

TEST(ExposingPatches, AreWhatAllObjectsGet) {
    EXPECT_EQ(patches_in("commonAnnotations: {a: b, tailscale.com/expose: \"true\"}\n"),
              "k.yaml:1:27 annotations.tailscale.com/expose: true, for all objects\n");
    EXPECT_EQ(patches_in("commonLabels: {tailscale.com/proxy-class: a}\n"), "");
    EXPECT_EQ(patches_in("transformers: [t.yaml]\n",
                         {{"app/t.yaml",
                           "apiVersion: builtin\nkind: AnnotationsTransformer\n"
                           "annotations: {tailscale.com/expose: \"true\"}\n"}}),
              "app/t.yaml:3:15 annotations.tailscale.com/expose: true, for all objects\n");
}

TEST(ExposingPatches, AreReplacements) {
    EXPECT_EQ(patches_in(R"(
replacements:
- source: {kind: ConfigMap, name: a, fieldPath: data.x}
  targets:
  - select: {kind: Service, name: web}
    fieldPaths: ["metadata.annotations.[tailscale.com/expose]", metadata.name]
- sourceValue: tailscale
  targets:
  - select: {kind: Ingress}
    fieldPaths: [spec.ingressClassName]
)"),
              "k.yaml:6:18 one: metadata.annotations.tailscale.com/expose: true, for Service/web\n"
              "k.yaml:10:18 spec.ingressClassName: tailscale, for Ingress\n");
}

TEST(ExposingPatches, MatchWhatTheyAreFor) {
    const ExposingPatch patch{.kind = "Service|Ingress", .name = "web-.*"};
    EXPECT_TRUE(patch.is_for("Ingress", "web-1"));
    EXPECT_FALSE(patch.is_for("Ingress", "my-web-1"));
    EXPECT_FALSE(patch.is_for("Services", "web-1"));
    EXPECT_TRUE(ExposingPatch{}.is_for("Service", "web"));
    EXPECT_TRUE((ExposingPatch{.name = "("}).is_for("Service", "web"));
    EXPECT_TRUE((ExposingPatch{.name = "web.app"}).is_for("Service", "web-app"));
    EXPECT_FALSE(is_exact_name("web.app"));
}

}  // namespace
}  // namespace renderer::engines
