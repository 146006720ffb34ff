#include "runtime/operate/operator_objects.h"

#include <fmt/format.h>

#include <utility>

#include "renderer/base/base64.h"
#include "renderer/contract/annotations.h"
#include "renderer/contract/auth_secret.h"
#include "renderer/contract/config_secret.h"
#include "renderer/contract/labels.h"
#include "renderer/contract/state_secret.h"
#include "renderer/core/text_of.h"
#include "runtime/base/json_patch.h"
#include "runtime/controller/keys/secrets.h"
#include "runtime/controller/view/objects.h"

namespace runtime::operate {

using renderer::text_of;
using renderer::Value;

Labels parent_labels(const Value& object) {
    Labels out;
    const Value* labels = object.at({"metadata", "labels"});
    for (const std::string_view key :
         {"parent-resource", "parent-resource-ns", "parent-resource-type"}) {
        const Value* found =
            labels == nullptr || !labels->is_map()
                ? nullptr
                : labels->find(std::string(renderer::kOperatorDomain) + std::string(key));
        if (found != nullptr) {
            out[std::string(key)] = text_of(found);
        }
    }
    return out;
}

std::string parent_of(const Labels& labels) {
    const auto get = [&labels](const char* key) {
        const auto found = labels.find(key);
        return found == labels.end() ? std::string() : found->second;
    };
    const std::string type = get("parent-resource-type");
    std::string known =
        renderer::parent_in_labels(type, get("parent-resource-ns"), get("parent-resource"));
    return known.empty() ? type + "/" + get("parent-resource") : known;
}

bool has_generated_name(const Value& object) {
    return !text_of(object.at({"metadata", "generateName"})).empty() &&
           controller::label_of(object, renderer::label::kManaged) == "true";
}

bool is_operators_set(const Value& set) {
    return !is_rendered(set) && (controller::label_of(set, renderer::label::kManaged) == "true" ||
                                 !custom_owner(set).empty());
}

std::string custom_owner(const Value& object) {
    const Value* owners = object.at({"metadata", "ownerReferences"});
    if (owners != nullptr && owners->is_list()) {
        for (const Value& owner : owners->items()) {
            if (text_of(owner.find("apiVersion")).starts_with(renderer::kOperatorDomain)) {
                return fmt::format("{}/{}", text_of(owner.find("kind")),
                                   text_of(owner.find("name")));
            }
        }
    }
    return {};
}

std::string name_of(const Value& object) {
    return std::string(text_of(object.at({"metadata", "name"})));
}

bool has_replicas(const Value& set) {
    const Value* replicas = set.at({"spec", "replicas"});
    return !set.is_null() && (replicas == nullptr || replicas->as_int() != 0);
}

bool is_state_key(std::string_view key) {
    const bool is_config = renderer::config_capability(key).has_value();
    return !is_config && key != renderer::kServeDatum && key != renderer::kAuthDatum &&
           key != renderer::kReissueAuthKey;
}

Value with_state(const Value& from, const Value* data) {
    Value out = data != nullptr && data->is_map() ? data->clone() : Value::map();
    if (const Value* state = from.find("data"); state != nullptr && state->is_map()) {
        for (const renderer::Member& member : state->members()) {
            if (is_state_key(member.name())) {
                out.put(Value(member.name()), member.value.clone());
            }
        }
    }
    return out;
}

std::string device_of(const Value& secret) {
    return std::string(controller::read_state(secret).device());
}

std::string datum_of(const Value& secret, std::string_view key) {
    return renderer::decode_base64(text_of(secret.at({"data", key}))).value_or("");
}

bool is_rendered(const Value& set) {
    return !controller::annotation_of(set, renderer::kContractAnnotation).empty();
}

Value without_finalizers(const Value& object) {
    const Value* all = object.at({"metadata", "finalizers"});
    if (all == nullptr || !all->is_list()) {
        return {};
    }
    Value left = Value::list();
    for (const Value& one : all->items()) {
        // tailscale v1.104.5 cmd/k8s-operator/svc-for-pg.go puts the group before the domain.
        const std::string_view domain = text_of(one).substr(0, text_of(one).find('/'));
        if (domain != "tailscale.com" && !domain.ends_with(".tailscale.com")) {
            left.append(one.clone());
        }
    }
    return left == *all ? Value()
                        : Value::list({operation("add", "/metadata/finalizers", std::move(left))});
}

}  // namespace runtime::operate
