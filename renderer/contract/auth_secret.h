// The auth Secret of a pod, with its auth key. The controller creates it; pods mount it:
// testdata/contract/proxy.md. It also has annotations of the state Secret.
#pragma once

#include <string>
#include <string_view>

#include "renderer/contract/domain.h"
#include "renderer/contract/state_secret.h"

namespace renderer::inline contract {

// The Secret is "<pod>-auth", the file in the pod "/etc/tsauth/<pod>/authkey".
inline constexpr std::string_view kAuthSuffix = "-auth";
std::string auth_secret_name(std::string_view pod);
std::string auth_key_file(std::string_view pod);
inline constexpr std::string_view kAuthDatum = "authkey";
inline constexpr std::string_view kAuthFolder = "/etc/tsauth";

// What is known of the key, if there is one.
inline constexpr std::string_view kKeyIdAnnotation = TAILRENDER_DOMAIN "/key-id";
inline constexpr std::string_view kKeyCreatedAnnotation = TAILRENDER_DOMAIN "/key-created";
inline constexpr std::string_view kKeyExpiresAnnotation = TAILRENDER_DOMAIN "/key-expires";
inline constexpr std::string_view kKeyTagsAnnotation = TAILRENDER_DOMAIN "/key-tags";
// The tags of earlier keys, replaced before the controller knew of a device that joined with them.
// Lists are separated by `;`.
inline constexpr std::string_view kTagsBeforeAnnotation = TAILRENDER_DOMAIN "/key-tags-before";
// The UID of the pod that needs the new key and must be deleted once.
inline constexpr std::string_view kRestartAnnotation = TAILRENDER_DOMAIN "/restart-pod";
// The device that joined with the last key, and the tags that the controller gave it.
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

}  // namespace renderer::inline contract
