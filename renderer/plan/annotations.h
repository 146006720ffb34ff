// The annotations that the operator reads from a Service or an Ingress, and checks for typos that
// it silently ignores. Values count only if they match byte for byte: no trimming, no case folding.
// Source: tailscale v1.96.5 cmd/k8s-operator/{sts,svc,ingress}.go.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "renderer/classify/classify.h"
#include "renderer/contract/annotations.h"
#include "renderer/core/diagnostics.h"

namespace renderer::plan {

enum class On : std::uint8_t { Service = 1, Ingress = 2, Both = 3 };
// Whether an annotation counts on an object that a ProxyGroup serves. Required: it counts on no
// other object.
enum class InGroup : std::uint8_t { Counts, Ignored, Required };

struct Annotation {
    std::string_view key;
    On on = On::Both;
    bool is_switch = false;  // only "true" enables it
    InGroup in_group = InGroup::Counts;
};

// The order is the order of messages.
inline constexpr std::array kAnnotations = {
    Annotation{.key = annotation::kExpose, .on = On::Service, .is_switch = true},
    Annotation{.key = annotation::kHostname, .on = On::Service},
    Annotation{.key = annotation::kFunnel,
               .on = On::Ingress,
               .is_switch = true,
               .in_group = InGroup::Ignored},
    Annotation{.key = annotation::kHttpRedirect, .on = On::Ingress, .is_switch = true},
    Annotation{.key = annotation::kForwardClusterTraffic,
               .on = On::Ingress,
               .is_switch = true,
               .in_group = InGroup::Ignored},
    Annotation{.key = annotation::kTags},
    Annotation{.key = annotation::kTailnetIp, .on = On::Service},
    Annotation{.key = annotation::kOldTailnetIp, .on = On::Service, .in_group = InGroup::Ignored},
    Annotation{.key = annotation::kTailnetFqdn, .on = On::Service},
    Annotation{.key = annotation::kProxyClass, .in_group = InGroup::Ignored},
    Annotation{.key = annotation::kProxyGroup},
    Annotation{.key = annotation::kHttpEndpoint, .on = On::Ingress, .in_group = InGroup::Required},
};

// Returns nullptr if the operator has no such annotation.
const Annotation* find_annotation(std::string_view key);
bool is_on(const Annotation& annotation, On kind);

// Returns the text of the annotation; "" if it is absent or not a string.
std::string_view annotation_text(const classify::ParentInput& parent, std::string_view key);
bool is_exactly_true(const classify::ParentInput& parent, std::string_view key);

// Warns of keys of the operator's domain that it does not have or that have no effect here, and of
// switches that are neither "true" nor plainly off.
void check_annotations(const classify::ServiceInput& service, Diagnostics& diagnostics);
void check_annotations(const classify::IngressInput& ingress, Diagnostics& diagnostics);

}  // namespace renderer::plan
