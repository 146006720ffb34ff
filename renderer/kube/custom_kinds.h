// The kinds of tailscale.com, one row each, with what is made for their objects.
// Sources: tailscale v1.104.5 k8s-operator/apis/v1alpha1, cmd/k8s-operator; testdata/contract.
#pragma once

#include <array>

#include "renderer/contract/labels.h"
#include "renderer/kube/kind.h"

namespace renderer::inline kube {

inline constexpr PodTraits kConnectorPods = {.parent_type = "connector",
                                             .are_proxies = true,
                                             .forward_packets = true,
                                             .are_devices = true,
                                             .serve_several = false,
                                             .public_by = "",
                                             .write_state = true,
                                             .ask_for_keys = true,
                                             .keep_operator_name = false,
                                             .id = "connector",
                                             .caption = "Connector"};
inline constexpr PodTraits kDNSConfigPods = {.parent_type = label::kNameserverType,
                                             .are_proxies = false,
                                             .forward_packets = false,
                                             .are_devices = false,
                                             .serve_several = false,
                                             .public_by = "",
                                             .write_state = false,
                                             .ask_for_keys = false,
                                             .keep_operator_name = true,
                                             .id = "nameserver",
                                             .caption = "nameserver"};
inline constexpr PodTraits kPeerRelayPods = {.parent_type = "peerrelay",
                                             .are_proxies = true,
                                             .forward_packets = false,
                                             .are_devices = true,
                                             .serve_several = false,
                                             .public_by = kByLoadBalancer,
                                             .write_state = true,
                                             .ask_for_keys = true,
                                             .keep_operator_name = true,
                                             .id = "peer-relay",
                                             .caption = "PeerRelay"};
inline constexpr PodTraits kProxyGroupPods = {.parent_type = "proxygroup",
                                              .are_proxies = true,
                                              .forward_packets = true,
                                              .are_devices = true,
                                              .serve_several = true,
                                              .public_by = "",
                                              .write_state = true,
                                              .ask_for_keys = true,
                                              .keep_operator_name = true,
                                              .id = "group",
                                              .caption = "ProxyGroup"};
inline constexpr PodTraits kRecorderPods = {.parent_type = "",
                                            .are_proxies = false,
                                            .forward_packets = false,
                                            .are_devices = true,
                                            .serve_several = false,
                                            .public_by = "",
                                            .write_state = false,
                                            .ask_for_keys = false,
                                            .keep_operator_name = true,
                                            .id = "recorder",
                                            .caption = "Recorder"};

// Sorted by name.
inline constexpr std::array kCustomKinds = {
    Kind{kCustomVersion, "Connector", "connectors", Scope::Cluster,
         parent_with(kConnectorPods, "ConnectorReady"), "cn"},
    Kind{kCustomVersion, "DNSConfig", "dnsconfigs", Scope::Cluster,
         parent_with(kDNSConfigPods, "NameserverReady"), "dc"},
    Kind{kCustomVersion, "PeerRelay", "peerrelays", Scope::Cluster,
         parent_with(kPeerRelayPods, "PeerRelayReady"), "pr"},
    Kind{kCustomVersion, "ProxyClass", "proxyclasses", Scope::Cluster,
         parent_without_pods("ProxyClassReady")},
    Kind{kCustomVersion, "ProxyGroup", "proxygroups", Scope::Cluster,
         parent_with(kProxyGroupPods, "ProxyGroupReady"), "pg"},
    Kind{kCustomVersion, "ProxyGroupPolicy", "proxygrouppolicies", Scope::Namespaced, KindRole{},
         "pgp"},
    Kind{kCustomVersion, "Recorder", "recorders", Scope::Cluster,
         parent_with(kRecorderPods, "RecorderReady"), "rec"},
    Kind{kCustomVersion, "Tailnet", "tailnets", Scope::Cluster, parent_without_pods("TailnetReady"),
         "tn"},
};

}  // namespace renderer::inline kube
