#include "renderer/generate/install/crd_texts.h"

#include <array>

namespace renderer::generate {

namespace {

constexpr std::array kColumns = {
    CrdColumn{"Connector", "SubnetRoutes", "string", ".status.subnetRoutes"},
    CrdColumn{"Connector", "IsExitNode", "string", ".status.isExitNode"},
    CrdColumn{"Connector", "IsAppConnector", "string", ".status.isAppConnector"},
    CrdColumn{"Connector", "Status", "string",
              R"(.status.conditions[?(@.type == "ConnectorReady")].reason)"},
    CrdColumn{"DNSConfig", "NameserverIP", "string", ".status.nameserver.ip"},
    CrdColumn{"PeerRelay", "Status", "string",
              R"(.status.conditions[?(@.type == "PeerRelayReady")].reason)"},
    CrdColumn{"PeerRelay", "Endpoints", "string", ".status.endpoints[*].address"},
    CrdColumn{"ProxyClass", "Status", "string",
              R"(.status.conditions[?(@.type == "ProxyClassReady")].reason)"},
    CrdColumn{"ProxyGroup", "Status", "string",
              R"(.status.conditions[?(@.type == "ProxyGroupReady")].reason)"},
    CrdColumn{"ProxyGroup", "URL", "string", ".status.url"},
    CrdColumn{"ProxyGroup", "Type", "string", ".spec.type"},
    CrdColumn{"Recorder", "Status", "string",
              R"(.status.conditions[?(@.type == "RecorderReady")].reason)"},
    CrdColumn{"Recorder", "URL", "string", R"(.status.devices[?(@.url != "")].url)"},
    CrdColumn{"Tailnet", "Status", "string",
              R"(.status.conditions[?(@.type == "TailnetReady")].reason)"},
};

constexpr std::array kRules = {
    CrdRule{"Connector.spec",
            "has(self.subnetRouter) || (has(self.exitNode) && self.exitNode) || "
            "has(self.appConnector)",
            "a Connector needs at least one of subnetRouter, exitNode: true and appConnector"},
    CrdRule{"Connector.spec",
            "!has(self.appConnector) || !(has(self.subnetRouter) || (has(self.exitNode) && "
            "self.exitNode))",
            "appConnector excludes subnetRouter and exitNode"},
    CrdRule{"Connector.spec", "!(has(self.hostname) && has(self.replicas) && self.replicas > 1)",
            "several replicas need a hostnamePrefix in place of a hostname"},
    CrdRule{"Connector.spec", "!(has(self.hostname) && has(self.hostnamePrefix))",
            "hostname and hostnamePrefix exclude each other"},
    CrdRule{"Connector.spec.tailnet", "self == oldSelf", "tailnet cannot change"},
    CrdRule{"PeerRelay.spec",
            "!has(self.aws) || self.aws.elasticIPs.size() >= (has(self.replicas) ? self.replicas : "
            "1)",
            "aws.elasticIPs needs an entry for each replica"},
    CrdRule{"PeerRelay.spec.tailnet", "self == oldSelf", "tailnet cannot change"},
    CrdRule{"ProxyClass.spec.metrics",
            "!(has(self.serviceMonitor) && self.serviceMonitor.enable && !self.enable)",
            "a ServiceMonitor needs metrics"},
    CrdRule{"ProxyGroup.spec.tailnet", "self == oldSelf", "tailnet cannot change"},
    CrdRule{"ProxyGroup.spec.type", "self == oldSelf", "type cannot change"},
    CrdRule{"Recorder.spec",
            "!(has(self.replicas) && self.replicas > 1 && (!has(self.storage) || "
            "!has(self.storage.s3)))",
            "several replicas need S3 storage"},
    CrdRule{"Recorder.spec.tailnet", "self == oldSelf", "tailnet cannot change"},
};

constexpr std::string_view kTags = "Tags of the devices, such as \"tag:k8s\".";
constexpr std::string_view kTailnet =
    "Name of the Tailnet that the devices join. Unset: the default one.";
constexpr std::string_view kClass = "Name of the ProxyClass of the pods.";

constexpr std::array kTexts = {
    CrdText{"Connector",
            "Devices that route from the tailnet into networks, or out to the internet."},
    CrdText{"Connector.spec.appConnector", "Forwards traffic to the apps of the tailnet's policy."},
    CrdText{"Connector.spec.appConnector.routes", "Networks that are advertised from the start."},
    CrdText{"Connector.spec.exitNode",
            "Other devices may send all their traffic through this one."},
    CrdText{"Connector.spec.hostname", "Hostname of the only device. Unset: \"<name>-connector\"."},
    CrdText{"Connector.spec.hostnamePrefix", "Devices are called \"<prefix>-0\" and so on."},
    CrdText{"Connector.spec.proxyClass", kClass},
    CrdText{"Connector.spec.replicas", "How many devices. Unset: one."},
    CrdText{"Connector.spec.subnetRouter", "Makes networks reachable for the tailnet."},
    CrdText{"Connector.spec.subnetRouter.advertiseRoutes", "The networks, in CIDR notation."},
    CrdText{"Connector.spec.tags", kTags},
    CrdText{"Connector.spec.tailnet", kTailnet},
    CrdText{"DNSConfig", "A nameserver for names of the tailnet inside the cluster."},
    CrdText{"DNSConfig.spec.nameserver", "The nameserver's pods and Service."},
    CrdText{"DNSConfig.spec.nameserver.image", "Image of the nameserver."},
    CrdText{"DNSConfig.spec.nameserver.replicas", "How many pods. Unset: one."},
    CrdText{"DNSConfig.spec.nameserver.service.clusterIP",
            "Address of the Service, if it must be a certain one."},
    CrdText{"PeerRelay",
            "Devices that relay the traffic of others, reached through load balancers."},
    CrdText{"PeerRelay.spec.aws.elasticIPs",
            "Elastic IP and subnet of each replica's load balancer, in order."},
    CrdText{"PeerRelay.spec.hostnamePrefix",
            "Devices are called \"<prefix>-0\" and so on. Unset: the relay's name."},
    CrdText{"PeerRelay.spec.proxyClass", kClass},
    CrdText{"PeerRelay.spec.replicas", "How many devices. Unset: one."},
    CrdText{"PeerRelay.spec.service.annotations", "Of the load balancers' Services."},
    CrdText{"PeerRelay.spec.service.port", "UDP port, inside and outside. Unset: 41641."},
    CrdText{"PeerRelay.spec.staticEndpoints",
            "Further addresses of all replicas, such as \"203.0.113.7:41641\"."},
    CrdText{"PeerRelay.spec.tags", kTags},
    CrdText{"PeerRelay.spec.tailnet", kTailnet},
    CrdText{"ProxyClass", "What is different in the pods and objects of those who name it."},
    CrdText{"ProxyClass.spec.metrics", "A Service for the metrics of each proxy."},
    CrdText{"ProxyClass.spec.metrics.serviceMonitor", "A ServiceMonitor for each of them."},
    CrdText{"ProxyClass.spec.statefulSet",
            "Labels and annotations of StatefulSets, and their pods."},
    CrdText{"ProxyClass.spec.statefulSet.pod.tailscaleContainer",
            "The container that forwards packets."},
    CrdText{"ProxyClass.spec.statefulSet.pod.tailscaleInitContainer",
            "The container that switches forwarding on."},
    CrdText{"ProxyClass.spec.staticEndpoints",
            "Ports of Nodes under which clients reach ProxyGroups without a relay."},
    CrdText{"ProxyClass.spec.tailscale.acceptRoutes",
            "Proxies use routes that other devices advertise."},
    CrdText{"ProxyClass.spec.useLetsEncryptStagingEnvironment",
            "Certificates for tests, without limits on their number."},
    CrdText{"ProxyGroup", "Several pods that serve many objects."},
    CrdText{"ProxyGroup.spec.hostnamePrefix",
            "Devices are called \"<prefix>-0\" and so on. Unset: the group's name."},
    CrdText{"ProxyGroup.spec.kubeAPIServer", "Only for type kube-apiserver."},
    CrdText{"ProxyGroup.spec.kubeAPIServer.hostname",
            "Under which name the API is reached. Unset: the group's name."},
    CrdText{"ProxyGroup.spec.kubeAPIServer.mode",
            "auth: requests are made as users of the tailnet. noauth: as they come."},
    CrdText{"ProxyGroup.spec.proxyClass", kClass},
    CrdText{"ProxyGroup.spec.replicas", "How many pods. Unset: two."},
    CrdText{"ProxyGroup.spec.tags", kTags},
    CrdText{"ProxyGroup.spec.tailnet", kTailnet},
    CrdText{"ProxyGroup.spec.type", "What the pods do."},
    CrdText{"ProxyGroupPolicy", "Which ProxyGroups the objects of its namespace may use."},
    CrdText{"ProxyGroupPolicy.spec.egress",
            "Names of groups for Services that target the tailnet."},
    CrdText{"ProxyGroupPolicy.spec.ingress", "Names of groups for what the tailnet reaches."},
    CrdText{"Recorder", "Keeps recordings of SSH and kubectl sessions."},
    CrdText{"Recorder.spec.enableUI", "Recordings can be watched in a browser."},
    CrdText{"Recorder.spec.replicas", "How many devices. Unset: one."},
    CrdText{"Recorder.spec.statefulSet",
            "Labels and annotations of the StatefulSet, and its pods."},
    CrdText{"Recorder.spec.storage.s3",
            "A bucket for the recordings. Unset: they are lost with the pod."},
    CrdText{"Recorder.spec.tags", kTags},
    CrdText{"Recorder.spec.tailnet", kTailnet},
    CrdText{"Tailnet", "Where devices of another tailnet log in, and with which credentials."},
    CrdText{"Tailnet.spec.credentials.secretName",
            "Secret with the keys client_id and client_secret."},
    CrdText{"Tailnet.spec.loginUrl", "The control server. Unset: Tailscale's own."},
};

}  // namespace

std::span<const CrdColumn> crd_columns() {
    return kColumns;
}

std::span<const CrdRule> crd_rules() {
    return kRules;
}

std::span<const CrdText> crd_texts() {
    return kTexts;
}

}  // namespace renderer::generate
