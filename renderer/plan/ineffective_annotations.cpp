#include "renderer/plan/ineffective_annotations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/base/ascii.h"
#include "renderer/contract/annotations.h"
#include "renderer/contract/domain.h"
#include "renderer/core/edit_distance.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/decoded_kinds.h"
#include "renderer/kube/kinds.h"
#include "renderer/plan/annotations.h"
#include "renderer/plan/parents.h"
#include "renderer/plan/settings/settings_decoder.h"

namespace renderer::plan {

namespace {

constexpr std::string_view kWithoutEffect = "annotation-without-effect";
constexpr std::string_view kOldIngressClass = "kubernetes.io/ingress.class";
constexpr std::string_view kClass = "tailscale";  // class of load balancers and Gateways

// A switch that is off has no effect anyway.
bool is_set(const Annotation& annotation, const Value& value) {
    const std::string_view text = text_of(value);
    return !text.empty() && !(annotation.is_switch && text == "false");
}

// The position of the first entry, and the names of all.
struct Ineffective {
    Pos pos;
    std::vector<std::string_view> names;

    void add(const Member& entry) {
        pos = names.empty() ? entry.key.pos() : pos;
        names.push_back(entry.name());
    }
};

Ineffective ineffective_of(const classify::ParentInput& parent, On kind) {
    Ineffective found;
    for (const Member& entry : members_of(parent.doc->root.at({"metadata", "annotations"}))) {
        const Annotation* known = find_annotation(entry.name());
        const bool counts = known != nullptr && is_on(*known, kind) &&
                            known->in_group != InGroup::Required &&
                            known->key != annotation::kExpose;
        if (counts && is_set(*known, entry.value)) {
            found.add(entry);
        }
    }
    for (const Member& entry : members_of(parent.doc->root.at({"metadata", "labels"}))) {
        if (entry.name() == annotation::kProxyClass && !text_of(entry.value).empty()) {
            found.add(entry);
        }
    }
    return found;
}

void report(const classify::ParentInput& parent, On kind, std::string_view why,
            std::string_view hint, Diagnostics& diagnostics) {
    const Ineffective found = ineffective_of(parent, kind);
    if (!found.names.empty()) {
        classify::about(parent, diagnostics)
            .warning(kWithoutEffect, found.pos,
                     fmt::format("\"{}\" {} no effect: {}", fmt::join(found.names, "\", \""),
                                 found.names.size() == 1 ? "has" : "have", why))
            .hint(hint);
    }
}

void report_class(const classify::ParentInput& parent, Pos pos, std::string_view field,
                  std::string_view found, std::string_view wanted, Diagnostics& diagnostics) {
    classify::about(parent, diagnostics)
        .warning("class-without-effect", pos,
                 fmt::format("nothing is exposed by \"{}: {}\"", field, found))
        .expected(fmt::format("\"{}: {}\"", field, wanted))
        .hint(did_you_mean(wanted));
}

// True if the name is a typo of the class. "tailscale-2" and "external" beside "internal" are
// classes of others.
bool is_near_class(std::string_view name, std::string_view wanted) {
    name.remove_prefix(name.starts_with(kOperatorDomain) ? kOperatorDomain.size() : 0);
    const std::size_t most = wanted == kClass ? 2 : 1;
    const bool is_longer = name.starts_with(wanted) && name.size() > wanted.size();
    return !name.empty() && !is_longer &&
           edit_distance(lower_case(name), lower_case(wanted)) <= most;
}

// Annotations and labels of Services and Ingresses that a custom resource has as fields.
void warn_of_custom_resource(const Document& document, Diagnostics& diagnostics) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kFields = {
        {{annotation::kProxyClass, "proxyClass"},
         {annotation::kHostname, "hostname"},
         {annotation::kTags, "tags"}}};
    for (const std::string_view map : {"annotations", "labels"}) {
        for (const Member& entry : members_of(document.root.at({"metadata", map}))) {
            const auto* field = std::ranges::find(
                kFields, entry.name(), &std::pair<std::string_view, std::string_view>::first);
            if (field != kFields.end() && !text_of(entry.value).empty()) {
                about(document, diagnostics)
                    .warning(kWithoutEffect, entry.key.pos(),
                             fmt::format("\"{}\" has no effect on a {}", entry.name(),
                                         text_of(&document.kind)))
                    .hint(fmt::format("set \"spec.{}\", if the kind has it", field->second));
            }
        }
    }
}

}  // namespace

void warn_of_ineffective(const classify::ServiceInput& service, const Settings&,
                         Diagnostics& diagnostics) {
    const bool is_decided = service.annotation(annotation::kExpose) != nullptr ||
                            service.annotation(annotation::kProxyGroup) != nullptr ||
                            service.load_balancer_class == kClass || is_managed(service);
    if (is_decided) {
        return;
    }
    if (is_near_class(service.load_balancer_class, kClass)) {
        report_class(service, pos_at(service.doc->root, {"spec", "loadBalancerClass"}),
                     "loadBalancerClass", service.load_balancer_class, kClass, diagnostics);
        return;
    }
    const bool is_external = service.type == classify::ServiceType::ExternalName;
    report(service, On::Service, "the Service is not exposed",
           is_external ? fmt::format("to reach a device of the tailnet, add {} or {}",
                                     annotation::kTailnetFqdn, annotation::kTailnetIp)
                       : std::string("add tailscale.com/expose: \"true\", or \"type: "
                                     "LoadBalancer\" with \"loadBalancerClass: tailscale\""),
           diagnostics);
}

void warn_of_ineffective(const classify::IngressInput& ingress, const Settings& settings,
                         Diagnostics& diagnostics) {
    const std::string& wanted = settings.ingress_class;
    const Value* old = ingress.annotation(kOldIngressClass);
    if (!ingress.has_class_name && old != nullptr && text_of(old) == wanted) {
        classify::about(ingress, diagnostics)
            .warning("class-without-effect", old->pos(),
                     fmt::format("nothing is exposed by the annotation \"{}\"", kOldIngressClass))
            .expected(fmt::format("\"ingressClassName: {}\" in spec", wanted))
            .hint("write it there, and remove the annotation");
    } else if (is_near_class(ingress.class_name, wanted)) {
        report_class(ingress, pos_at(ingress.doc->root, {"spec", "ingressClassName"}),
                     "ingressClassName", ingress.class_name, wanted, diagnostics);
    } else {
        report(ingress, On::Ingress, fmt::format("the Ingress is not of class \"{}\"", wanted),
               fmt::format("set \"ingressClassName: {}\" in its spec", wanted), diagnostics);
    }
}

void warn_of_sctp(const classify::ServiceInput& service, Diagnostics& diagnostics) {
    const auto port = std::ranges::find(service.ports, classify::Protocol::Sctp,
                                        &classify::ServicePort::protocol);
    if (port != service.ports.end()) {
        classify::about(service, diagnostics)
            .warning("sctp-not-permitted", port->pos,
                     fmt::format("SCTP port {} is only reachable if the tailnet policy names the "
                                 "protocol",
                                 port->port))
            .expected(fmt::format("a grant with \"ip\": [\"sctp:{}\"]", port->port))
            .hint("access rules without a protocol permit TCP, UDP and ICMP");
    }
}

bool is_gateway_class(const Document& document) {
    return text_of(&document.kind) == "GatewayClass" &&
           text_of(document.root, {"metadata", "name"}) == kClass;
}

void refuse_default_class(const Document& document, const Settings& settings,
                          Diagnostics& diagnostics) {
    constexpr std::string_view kIsDefault = "ingressclass.kubernetes.io/is-default-class";
    const Value* annotation = document.root.at({"metadata", "annotations", kIsDefault});
    if (text_of(&document.kind) != "IngressClass" ||
        text_of(document.root, {"metadata", "name"}) != settings.ingress_class ||
        text_of(annotation) != "true") {
        return;
    }
    about(document, diagnostics)
        .error(
            "default-class", annotation->pos(),
            "this exposes every new Ingress without a class, and tailrender does not render those")
        .found(fmt::format("IngressClass \"{}\" as the default of the cluster",
                           settings.ingress_class))
        .expected("Ingresses that name their class")
        .hint(fmt::format("remove the annotation; set \"ingressClassName: {}\" in the spec of each "
                          "Ingress to expose",
                          settings.ingress_class));
}

void warn_of_ineffective(const Document& document, bool has_gateway_class,
                         Diagnostics& diagnostics) {
    const std::string_view kind = text_of(&document.kind);
    if (text_of(&document.api_version) == kCustomVersion && document.root.is_map()) {
        warn_of_custom_resource(document, diagnostics);
    }
    if (kind == "Gateway" && !has_gateway_class &&
        text_of(document.root, {"spec", "gatewayClassName"}) == kClass) {
        about(document, diagnostics)
            .warning("class-without-effect", pos_at(document.root, {"spec", "gatewayClassName"}),
                     "nothing is exposed by \"gatewayClassName: tailscale\"")
            .expected("a Service or an Ingress")
            .hint("the operator serves no Gateways");
    }
    if (!is_workload_kind(kind)) {
        return;
    }
    for (const Value* annotations :
         {document.root.at({"metadata", "annotations"}),
          document.root.at({"spec", "template", "metadata", "annotations"})}) {
        for (const Member& entry : members_of(annotations)) {
            const Annotation* known = find_annotation(entry.name());
            if (known != nullptr && is_set(*known, entry.value)) {
                about(document, diagnostics)
                    .warning(
                        kWithoutEffect, entry.key.pos(),
                        fmt::format("annotation \"{}\" has no effect on a {}", entry.name(), kind))
                    .hint(known->on == On::Ingress ? "it belongs on an Ingress"
                                                   : "it belongs on the Service of its pods");
                return;
            }
        }
    }
}

}  // namespace renderer::plan
