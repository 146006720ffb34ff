#include "renderer/generate/install/install.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "renderer/core/json.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/plan/install/controller.h"

namespace renderer::generate {
namespace {

struct Generated {
    SourceMap sources;
    Diagnostics diagnostics;
    plan::Plan plan;
    Objects objects;

    explicit Generated(std::string_view values, void (*change)(plan::InstallPlan&) = nullptr) {
        const SourceId id = sources.add("values.yaml", std::string(values));
        const Value layer = read_yaml(sources, id, diagnostics);
        plan.settings = plan::decode_settings({&layer}, "ts-sys", {}, diagnostics);
        plan.install.emplace();
        plan.install->ns = plan.settings.ns;
        if (change != nullptr) {
            change(*plan.install);
        }
        generate_install(plan, objects);
    }
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const Object& object : objects) {
            names.push_back(object.object_name());
        }
        return names;
    }
    [[nodiscard]] const Value* root(std::string_view name) const {
        const auto found = std::ranges::find_if(
            objects, [&](const Object& object) { return object.object_name() == name; });
        return found == objects.end() ? nullptr : &found->root;
    }
};

void expect_yaml(const Value* root, std::string_view want) {
    ASSERT_NE(root, nullptr);
    SourceMap sources;
    Diagnostics diagnostics;
    const SourceId id = sources.add("want.yaml", std::string(want));
    EXPECT_EQ(write_json_sorted(*root), write_json_sorted(read_yaml(sources, id, diagnostics)));
    EXPECT_TRUE(diagnostics.empty());
}

TEST(GenerateInstall, NothingWithoutAnOperator) {
    Objects objects;
    generate_install(plan::Plan{}, objects);
    EXPECT_TRUE(objects.empty());
}

TEST(GenerateInstall, NamesAreTheCharts) {
    EXPECT_EQ(Generated("{}").names(),
              (std::vector<std::string>{"Namespace/ts-sys", "ServiceAccount/ts-sys/operator",
                                        "ClusterRole/tailscale-operator",
                                        "ClusterRoleBinding/tailscale-operator",
                                        "Role/ts-sys/operator", "RoleBinding/ts-sys/operator",
                                        "Deployment/ts-sys/operator", "IngressClass/tailscale"}));
    EXPECT_EQ(
        Generated("ingressClass: {enabled: false}",
                  [](plan::InstallPlan& install) {
                      install.emit_namespace = false;
                      install.auth_proxy_account = true;
                      install.oauth_secret = true;
                  })
            .names(),
        (std::vector<std::string>{
            "Secret/ts-sys/operator-oauth", "ServiceAccount/ts-sys/operator",
            "ClusterRole/tailscale-operator", "ClusterRoleBinding/tailscale-operator",
            "Role/ts-sys/operator", "RoleBinding/ts-sys/operator",
            "ServiceAccount/ts-sys/kube-apiserver-auth-proxy", "ClusterRole/tailscale-auth-proxy",
            "ClusterRoleBinding/tailscale-auth-proxy", "Deployment/ts-sys/operator"}));
}

TEST(GenerateInstall, TheNamespaceAllowsProxiesAndIsKept) {
    expect_yaml(Generated("{}").root("Namespace/ts-sys"), R"(
apiVersion: v1
kind: Namespace
metadata:
  name: ts-sys
  labels:
    pod-security.kubernetes.io/audit: privileged
    pod-security.kubernetes.io/enforce: privileged
    pod-security.kubernetes.io/warn: privileged
  annotations:
    argocd.argoproj.io/sync-options: Prune=false,Delete=false
    client.lifecycle.config.k8s.io/deletion: detach
    helm.sh/resource-policy: keep
    kustomize.toolkit.fluxcd.io/prune: disabled
)");
}

TEST(GenerateInstall, TheDeployment) {
    const Generated made("{}");
    Value root = made.root("Deployment/ts-sys/operator")->clone();
    Value& container =
        root.find("spec")->find("template")->find("spec")->find("containers")->items()[0];
    EXPECT_EQ(*container.find("env"), plan::controller_env(made.plan.settings));
    EXPECT_EQ(container.find("image")->text(), made.plan.settings.image.reference());
    container.erase("env");
    container.erase("image");
    expect_yaml(&root, R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: operator, namespace: ts-sys}
spec:
  replicas: 1
  strategy: {type: Recreate}
  selector: {matchLabels: {app: operator}}
  template:
    metadata: {labels: {app: operator}}
    spec:
      serviceAccountName: operator
      nodeSelector: {kubernetes.io/os: linux}
      volumes: [{name: oauth, secret: {secretName: operator-oauth}}]
      containers:
      - name: operator
        args: [controller]
        imagePullPolicy: IfNotPresent
        ports: [{containerPort: 9002, name: http, protocol: TCP}]
        livenessProbe: {httpGet: {path: /healthz, port: 9002}}
        readinessProbe: {httpGet: {path: /readyz, port: 9002}}
        volumeMounts: [{name: oauth, mountPath: /oauth, readOnly: true}]
        securityContext:
          allowPrivilegeEscalation: false
          capabilities: {drop: [ALL]}
          readOnlyRootFilesystem: true
          runAsGroup: 65532
          runAsNonRoot: true
          runAsUser: 65532
          seccompProfile: {type: RuntimeDefault}
)");
}

TEST(GenerateInstall, PodSettingsOfTheChartAreHonoured) {
    const Generated made(R"(
imagePullSecrets: [{name: regcred}]
operatorConfig:
  nodeSelector: {kubernetes.io/os: null, disk: ssd}
  tolerations: [{operator: Exists}]
  affinity: {nodeAffinity: {}}
  resources: {limits: {cpu: "1"}}
  podLabels: {team: net, app: other}
  podAnnotations: {a: b}
  podSecurityContext: {fsGroup: 7}
  securityContext: {runAsUser: 5}
  serviceAccountAnnotations: {role: arn}
)");
    const Value* root = made.root("Deployment/ts-sys/operator");
    const Value* pod = root->at({"spec", "template", "spec"});
    const Value& container = pod->find("containers")->items()[0];
    const auto json = [](const Value* value) {
        return value == nullptr ? std::string() : write_json_sorted(*value);
    };
    EXPECT_EQ(json(pod->find("imagePullSecrets")), R"([{"name":"regcred"}])");
    EXPECT_EQ(json(pod->find("nodeSelector")), R"({"disk":"ssd"})");
    EXPECT_EQ(json(pod->find("tolerations")), R"([{"operator":"Exists"}])");
    EXPECT_EQ(json(pod->find("affinity")), R"({"nodeAffinity":{}})");
    EXPECT_EQ(json(pod->find("securityContext")), R"({"fsGroup":7})");
    EXPECT_EQ(json(container.find("resources")), R"({"limits":{"cpu":"1"}})");
    EXPECT_EQ(json(container.at({"securityContext", "runAsUser"})), "5");
    EXPECT_EQ(json(container.at({"securityContext", "runAsNonRoot"})), "true");
    EXPECT_EQ(json(root->at({"spec", "template", "metadata"})),
              R"({"annotations":{"a":"b"},"labels":{"app":"operator","team":"net"}})");
    EXPECT_EQ(json(made.root("ServiceAccount/ts-sys/operator")->at({"metadata", "annotations"})),
              R"({"role":"arn"})");
}

TEST(GenerateInstall, CredentialsComeInOneOfThreeWays) {
    const std::vector<std::array<std::string_view, 3>> rows = {
        {"{}", R"([{"name":"oauth","secret":{"secretName":"operator-oauth"}}])",
         R"([{"mountPath":"/oauth","name":"oauth","readOnly":true}])"},
        {"oauthSecretVolume: {csi: {driver: x}}\noauth: {audience: a, clientId: b}",
         R"([{"csi":{"driver":"x"},"name":"oauth"}])",
         R"([{"mountPath":"/oauth","name":"oauth","readOnly":true}])"},
        {"oauth: {audience: a, clientId: b}",
         R"([{"name":"oidc-jwt","projected":{"defaultMode":420,"sources":[{"serviceAccountToken":)"
         R"({"audience":"a","expirationSeconds":3600,"path":"token"}}]}}])",
         R"([{"mountPath":"/var/run/secrets/tailscale/serviceaccount","name":"oidc-jwt",)"
         R"("readOnly":true}])"},
    };
    for (const auto& [values, volumes, mounts] : rows) {
        const Generated made(values);
        const Value* pod =
            made.root("Deployment/ts-sys/operator")->at({"spec", "template", "spec"});
        EXPECT_EQ(write_json_sorted(*pod->find("volumes")), volumes);
        EXPECT_EQ(write_json_sorted(*pod->find("containers")->items()[0].find("volumeMounts")),
                  mounts);
    }
}

TEST(GenerateInstall, TheSecretHoldsBothKeysAsData) {
    const Generated made("{}", [](plan::InstallPlan& install) {
        install.oauth_secret = true;
        install.client_id = "kExampleCNTRL";
        install.client_secret = "foobar";
    });
    expect_yaml(made.root("Secret/ts-sys/operator-oauth"), R"(
apiVersion: v1
kind: Secret
metadata: {name: operator-oauth, namespace: ts-sys}
data: {client_id: a0V4YW1wbGVDTlRSTA==, client_secret: Zm9vYmFy}
)");
}

TEST(GenerateInstall, AnExternalSecretHoldsTheDefaultsOfItsKind) {
    const Generated made(
        "tailrender: {externalSecret: {store: vault, storeKind: ClusterSecretStore, "
        "clientId: {key: id}, clientSecret: {key: oauth, property: secret}}}",
        [](plan::InstallPlan& install) { install.external_secret = true; });
    expect_yaml(made.root("ExternalSecret/ts-sys/operator-oauth"), R"(
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: operator-oauth, namespace: ts-sys}
spec:
  refreshInterval: 1h0m0s
  secretStoreRef: {kind: ClusterSecretStore, name: vault}
  target: {name: operator-oauth, creationPolicy: Owner, deletionPolicy: Retain}
  data:
  - secretKey: client_id
    remoteRef: {key: id, conversionStrategy: Default, decodingStrategy: None, metadataPolicy: None}
  - secretKey: client_secret
    remoteRef:
      key: oauth
      property: secret
      conversionStrategy: Default
      decodingStrategy: None
      metadataPolicy: None
)");
}

TEST(GenerateInstall, BindingsReachTheControllersAccountOnly) {
    const Generated made("{}",
                         [](plan::InstallPlan& install) { install.auth_proxy_account = true; });
    expect_yaml(made.root("ClusterRoleBinding/tailscale-operator"), R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: tailscale-operator}
subjects: [{kind: ServiceAccount, name: operator, namespace: ts-sys}]
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: tailscale-operator}
)");
    expect_yaml(made.root("RoleBinding/ts-sys/operator"), R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: operator, namespace: ts-sys}
subjects: [{kind: ServiceAccount, name: operator, namespace: ts-sys}]
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: operator}
)");
    expect_yaml(made.root("ClusterRoleBinding/tailscale-auth-proxy"), R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: tailscale-auth-proxy}
subjects: [{kind: ServiceAccount, name: kube-apiserver-auth-proxy, namespace: ts-sys}]
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: tailscale-auth-proxy}
)");
    EXPECT_EQ(*made.root("Role/ts-sys/operator")->find("rules"),
              plan::controller_rules(made.plan.settings));
    EXPECT_EQ(*made.root("ClusterRole/tailscale-operator")->find("rules"),
              plan::controller_cluster_rules());
}

}  // namespace
}  // namespace renderer::generate
