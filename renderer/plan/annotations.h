// The annotations that the operator reads from a Service or an Ingress, and checks for typos that
// it silently ignores. Values count only if they match byte for byte: no trimming, no case folding.
// Source: tailscale v1.96.5 cmd/k8s-operator/{sts,svc,ingress}.go.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"

namespace renderer::plan {

constexpr std::string_view kExpose = "tailscale.com/expose";
constexpr std::string_view kHostname = "tailscale.com/hostname";
constexpr std::string_view kTags = "tailscale.com/tags";
constexpr std::string_view kTailnetIp = "tailscale.com/tailnet-ip";
constexpr std::string_view kOldTailnetIp = "tailscale.com/ts-tailnet-target-ip";
constexpr std::string_view kTailnetFqdn = "tailscale.com/tailnet-fqdn";
constexpr std::string_view kProxyClass = "tailscale.com/proxy-class";
constexpr std::string_view kProxyGroup = "tailscale.com/proxy-group";
constexpr std::string_view kFunnel = "tailscale.com/funnel";
constexpr std::string_view kHttpRedirect = "tailscale.com/http-redirect";
constexpr std::string_view kForwardClusterTraffic =
    "tailscale.com/experimental-forward-cluster-traffic-via-ingress";
constexpr std::string_view kHttpEndpoint = "tailscale.com/http-endpoint";
constexpr std::string_view kShareAcmeAccount = "tailscale.com/share-acme-account";  // ProxyGroup
constexpr std::string_view kManaged = "tailscale.com/managed";

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
    Annotation{.key = kExpose, .on = On::Service, .is_switch = true},
    Annotation{.key = kHostname, .on = On::Service},
    Annotation{.key = kFunnel, .on = On::Ingress, .is_switch = true, .in_group = InGroup::Ignored},
    Annotation{.key = kHttpRedirect, .on = On::Ingress, .is_switch = true},
    Annotation{.key = kForwardClusterTraffic,
               .on = On::Ingress,
               .is_switch = true,
               .in_group = InGroup::Ignored},
    Annotation{.key = kTags},
    Annotation{.key = kTailnetIp, .on = On::Service},
    Annotation{.key = kOldTailnetIp, .on = On::Service, .in_group = InGroup::Ignored},
    Annotation{.key = kTailnetFqdn, .on = On::Service},
    Annotation{.key = kProxyClass, .in_group = InGroup::Ignored},
    Annotation{.key = kProxyGroup},
    Annotation{.key = kHttpEndpoint, .on = On::Ingress, .in_group = InGroup::Required},
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
