#include "renderer/plan/class/proxy_class_plan.h"

#include "renderer/kube/image_reference.h"
#include "renderer/plan/class/pod_fields.h"

namespace renderer {

namespace {

Value clone_of(const Value* value) {
    return value == nullptr ? Value() : value->clone();
}

Value taken(const std::vector<const Member*>& fields) {
    Value result;
    for (const Member* field : fields) {
        const bool is_empty_text = field->value.is_string() && field->value.text().empty();
        if (is_empty_text || is_left_out(field->name(), field->value)) {
            continue;
        }
        if (result.is_null()) {
            result = Value::map();
        }
        result.add(field->key.clone(), pod_field(field->name(), field->value));
    }
    return result;
}

ClassContainer container(const ClassContainerInput& input) {
    ClassContainer result;
    result.exists = input.block != nullptr;
    result.pos = result.exists ? input.block->pos() : Pos();
    if (input.image != nullptr) {
        result.image = input.image->text();
        result.pinned = parse_image_reference(result.image).pinned;
        result.image_pos = input.image->pos();
    }
    result.pull_policy = input.pull_policy;
    for (const EnvInput& entry : input.env) {
        result.env.push_back({std::string(entry.name), std::string(entry.value)});
    }
    result.fields = taken(input.fields);
    result.requests = amounts(input.requests);
    result.limits = amounts(input.limits);
    return result;
}

}  // namespace

ProxyClassPlan make_proxy_class(const ProxyClassInput& input) {
    ProxyClassPlan result;
    result.origin = {input.pos(), input.doc->object_name(), "proxy-class: a ProxyClass"};
    result.name = input.name;
    result.has_tailscale = input.tailscale != nullptr;
    result.accept_routes = input.accept_routes;
    result.acme_staging = input.acme_staging;
    result.has_metrics = input.metrics != nullptr;
    result.metrics = input.metrics_enable;
    result.debug =
        input.container.debug != nullptr ? input.container.debug_enable : input.metrics_enable;
    result.service_monitor = input.monitor_enable;
    result.monitor_labels = clone_of(input.monitor_labels);
    result.set_labels = clone_of(input.set_labels);
    result.set_annotations = clone_of(input.set_annotations);
    result.pod_labels = clone_of(input.pod_labels);
    result.pod_annotations = clone_of(input.pod_annotations);
    result.pod_spec = taken(input.pod_spec);
    result.container = container(input.container);
    result.init_container = container(input.init_container);
    if (input.static_endpoints != nullptr) {
        StaticEndpoints& endpoints = result.static_endpoints.emplace();
        endpoints.pos = input.static_endpoints->pos();
        for (const ClassPort& port : input.ports) {
            endpoints.ports.push_back({port.port, port.last()});
        }
        endpoints.selector =
            input.node_selector == nullptr ? Value::map() : input.node_selector->clone();
    }
    return result;
}

}  // namespace renderer
