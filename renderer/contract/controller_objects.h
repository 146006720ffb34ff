// The controller's own objects that others must find: testdata/contract/{controller,nameserver}.md.
// Source of kDnsRecords: tailscale v1.104.5 cmd/k8s-nameserver/main.go.
#pragma once

#include <cstddef>
#include <string_view>

#include "renderer/contract/domain.h"

namespace renderer::inline contract {

inline constexpr std::string_view kLeaseName = "tailrender-controller";
inline constexpr std::string_view kDnsRecords = "dnsrecords";

// The ConfigMaps with the table of devices: this name, the same with `-1`, and so on.
inline constexpr std::string_view kDevicesTable = "tailrender-devices";
inline constexpr std::size_t kDeviceTables = 32;
// On the first of them, set by a user: the token of the removals that the user confirms.
inline constexpr std::string_view kConfirmRemovalsAnnotation =
    TAILRENDER_DOMAIN "/confirm-removals";
// On it, set by `adopt`: the node id of the operator whose Tailscale Services this installation
// now owns.
inline constexpr std::string_view kPredecessorAnnotation = TAILRENDER_DOMAIN "/predecessor";

// The names of the StatefulSet that serves the Kubernetes API, and of its only pod.
inline constexpr std::string_view kApiProxyName = "kube-apiserver-proxy";
inline constexpr std::string_view kApiProxyPod = "kube-apiserver-proxy-0";

}  // namespace renderer::inline contract
