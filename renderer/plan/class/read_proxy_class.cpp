#include "renderer/plan/class/read_proxy_class.h"

#include <array>
#include <span>

#include "renderer/kube/image_reference.h"
#include "renderer/kube/proxy_class_rules.h"
#include "renderer/plan/class/pod_fields.h"
#include "renderer/plan/dataplanes.h"

namespace renderer::plan {

namespace {

// The fields of a pod and of a container that are copied unchanged into those of the proxies.
constexpr std::array<std::string_view, 10> kPodFields = {
    "affinity",          "dnsConfig",
    "dnsPolicy",         "imagePullSecrets",
    "nodeName",          "nodeSelector",
    "priorityClassName", "securityContext",
    "tolerations",       "topologySpreadConstraints"};
constexpr std::array<std::string_view, 1> kContainerFields = {"securityContext"};

Value clone_of(const Value* value) {
    return value == nullptr ? Value() : value->clone();
}

Value taken(const Value* block, std::span<const std::string_view> names) {
    Value result;
    for (const std::string_view name : names) {
        const Value* field = classify::Fields(block).any(name);
        const bool is_empty_text = field != nullptr && field->is_string() && field->text().empty();
        if (field == nullptr || is_empty_text || is_left_out(name, *field)) {
            continue;
        }
        if (result.is_null()) {
            result = Value::map();
        }
        result.add(block->find_member(name)->key.clone(), pod_field(name, *field));
    }
    return result;
}

ClassContainer container(const Value* block) {
    const classify::Fields fields(block);
    const classify::Fields resources(fields.map("resources"));
    ClassContainer result;
    result.exists = block != nullptr;
    result.pos = result.exists ? block->pos() : Pos();
    if (const auto image = fields.placed("image")) {
        result.image = image->text;
        result.pinned = parse_image_reference(result.image).pinned;
        result.image_pos = image->pos;
    }
    result.pull_policy = fields.text("imagePullPolicy");
    for (const classify::EnvInput& entry : fields.env("env")) {
        result.env.push_back({std::string(entry.name), std::string(entry.value), entry.pos});
    }
    result.fields = taken(block, kContainerFields);
    result.requests = amounts(resources.map("requests"));
    result.limits = amounts(resources.map("limits"));
    return result;
}

void plan_pod(const classify::CustomResource& input, ProxyClassPlan& result) {
    const classify::Fields set = input.fields_at({"statefulSet"});
    const Value* block = set.map("pod");
    const classify::Fields pod(block);
    result.set_labels = clone_of(set.map("labels"));
    result.set_annotations = clone_of(set.map("annotations"));
    result.pod_labels = clone_of(pod.map("labels"));
    result.pod_annotations = clone_of(pod.map("annotations"));
    result.pod_spec = taken(block, kPodFields);
    result.container = container(pod.map("tailscaleContainer"));
    result.init_container = container(pod.map("tailscaleInitContainer"));
}

void plan_class_metrics(const classify::CustomResource& input, ProxyClassPlan& result) {
    const classify::Fields metrics = input.fields_at({"metrics"});
    const classify::Fields monitor(metrics.map("serviceMonitor"));
    const classify::Fields debug =
        input.fields_at({"statefulSet", "pod", "tailscaleContainer", "debug"});
    result.has_metrics = metrics.exists();
    result.metrics = metrics.flag("enable");
    result.metrics_pos = metrics.pos("enable");
    result.debug = debug.exists() ? debug.flag("enable") : result.metrics;
    result.debug_pos = debug.pos("enable");
    result.service_monitor = monitor.flag("enable");
    result.monitor_labels = clone_of(monitor.map("labels"));
}

}  // namespace

ProxyClassPlan make_proxy_class(const classify::CustomResource& input) {
    const classify::Fields spec(input.spec);
    const classify::Fields tailscale(spec.map("tailscale"));
    ProxyClassPlan result;
    result.origin = {input.pos(), input.doc->object_name(), "proxy-class: a ProxyClass"};
    result.name = input.name;
    result.dataplane = annotated_dataplane(input);
    if (result.dataplane) {
        result.dataplane_pos = input.annotation(kDataplane)->pos();
    }
    result.has_tailscale = tailscale.exists();
    result.accept_routes = tailscale.flag("acceptRoutes");
    result.accept_routes_pos = tailscale.pos("acceptRoutes");
    result.acme_staging = spec.flag("useLetsEncryptStagingEnvironment");
    result.acme_staging_pos = spec.pos("useLetsEncryptStagingEnvironment");
    plan_class_metrics(input, result);
    plan_pod(input, result);
    if (const Value* block = spec.map("staticEndpoints")) {
        StaticEndpoints& endpoints = result.static_endpoints.emplace();
        endpoints.pos = block->pos();
        for (const ClassPort& port : class_ports(input.spec)) {
            endpoints.ports.push_back({port.port, port.last()});
        }
        const Value* selector = input.fields_at({"staticEndpoints", "nodePort"}).map("selector");
        endpoints.selector = selector == nullptr ? Value::map() : selector->clone();
    }
    return result;
}

}  // namespace renderer::plan
