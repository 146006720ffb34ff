#include "renderer/plan/idle_wishes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/contract/annotations.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/decoded_kinds.h"
#include "renderer/plan/annotations.h"
#include "renderer/plan/parents.h"
#include "renderer/plan/settings/settings_decoder.h"

namespace renderer::plan {

namespace {

constexpr std::string_view kWithoutEffect = "annotation-without-effect";
constexpr std::string_view kOldIngressClass = "kubernetes.io/ingress.class";
constexpr std::string_view kClass = "tailscale";  // class of load balancers and Gateways

// A switch that is off has no effect anyway.
bool is_wish(const Annotation& annotation, const Value& value) {
    const std::string_view text = text_of(value);
    return !text.empty() && !(annotation.is_switch && text == "false");
}

// The position of the first entry, and the names of all.
struct Wishes {
    Pos pos;
    std::vector<std::string_view> names;

    void add(const Member& entry) {
        pos = names.empty() ? entry.key.pos() : pos;
        names.push_back(entry.name());
    }
};

Wishes wishes_of(const classify::ParentInput& parent, On kind) {
    Wishes wishes;
    for (const Member& entry : members_of(parent.doc->root.at({"metadata", "annotations"}))) {
        const Annotation* known = find_annotation(entry.name());
        const bool counts = known != nullptr && is_on(*known, kind) &&
                            known->in_group != InGroup::Required &&
                            known->key != annotation::kExpose;
        if (counts && is_wish(*known, entry.value)) {
            wishes.add(entry);
        }
    }
    for (const Member& entry : members_of(parent.doc->root.at({"metadata", "labels"}))) {
        if (entry.name() == annotation::kProxyClass && !text_of(entry.value).empty()) {
            wishes.add(entry);
        }
    }
    return wishes;
}

void report(const classify::ParentInput& parent, On kind, std::string_view why,
            std::string_view hint, Diagnostics& diagnostics) {
    const Wishes wishes = wishes_of(parent, kind);
    if (!wishes.names.empty()) {
        classify::about(parent, diagnostics)
            .warning(kWithoutEffect, wishes.pos,
                     fmt::format("\"{}\" {} no effect: {}", fmt::join(wishes.names, "\", \""),
                                 wishes.names.size() == 1 ? "has" : "have", why))
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

}  // namespace

void warn_of_idle_wishes(const classify::ServiceInput& service, const Settings&,
                         Diagnostics& diagnostics) {
    const bool is_decided = service.annotation(annotation::kExpose) != nullptr ||
                            service.annotation(annotation::kProxyGroup) != nullptr ||
                            service.load_balancer_class == kClass || is_managed(service);
    if (is_decided) {
        return;
    }
    if (!nearest(service.load_balancer_class, {kClass}).empty()) {
        report_class(service, pos_at(service.doc->root, {"spec", "loadBalancerClass"}),
                     "loadBalancerClass", service.load_balancer_class, kClass, diagnostics);
        return;
    }
    report(service, On::Service, "the Service is not exposed",
           "add tailscale.com/expose: \"true\", or \"type: LoadBalancer\" with "
           "\"loadBalancerClass: tailscale\"",
           diagnostics);
}

void warn_of_idle_wishes(const classify::IngressInput& ingress, const Settings& settings,
                         Diagnostics& diagnostics) {
    const std::string& wanted = settings.ingress_class;
    const Value* old = ingress.annotation(kOldIngressClass);
    if (!ingress.has_class_name && old != nullptr && text_of(old) == wanted) {
        classify::about(ingress, diagnostics)
            .warning("class-without-effect", old->pos(),
                     fmt::format("nothing is exposed by the annotation \"{}\"", kOldIngressClass))
            .expected(fmt::format("\"ingressClassName: {}\" in spec", wanted))
            .hint("write it there, and remove the annotation");
    } else if (!nearest(ingress.class_name, {wanted}).empty()) {
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

void warn_of_idle_wishes(const Document& document, Diagnostics& diagnostics) {
    const std::string_view kind = text_of(&document.kind);
    if (kind == "Gateway" && text_of(document.root, {"spec", "gatewayClassName"}) == kClass) {
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
            if (known != nullptr && is_wish(*known, entry.value)) {
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
