#include "renderer/generate/workload/proxy_workload.h"

#include <gtest/gtest.h>

#include "renderer/core/yaml_writer.h"

namespace renderer {
namespace {

// A Service by annotation, and an Ingress with everything that one can ask for.
ProxyPlan grafana() {
    ProxyPlan proxy;
    proxy.origin = {{}, "Service/observability/grafana", "l3-ingress: test"};
    proxy.bundle = 3;
    proxy.name = "ts-grafana-58s8m";
    proxy.ns = "ts-ops";
    proxy.parent_kind = "Service";
    proxy.parent_ns = "observability";
    proxy.parent_name = "grafana";
    proxy.parent_type = "svc";
    proxy.internal_app = "k8s-operator-ingress-proxy";
    proxy.hostnames = {"dash"};
    proxy.tags = {"tag:k8s-web", "tag:prod"};
    proxy.image = "tailscale/tailscale:v1.96.5";
    proxy.pull_policy = "IfNotPresent";
    proxy.firewall_mode = "auto";
    proxy.target = Target::DnsName;
    proxy.target_value = "grafana.observability.svc.cluster.local";
    return proxy;
}

ProxyPlan storefront() {
    ProxyPlan proxy = grafana();
    proxy.origin.parent = "Ingress/shop/storefront";
    proxy.name = "ts-storefront-x";
    proxy.parent_kind = "Ingress";
    proxy.parent_ns = "shop";
    proxy.parent_name = "storefront";
    proxy.parent_type = "ingress";
    proxy.internal_app = "k8s-operator-ingress-resource";
    proxy.hostnames = {"store"};
    proxy.userspace = true;
    proxy.target = Target::Serve;
    proxy.target_value = "";
    proxy.handlers = {{"/", "http://10.0.0.7:8080/"}};
    return proxy;
}

struct Workload {
    Objects objects;

    explicit Workload(const ProxyPlan& proxy) { append_proxy_workload(proxy, "test", objects); }

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

TEST(ProxyWorkload, WritesTheStatefulSetOfAService) {
    EXPECT_EQ(Workload(grafana()).yaml("StatefulSet"), R"(apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: ts-grafana-58s8m
  namespace: ts-ops
  labels:
)" + std::string(kLabels) + R"(  annotations:
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
        image: tailscale/tailscale:v1.96.5
        imagePullPolicy: IfNotPresent
        name: tailscale
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
        - sysctl -w net.ipv4.ip_forward=1 && if sysctl net.ipv6.conf.all.forwarding; then sysctl -w net.ipv6.conf.all.forwarding=1; fi
        command:
        - /bin/sh
        - "-c"
        image: tailscale/tailscale:v1.96.5
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

TEST(ProxyWorkload, WritesWhatStandsAroundThePod) {
    const Workload workload(grafana());
    const auto head = [](std::string_view version, std::string_view kind, std::string_view name) {
        return "apiVersion: " + std::string(version) + "\nkind: " + std::string(kind) +
               "\nmetadata:\n  name: " + std::string(name) + "\n  namespace: ts-ops\n  labels:\n" +
               std::string(kLabels);
    };
    EXPECT_EQ(workload.yaml("Service"),
              head("v1", "Service", "ts-grafana-58s8m") +
                  "spec:\n  clusterIP: None\n  ipFamilyPolicy: PreferDualStack\n  selector:\n"
                  "    app: ts-grafana-58s8m\n");
    EXPECT_EQ(workload.yaml("ServiceAccount"), head("v1", "ServiceAccount", "ts-grafana-58s8m"));
    EXPECT_EQ(workload.yaml("Role"),
              head("rbac.authorization.k8s.io/v1", "Role", "ts-grafana-58s8m") +
                  "rules:\n- apiGroups:\n  - \"\"\n  resourceNames:\n  - ts-grafana-58s8m-0\n"
                  "  resources:\n  - secrets\n  verbs:\n  - get\n  - update\n  - patch\n");
    EXPECT_EQ(workload.yaml("RoleBinding"),
              head("rbac.authorization.k8s.io/v1", "RoleBinding", "ts-grafana-58s8m") +
                  "roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: Role\n"
                  "  name: ts-grafana-58s8m\nsubjects:\n- kind: ServiceAccount\n"
                  "  name: ts-grafana-58s8m\n  namespace: ts-ops\n");
    const Value& secret = workload.root("Secret");
    EXPECT_EQ(secret.at({"metadata", "name"})->text(), "ts-grafana-58s8m-0-config");
    EXPECT_EQ(secret.find("stringData"), nullptr);
    ASSERT_EQ(secret.find("data")->size(), 2U);
    EXPECT_EQ(workload.objects.size(), 6U);
    for (const Object& object : workload.objects) {
        EXPECT_EQ(object.bundle, 3U);
        EXPECT_EQ(object.generator, "test");
        EXPECT_EQ(object.origin.parent, "Service/observability/grafana");
    }
}

TEST(ProxyWorkload, FollowsTheTarget) {
    ProxyPlan pinned = grafana();
    pinned.target = Target::ClusterIp;
    pinned.target_value = "fd00::1";
    pinned.firewall_mode = "";
    pinned.priority_class = "high";
    const Workload workload(pinned);
    const Value& set = workload.root("StatefulSet");
    const Value& annotations = *set.at({"spec", "template", "metadata", "annotations"});
    ASSERT_EQ(annotations.size(), 2U);
    EXPECT_EQ(annotations.find("tailscale.com/operator-last-set-cluster-ip")->text(), "fd00::1");
    const auto env = workload.container().find("env")->items();
    ASSERT_EQ(env.size(), 10U);
    EXPECT_EQ(env[8].find("name")->text(), "TS_DEST_IP");
    EXPECT_EQ(env[8].find("value")->text(), "fd00::1");
    EXPECT_EQ(set.at({"spec", "template", "spec", "priorityClassName"})->text(), "high");
}

TEST(ProxyWorkload, LeadsToTheTailnet) {
    ProxyPlan proxy = grafana();
    proxy.target = Target::TailnetIp;
    proxy.target_value = "fd7a::7";
    proxy.family = IpFamily::V6;
    const Workload literal(proxy);
    EXPECT_EQ(literal.container().find("env")->items()[9],
              Value::map({{"name", "TS_TAILNET_TARGET_IP"}, {"value", "fd7a::7"}}));
    const auto note = [](const Workload& workload, std::string_view key) {
        return workload.root("StatefulSet")
            .at({"spec", "template", "metadata", "annotations", key})
            ->text();
    };
    EXPECT_EQ(note(literal, "tailscale.com/operator-last-set-ts-tailnet-target-ip"), "fd7a::7");
    const Value& service = *literal.root("Service").find("spec");
    EXPECT_EQ(service.find("ipFamilyPolicy")->text(), "SingleStack");
    EXPECT_EQ(*service.find("ipFamilies"), Value::list({"IPv6"}));
    proxy.family = IpFamily::V4;
    EXPECT_EQ(*Workload(proxy).root("Service").at({"spec", "ipFamilies"}), Value::list({"IPv4"}));
    proxy.target = Target::TailnetName;
    proxy.target_value = "nas.tail1.ts.net.";
    proxy.family.reset();
    const Workload named(proxy);
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

TEST(ProxyWorkload, HardensPodsWithoutANetworkStack) {
    const Workload workload(storefront());
    const Value& set = workload.root("StatefulSet");
    const Value& pod = *set.at({"spec", "template", "spec"});
    EXPECT_EQ(pod.find("initContainers"), nullptr);
    EXPECT_EQ(names(*pod.find("volumes")), "tailscaledconfig-0 auth-0 serve-config-0 tmp ");
    EXPECT_EQ(names(*workload.container().find("volumeMounts"), "mountPath"),
              "/etc/tsconfig/ts-storefront-x-0 /etc/tsauth/ts-storefront-x-0 "
              "/etc/tailscaled/ts-storefront-x-0 /tmp ");
    EXPECT_EQ(set.at({"spec", "template", "metadata", "annotations"})->size(), 1U);
    EXPECT_EQ(*workload.container().find("securityContext"),
              Value::map({{"runAsNonRoot", true},
                          {"runAsUser", 65532},
                          {"runAsGroup", 65532},
                          {"allowPrivilegeEscalation", false},
                          {"capabilities", Value::map({{"drop", Value::list({"ALL"})}})},
                          {"seccompProfile", Value::map({{"type", "RuntimeDefault"}})},
                          {"readOnlyRootFilesystem", true}}));
    const auto env = workload.container().find("env")->items();
    EXPECT_EQ(env[0].find("value")->text(), "true");
    EXPECT_EQ(env[9].find("name")->text(), "TS_SERVE_CONFIG");
    EXPECT_EQ(env[9].find("value")->text(), "/etc/tailscaled/$(POD_NAME)/serve-config");
    EXPECT_EQ(workload.root("Secret").find("data")->size(), 3U);
}

TEST(ProxyWorkload, ForwardingClusterTrafficNeedsTheNetworkStack) {
    ProxyPlan proxy = storefront();
    proxy.userspace = false;
    proxy.forward_cluster_traffic = true;
    const Workload workload(proxy);
    const Value& pod = *workload.root("StatefulSet").at({"spec", "template", "spec"});
    EXPECT_EQ(names(*pod.find("initContainers")), "sysctler ");
    EXPECT_EQ(names(*pod.find("volumes")), "tailscaledconfig-0 auth-0 serve-config-0 ");
    EXPECT_TRUE(workload.container().at({"securityContext", "privileged"})->as_bool());
    const auto env = workload.container().find("env")->items();
    EXPECT_EQ(env[8].find("name")->text(),
              "EXPERIMENTAL_ALLOW_PROXYING_CLUSTER_TRAFFIC_VIA_INGRESS");
    EXPECT_EQ(env[10].find("name")->text(), "TS_SERVE_CONFIG");
}

}  // namespace
}  // namespace renderer
