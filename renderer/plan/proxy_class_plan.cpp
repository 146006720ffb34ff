#include "renderer/plan/proxy_class_plan.h"

#include "renderer/core/quantity.h"
#include "renderer/plan/image_reference.h"
#include "renderer/plan/proxy_class_checks.h"

namespace renderer {

namespace {

Value clone_of(const Value* value) {
    return value == nullptr ? Value() : value->clone();
}

// The API server drops fields that are null.
Value without_nulls(const Value& value) {
    Value result;
    if (value.is_map()) {
        result = Value::map();
        for (const Member& member : value.members()) {
            if (!member.value.is_null()) {
                result.add(member.key.clone(), without_nulls(member.value));
            }
        }
    } else if (value.is_list()) {
        result = Value::list();
        for (const Value& item : value.items()) {
            result.append(without_nulls(item));
        }
    } else {
        result = value.clone();
    }
    return result;
}

// An empty map of amounts changes nothing.
Value amounts(const Value* given) {
    if (given == nullptr || given->size() == 0) {
        return {};
    }
    Value result = Value::map();
    for (const Member& amount : given->members()) {
        const Value& value = amount.value;
        const bool readable = value.is_string() || value.is_number();
        result.add(amount.key.clone(),
                   readable ? canonical_quantity(value.text()).value_or("") : std::string());
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
    for (const ClassEnvInput& entry : input.env) {
        if (entry.name != nullptr) {
            result.env.push_back({std::string(entry.name->text()), std::string(entry.value)});
        }
    }
    result.security_context =
        input.security_context == nullptr ? Value() : without_nulls(*input.security_context);
    result.requests = amounts(input.requests);
    result.limits = amounts(input.limits);
    return result;
}

// What says nothing is left out, as by the reference.
bool says_nothing(const Member& field) {
    const Value& value = field.value;
    return (value.is_string() && value.text().empty()) || (value.is_list() && value.size() == 0) ||
           (field.name() == "nodeSelector" && value.size() == 0);
}

// A toleration's texts are all optional.
void drop_empty_texts(Value& tolerations) {
    for (Value& toleration : tolerations.items()) {
        if (!toleration.is_map()) {
            continue;
        }
        Value kept = Value::map();
        for (Member& member : toleration.members()) {
            if (!member.value.is_string() || !member.value.text().empty()) {
                kept.add(std::move(member.key), std::move(member.value));
            }
        }
        toleration = std::move(kept);
    }
}

Value pod_spec(const ProxyClassInput& input) {
    Value result;
    for (const Member* field : input.pod_spec) {
        if (says_nothing(*field)) {
            continue;
        }
        if (result.is_null()) {
            result = Value::map();
        }
        Value& added = result.add(field->key.clone(), without_nulls(field->value));
        if (field->name() == "tolerations") {
            drop_empty_texts(added);
        }
    }
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
    result.pod_spec = pod_spec(input);
    result.container = container(input.container);
    result.init_container = container(input.init_container);
    if (input.static_endpoints != nullptr) {
        StaticEndpoints& endpoints = result.static_endpoints.emplace();
        endpoints.pos = input.static_endpoints->pos();
        for (const ClassPortInput& port : input.ports) {
            endpoints.ports.push_back(port_range(port));
        }
        endpoints.selector =
            input.node_selector == nullptr ? Value::map() : input.node_selector->clone();
    }
    return result;
}

}  // namespace renderer
