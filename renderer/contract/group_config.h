// The ConfigMaps of ProxyGroups: testdata/contract/{ingress,proxy}.md.
// Source of the operator's: tailscale v1.104.5 kube/{egressservices,ingressservices},
// cmd/k8s-operator/proxygroup_specs.go.
#pragma once

#include <string>
#include <string_view>

#include "renderer/contract/domain.h"

namespace renderer::inline contract {

// The operator's, "<group>-egress-config" and "<group>-ingress-config", with their data.
inline constexpr std::string_view kEgressConfigSuffix = "-egress-config";
inline constexpr std::string_view kEgressDatum = "egress-services";
inline constexpr std::string_view kPingsDatum = "hep-pings";  // of the pods' health, before an end
inline constexpr std::string_view kIngressConfigSuffix = "-ingress-config";
inline constexpr std::string_view kIngressDatum = "ingress-config.json";
inline constexpr std::string_view kGroupServeDatum = "serve-config.json";
std::string egress_config_name(std::string_view group);
std::string ingress_config_name(std::string_view group);
// Where the pods find them.
inline constexpr std::string_view kGroupConfigFolder = "/etc/proxies";
std::string group_config_file(std::string_view datum);

// The prefix of the ConfigMap of each group that offers Tailscale Services.
inline constexpr std::string_view kGroupPrefix = "tailrender-group-";

// The controller's ConfigMap with one key for each ingress group, and its two keys for itself.
inline constexpr std::string_view kIngressAddresses = "tailrender-ingress-addresses";
inline constexpr std::string_view kServicesDatum = "services";
inline constexpr std::string_view kCertificatesDatum = "certificates";

// The Secret with the accounts at the ACME server, one for each tailnet. The controller creates it.
inline constexpr std::string_view kAcmeAccounts = "tailscale-acme-accounts";
inline constexpr std::string_view kAcmeFinalizer = "tailscale.com/acme-account-protection";

}  // namespace renderer::inline contract
