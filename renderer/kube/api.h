// Our API group and the annotation keys in it. The contract with the controller is
// testdata/contract/proxy.md.
#pragma once

#include <cstddef>
#include <string_view>

namespace renderer {

#define TAILRENDER_DOMAIN "tailrender.dev"

constexpr std::string_view kContractVersion = "v1";
constexpr std::string_view kContractAnnotation = TAILRENDER_DOMAIN "/contract";
constexpr std::string_view kTagsAnnotation = TAILRENDER_DOMAIN "/tags";
constexpr std::string_view kHostnameAnnotation = TAILRENDER_DOMAIN "/hostname";
constexpr std::string_view kParentAnnotation = TAILRENDER_DOMAIN "/parent";
constexpr std::string_view kTailnetAnnotation = TAILRENDER_DOMAIN "/tailnet";
constexpr std::string_view kConfigHashAnnotation = TAILRENDER_DOMAIN "/config-hash";

// A ConfigMap of this name for each Tailnet: testdata/contract/tailnet.md.
constexpr std::string_view kTailnetPrefix = "tailrender-tailnet-";
// On the Secret that it names: the Tailnet.
constexpr std::string_view kTailnetLabel = TAILRENDER_DOMAIN "/tailnet";

// The Secret of the accounts at the ACME server, one for each tailnet. The controller makes it.
constexpr std::string_view kAcmeAccounts = "tailscale-acme-accounts";

// The controller's, with one key for each ingress group: testdata/contract/ingress.md.
constexpr std::string_view kIngressAddresses = "tailrender-ingress-addresses";

// The controller's, for the table of devices: the second one has `-1` behind it.
constexpr std::string_view kDevicesTable = "tailrender-devices";
constexpr std::size_t kDeviceTables = 32;

// One of this name for each group that offers Tailscale Services: testdata/contract/ingress.md.
constexpr std::string_view kGroupPrefix = "tailrender-group-";

// Where `tailrender-proxy api` listens in its pod, for tailscaled alone.
constexpr std::string_view kApiProxyAddress = "127.0.0.2:8443";

// One of this name for each PeerRelay: testdata/contract/peer-relay.md.
constexpr std::string_view kRelayPrefix = "tailrender-relay-";

}  // namespace renderer
