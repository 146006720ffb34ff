#include "runtime/controller/view/parents.h"

#include <fmt/format.h>

#include <array>
#include <span>

#include "renderer/contract/annotations.h"
#include "renderer/contract/domain.h"
#include "renderer/core/document.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/kinds.h"

namespace runtime::controller {

using renderer::find_kind;
using renderer::items_of;
using renderer::Kind;
using renderer::kKinds;
using renderer::text_of;
using renderer::Value;

namespace {

// The used fields of kinds that may have thousands of objects.
constexpr std::string_view kIngressSpec[] = {"ingressClassName"};
constexpr std::string_view kServiceSpec[] = {"clusterIPs", "loadBalancerClass", "type"};
constexpr std::string_view kEgressSpec[] = {"clusterIPs", "loadBalancerClass", "ports", "type"};

std::span<const std::string_view> kept_of_spec(const Parent& parent) {
    if (parent.kind == "Ingress") {
        return kIngressSpec;
    }
    return parent.annotations.contains(renderer::annotation::kProxyGroup)
               ? std::span<const std::string_view>(kEgressSpec)
               : kServiceSpec;
}

Value spec_of(const Parent& parent, const Value* spec) {
    if (spec == nullptr || !spec->is_map()) {
        return Value::map();
    }
    if (parent.kind != "Service" && parent.kind != "Ingress") {
        return spec->clone();
    }
    Value out = Value::map();
    for (const std::string_view name : kept_of_spec(parent)) {
        if (const Value* value = spec->find(name); value != nullptr) {
            out.add(Value::borrowed(name), value->clone());
        }
    }
    return out;
}

// True for a Service that no proxy can be for, nor has been for: it has no condition of ours.
bool is_none_of_ours(const Parent& parent, const Value* status) {
    if (parent.kind != "Service" || !parent.annotations.empty() ||
        text_of(parent.spec.find("type")) == "LoadBalancer") {
        return false;
    }
    return items_of(status == nullptr ? nullptr : status->find("conditions")).empty();
}

template <std::size_t... N>
constexpr auto decoders(std::index_sequence<N...> /*rows*/) {
    return std::array{+[](const Value& object) { return decode_parent(kKinds[N], object); }...};
}
constexpr auto kDecoders = decoders(std::make_index_sequence<kKinds.size()>());

struct Parts {
    std::string_view kind, ns, name;
};

Parts split(std::string_view contract_name) {
    const std::size_t first = contract_name.find('/');
    const std::size_t last = contract_name.rfind('/');
    if (first == std::string_view::npos) {
        return {};
    }
    return {.kind = contract_name.substr(0, first),
            .ns = first == last ? std::string_view()
                                : contract_name.substr(first + 1, last - first - 1),
            .name = contract_name.substr(last + 1)};
}

}  // namespace

Parents::Parents(ClusterView& view) {
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
        if (!kKinds[i].role.is_parent) {
            continue;
        }
        copies_[kKinds[i].name] = &view.follow<Parent>(
            {.kind = kKinds[i]}, kDecoders[i],
            [](std::string_view, const Parent* before, const Parent* after, Changes& changes) {
                changes.parents.insert(contract_name(after == nullptr ? *before : *after));
            });
    }
}

const Parent* Parents::find(std::string_view contract_name) const {
    const Parts parts = split(contract_name);
    const auto copy = copies_.find(parts.kind);
    if (copy == copies_.end()) {
        return nullptr;
    }
    return copy->second->find(parts.ns.empty() ? std::string(parts.name)
                                               : fmt::format("{}/{}", parts.ns, parts.name));
}

const Mirror<Parent>::Objects& Parents::all(std::string_view kind) const {
    return copies_.at(kind)->objects();
}

kube::ObjectRef Parents::reference(std::string_view contract_name) const {
    const Parts parts = split(contract_name);
    const Parent* parent = find(contract_name);
    kube::ObjectRef reference;
    const Kind* kind = find_kind(parts.kind);
    reference.api_version = kind == nullptr ? "v1" : kind->api_version;
    reference.kind = parts.kind;
    reference.ns = parts.ns;
    reference.name = parts.name;
    reference.uid = parent == nullptr ? "" : parent->uid;
    return reference;
}

std::string condition_status(const Parent& parent, std::string_view type) {
    if (!parent.status.may_say(type)) {
        return {};
    }
    const Value status = parent.status.unpack();
    for (const Value& condition : items_of(status.find("conditions"))) {
        if (text_of(condition.find("type")) == type) {
            return std::string(text_of(condition.find("status")));
        }
    }
    return {};
}

std::optional<Parent> decode_parent(const Kind& kind, const Value& object) {
    Parent parent;
    parent.kind = kind.name;
    parent.ns = text_of(object.at({"metadata", "namespace"}));
    parent.name = text_of(object.at({"metadata", "name"}));
    parent.uid = text_of(object.at({"metadata", "uid"}));
    const Value* generation = object.at({"metadata", "generation"});
    parent.generation = generation == nullptr ? 0 : generation->as_int().value_or(0);
    for (const renderer::Member& member :
         renderer::members_of(object.at({"metadata", "annotations"}))) {
        if (member.name().starts_with(renderer::kOperatorDomain)) {
            parent.annotations.emplace(member.name(), text_of(member.value));
        }
    }
    parent.spec = spec_of(parent, object.find("spec"));
    const Value* status = object.find("status");
    if (is_none_of_ours(parent, status)) {
        return std::nullopt;
    }
    parent.status = status == nullptr ? PackedValue() : PackedValue(*status);
    return parent;
}

std::string contract_name(const Parent& parent) {
    return renderer::object_name(parent.kind, parent.ns, parent.name);
}

}  // namespace runtime::controller
