#include "renderer/plan/annotations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "renderer/contract/annotations.h"
#include "renderer/contract/domain.h"
#include "renderer/contract/labels.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/group_of.h"
#include "renderer/kube/meant_version.h"

namespace renderer::plan {

namespace {

constexpr std::array<std::string_view, 6> kLabels = {
    annotation::kProxyClass, label::kManaged,    label::kParent,
    label::kParentNamespace, label::kParentType, label::kServiceType};

// The words of messages for one of the two kinds.
struct Vocabulary {
    On on;
    std::string_view kind, article, other_kind;
};

constexpr Vocabulary kService = {On::Service, "Service", "a", "an Ingress"};
constexpr Vocabulary kIngress = {On::Ingress, "Ingress", "an", "a Service"};

// Compares without the domain, because a common prefix would make all keys similar.
std::string suggestion(std::string_view key, const std::vector<std::string_view>& keys) {
    std::vector<std::string_view> names;
    for (std::string_view one : keys) {
        one.remove_prefix(one.starts_with(kOperatorDomain) ? kOperatorDomain.size() : 0);
        names.push_back(one);
    }
    const std::string_view near = nearest(key.substr(key.find('/') + 1), names);
    return near.empty() ? fmt::format("the operator knows {}", fmt::join(keys, ", "))
                        : fmt::format("did you mean \"{}{}\"?", kOperatorDomain, near);
}

void report_unknown(const classify::ParentInput& parent, On kind, const Member& entry,
                    Diagnostics& diagnostics) {
    std::vector<std::string_view> keys;
    for (const Annotation& annotation : kAnnotations) {
        if (is_on(annotation, kind)) {
            keys.push_back(annotation.key);
        }
    }
    classify::about(parent, diagnostics)
        .warning("unknown-annotation", entry.key.pos(),
                 fmt::format("unknown annotation \"{}\"", entry.name()))
        .hint(suggestion(entry.name(), keys));
}

void check_switch(const classify::ParentInput& parent, const Member& entry,
                  Diagnostics& diagnostics) {
    const std::string_view text = text_of(entry.value);
    if (text.empty() || text == "true" || text == "false") {
        return;
    }
    classify::about(parent, diagnostics)
        .warning("not-exactly-true", entry.value.pos(),
                 fmt::format("invalid value of annotation \"{}\": only \"true\" enables it",
                             entry.name()))
        .found(fmt::format("\"{}\"", text))
        .expected("\"true\" or \"false\"")
        .hint(text.find(": ") != std::string_view::npos
                  ? "a quotation mark is missing at the end of this line"
              : nearest(text, {"true"}).empty() && text != "yes" && text != "1"
                  ? ""
                  : fmt::format("write {}: \"true\"", entry.name()));
}

// True if the object names a group, also by a value that is not a string, which is reported
// separately.
bool names_group(const classify::ParentInput& parent) {
    const Value* group = parent.annotation(annotation::kProxyGroup);
    return group != nullptr && (!group->is_string() || !group->text().empty());
}

void check_annotation(const classify::ParentInput& parent, const Vocabulary& words,
                      const Member& entry, Diagnostics& diagnostics) {
    const Annotation* annotation = find_annotation(entry.name());
    if (annotation == nullptr) {
        report_unknown(parent, words.on, entry, diagnostics);
    } else if (!is_on(*annotation, words.on)) {
        classify::about(parent, diagnostics)
            .warning("annotation-without-effect", entry.key.pos(),
                     fmt::format("annotation \"{}\" has no effect on {} {}", entry.name(),
                                 words.article, words.kind))
            .hint(fmt::format("it belongs on {}", words.other_kind));
    } else if (annotation->in_group == InGroup::Required && !names_group(parent)) {
        classify::about(parent, diagnostics)
            .warning("annotation-without-effect", entry.key.pos(),
                     fmt::format("annotation \"{}\" has no effect without \"{}\"", entry.name(),
                                 annotation::kProxyGroup))
            .hint("remove it");
    } else if (annotation->is_switch) {
        check_switch(parent, entry, diagnostics);
    }
}

void check_label(const classify::ParentInput& parent, const Vocabulary& words, const Member& entry,
                 Diagnostics& diagnostics) {
    if (std::ranges::find(kLabels, entry.name()) != kLabels.end()) {
        return;
    }
    const Annotation* annotation = find_annotation(entry.name());
    classify::about(parent, diagnostics)
        .warning("unknown-label", entry.key.pos(),
                 fmt::format("unknown label \"{}\"", entry.name()))
        .hint(annotation != nullptr && is_on(*annotation, words.on)
                  ? "it is an annotation: move it to metadata.annotations"
                  : suggestion(entry.name(), {annotation::kProxyClass}));
}

void check_entries(const classify::ParentInput& parent, const Vocabulary& words,
                   Diagnostics& diagnostics) {
    for (const Member& entry : members_of(parent.doc->root.at({"metadata", "annotations"}))) {
        if (entry.name().starts_with(kOperatorDomain)) {
            check_annotation(parent, words, entry, diagnostics);
        } else if (is_near_custom_group(group_of(entry.name())) ||
                   entry.name().starts_with("tailscale/")) {
            report_unknown(parent, words.on, entry, diagnostics);
        }
    }
    for (const Member& entry : members_of(parent.doc->root.at({"metadata", "labels"}))) {
        if (entry.name().starts_with(kOperatorDomain)) {
            check_label(parent, words, entry, diagnostics);
        }
    }
}

}  // namespace

const Annotation* find_annotation(std::string_view key) {
    const auto* found = std::ranges::find(kAnnotations, key, &Annotation::key);
    return found == kAnnotations.end() ? nullptr : found;
}

bool is_on(const Annotation& annotation, On kind) {
    return annotation.on == kind || annotation.on == On::Both;
}

std::string_view annotation_text(const classify::ParentInput& parent, std::string_view key) {
    return text_of(parent.annotation(key));
}

bool is_exactly_true(const classify::ParentInput& parent, std::string_view key) {
    return annotation_text(parent, key) == "true";
}

void check_annotations(const classify::ServiceInput& service, Diagnostics& diagnostics) {
    check_entries(service, kService, diagnostics);
    if (service.load_balancer_class == "tailscale" &&
        service.type != classify::ServiceType::LoadBalancer) {
        const Value* type = service.doc->root.at({"spec", "type"});
        const std::string_view found = text_of(type);
        classify::about(service, diagnostics)
            .warning("not-a-load-balancer", type != nullptr ? type->pos() : service.pos(),
                     "\"loadBalancerClass: tailscale\" without \"type: LoadBalancer\"")
            .found(found.empty() ? "" : fmt::format("\"type: {}\"", found))
            .hint(nearest(found, {"LoadBalancer"}).empty()
                      ? "add \"type: LoadBalancer\": Kubernetes rejects the class on other types"
                      : did_you_mean("LoadBalancer"));
    }
}

void check_annotations(const classify::IngressInput& ingress, Diagnostics& diagnostics) {
    check_entries(ingress, kIngress, diagnostics);
}

}  // namespace renderer::plan
