// Our API group and the annotation keys in it. The contract with the controller is
// testdata/contract/proxy.md.
#pragma once

#include <cstddef>
#include <string_view>

namespace renderer::inline kube {

#define TAILRENDER_DOMAIN "tailrender.dev"

constexpr std::string_view kContractVersion = "v1";
constexpr std::string_view kContractAnnotation = TAILRENDER_DOMAIN "/contract";
constexpr std::string_view kTagsAnnotation = TAILRENDER_DOMAIN "/tags";
constexpr std::string_view kHostnameAnnotation = TAILRENDER_DOMAIN "/hostname";
constexpr std::string_view kParentAnnotation = TAILRENDER_DOMAIN "/parent";
constexpr std::string_view kTailnetAnnotation = TAILRENDER_DOMAIN "/tailnet";
constexpr std::string_view kConfigHashAnnotation = TAILRENDER_DOMAIN "/config-hash";

// The prefix of the ConfigMap of each Tailnet: testdata/contract/tailnet.md.
constexpr std::string_view kTailnetPrefix = "tailrender-tailnet-";
// The label on the Secret that a Tailnet names. Its value is the name of the Tailnet.
constexpr std::string_view kTailnetLabel = TAILRENDER_DOMAIN "/tailnet";

// The Secret with the accounts at the ACME server, one for each tailnet. The controller creates it.
constexpr std::string_view kAcmeAccounts = "tailscale-acme-accounts";

// The controller's ConfigMap with one key for each ingress group: testdata/contract/ingress.md.
constexpr std::string_view kIngressAddresses = "tailrender-ingress-addresses";

// The controller's ConfigMaps with the table of devices: this name, the same with `-1`, and so on.
constexpr std::string_view kDevicesTable = "tailrender-devices";
constexpr std::size_t kDeviceTables = 32;

// The prefix of the ConfigMap of each group that offers Tailscale Services:
// testdata/contract/ingress.md.
constexpr std::string_view kGroupPrefix = "tailrender-group-";

// The names of the StatefulSet that serves the Kubernetes API, and of its only pod.
constexpr std::string_view kApiProxyName = "kube-apiserver-proxy";
constexpr std::string_view kApiProxyPod = "kube-apiserver-proxy-0";

// Where `tailrender-proxy api` listens in its pod, only for tailscaled.
constexpr std::string_view kApiProxyAddress = "127.0.0.2:8443";

// The prefix of the ConfigMap of each PeerRelay: testdata/contract/peer-relay.md.
constexpr std::string_view kRelayPrefix = "tailrender-relay-";

}  // namespace renderer::inline kube
