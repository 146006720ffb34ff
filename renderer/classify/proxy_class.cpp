#include "renderer/classify/proxy_class.h"

#include <array>
#include <span>

#include "renderer/classify/fields.h"
#include "renderer/classify/parent.h"

namespace renderer {

namespace {

// The fields of a pod and of a container that go into those of the proxies as they are.
constexpr std::array<std::string_view, 10> kPodFields = {
    "affinity",          "dnsConfig",
    "dnsPolicy",         "imagePullSecrets",
    "nodeName",          "nodeSelector",
    "priorityClassName", "securityContext",
    "tolerations",       "topologySpreadConstraints"};
constexpr std::array<std::string_view, 1> kContainerFields = {"securityContext"};

std::vector<const Member*> pick(const Value* block, std::span<const std::string_view> names) {
    std::vector<const Member*> picked;
    for (const std::string_view name : names) {
        if (Fields(block).any(name) != nullptr) {
            picked.push_back(block->find_member(name));
        }
    }
    return picked;
}

ClassContainerInput decode_container(const Value* block) {
    ClassContainerInput decoded;
    const Fields fields(block);
    decoded.block = block;
    decoded.fields = pick(block, kContainerFields);
    decoded.env = fields.env("env");
    decoded.image = fields.text_value("image");
    decoded.pull_policy = fields.text("imagePullPolicy");
    const Fields resources(fields.map("resources"));
    decoded.requests = resources.map("requests");
    decoded.limits = resources.map("limits");
    decoded.claims = resources.list("claims");
    decoded.debug = fields.map("debug");
    decoded.debug_enable = Fields(decoded.debug).flag("enable");
    return decoded;
}

void decode_set(const Fields& set, ProxyClassInput& decoded) {
    decoded.set_labels = set.map("labels");
    decoded.set_annotations = set.map("annotations");
    decoded.pod = set.map("pod");
    const Fields pod(decoded.pod);
    decoded.pod_labels = pod.map("labels");
    decoded.pod_annotations = pod.map("annotations");
    decoded.pod_spec = pick(decoded.pod, kPodFields);
    decoded.container = decode_container(pod.map("tailscaleContainer"));
    decoded.init_container = decode_container(pod.map("tailscaleInitContainer"));
}

void decode_metrics(const Fields& spec, ProxyClassInput& decoded) {
    decoded.metrics = spec.map("metrics");
    const Fields metrics(decoded.metrics);
    decoded.metrics_enable = metrics.flag("enable");
    const Fields monitor(metrics.map("serviceMonitor"));
    decoded.monitor_enable = monitor.flag("enable");
    decoded.monitor_enable_pos = monitor.pos("enable");
    decoded.monitor_labels = monitor.map("labels");
}

}  // namespace

ProxyClassInput decode_proxy_class(const Document& doc) {
    ProxyClassInput decoded;
    decode_metadata(doc, decoded);
    decoded.spec = Fields(&doc.root).map("spec");
    const Fields spec(decoded.spec);
    decode_set(Fields(spec.map("statefulSet")), decoded);
    decode_metrics(spec, decoded);
    decoded.tailscale = spec.map("tailscale");
    decoded.accept_routes = Fields(decoded.tailscale).flag("acceptRoutes");
    decoded.acme_staging = spec.flag("useLetsEncryptStagingEnvironment");
    decoded.static_endpoints = spec.map("staticEndpoints");
    decoded.node_selector =
        Fields(Fields(decoded.static_endpoints).map("nodePort")).map("selector");
    if (decoded.spec != nullptr) {
        decoded.ports = class_ports(*decoded.spec);
    }
    return decoded;
}

}  // namespace renderer
