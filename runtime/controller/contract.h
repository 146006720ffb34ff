// Names that the controller writes for itself, beside those that it shares with the renderer
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

// Objects of its own that others have to find.
inline constexpr std::string_view kLeaseName = "tailrender-controller";
inline constexpr std::string_view kDnsRecords = "dnsrecords";

// On every Secret that the controller makes. Others it does not look at.
inline constexpr std::string_view kSecretLabel = TAILRENDER_DOMAIN "/secret";
inline constexpr std::string_view kStateSecret = "state";
inline constexpr std::string_view kAuthSecret = "auth";
inline constexpr std::string_view kCertificateSecret = "certificate";
inline constexpr std::string_view kConfigSecret = "config";
// What was an auth Secret, of a replica that the operator has again: its pods still need the file.
inline constexpr std::string_view kReturnedSecret = "returned";

// Where a key stands: in an auth Secret, and in the configuration of an API proxy.
inline constexpr std::string_view kAuthDatum = "authkey";
inline constexpr std::string_view kConfigDatum = "config.hujson";
inline constexpr std::string_view kConfigKeyField = "AuthKey";

// On both: the StatefulSet that they are for.
inline constexpr std::string_view kSetAnnotation = TAILRENDER_DOMAIN "/statefulset";

// On a state Secret that has kept its name: it was the operator's, and `adopt --rollback` can give
// it back.
inline constexpr std::string_view kTakenAnnotation = TAILRENDER_DOMAIN "/taken-over";

// On an auth Secret, or without one on the state Secret: since when the StatefulSet and the pod are
// gone (RFC 3339).
inline constexpr std::string_view kGoneAnnotation = TAILRENDER_DOMAIN "/gone-since";

// On an auth Secret: what is known of the key in it, while there is one.
inline constexpr std::string_view kKeyIdAnnotation = TAILRENDER_DOMAIN "/key-id";
inline constexpr std::string_view kKeyCreatedAnnotation = TAILRENDER_DOMAIN "/key-created";
inline constexpr std::string_view kKeyExpiresAnnotation = TAILRENDER_DOMAIN "/key-expires";
inline constexpr std::string_view kKeyTagsAnnotation = TAILRENDER_DOMAIN "/key-tags";
// And those of the keys that it has replaced before a device came with them that we know of: lists
// with
// `;` between them.
inline constexpr std::string_view kTagsBeforeAnnotation = TAILRENDER_DOMAIN "/key-tags-before";
// On an auth Secret: the UID of the pod that waits for a new key and is to be deleted once.
inline constexpr std::string_view kRestartAnnotation = TAILRENDER_DOMAIN "/restart-pod";
// On an auth Secret: the device that came with the last key, and the tags that it has by us.
inline constexpr std::string_view kDeviceAnnotation = TAILRENDER_DOMAIN "/device";
// What the state Secret named when nothing had proved yet whose it is.
inline constexpr std::string_view kDeviceNamedAnnotation = TAILRENDER_DOMAIN "/device-named";
inline constexpr std::string_view kDeviceTagsAnnotation = TAILRENDER_DOMAIN "/device-tags";
// What the tailnet says of it, and a digest of what its pod said when the tailnet was asked.
inline constexpr std::string_view kDeviceNameAnnotation = TAILRENDER_DOMAIN "/device-name";
inline constexpr std::string_view kDeviceAddressesAnnotation =
    TAILRENDER_DOMAIN "/device-addresses";
inline constexpr std::string_view kDeviceWordsAnnotation = TAILRENDER_DOMAIN "/device-words";
// What the state Secret named, and the tailnet did not have, when the key was minted.
inline constexpr std::string_view kDeviceGoneAnnotation = TAILRENDER_DOMAIN "/device-gone";

// On a config Secret of a PeerRelay: the addresses of its load balancer, joined with `,`.
inline constexpr std::string_view kBalancerAddressesAnnotation =
    TAILRENDER_DOMAIN "/balancer-addresses";

// On `tailrender-devices`, by a user: that so many proxies may vanish at once.
inline constexpr std::string_view kConfirmRemovalsAnnotation =
    TAILRENDER_DOMAIN "/confirm-removals";
// On it, by `adopt`: node id of the operator whose Tailscale Services are ours now.
inline constexpr std::string_view kPredecessorAnnotation = TAILRENDER_DOMAIN "/predecessor";

}  // namespace runtime::controller
