// Labels. Those of tailscale.com are the operator's: tailscale v1.104.5 kube/kubetypes/types.go,
// cmd/k8s-operator/{sts,metrics_resources,egress-services}.go.
#pragma once

#include <string_view>

#include "renderer/contract/domain.h"

namespace renderer::inline contract::label {

inline constexpr std::string_view kManaged = "tailscale.com/managed";
// The parent of an object: the type is that of the kind's row (renderer/kube/kinds.h).
inline constexpr std::string_view kParent = "tailscale.com/parent-resource";
inline constexpr std::string_view kParentNamespace = "tailscale.com/parent-resource-ns";
inline constexpr std::string_view kParentType = "tailscale.com/parent-resource-type";
inline constexpr std::string_view kProxyGroup = "tailscale.com/proxy-group";
inline constexpr std::string_view kServiceType = "tailscale.com/svc-type";
inline constexpr std::string_view kDomain = "tailscale.com/domain";
inline constexpr std::string_view kMetricsTarget = "tailscale.com/metrics-target";
inline constexpr std::string_view kRelayReplica = "tailscale.com/peer-relay-replica";
inline constexpr std::string_view kSecretType = "tailscale.com/secret-type";

inline constexpr std::string_view kEgress = "egress";  // the only kServiceType
// Values of kSecretType.
inline constexpr std::string_view kConfigType = "config";
inline constexpr std::string_view kCertificateType = "certs";

// The values of kParentType whose kind is another one in the operator.
inline constexpr std::string_view kNameserverType = "nameserver";
inline constexpr std::string_view kApiProxyType = "api-proxy";

}  // namespace renderer::inline contract::label

namespace renderer::inline contract {

// The label of every Secret that the controller creates. It ignores other Secrets.
inline constexpr std::string_view kSecretLabel = TAILRENDER_DOMAIN "/secret";
inline constexpr std::string_view kStateSecret = "state";
inline constexpr std::string_view kAuthSecret = "auth";
inline constexpr std::string_view kCertificateSecret = "certificate";
inline constexpr std::string_view kConfigSecret = "config";
// A former auth Secret of a replica that the operator has again: its pods still need the file.
inline constexpr std::string_view kReturnedSecret = "returned";

// The label on the Secret that a Tailnet names. Its value is the name of the Tailnet.
inline constexpr std::string_view kTailnetLabel = TAILRENDER_DOMAIN "/tailnet";

}  // namespace renderer::inline contract
