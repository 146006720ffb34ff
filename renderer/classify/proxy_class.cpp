#include "renderer/classify/proxy_class.h"

#include <fmt/format.h>

#include <array>

#include "renderer/classify/fields.h"
#include "renderer/classify/parent.h"

namespace renderer {

namespace {

enum class Shape : std::uint8_t { Text, Map, TextMap, Maps };

struct PodField {
    std::string_view name;
    Shape shape;
};
constexpr std::array kPodFields = {
    PodField{"affinity", Shape::Map},           PodField{"dnsConfig", Shape::Map},
    PodField{"dnsPolicy", Shape::Text},         PodField{"imagePullSecrets", Shape::Maps},
    PodField{"nodeName", Shape::Text},          PodField{"nodeSelector", Shape::TextMap},
    PodField{"priorityClassName", Shape::Text}, PodField{"securityContext", Shape::Map},
    PodField{"tolerations", Shape::Maps},       PodField{"topologySpreadConstraints", Shape::Maps},
};

using Choice = std::pair<std::string_view, bool>;
constexpr std::array kDnsPolicies = {Choice{"ClusterFirstWithHostNet", true},
                                     Choice{"ClusterFirst", true}, Choice{"Default", true},
                                     Choice{"None", true}};
constexpr std::array kPullPolicies = {Choice{"Always", true}, Choice{"Never", true},
                                      Choice{"IfNotPresent", true}};

void require(bool present, Pos pos, std::string_view path, std::string_view key, Faults& faults) {
    if (!present) {
        faults.push_back(
            {.rule = "invalid-object",
             .pos = pos,
             .message = fmt::format("\"{}{}{}\" is missing", path, path.empty() ? "" : ".", key)});
    }
}

// Unlike a choice of Kubernetes' own kinds, an empty text is no way to leave it out.
template <std::size_t N>
std::string_view choice(const Fields& fields, std::string_view key,
                        const std::array<Choice, N>& choices) {
    const Value* value = fields.text_value(key);
    return value != nullptr && fields.choose(*value, key, choices, false) ? value->text()
                                                                          : std::string_view();
}

void decode_env(const Fields& container, std::string_view path, ClassContainerInput& decoded,
                Faults& faults) {
    const Value* entries = container.list("env");
    if (entries == nullptr) {
        return;
    }
    for (const Value& entry : entries->items()) {
        const Fields fields(&entry, path, faults);
        if (!entry.is_map()) {
            continue;
        }
        require(fields.any("name") != nullptr, entry.pos(), path, "name", faults);
        decoded.env.push_back({fields.text_value("name"), fields.text("value")});
    }
}

// Static paths of a container's parts.
struct ContainerPaths {
    std::string_view self, env, resources, debug;
};
#define CONTAINER_PATHS(path) \
    { path, path ".env[]", path ".resources", path ".debug" }
constexpr ContainerPaths kContainer = CONTAINER_PATHS("spec.statefulSet.pod.tailscaleContainer");
constexpr ContainerPaths kInitContainer =
    CONTAINER_PATHS("spec.statefulSet.pod.tailscaleInitContainer");
#undef CONTAINER_PATHS

ClassContainerInput decode_container(const Value* block, const ContainerPaths& paths,
                                     Faults& faults) {
    ClassContainerInput decoded;
    const Fields fields(block, paths.self, faults);
    decoded.block = block;
    decode_env(fields, paths.env, decoded, faults);
    decoded.image = fields.text_value("image");
    decoded.pull_policy = choice(fields, "imagePullPolicy", kPullPolicies);
    decoded.security_context = fields.map("securityContext");
    const Value* resources = fields.map("resources");
    const Fields amounts(resources, paths.resources, faults);
    decoded.requests = amounts.map("requests");
    decoded.limits = amounts.map("limits");
    decoded.claims = amounts.list("claims");
    decoded.debug = fields.map("debug");
    decoded.debug_enable = Fields(decoded.debug, paths.debug, faults).flag("enable");
    return decoded;
}

// True when the field is there and has its shape.
bool has_shape(const Fields& pod, const PodField& field) {
    switch (field.shape) {
        case Shape::Text:
            return pod.text_value(field.name) != nullptr;
        case Shape::Map:
            return pod.map(field.name) != nullptr;
        case Shape::TextMap:
            return pod.text_map(field.name) != nullptr;
        case Shape::Maps:
            return pod.list(field.name) != nullptr;
    }
    return false;
}

void check_entries(const Member& field, Faults& faults) {
    for (const Value& entry : field.value.items()) {
        if (!entry.is_map()) {
            faults.push_back(wrong_type(entry.pos(), "spec.statefulSet.pod",
                                        fmt::format("{}[]", field.name()), entry, "a map"));
        } else if (field.name() == "topologySpreadConstraints") {
            for (const std::string_view key : {"maxSkew", "topologyKey", "whenUnsatisfiable"}) {
                const Value* value = entry.find(key);
                require(value != nullptr && !value->is_null(), entry.pos(),
                        "spec.statefulSet.pod.topologySpreadConstraints[]", key, faults);
            }
        }
    }
}

void decode_pod(const Fields& set, ProxyClassInput& decoded) {
    constexpr std::string_view kPath = "spec.statefulSet.pod";
    decoded.pod = set.map("pod");
    if (decoded.pod == nullptr) {
        return;
    }
    const Fields pod(decoded.pod, kPath, decoded.faults);
    decoded.pod_labels = pod.text_map("labels");
    decoded.pod_annotations = pod.text_map("annotations");
    for (const PodField& field : kPodFields) {
        if (!has_shape(pod, field)) {
            continue;
        }
        const Member& member = *decoded.pod->find_member(field.name);
        if (field.shape == Shape::Maps) {
            check_entries(member, decoded.faults);
        }
        if (field.name != "dnsPolicy" || !choice(pod, field.name, kDnsPolicies).empty()) {
            decoded.pod_spec.push_back(&member);
        }
    }
    decoded.container = decode_container(pod.map("tailscaleContainer"), kContainer, decoded.faults);
    decoded.init_container =
        decode_container(pod.map("tailscaleInitContainer"), kInitContainer, decoded.faults);
}

void decode_set(const Fields& spec, ProxyClassInput& decoded) {
    const Value* block = spec.map("statefulSet");
    const Fields set(block, "spec.statefulSet", decoded.faults);
    decoded.set_labels = set.text_map("labels");
    decoded.set_annotations = set.text_map("annotations");
    decode_pod(set, decoded);
}

void decode_metrics(const Fields& spec, ProxyClassInput& decoded) {
    Faults& faults = decoded.faults;
    decoded.metrics = spec.map("metrics");
    if (decoded.metrics == nullptr) {
        return;
    }
    const Fields metrics(decoded.metrics, "spec.metrics", faults);
    require(metrics.any("enable") != nullptr, decoded.metrics->pos(), "spec.metrics", "enable",
            faults);
    decoded.metrics_enable = metrics.flag("enable");
    decoded.metrics_enable_pos = known_or(metrics.pos("enable"), decoded.metrics->pos());
    const Value* block = metrics.map("serviceMonitor");
    if (block == nullptr) {
        return;
    }
    const Fields monitor(block, "spec.metrics.serviceMonitor", faults);
    require(monitor.any("enable") != nullptr, block->pos(), "spec.metrics.serviceMonitor", "enable",
            faults);
    decoded.monitor_enable = monitor.flag("enable");
    decoded.monitor_enable_pos = known_or(monitor.pos("enable"), block->pos());
    decoded.monitor_labels = monitor.text_map("labels");
}

void check_port(const Value& entry, Faults& faults) {
    constexpr std::string_view kPath = "spec.staticEndpoints.nodePort.ports[]";
    const Fields fields(&entry, kPath, faults);
    if (fields.exists()) {
        require(fields.any("port") != nullptr, entry.pos(), kPath, "port", faults);
        static_cast<void>(fields.number("port"));
        static_cast<void>(fields.number("endPort"));
    }
}

void decode_static_endpoints(const Fields& spec, ProxyClassInput& decoded) {
    constexpr std::string_view kPath = "spec.staticEndpoints";
    constexpr std::string_view kNodePort = "spec.staticEndpoints.nodePort";
    Faults& faults = decoded.faults;
    decoded.static_endpoints = spec.map("staticEndpoints");
    if (decoded.static_endpoints == nullptr) {
        return;
    }
    const Value* block = Fields(decoded.static_endpoints, kPath, faults).any("nodePort");
    require(block != nullptr, decoded.static_endpoints->pos(), kPath, "nodePort", faults);
    if (block == nullptr) {
        return;
    }
    const Fields node_port(block, kNodePort, faults);
    decoded.node_selector = node_port.text_map("selector");
    const Value* ports = node_port.list("ports");
    require(!node_port.exists() ||
                (node_port.any("ports") != nullptr && (ports == nullptr || ports->size() > 0)),
            block->pos(), kNodePort, "ports", faults);
    if (ports != nullptr) {
        for (const Value& entry : ports->items()) {
            check_port(entry, faults);
        }
    }
    decoded.ports = class_ports(*decoded.spec);
}

}  // namespace

ProxyClassInput decode_proxy_class(const Document& doc) {
    ProxyClassInput decoded;
    decode_metadata(doc, decoded);
    Faults& faults = decoded.faults;
    const Value* block = doc.root.find("spec");
    require(block != nullptr && !block->is_null(), decoded.pos(), "", "spec", faults);
    const Fields spec(block, "spec", faults);
    decoded.spec = spec.exists() ? block : nullptr;
    decode_set(spec, decoded);
    decode_metrics(spec, decoded);
    decoded.tailscale = spec.map("tailscale");
    decoded.accept_routes =
        Fields(decoded.tailscale, "spec.tailscale", faults).flag("acceptRoutes");
    decoded.acme_staging = spec.flag("useLetsEncryptStagingEnvironment");
    decode_static_endpoints(spec, decoded);
    return decoded;
}

}  // namespace renderer
