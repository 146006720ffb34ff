// Names that the controller uses besides those that it shares with the renderer
// (renderer/kube/api.h). The contract is testdata/contract/proxy.md.
#pragma once

#include <string_view>

#include "renderer/kube/api.h"

namespace runtime::controller {

using renderer::kContractAnnotation;
using renderer::kContractVersion;
using renderer::kHostnameAnnotation;
using renderer::kParentAnnotation;
using renderer::kTagsAnnotation;
using renderer::kTailnetAnnotation;

// The controller's own objects that others must find.
inline constexpr std::string_view kLeaseName = "tailrender-controller";
inline constexpr std::string_view kDnsRecords = "dnsrecords";

// The label of every Secret that the controller creates. It ignores other Secrets.
inline constexpr std::string_view kSecretLabel = TAILRENDER_DOMAIN "/secret";
inline constexpr std::string_view kStateSecret = "state";
inline constexpr std::string_view kAuthSecret = "auth";
inline constexpr std::string_view kCertificateSecret = "certificate";
inline constexpr std::string_view kConfigSecret = "config";
// A former auth Secret of a replica that the operator has again: its pods still need the file.
inline constexpr std::string_view kReturnedSecret = "returned";

// The data that hold a key: in an auth Secret, and in the configuration of an API proxy.
inline constexpr std::string_view kAuthDatum = "authkey";
inline constexpr std::string_view kConfigDatum = "config.hujson";
inline constexpr std::string_view kConfigKeyField = "AuthKey";

// On state and auth Secrets: the StatefulSet that they are for.
inline constexpr std::string_view kSetAnnotation = TAILRENDER_DOMAIN "/statefulset";

// On a state Secret that has kept its name: it was the operator's, and `adopt --rollback` can
// return it.
inline constexpr std::string_view kTakenAnnotation = TAILRENDER_DOMAIN "/taken-over";

// On an auth Secret, or else on the state Secret: when the controller first saw that
// the StatefulSet and the pod do not exist (RFC 3339).
inline constexpr std::string_view kGoneAnnotation = TAILRENDER_DOMAIN "/gone-since";

// On an auth Secret that has a key: what is known of the key.
inline constexpr std::string_view kKeyIdAnnotation = TAILRENDER_DOMAIN "/key-id";
inline constexpr std::string_view kKeyCreatedAnnotation = TAILRENDER_DOMAIN "/key-created";
inline constexpr std::string_view kKeyExpiresAnnotation = TAILRENDER_DOMAIN "/key-expires";
inline constexpr std::string_view kKeyTagsAnnotation = TAILRENDER_DOMAIN "/key-tags";
// The tags of earlier keys, replaced before the controller knew of a device that joined with them.
// Lists are separated by `;`.
inline constexpr std::string_view kTagsBeforeAnnotation = TAILRENDER_DOMAIN "/key-tags-before";
// On an auth Secret: the UID of the pod that needs the new key and must be deleted once.
inline constexpr std::string_view kRestartAnnotation = TAILRENDER_DOMAIN "/restart-pod";
// On an auth Secret: the device that joined with the last key, and the tags that the controller
// gave it.
inline constexpr std::string_view kDeviceAnnotation = TAILRENDER_DOMAIN "/device";
// The device that the state Secret named while its owner was not yet proven.
inline constexpr std::string_view kDeviceNamedAnnotation = TAILRENDER_DOMAIN "/device-named";
inline constexpr std::string_view kDeviceTagsAnnotation = TAILRENDER_DOMAIN "/device-tags";
// The device's name and addresses in the tailnet, and a digest of what its pod said when the
// tailnet was asked.
inline constexpr std::string_view kDeviceNameAnnotation = TAILRENDER_DOMAIN "/device-name";
inline constexpr std::string_view kDeviceAddressesAnnotation =
    TAILRENDER_DOMAIN "/device-addresses";
inline constexpr std::string_view kDeviceWordsAnnotation = TAILRENDER_DOMAIN "/device-words";
// The device that the state Secret named when the key was minted, and that was not in the tailnet.
inline constexpr std::string_view kDeviceGoneAnnotation = TAILRENDER_DOMAIN "/device-gone";

// On a config Secret of a PeerRelay: the addresses of its load balancer, joined with `,`.
inline constexpr std::string_view kBalancerAddressesAnnotation =
    TAILRENDER_DOMAIN "/balancer-addresses";

// On `tailrender-devices`, set by a user: the token of the removals that the user confirms.
inline constexpr std::string_view kConfirmRemovalsAnnotation =
    TAILRENDER_DOMAIN "/confirm-removals";
// On `tailrender-devices`, set by `adopt`: the node id of the operator whose Tailscale Services
// this installation now owns.
inline constexpr std::string_view kPredecessorAnnotation = TAILRENDER_DOMAIN "/predecessor";

}  // namespace runtime::controller
