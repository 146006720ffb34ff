// What the kinds that have pods answer for the programs, so that no place lists kinds: rows of the
// table in renderer/kube/kinds.h refer to it. Sources: tailscale v1.104.5 cmd/k8s-operator;
// testdata/contract.
#pragma once

#include <optional>
#include <string_view>

#include "renderer/contract/labels.h"

namespace renderer::inline kube {

// A yes or no, and a text, without a default: a row that leaves one out does not compile.
class Answer {
public:
    // NOLINTNEXTLINE(google-explicit-constructor)
    consteval Answer(bool yes) : yes_(yes) {}
    constexpr operator bool() const { return yes_; }  // NOLINT(google-explicit-constructor)

private:
    bool yes_;
};
class AnswerText {
public:
    // NOLINTNEXTLINE(google-explicit-constructor)
    consteval AnswerText(std::string_view text) : text_(text) {}
    // NOLINTNEXTLINE(google-explicit-constructor)
    consteval AnswerText(const char* text) : text_(text) {}
    // NOLINTNEXTLINE(google-explicit-constructor)
    constexpr operator std::string_view() const { return text_; }

private:
    std::string_view text_;
};

// What is made for an object of a kind: pods, and objects for them.
struct PodTraits {
    AnswerText parent_type;     // label::kParentType of these objects; "": they do not have it
    Answer are_proxies;         // they run the image of `proxyConfig`
    Answer forward_packets;     // and have firewall rules, unless they are in user space
    Answer are_devices;         // each is in the tailnet
    Answer can_be_public;       // their devices can be reached from the Internet
    Answer write_state;         // into their state Secrets, besides tailscaled's own
    Answer ask_for_keys;        // there, when theirs does not work
    Answer keep_operator_name;  // the operator gives them the same names
};

// Whose pods and status the controller minds. Parents: objects of users that proxies are for or
// depend on. The controller watches them and writes their /status, and the operator has put
// finalizers on them.
struct KindRole {
    bool is_parent = false;
    std::string_view condition = {};  // of the /status of a parent: that it is ready; "": none
    std::optional<PodTraits> pods = {};
};
consteval KindRole parent_with(const PodTraits& pods, AnswerText condition) {
    return {.is_parent = true, .condition = condition, .pods = pods};
}
consteval KindRole parent_without_pods(AnswerText condition) {
    return {.is_parent = true, .condition = condition};
}

// Of the operator's Deployment: the API proxy.
inline constexpr PodTraits kDeploymentPods = {.parent_type = label::kApiProxyType,
                                              .are_proxies = false,
                                              .forward_packets = false,
                                              .are_devices = true,
                                              .can_be_public = false,
                                              .write_state = true,
                                              .ask_for_keys = true,
                                              .keep_operator_name = false};
inline constexpr PodTraits kServicePods = {.parent_type = "svc",
                                           .are_proxies = true,
                                           .forward_packets = true,
                                           .are_devices = true,
                                           .can_be_public = false,
                                           .write_state = true,
                                           .ask_for_keys = true,
                                           .keep_operator_name = false};
inline constexpr PodTraits kIngressPods = {.parent_type = "ingress",
                                           .are_proxies = true,
                                           .forward_packets = true,
                                           .are_devices = true,
                                           .can_be_public = true,
                                           .write_state = true,
                                           .ask_for_keys = true,
                                           .keep_operator_name = false};
inline constexpr PodTraits kConnectorPods = {.parent_type = "connector",
                                             .are_proxies = true,
                                             .forward_packets = true,
                                             .are_devices = true,
                                             .can_be_public = false,
                                             .write_state = true,
                                             .ask_for_keys = true,
                                             .keep_operator_name = false};
inline constexpr PodTraits kDNSConfigPods = {.parent_type = label::kNameserverType,
                                             .are_proxies = false,
                                             .forward_packets = false,
                                             .are_devices = false,
                                             .can_be_public = false,
                                             .write_state = false,
                                             .ask_for_keys = false,
                                             .keep_operator_name = true};
inline constexpr PodTraits kPeerRelayPods = {.parent_type = "peerrelay",
                                             .are_proxies = true,
                                             .forward_packets = false,
                                             .are_devices = true,
                                             .can_be_public = true,
                                             .write_state = true,
                                             .ask_for_keys = true,
                                             .keep_operator_name = true};
inline constexpr PodTraits kProxyGroupPods = {.parent_type = "proxygroup",
                                              .are_proxies = true,
                                              .forward_packets = true,
                                              .are_devices = true,
                                              .can_be_public = false,
                                              .write_state = true,
                                              .ask_for_keys = true,
                                              .keep_operator_name = true};
inline constexpr PodTraits kRecorderPods = {.parent_type = "",
                                            .are_proxies = false,
                                            .forward_packets = false,
                                            .are_devices = true,
                                            .can_be_public = false,
                                            .write_state = false,
                                            .ask_for_keys = false,
                                            .keep_operator_name = true};

}  // namespace renderer::inline kube
