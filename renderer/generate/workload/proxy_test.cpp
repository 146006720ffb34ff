#include <gtest/gtest.h>

#include "renderer/core/json.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/generate/workload/generators.h"
#include "renderer/plan/plan_testing.h"

namespace renderer::generate {
namespace {

constexpr std::string_view kNamespaceValues = "tailrender: {namespace: ts-ops}";

// Returns a Service that is exposed by annotation, with its spec and the operator's settings.
std::string grafana(std::string_view spec = "ports: [{port: 80}]") {
    return fmt::format(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: grafana, namespace: observability, "
        "annotations: {{tailscale.com/expose: 'true', tailscale.com/hostname: dash, "
        "tailscale.com/tags: 'tag:k8s-web,tag:prod'}}}}\nspec: {{{}}}\n",
        spec);
}

std::string storefront(std::string_view annotations = "") {
    return plan::ingress(
               "tls: [{hosts: [store]}], defaultBackend: {service: {name: w, port: {number: "
               "80}}}",
               annotations, "storefront") +
           "---\n" + plan::service("w", "clusterIP: 10.0.0.7, ports: [{port: 80}]");
}

std::string to_tailnet(std::string_view annotation) {
    return fmt::format(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: nas, namespace: shop, annotations: "
        "{{{}}}}}\nspec: {{type: ExternalName, externalName: x}}\n",
        annotation);
}

struct RenderedProxy {
    Objects objects;

    explicit RenderedProxy(std::string stream, std::string_view values = kNamespaceValues) {
        const plan::Planned run(std::move(stream), values);
        EXPECT_EQ(run.dump(), "");
        generate_feature(run.plan, run.workload(), run.proxy(), objects);
    }

    [[nodiscard]] const Value& root(std::string_view kind) const {
        for (const Object& object : objects) {
            if (object.kind() == kind) {
                return object.root;
            }
        }
        static const Value kAbsent{};
        ADD_FAILURE() << "no " << kind;
        return kAbsent;
    }
    [[nodiscard]] std::string yaml(std::string_view kind) const {
        std::string text;
        write_yaml(root(kind), text);
        return text;
    }
    [[nodiscard]] const Value& container() const {
        return root("StatefulSet").at({"spec", "template", "spec", "containers"})->items()[0];
    }
};

constexpr std::string_view kLabels =
    "    tailscale.com/managed: \"true\"\n    tailscale.com/parent-resource: grafana\n"
    "    tailscale.com/parent-resource-ns: observability\n"
    "    tailscale.com/parent-resource-type: svc\n";

// Releases from 1.98 on have the probe.
TEST(Proxy, IsAskedWhetherItIsInTheTailnet) {
    constexpr std::string_view kNewer =
        "tailrender: {dataplane: containerboot, operatorVersion: 1.98.10}";
    const RenderedProxy from_node(grafana(), kNewer);
    EXPECT_EQ(write_json_sorted(*from_node.container().find("readinessProbe")),
              R"({"failureThreshold":10,"httpGet":{"path":"/healthz","port":9002},)"
              R"("periodSeconds":1})");
    const RenderedProxy inside(to_tailnet("tailscale.com/tailnet-ip: 100.64.0.7"), kNewer);
    EXPECT_EQ(write_json_sorted(*inside.container().find("readinessProbe")),
              R"({"exec":{"command":["wget","-q","-O","/dev/null",)"
              R"("http://localhost:9002/healthz"]},"failureThreshold":10,"periodSeconds":10,)"
              R"("timeoutSeconds":5})");
    for (const RenderedProxy* rendered : {&from_node, &inside}) {
        EXPECT_EQ(rendered->container().find("env")->items().back().find("name")->text(),
                  "TS_ENABLE_HEALTH_CHECK");
        EXPECT_EQ(
            write_json_sorted(*rendered->root("Service").at({"spec", "publishNotReadyAddresses"})),
            "true");
    }
    const RenderedProxy older(grafana(),
                              "tailrender: {dataplane: containerboot, operatorVersion: 1.96.5}");
    EXPECT_EQ(older.container().find("readinessProbe"), nullptr);
    EXPECT_EQ(older.root("Service").at({"spec", "publishNotReadyAddresses"}), nullptr);
    const RenderedProxy native(grafana(), "tailrender: {operatorVersion: 1.96.5}");
    EXPECT_EQ(write_json_sorted(*native.container().find("readinessProbe")),
              R"({"exec":{"command":["tailrender-proxy","ready"]},"failureThreshold":6,)"
              R"("periodSeconds":5,"timeoutSeconds":5})");
}

TEST(Proxy, WritesTheStatefulSetOfAService) {
    EXPECT_EQ(RenderedProxy(grafana()).yaml("StatefulSet"), R"(apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: ts-grafana-58s8m
  namespace: ts-ops
  labels:
)" + std::string(kLabels) +
                                                                R"(  annotations:
    tailrender.dev/contract: v1
    tailrender.dev/hostname: dash
    tailrender.dev/parent: Service/observability/grafana
    tailrender.dev/tags: "tag:k8s-web,tag:prod"
spec:
  replicas: 1
  selector:
    matchLabels:
      app: ts-grafana-58s8m
  serviceName: ts-grafana-58s8m
  template:
    metadata:
      annotations:
        tailrender.dev/config-hash: "4d8a16579df9dcbc"
        tailscale.com/operator-last-set-cluster-dns-name: grafana.observability.svc.cluster.local
      deletionGracePeriodSeconds: 10
      labels:
        app: ts-grafana-58s8m
        tailscale.com/managed: "true"
        tailscale.com/parent-resource: grafana
        tailscale.com/parent-resource-ns: observability
        tailscale.com/parent-resource-type: svc
    spec:
      containers:
      - env:
        - name: TS_USERSPACE
          value: "false"
        - name: POD_IP
          valueFrom:
            fieldRef:
              fieldPath: status.podIP
        - name: POD_NAME
          valueFrom:
            fieldRef:
              fieldPath: metadata.name
        - name: POD_UID
          valueFrom:
            fieldRef:
              fieldPath: metadata.uid
        - name: TS_KUBE_SECRET
          value: $(POD_NAME)
        - name: TS_EXPERIMENTAL_SERVICE_AUTO_ADVERTISEMENT
          value: "false"
        - name: TS_EXPERIMENTAL_VERSIONED_CONFIG_DIR
          value: /etc/tsconfig/$(POD_NAME)
        - name: TS_DEBUG_ACME_FORCE_RENEWAL
          value: "true"
        - name: TS_DEBUG_FIREWALL_MODE
          value: auto
        - name: TS_EXPERIMENTAL_DEST_DNS_NAME
          value: grafana.observability.svc.cluster.local
        - name: TS_INTERNAL_APP
          value: k8s-operator-ingress-proxy
        - name: TS_ENABLE_HEALTH_CHECK
          value: "true"
        image: registry.example.com/tailrender-proxy:v)" TAILRENDER_VERSION
                                                                R"(-1.104.5
        imagePullPolicy: IfNotPresent
        name: tailscale
        readinessProbe:
          exec:
            command:
            - tailrender-proxy
            - ready
          failureThreshold: 6
          periodSeconds: 5
          timeoutSeconds: 5
        resources:
          requests:
            cpu: "1m"
            memory: "1Mi"
        securityContext:
          privileged: true
        volumeMounts:
        - mountPath: /etc/tsconfig/ts-grafana-58s8m-0
          name: tailscaledconfig-0
          readOnly: true
        - mountPath: /etc/tsauth/ts-grafana-58s8m-0
          name: auth-0
          readOnly: true
      initContainers:
      - args:
        - "echo 1 > /proc/sys/net/ipv4/ip_forward && if [ -e /proc/sys/net/ipv6/conf/all/forwarding ]; then echo 1 > /proc/sys/net/ipv6/conf/all/forwarding; fi"
        command:
        - /bin/sh
        - "-c"
        image: registry.example.com/tailrender-proxy:v)" TAILRENDER_VERSION
                                                                R"(-1.104.5
        name: sysctler
        securityContext:
          privileged: true
      serviceAccountName: ts-grafana-58s8m
      volumes:
      - name: tailscaledconfig-0
        secret:
          secretName: ts-grafana-58s8m-0-config
      - name: auth-0
        secret:
          items:
          - key: authkey
            path: authkey
          secretName: ts-grafana-58s8m-0-auth
)");
}

TEST(Proxy, WritesTheObjectsAroundThePod) {
    const RenderedProxy rendered(grafana());
    const auto head = [](std::string_view version, std::string_view kind, std::string_view name) {
        return "apiVersion: " + std::string(version) + "\nkind: " + std::string(kind) +
               "\nmetadata:\n  name: " + std::string(name) + "\n  namespace: ts-ops\n  labels:\n" +
               std::string(kLabels);
    };
    EXPECT_EQ(rendered.yaml("Service"),
              head("v1", "Service", "ts-grafana-58s8m") +
                  "spec:\n  clusterIP: None\n  ipFamilyPolicy: PreferDualStack\n"
                  "  publishNotReadyAddresses: true\n  selector:\n"
                  "    app: ts-grafana-58s8m\n");
    EXPECT_EQ(rendered.yaml("ServiceAccount"), head("v1", "ServiceAccount", "ts-grafana-58s8m"));
    EXPECT_EQ(rendered.yaml("Role"),
              head("rbac.authorization.k8s.io/v1", "Role", "ts-grafana-58s8m") +
                  "rules:\n- apiGroups:\n  - \"\"\n  resourceNames:\n  - ts-grafana-58s8m-0\n"
                  "  resources:\n  - secrets\n  verbs:\n  - get\n  - update\n  - patch\n"
                  "- apiGroups:\n  - \"\"\n  resourceNames:\n  - ts-grafana-58s8m-0-config\n"
                  "  - ts-grafana-58s8m-0-auth\n  resources:\n  - secrets\n  verbs:\n  - get\n"
                  "  - watch\n");
    EXPECT_EQ(rendered.yaml("RoleBinding"),
              head("rbac.authorization.k8s.io/v1", "RoleBinding", "ts-grafana-58s8m") +
                  "roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: Role\n"
                  "  name: ts-grafana-58s8m\nsubjects:\n- kind: ServiceAccount\n"
                  "  name: ts-grafana-58s8m\n  namespace: ts-ops\n");
    const Value& secret = rendered.root("Secret");
    EXPECT_EQ(secret.at({"metadata", "name"})->text(), "ts-grafana-58s8m-0-config");
    EXPECT_EQ(secret.find("stringData"), nullptr);
    ASSERT_EQ(secret.find("data")->size(), 2U);
    EXPECT_EQ(rendered.objects.size(), 6U);
    for (const Object& object : rendered.objects) {
        EXPECT_EQ(object.bundle, 0U);
        EXPECT_EQ(object.generator, "l3-ingress");
        EXPECT_EQ(object.origin.parent, "Service/observability/grafana");
    }
}

TEST(Proxy, FollowsTheTarget) {
    const RenderedProxy rendered(
        grafana("clusterIP: 'fd00::1', ipFamilies: [IPv6], ports: [{port: 80}]"),
        "operatorConfig: {extraEnv: [{name: PROXY_PRIORITY_CLASS_NAME, value: "
        "high}]}\nproxyConfig: {firewallMode: ''}");
    const Value& set = rendered.root("StatefulSet");
    const Value& annotations = *set.at({"spec", "template", "metadata", "annotations"});
    ASSERT_EQ(annotations.size(), 2U);
    EXPECT_EQ(annotations.find("tailscale.com/operator-last-set-cluster-ip")->text(), "fd00::1");
    const auto env = rendered.container().find("env")->items();
    ASSERT_EQ(env.size(), 11U);
    EXPECT_EQ(env[8].find("name")->text(), "TS_DEST_IP");
    EXPECT_EQ(env[8].find("value")->text(), "fd00::1");
    EXPECT_EQ(set.at({"spec", "template", "spec", "priorityClassName"})->text(), "high");
}

TEST(Proxy, TargetsTheTailnet) {
    const RenderedProxy literal(to_tailnet("tailscale.com/tailnet-ip: 'fd7a::7'"));
    EXPECT_EQ(literal.container().find("env")->items()[9],
              Value::map({{"name", "TS_TAILNET_TARGET_IP"}, {"value", "fd7a::7"}}));
    const auto note = [](const RenderedProxy& rendered, std::string_view key) {
        return rendered.root("StatefulSet")
            .at({"spec", "template", "metadata", "annotations", key})
            ->text();
    };
    EXPECT_EQ(note(literal, "tailscale.com/operator-last-set-ts-tailnet-target-ip"), "fd7a::7");
    const Value& service = *literal.root("Service").find("spec");
    EXPECT_EQ(service.find("ipFamilyPolicy")->text(), "SingleStack");
    EXPECT_EQ(*service.find("ipFamilies"), Value::list({"IPv6"}));
    EXPECT_EQ(*RenderedProxy(to_tailnet("tailscale.com/tailnet-ip: 100.64.0.7"))
                   .root("Service")
                   .at({"spec", "ipFamilies"}),
              Value::list({"IPv4"}));
    const RenderedProxy named(to_tailnet("tailscale.com/tailnet-fqdn: nas.tail1.ts.net"));
    EXPECT_EQ(named.container().find("env")->items()[9],
              Value::map({{"name", "TS_TAILNET_TARGET_FQDN"}, {"value", "nas.tail1.ts.net."}}));
    EXPECT_EQ(note(named, "tailscale.com/operator-last-set-ts-tailnet-target-fqdn"),
              "nas.tail1.ts.net.");
    EXPECT_EQ(named.root("Service").at({"spec", "ipFamilies"}), nullptr);
}

std::string names(const Value& list, std::string_view key = "name") {
    std::string text;
    for (const Value& item : list.items()) {
        text += std::string(item.find(key)->text()) + " ";
    }
    return text;
}

TEST(Proxy, HardensPodsWithoutANetworkStack) {
    const RenderedProxy rendered(storefront());
    const Value& set = rendered.root("StatefulSet");
    const Value& pod = *set.at({"spec", "template", "spec"});
    EXPECT_EQ(pod.find("initContainers"), nullptr);
    EXPECT_EQ(names(*pod.find("volumes")), "tailscaledconfig-0 auth-0 serve-config-0 tmp ");
    EXPECT_EQ(names(*rendered.container().find("volumeMounts"), "mountPath"),
              "/etc/tsconfig/ts-storefront-tvgpl-0 /etc/tsauth/ts-storefront-tvgpl-0 "
              "/etc/tailscaled/ts-storefront-tvgpl-0 /tmp ");
    EXPECT_EQ(set.at({"spec", "template", "metadata", "annotations"})->size(), 1U);
    EXPECT_EQ(*rendered.container().find("securityContext"),
              Value::map({{"runAsNonRoot", true},
                          {"runAsUser", 65532},
                          {"runAsGroup", 65532},
                          {"allowPrivilegeEscalation", false},
                          {"capabilities", Value::map({{"drop", Value::list({"ALL"})}})},
                          {"seccompProfile", Value::map({{"type", "RuntimeDefault"}})},
                          {"readOnlyRootFilesystem", true}}));
    const auto env = rendered.container().find("env")->items();
    EXPECT_EQ(env[0].find("value")->text(), "true");
    EXPECT_EQ(env[9].find("name")->text(), "TS_SERVE_CONFIG");
    EXPECT_EQ(env[9].find("value")->text(), "/etc/tailscaled/$(POD_NAME)/serve-config");
    EXPECT_EQ(rendered.root("Secret").find("data")->size(), 3U);
}

TEST(Proxy, ForwardingClusterTrafficNeedsTheNetworkStack) {
    const RenderedProxy rendered(
        storefront("tailscale.com/experimental-forward-cluster-traffic-via-ingress: 'true'"));
    const Value& pod = *rendered.root("StatefulSet").at({"spec", "template", "spec"});
    EXPECT_EQ(names(*pod.find("initContainers")), "sysctler ");
    EXPECT_EQ(names(*pod.find("volumes")), "tailscaledconfig-0 auth-0 serve-config-0 ");
    EXPECT_TRUE(rendered.container().at({"securityContext", "privileged"})->as_bool());
    const auto env = rendered.container().find("env")->items();
    EXPECT_EQ(env[8].find("name")->text(),
              "EXPERIMENTAL_ALLOW_PROXYING_CLUSTER_TRAFFIC_VIA_INGRESS");
    EXPECT_EQ(env[9].find("name")->text(), "TS_SERVE_ALLOW_ALL_INTERFACES");
    EXPECT_EQ(env[11].find("name")->text(), "TS_SERVE_CONFIG");
}

}  // namespace
}  // namespace renderer::generate
