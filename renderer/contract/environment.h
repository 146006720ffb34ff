// Names of variables of containers: what tailscale's programs read, and so do ours. All end with
// a null character, for functions of C.
// Source: tailscale v1.104.5 cmd/containerboot/settings.go, cmd/k8s-proxy, envknob; tsrecorder.
#pragma once

#include <string_view>

namespace renderer::inline contract::variable {

// From the pod's own fields.
inline constexpr std::string_view kPodIp = "POD_IP";
inline constexpr std::string_view kPodIps = "POD_IPS";
inline constexpr std::string_view kPodName = "POD_NAME";
inline constexpr std::string_view kPodUid = "POD_UID";
// The value that the kubelet replaces with the pod's name.
inline constexpr std::string_view kPodNameValue = "$(POD_NAME)";

inline constexpr std::string_view kAcceptDns = "TS_ACCEPT_DNS";
inline constexpr std::string_view kAcmeAccountField = "TS_ACME_ACCOUNT_FIELD";
inline constexpr std::string_view kAcmeAccountSecret = "TS_ACME_ACCOUNT_SECRET_NAME";
inline constexpr std::string_view kAudience = "TS_AUDIENCE";
inline constexpr std::string_view kAuthKey = "TS_AUTHKEY";
inline constexpr std::string_view kAuthKeyFile = "TS_AUTHKEY_FILE";
inline constexpr std::string_view kOldAuthKey = "TS_AUTH_KEY";
inline constexpr std::string_view kAuthOnce = "TS_AUTH_ONCE";
inline constexpr std::string_view kBootTimeout = "TS_BOOT_TIMEOUT";
inline constexpr std::string_view kCertShareMode = "TS_CERT_SHARE_MODE";
inline constexpr std::string_view kClientId = "TS_CLIENT_ID";
inline constexpr std::string_view kClientSecret = "TS_CLIENT_SECRET";
inline constexpr std::string_view kAcmeDirectory = "TS_DEBUG_ACME_DIRECTORY_URL";
// With it, orders of certificates do not refer to the certificate that they replace, whose account
// may no longer exist.
inline constexpr std::string_view kForceRenewal = "TS_DEBUG_ACME_FORCE_RENEWAL";
inline constexpr std::string_view kDebugAddress = "TS_DEBUG_ADDR_PORT";
inline constexpr std::string_view kFirewallMode = "TS_DEBUG_FIREWALL_MODE";
inline constexpr std::string_view kDestIp = "TS_DEST_IP";
inline constexpr std::string_view kEgressConfig = "TS_EGRESS_PROXIES_CONFIG_PATH";
inline constexpr std::string_view kOldEgressConfig = "TS_EGRESS_SERVICES_CONFIG_PATH";
inline constexpr std::string_view kHealthCheck = "TS_ENABLE_HEALTH_CHECK";
inline constexpr std::string_view kMetrics = "TS_ENABLE_METRICS";
inline constexpr std::string_view kCertShare = "TS_EXPERIMENTAL_CERT_SHARE";
inline constexpr std::string_view kDestDnsName = "TS_EXPERIMENTAL_DEST_DNS_NAME";
inline constexpr std::string_view kForwardingOptimizations =
    "TS_EXPERIMENTAL_ENABLE_FORWARDING_OPTIMIZATIONS";
inline constexpr std::string_view kKubeApiEvents = "TS_EXPERIMENTAL_KUBE_API_EVENTS";
inline constexpr std::string_view kAutoAdvertisement = "TS_EXPERIMENTAL_SERVICE_AUTO_ADVERTISEMENT";
inline constexpr std::string_view kConfigDir = "TS_EXPERIMENTAL_VERSIONED_CONFIG_DIR";
inline constexpr std::string_view kExtraArgs = "TS_EXTRA_ARGS";
inline constexpr std::string_view kOldHealthAddress = "TS_HEALTHCHECK_ADDR_PORT";
inline constexpr std::string_view kHostname = "TS_HOSTNAME";
inline constexpr std::string_view kIdToken = "TS_ID_TOKEN";
inline constexpr std::string_view kIngressConfig = "TS_INGRESS_PROXIES_CONFIG_PATH";
inline constexpr std::string_view kInternalApp = "TS_INTERNAL_APP";
inline constexpr std::string_view kProxyConfig = "TS_K8S_PROXY_CONFIG";
inline constexpr std::string_view kKubeSecret = "TS_KUBE_SECRET";
inline constexpr std::string_view kLocalAddress = "TS_LOCAL_ADDR_PORT";
inline constexpr std::string_view kNoLogs = "TS_NO_LOGS_NO_SUPPORT";
inline constexpr std::string_view kHttpProxy = "TS_OUTBOUND_HTTP_PROXY_LISTEN";
inline constexpr std::string_view kPort = "TS_PORT";
inline constexpr std::string_view kRoutes = "TS_ROUTES";
inline constexpr std::string_view kServeAllInterfaces = "TS_SERVE_ALLOW_ALL_INTERFACES";
inline constexpr std::string_view kServeConfig = "TS_SERVE_CONFIG";
inline constexpr std::string_view kSocket = "TS_SOCKET";
inline constexpr std::string_view kSocks5Server = "TS_SOCKS5_SERVER";
inline constexpr std::string_view kState = "TS_STATE";
inline constexpr std::string_view kStateDir = "TS_STATE_DIR";
inline constexpr std::string_view kTailnetTargetFqdn = "TS_TAILNET_TARGET_FQDN";
inline constexpr std::string_view kTailnetTargetIp = "TS_TAILNET_TARGET_IP";
inline constexpr std::string_view kDaemonArgs = "TS_TAILSCALED_EXTRA_ARGS";
inline constexpr std::string_view kFakeNetfilter = "TS_TEST_FAKE_NETFILTER";
inline constexpr std::string_view kFakeNetfilterV6 = "TS_TEST_FAKE_NETFILTER_6";
inline constexpr std::string_view kTestRoot = "TS_TEST_ONLY_ROOT";
inline constexpr std::string_view kUserspace = "TS_USERSPACE";

// Our own, of `tailrender-proxy api`.
inline constexpr std::string_view kApiGrace = "TAILRENDER_API_GRACE_SECONDS";
inline constexpr std::string_view kApiListen = "TAILRENDER_API_LISTEN";
inline constexpr std::string_view kApiService = "TAILRENDER_API_SERVICE";
inline constexpr std::string_view kApiUnrecorded = "TAILRENDER_API_UNRECORDED";

}  // namespace renderer::inline contract::variable
