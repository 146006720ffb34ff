// Ports of pods, and addresses in them.
// Source: tailscale v1.104.5 cmd/k8s-operator/{sts,egress-services}.go, cmd/k8s-nameserver/main.go,
// net/udprelay; our own for the controller and the API proxy.
#pragma once

#include <string_view>

namespace renderer::inline contract::port {

inline constexpr int kDebug = 9001;  // of tailscaled
// Metrics and health: of a proxy by default, and of the controller.
inline constexpr int kLocal = 9002;
inline constexpr std::string_view kLocalText = "9002";
inline constexpr int kRelay = 41641;      // UDP, by default
inline constexpr int kNameserver = 1053;  // UDP and TCP

// kDebug and kLocal in the container's environment; the second one also without an address of one
// family.
inline constexpr std::string_view kDebugAddress = "$(POD_IP):9001";
inline constexpr std::string_view kLocalAddress = "$(POD_IP):9002";
inline constexpr std::string_view kAnyLocalAddress = "[::]:9002";

// Where `tailrender-proxy api` listens in its pod, only for tailscaled.
inline constexpr std::string_view kApiProxyAddress = "127.0.0.2:8443";

}  // namespace renderer::inline contract::port
