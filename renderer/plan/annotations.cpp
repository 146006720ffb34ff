#include "renderer/plan/annotations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace renderer {

namespace {

constexpr std::string_view kDomain = "tailscale.com/";

constexpr std::array kServiceKeys = {kExpose,       kHostname,    kTags,       kTailnetIp,
                                     kOldTailnetIp, kTailnetFqdn, kProxyClass, kProxyGroup};
constexpr std::array kIngressKeys = {kFunnel,     kHttpRedirect, kForwardClusterTraffic, kTags,
                                     kProxyClass, kProxyGroup,   kHttpEndpoint};
constexpr std::array<std::string_view, 1> kServiceSwitches = {kExpose};
constexpr std::array kIngressSwitches = {kFunnel, kHttpRedirect, kForwardClusterTraffic};
constexpr std::array<std::string_view, 6> kLabels = {kProxyClass,
                                                     kManaged,
                                                     "tailscale.com/parent-resource",
                                                     "tailscale.com/parent-resource-ns",
                                                     "tailscale.com/parent-resource-type",
                                                     "tailscale.com/svc-type"};

using Keys = std::span<const std::string_view>;

bool contains(Keys keys, std::string_view key) {
    return std::ranges::find(keys, key) != keys.end();
}

// What one of the two kinds understands.
struct Vocabulary {
    std::string_view kind, article, other_kind;
    Keys keys, switches, other_keys;
};

const Vocabulary kService = {"Service",        "a",         "an Ingress", kServiceKeys,
                             kServiceSwitches, kIngressKeys};
const Vocabulary kIngress = {"Ingress",        "an",        "a Service", kIngressKeys,
                             kIngressSwitches, kServiceKeys};

const Value* metadata(const ParentInput& parent, std::string_view group) {
    const Value* entries = parent.doc->root.at({"metadata", group});
    return entries != nullptr && entries->is_map() ? entries : nullptr;
}

std::string suggestion(std::string_view key, Keys keys) {
    const std::string_view near = nearest(key, {keys.begin(), keys.end()});
    return near.empty() ? fmt::format("the operator knows {}", fmt::join(keys, ", "))
                        : fmt::format("did you mean \"{}\"?", near);
}

void check_key(const ParentInput& parent, const Vocabulary& words, const Member& entry,
               Diagnostics& diagnostics) {
    const std::string_view key = entry.name();
    if (contains(words.keys, key)) {
        return;
    }
    if (contains(words.other_keys, key)) {
        about(parent, diagnostics)
            .warning("annotation-without-effect", entry.key.pos(),
                     fmt::format("annotation \"{}\" has no effect on {} {}", key, words.article,
                                 words.kind))
            .hint(fmt::format("it belongs on {}", words.other_kind));
        return;
    }
    about(parent, diagnostics)
        .warning("unknown-annotation", entry.key.pos(),
                 fmt::format("unknown annotation \"{}\"", key))
        .hint(suggestion(key, words.keys));
}

void check_switch(const ParentInput& parent, const Member& entry, Diagnostics& diagnostics) {
    const std::string_view text = entry.value.is_string() ? entry.value.text() : "";
    if (text.empty() || text == "true" || text == "false") {
        return;
    }
    about(parent, diagnostics)
        .warning("not-exactly-true", entry.value.pos(),
                 fmt::format("invalid value of annotation \"{}\": only \"true\" enables it",
                             entry.name()))
        .found(fmt::format("\"{}\"", text))
        .expected("\"true\" or \"false\"")
        .hint(nearest(text, {"true"}).empty() && text != "yes" && text != "1"
                  ? ""
                  : fmt::format("write {}: \"true\"", entry.name()));
}

void check_label(const ParentInput& parent, const Vocabulary& words, const Member& entry,
                 Diagnostics& diagnostics) {
    const std::string_view key = entry.name();
    if (contains(kLabels, key)) {
        return;
    }
    const bool misplaced = contains(words.keys, key);
    const std::array<std::string_view, 1> choices = {kProxyClass};
    about(parent, diagnostics)
        .warning("unknown-label", entry.key.pos(), fmt::format("unknown label \"{}\"", key))
        .hint(misplaced ? "it is an annotation: move it to metadata.annotations"
                        : suggestion(key, choices));
}

void check_entries(const ParentInput& parent, const Vocabulary& words, Diagnostics& diagnostics) {
    if (!parent.doc->mentions_tailscale) {
        return;
    }
    if (const Value* annotations = metadata(parent, "annotations"); annotations != nullptr) {
        for (const Member& entry : annotations->members()) {
            if (!entry.name().starts_with(kDomain)) {
                continue;
            }
            check_key(parent, words, entry, diagnostics);
            if (contains(words.switches, entry.name())) {
                check_switch(parent, entry, diagnostics);
            }
        }
    }
    if (const Value* labels = metadata(parent, "labels"); labels != nullptr) {
        for (const Member& entry : labels->members()) {
            if (entry.name().starts_with(kDomain)) {
                check_label(parent, words, entry, diagnostics);
            }
        }
    }
}

}  // namespace

std::string_view annotation_text(const ParentInput& parent, std::string_view key) {
    const Value* value = parent.annotation(key);
    return value != nullptr && value->is_string() ? value->text() : std::string_view();
}

bool is_exactly_true(const ParentInput& parent, std::string_view key) {
    return annotation_text(parent, key) == "true";
}

void check_annotations(const ServiceInput& service, Diagnostics& diagnostics) {
    check_entries(service, kService, diagnostics);
    if (service.load_balancer_class == "tailscale" && service.type != ServiceType::LoadBalancer) {
        about(service, diagnostics)
            .warning("not-a-load-balancer", service.pos(),
                     "\"loadBalancerClass: tailscale\" without \"type: LoadBalancer\"")
            .hint("add \"type: LoadBalancer\": Kubernetes rejects the class on other types");
    }
}

void check_annotations(const IngressInput& ingress, Diagnostics& diagnostics) {
    check_entries(ingress, kIngress, diagnostics);
}

}  // namespace renderer
