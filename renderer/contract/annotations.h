// Annotations. Those of tailscale.com are what users set on Services and Ingresses, and what the
// operator sets on pods: tailscale v1.104.5 cmd/k8s-operator/{sts,svc,ingress}.go. Ours are on
// StatefulSets, for the controller: testdata/contract/proxy.md.
#pragma once

#include <string_view>

#include "renderer/contract/domain.h"

namespace renderer::inline contract::annotation {

inline constexpr std::string_view kExpose = "tailscale.com/expose";
inline constexpr std::string_view kHostname = "tailscale.com/hostname";
inline constexpr std::string_view kTags = "tailscale.com/tags";
inline constexpr std::string_view kTailnetIp = "tailscale.com/tailnet-ip";
inline constexpr std::string_view kOldTailnetIp = "tailscale.com/ts-tailnet-target-ip";
inline constexpr std::string_view kTailnetFqdn = "tailscale.com/tailnet-fqdn";
inline constexpr std::string_view kProxyClass = "tailscale.com/proxy-class";
inline constexpr std::string_view kProxyGroup = "tailscale.com/proxy-group";
inline constexpr std::string_view kFunnel = "tailscale.com/funnel";
inline constexpr std::string_view kHttpRedirect = "tailscale.com/http-redirect";
inline constexpr std::string_view kForwardClusterTraffic =
    "tailscale.com/experimental-forward-cluster-traffic-via-ingress";
inline constexpr std::string_view kHttpEndpoint = "tailscale.com/http-endpoint";
inline constexpr std::string_view kShareAcmeAccount =
    "tailscale.com/share-acme-account";  // ProxyGroup

// On pods.
inline constexpr std::string_view kLastSetPrefix = "tailscale.com/operator-last-set-";
inline constexpr std::string_view kLastClusterIp = "tailscale.com/operator-last-set-cluster-ip";
inline constexpr std::string_view kLastClusterName =
    "tailscale.com/operator-last-set-cluster-dns-name";
inline constexpr std::string_view kLastTailnetIp =
    "tailscale.com/operator-last-set-ts-tailnet-target-ip";
inline constexpr std::string_view kLastTailnetName =
    "tailscale.com/operator-last-set-ts-tailnet-target-fqdn";

}  // namespace renderer::inline contract::annotation

namespace renderer::inline contract {

inline constexpr std::string_view kContractVersion = "v1";
inline constexpr std::string_view kContractAnnotation = TAILRENDER_DOMAIN "/contract";
inline constexpr std::string_view kTagsAnnotation = TAILRENDER_DOMAIN "/tags";
inline constexpr std::string_view kHostnameAnnotation = TAILRENDER_DOMAIN "/hostname";
inline constexpr std::string_view kParentAnnotation = TAILRENDER_DOMAIN "/parent";
inline constexpr std::string_view kTailnetAnnotation = TAILRENDER_DOMAIN "/tailnet";
inline constexpr std::string_view kConfigHashAnnotation = TAILRENDER_DOMAIN "/config-hash";

}  // namespace renderer::inline contract
