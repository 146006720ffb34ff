#include "renderer/classify/operator_deployment.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/base/check.h"
#include "renderer/core/text_of.h"

namespace renderer::classify {

namespace {

Value text_value(std::string_view text, Pos pos) {
    Value value(text);
    value.set_pos(pos);
    return value;
}

Value& object_group(Value& values, std::string_view name) {
    if (name.empty()) {
        return values;
    }
    Value* group = values.find(name);
    return group != nullptr ? *group : values.add(Value::borrowed(name), Value::map());
}

void read_variable(const OperatorEnv& variable, const Value& container, std::string_view object,
                   Value& values, Diagnostics& diagnostics) {
    const Value* entry = find_env(container, variable.name);
    if (entry == nullptr) {
        return;
    }
    if (const Value* from = entry->find("valueFrom")) {
        diagnostics
            .error("unknown-offline", from->pos(),
                   fmt::format("the value of \"{}\" is only known in the cluster", variable.name))
            .object(object)
            .hint(fmt::format("use a plain \"value\", or set \"{}{}{}\" with --values",
                              variable.group, variable.group.empty() ? "" : ".", variable.key));
        return;
    }
    const Value* value = entry->find("value");
    const Pos pos = value == nullptr ? entry->pos() : value->pos();
    object_group(values, variable.group)
        .put(Value::borrowed(variable.key), text_value(text_of(value), pos));
}

// Splits "repository[:tag][@digest]". No tag means `latest`, not the chart's default. With both a
// tag and a digest the tag holds both, so pods get exactly the image that the operator was given.
Value split_image(std::string_view image, Pos pos) {
    Value parts = Value::map();
    const std::size_t at = image.find('@');
    const std::string_view rest = image.substr(0, at);
    const std::size_t slash = rest.rfind('/');
    const std::size_t colon = rest.find(':', slash == std::string_view::npos ? 0 : slash);
    const bool tagged = colon != std::string_view::npos;
    parts.add("repository", text_value(rest.substr(0, colon), pos));
    parts.add("tag", text_value(tagged ? image.substr(colon + 1) : "latest", pos));
    if (!tagged && at != std::string_view::npos) {
        parts.add("digest", text_value(image.substr(at + 1), pos));
    }
    parts.set_pos(pos);
    return parts;
}

void read_proxy_image(const Value& container, Value& values) {
    const Value* value = find_env(container, "PROXY_IMAGE")->find("value");
    if (!text_of(value).empty()) {
        object_group(values, "proxyConfig").put("image", split_image(value->text(), value->pos()));
    }
}

// Reads the operator's own image, whose tag is its release.
void read_operator_image(const Value& container, Value& values) {
    const Value* image = container.find("image");
    if (!text_of(image).empty()) {
        object_group(values, "operatorConfig")
            .put("image", split_image(image->text(), image->pos()));
    }
}

// The Secret of the operator's own device has the same name as all its objects.
void read_name(const Value& container, Value& values) {
    const Value* secret = find_env(container, "OPERATOR_SECRET");
    const Value* name = secret == nullptr ? nullptr : secret->find("value");
    if (!text_of(name).empty() && text_of(name) != OperatorNames().name) {
        values.put("fullnameOverride", name->clone());
    }
}

void read_extra_env(const Value& container, Value& values) {
    Value extra = Value::list();
    for (const Value& entry : items_of(container.find("env"))) {
        if (!is_operator_env(text_of(entry.find("name")))) {
            extra.append(entry.clone());
        }
    }
    object_group(values, "operatorConfig").put("extraEnv", std::move(extra));
}

// A missing variable is empty for the process, whatever the chart's default is.
void clear_absent(const Value& container, Value& values) {
    if (find_env(container, "PROXY_FIREWALL_MODE") == nullptr) {
        object_group(values, "proxyConfig").put("firewallMode", "");
    }
}

const Value* find_volume(const Value& pod, std::string_view name) {
    for (const Value& volume : items_of(pod.find("volumes"))) {
        if (text_of(volume.find("name")) == name) {
            return &volume;
        }
    }
    return nullptr;
}

// Determines which of the chart's three ways to pass credentials the pod uses.
void read_credentials(const Value& pod, Value& values) {
    if (const Value* volume = find_volume(pod, "oidc-jwt")) {
        for (const Value& source : items_of(volume->at({"projected", "sources"}))) {
            if (const Value* audience = source.at({"serviceAccountToken", "audience"})) {
                object_group(values, "oauth").put("audience", audience->clone());
            }
        }
        return;
    }
    const Value* volume = find_volume(pod, "oauth");
    const OperatorNames names = operator_names(text_of(values.find("fullnameOverride")));
    if (volume == nullptr || text_of(volume->at({"secret", "secretName"})) == names.oauth_secret) {
        return;
    }
    Value custom = volume->clone();
    custom.erase("name");
    values.put("oauthSecretVolume", std::move(custom));
}

void copy(const Value* value, std::string_view key, Value& group) {
    if (value != nullptr && !value->is_null()) {
        group.put(Value::borrowed(key), value->clone());
    }
}

void read_pod(const Value& deployment, const Value& container, Value& values) {
    const Value* labels = deployment.at({"spec", "template", "metadata", "labels"});
    const Value* pod = deployment.at({"spec", "template", "spec"});
    Value& config = object_group(values, "operatorConfig");
    copy(deployment.at({"spec", "template", "metadata", "annotations"}), "podAnnotations", config);
    copy(labels, "podLabels", config);
    if (Value* copied = config.find("podLabels")) {
        copied->erase("app");
    }
    copy(pod->find("nodeSelector"), "nodeSelector", config);
    // Removes the chart's default selector unless the pod has it.
    if (pod->at({"nodeSelector", "kubernetes.io/os"}) == nullptr) {
        Value* selector = config.find("nodeSelector");
        if (selector == nullptr) {
            selector = &config.add("nodeSelector", Value::map());
        }
        selector->put("kubernetes.io/os", Value());
    }
    copy(pod->find("tolerations"), "tolerations", config);
    copy(pod->find("affinity"), "affinity", config);
    copy(pod->find("securityContext"), "podSecurityContext", config);
    copy(container.find("securityContext"), "securityContext", config);
    copy(container.find("resources"), "resources", config);
    copy(pod->find("imagePullSecrets"), "imagePullSecrets", values);
}

}  // namespace

bool is_operator_env(std::string_view name) {
    return std::ranges::find(kOperatorEnv, name, &OperatorEnv::name) != kOperatorEnv.end() ||
           std::ranges::find(kFixedOperatorEnv, name) != kFixedOperatorEnv.end();
}

OperatorNames operator_names(std::string_view fullname) {
    constexpr std::size_t kLongest = 63;
    OperatorNames names;
    if (!fullname.empty()) {
        names.name = fullname.substr(0, kLongest);
        names.name.resize(names.name.size() - (names.name.ends_with('-') ? 1 : 0));
        names.cluster = names.name;
        names.oauth_secret = names.name + "-oauth";
    }
    return names;
}

Value operator_values(const Value& deployment, std::string_view object, Diagnostics& diagnostics) {
    const Value* container = operator_container(deployment);
    CHECK(container != nullptr);
    Value values = Value::map();
    for (const OperatorEnv& variable : kOperatorEnv) {
        read_variable(variable, *container, object, values, diagnostics);
    }
    read_proxy_image(*container, values);
    read_operator_image(*container, values);
    read_name(*container, values);
    read_extra_env(*container, values);
    clear_absent(*container, values);
    read_credentials(*deployment.at({"spec", "template", "spec"}), values);
    read_pod(deployment, *container, values);
    return values;
}

}  // namespace renderer::classify
