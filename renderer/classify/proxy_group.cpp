#include "renderer/classify/proxy_group.h"

#include <array>

#include "renderer/classify/fields.h"
#include "renderer/classify/parent.h"

namespace renderer {

namespace {

using TypeName = std::pair<std::string_view, GroupType>;
constexpr std::array kTypes = {TypeName{"egress", GroupType::Egress},
                               TypeName{"ingress", GroupType::Ingress},
                               TypeName{"kube-apiserver", GroupType::KubeApiServer}};

using ModeName = std::pair<std::string_view, bool>;
constexpr std::array kApiModes = {ModeName{"auth", true}, ModeName{"noauth", false}};

PlacedText placed(const Fields& fields, std::string_view key) {
    const Value* value = fields.text_value(key);
    return value == nullptr ? PlacedText() : PlacedText{value->text(), value->pos()};
}

// Unlike an enumeration of Kubernetes' own kinds, an empty text is no way to leave it out.
template <typename Enum, std::size_t N>
Enum strict_choice(const Fields& fields, std::string_view key,
                   const std::array<std::pair<std::string_view, Enum>, N>& choices, Enum fallback) {
    const Value* value = fields.text_value(key);
    return value == nullptr ? fallback : fields.choose(*value, key, choices, fallback);
}

void decode_tags(const Fields& spec, ProxyGroupInput& group) {
    const Value* tags = spec.list("tags");
    if (tags == nullptr) {
        return;
    }
    for (const Value& tag : tags->items()) {
        if (tag.is_string()) {
            group.tags.push_back({tag.text(), tag.pos()});
        } else {
            group.faults.push_back(wrong_type(tag.pos(), "spec.tags[]", "", tag, "a string"));
        }
    }
}

void decode_type(const Fields& spec, ProxyGroupInput& group) {
    if (spec.any("type") == nullptr) {
        group.faults.push_back({.rule = "invalid-object",
                                .pos = group.pos(),
                                .message = "the ProxyGroup has no type",
                                .expected = "spec.type: egress, ingress or kube-apiserver"});
    }
    group.type = strict_choice(spec, "type", kTypes, GroupType::Unset);
}

}  // namespace

ProxyGroupInput decode_proxy_group(const Document& doc) {
    ProxyGroupInput group;
    decode_metadata(doc, group);
    const Fields spec(doc.root.find("spec"), "spec", group.faults);
    decode_type(spec, group);
    if (const Value* replicas = spec.any("replicas"); replicas != nullptr) {
        group.replicas = spec.number("replicas");
        group.replicas_pos = replicas->pos();
    }
    decode_tags(spec, group);
    group.hostname_prefix = placed(spec, "hostnamePrefix");
    group.proxy_class = placed(spec, "proxyClass");
    group.tailnet = placed(spec, "tailnet");
    const Fields api(spec.map("kubeAPIServer"), "spec.kubeAPIServer", group.faults);
    group.api_auth = strict_choice(api, "mode", kApiModes, true);
    group.api_hostname = placed(api, "hostname");
    return group;
}

}  // namespace renderer
