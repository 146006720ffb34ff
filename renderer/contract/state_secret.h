// The state Secret, named as its pod. tailscaled, the program of the pod and the controller share
// it, and each writes its own keys: testdata/contract/proxy.md.
// Source of the keys: tailscale v1.104.5 kube/kubetypes/types.go, ipn/store.go.
#pragma once

#include <string_view>

#include "renderer/contract/domain.h"

namespace renderer::inline contract {

// What tailscaled is told to keep its state in.
inline constexpr std::string_view kStateOfPod = "kube:$(POD_NAME)";

// Keys of the data that the pod's program writes.
inline constexpr std::string_view kCapVer = "tailscale_capver";
inline constexpr std::string_view kPodUid = "pod_uid";
inline constexpr std::string_view kDeviceId = "device_id";
inline constexpr std::string_view kDeviceFqdn = "device_fqdn";
inline constexpr std::string_view kDeviceIps = "device_ips";
inline constexpr std::string_view kHttpsEndpoint = "https_endpoint";
inline constexpr std::string_view kReissueAuthKey = "reissue_authkey";
inline constexpr std::string_view kEgressStatus = "egress-services";
inline constexpr std::string_view kIngressStatus = "ingress-config.json";
// The value of kHttpsEndpoint instead of a name that is served over HTTPS.
inline constexpr std::string_view kNoHttps = "no-https";

// Keys that tailscaled writes. The current profile names the datum with the profile in use.
inline constexpr std::string_view kCurrentProfile = "_current-profile";
inline constexpr std::string_view kKnownProfiles = "_profiles";
inline constexpr std::string_view kMachineKey = "_machinekey";
inline constexpr std::string_view kProfilePrefix = "profile-";

// Annotations of the controller.
// On state and auth Secrets: the StatefulSet that they are for.
inline constexpr std::string_view kSetAnnotation = TAILRENDER_DOMAIN "/statefulset";
// On a state Secret that has kept its name: it was the operator's, and `tailrender-adopt
// --rollback` can return it.
inline constexpr std::string_view kTakenAnnotation = TAILRENDER_DOMAIN "/taken-over";
// On an auth Secret, or else on the state Secret: when the controller first saw that
// the StatefulSet and the pod do not exist (RFC 3339).
inline constexpr std::string_view kGoneAnnotation = TAILRENDER_DOMAIN "/gone-since";

}  // namespace renderer::inline contract
