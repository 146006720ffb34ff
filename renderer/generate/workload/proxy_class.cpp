#include "renderer/generate/workload/proxy_class.h"

#include <fmt/format.h>

#include "renderer/contract/annotations.h"
#include "renderer/contract/domain.h"
#include "renderer/contract/environment.h"
#include "renderer/contract/labels.h"
#include "renderer/contract/ports.h"
#include "renderer/core/text_of.h"
#include "renderer/generate/workload/workload_objects.h"

namespace renderer::generate {

namespace {

constexpr std::string_view kStagingDirectory =
    "https://acme-staging-v02.api.letsencrypt.org/directory";

// True for keys that a class can neither change nor drop.
bool is_managed(std::string_view key) {
    return key == "app" || key == label::kManaged || key.starts_with(label::kParent) ||
           key.starts_with(annotation::kLastSetPrefix) || key.starts_with(TAILRENDER_DOMAIN "/");
}

// Returns the child of a map, which is added if it is missing.
Value& child(Value& map, std::string_view key, Value empty) {
    Value* found = map.find(key);
    return found != nullptr ? *found : map.add(Value::borrowed(key), std::move(empty));
}

// Replaces the entries with those of the class, and keeps our managed entries. Our other entries
// are dropped.
void merge(const Value& custom, std::string_view key, Value& metadata) {
    if (!custom.is_map() || custom.size() == 0) {
        return;
    }
    Value merged = custom.clone();
    for (const Member& member : members_of(metadata.find(key))) {
        if (is_managed(member.name())) {
            merged.put(member.key.clone(), member.value.clone());
        }
    }
    metadata.put(Value::borrowed(key), std::move(merged));
}

void put_all(const Value& fields, Value& target) {
    for (const Member& field : members_of(&fields)) {
        target.put(field.key.clone(), field.value.clone());
    }
}

void append_env(Value& container, std::string_view name, std::string_view value) {
    Value entry = Value::map({{"name", name}});
    put_if(entry, !value.empty(), "value", value);
    child(container, "env", Value::list()).append(std::move(entry));
}

void append_port(Value& container, std::string_view name, int number) {
    child(container, "ports", Value::list())
        .append(Value::map(
            {{"containerPort", number}, {"name", Value::borrowed(name)}, {"protocol", "TCP"}}));
}

void add_endpoints(const plan::ProxyClassPlan& chosen, const ClassScope& scope, bool is_alone,
                   Value& container) {
    if (scope.endpoints && chosen.debug) {
        append_env(container, variable::kDebugAddress, port::kDebugAddress);
        append_env(container, variable::kDaemonArgs,
                   fmt::format("--debug=$({})", variable::kDebugAddress));
        append_port(container, "debug", port::kDebug);
    }
    if (scope.endpoints && chosen.metrics && is_alone) {
        append_env(container, variable::kLocalAddress, port::kLocalAddress);
        append_env(container, variable::kMetrics, "true");
        append_port(container, "metrics", port::kLocal);
    }
    if (scope.certificates && chosen.acme_staging) {
        append_env(container, variable::kAcmeDirectory, kStagingDirectory);
    }
}

// Sets image and pull policy. If the class has an image without a policy, a container with a policy
// gets the one that fits the image.
void set_image(const plan::ClassContainer& overlay, bool takes_image, Value& container) {
    if (takes_image && !overlay.image.empty()) {
        container.put("image", overlay.image);
        if (Value* policy = container.find("imagePullPolicy"); policy != nullptr) {
            *policy = overlay.pinned ? Value("IfNotPresent") : Value("Always");
        }
    }
    if (!overlay.pull_policy.empty()) {
        container.put("imagePullPolicy", overlay.pull_policy);
    }
}

void set_resources(const plan::ClassContainer& overlay, Value& container) {
    if (overlay.requests.is_map()) {
        child(container, "resources", Value::map()).put("requests", overlay.requests.clone());
    }
    if (overlay.limits.is_map()) {
        child(container, "resources", Value::map()).put("limits", overlay.limits.clone());
    }
}

void lay_over(const plan::ClassContainer& overlay, bool takes_image, Value& container) {
    put_all(overlay.fields, container);
    set_resources(overlay, container);
    for (const plan::ClassEnv& entry : overlay.env) {
        append_env(container, entry.name, entry.value);
    }
    set_image(overlay, takes_image, container);
}

}  // namespace

void apply_proxy_class(const plan::ProxyClassPlan& chosen, const ClassScope& scope,
                       Value& stateful_set) {
    Value& metadata = *stateful_set.find("metadata");
    Value& pod = *stateful_set.find("spec")->find("template");
    Value& pod_metadata = *pod.find("metadata");
    Value& pod_spec = *pod.find("spec");
    merge(chosen.set_labels, "labels", metadata);
    merge(chosen.set_annotations, "annotations", metadata);
    merge(chosen.pod_labels, "labels", pod_metadata);
    merge(chosen.pod_annotations, "annotations", pod_metadata);
    put_all(chosen.pod_spec, pod_spec);
    const auto containers = pod_spec.find("containers")->items();
    for (Value& each : containers.subspan(1)) {
        set_resources(chosen.container, each);
    }
    Value& container = containers.front();
    add_endpoints(chosen, scope, containers.size() == 1, container);
    lay_over(chosen.container, scope.image, container);
    make_env_unique(container);
    if (Value* inits = pod_spec.find("initContainers"); inits != nullptr) {
        Value& init = inits->items().front();
        lay_over(chosen.init_container, true, init);
        make_env_unique(init);
    }
}

}  // namespace renderer::generate
