// The config Secret of a pod, "<pod>-config": tailscaled's configuration, one file for each
// capability version from which it holds, and the serve config. It is rendered; that of a relay
// and of the operator's API proxy is the controller's: testdata/contract/{proxy,peer-relay}.md.
// Source: tailscale v1.104.5 cmd/k8s-operator/sts.go, ipn/conf.go; cmd/k8s-proxy/k8s-proxy.go.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "renderer/contract/domain.h"

namespace renderer::inline contract {

inline constexpr std::string_view kConfigSuffix = "-config";
std::string config_secret_name(std::string_view pod);
inline constexpr std::string_view kServeDatum = "serve-config";
// Where the pod finds it, and its serve config.
inline constexpr std::string_view kConfigFolder = "/etc/tsconfig";
inline constexpr std::string_view kConfigFolderOfPod = "/etc/tsconfig/$(POD_NAME)";
inline constexpr std::string_view kServeFolder = "/etc/tailscaled";
inline constexpr std::string_view kServeFileOfPod = "/etc/tailscaled/$(POD_NAME)/serve-config";

// What the serve config says in place of the name that the pod's program inserts.
inline constexpr std::string_view kCertDomain = "${TS_CERT_DOMAIN}";

// The field of tailscaled's configuration with the auth key, or with "file:" and a path.
inline constexpr std::string_view kConfigKeyField = "AuthKey";

// The datum with the configuration of the stock API proxy.
inline constexpr std::string_view kConfigDatum = "config.hujson";

// How data with tailscaled's configuration end, also in ConfigMaps.
inline constexpr std::string_view kHujson = ".hujson";

// The only version of a ProxyGroup's configuration.
inline constexpr int kGroupCapability = 106;

// Returns "cap-107.hujson".
std::string config_datum(int capability);
// Returns 107 for "cap-107.hujson"; no value if that is not such a name.
std::optional<int> config_capability(std::string_view datum);

}  // namespace renderer::inline contract
