#include "renderer/load/name_references.h"

#include <gtest/gtest.h>

#include "renderer/load/load_testing.h"

namespace renderer::load {
namespace {

constexpr std::string_view kKustomization =
    "resources: [a.yaml]\n"
    "secretGenerator: [{name: db, literals: [a=1]}]\n"
    "configMapGenerator: [{name: conf, literals: [a=1]}]\n";

std::string rewritten(std::string text, std::string kustomization = std::string(kKustomization)) {
    return edited({{"a.yaml", std::move(text)}, {"kustomization.yaml", std::move(kustomization)}},
                  "a.yaml");
}

TEST(NameReferences, Workload) {
    EXPECT_EQ(
        rewritten(
            "apiVersion: apps/v1\n"
            "kind: Deployment\n"
            "metadata: {name: db}\n"
            "spec:\n"
            "  template:\n"
            "    spec:\n"
            "      imagePullSecrets: [{name: db}]\n"
            "      volumes:\n"
            "        - secret: {secretName: \"db\"}\n"
            "        - configMap:\n"
            "            name: conf\n"
            "        - projected: {sources: [{secret: {name: db}}, {configMap: {name: conf}}]}\n"
            "      initContainers:\n"
            "        - envFrom: [{secretRef: {name: db}}, {configMapRef: {name: conf}}]\n"
            "      containers:\n"
            "        - name: db\n"
            "          env:\n"
            "            - {name: conf, value: db}\n"
            "            - {name: a, valueFrom: {secretKeyRef: {name: db, key: a}}}\n"
            "            - {name: a, valueFrom: {secretKeyRef: {name: conf, key: a}}}\n"),
        "apiVersion: apps/v1\n"
        "kind: Deployment\n"
        "metadata: {name: db}\n"
        "spec:\n"
        "  template:\n"
        "    spec:\n"
        "      imagePullSecrets: [{name: db-25khgmg44c}]\n"
        "      volumes:\n"
        "        - secret: {secretName: \"db-25khgmg44c\"}\n"
        "        - configMap:\n"
        "            name: conf-h29d89cmmt\n"
        "        - projected: {sources: [{secret: {name: db-25khgmg44c}}, {configMap: {name: "
        "conf-h29d89cmmt}}]}\n"
        "      initContainers:\n"
        "        - envFrom: [{secretRef: {name: db-25khgmg44c}}, {configMapRef: {name: "
        "conf-h29d89cmmt}}]\n"
        "      containers:\n"
        "        - name: db\n"
        "          env:\n"
        "            - {name: conf, value: db}\n"
        "            - {name: a, valueFrom: {secretKeyRef: {name: db-25khgmg44c, key: a}}}\n"
        "            - {name: a, valueFrom: {secretKeyRef: {name: conf, key: a}}}\n");
}

TEST(NameReferences, OtherKinds) {
    EXPECT_EQ(
        rewritten(
            "apiVersion: networking.k8s.io/v1\n"
            "kind: Ingress\n"
            "metadata: {name: i, annotations: {nginx.ingress.kubernetes.io/auth-secret: db}}\n"
            "spec: {tls: [{secretName: db}]}\n"
            "---\n"
            "apiVersion: rbac.authorization.k8s.io/v1\n"
            "kind: ClusterRole\n"
            "metadata:\n"
            "  name: r\n"
            "rules: [{resourceNames: [db, other, conf]}]\n"
            "---\n"
            "apiVersion: batch/v1\n"
            "kind: CronJob\n"
            "metadata:\n"
            "  name: j\n"
            "spec: {jobTemplate: {spec: {template: {spec: {volumes: [{secret: {secretName: "
            "db}}]}}}}}\n"
            "---\n"
            "apiVersion: example.com/v1\n"
            "kind: Thing\n"
            "metadata:\n"
            "  name: t\n"
            "spec: {template: {spec: {volumes: [{secret: {secretName: db}}]}}}\n"),
        "apiVersion: networking.k8s.io/v1\n"
        "kind: Ingress\n"
        "metadata: {name: i, annotations: {nginx.ingress.kubernetes.io/auth-secret: "
        "db-25khgmg44c}}\n"
        "spec: {tls: [{secretName: db-25khgmg44c}]}\n"
        "---\n"
        "apiVersion: rbac.authorization.k8s.io/v1\n"
        "kind: ClusterRole\n"
        "metadata:\n"
        "  name: r\n"
        "rules: [{resourceNames: [db-25khgmg44c, other, conf-h29d89cmmt]}]\n"
        "---\n"
        "apiVersion: batch/v1\n"
        "kind: CronJob\n"
        "metadata:\n"
        "  name: j\n"
        "spec: {jobTemplate: {spec: {template: {spec: {volumes: [{secret: {secretName: "
        "db-25khgmg44c}}]}}}}}\n"
        "---\n"
        "apiVersion: example.com/v1\n"
        "kind: Thing\n"
        "metadata:\n"
        "  name: t\n"
        "spec: {template: {spec: {volumes: [{secret: {secretName: db}}]}}}\n");
}

constexpr std::string_view kPod =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: shop}\n"
    "spec: {volumes: [{secret: {secretName: db}}]}\n";

TEST(NameReferences, OnlyInTheSameNamespace) {
    EXPECT_EQ(rewritten(std::string(kPod)), kPod);
    EXPECT_EQ(rewritten(std::string(kPod),
                        "resources: [a.yaml]\n"
                        "secretGenerator: [{name: db, namespace: shop, literals: [a=1]}]\n"),
              "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: shop}\n"
              "spec: {volumes: [{secret: {secretName: db-25khgmg44c}}]}\n");
}

TEST(NameReferences, NotWithoutAHash) {
    EXPECT_EQ(rewritten(std::string(kPod),
                        "namespace: shop\nresources: [a.yaml]\n"
                        "generatorOptions: {disableNameSuffixHash: true}\n"
                        "secretGenerator: [{name: db, literals: [a=1]}]\n"),
              kPod);
}

TEST(NameReferences, AnAliasIsRefused) {
    EXPECT_EQ(
        load_text({{"a.yaml",
                    "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
                    "x: &n db\nspec: {volumes: [{secret: {secretName: *n}}]}\n"},
                   {"kustomization.yaml", std::string(kKustomization)}})
            .diagnostics,
        "a.yaml:4:4: error: Pod/p: cannot replace this by the generated name of Secret \"db\" "
        "[cannot-edit]\n"
        "    4 | x: &n db\n"
        "      |    ^\n"
        "  found: a scalar that uses an alias, an anchor or a tag\n"
        "  expected: \"db-25khgmg44c\"\n"
        "  hint: write the name out, or set disableNameSuffixHash: true for the generator\n");
}

}  // namespace
}  // namespace renderer::load
