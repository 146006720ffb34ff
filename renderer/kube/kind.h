// A kind of Kubernetes object: where the API server keeps its objects, whose they are, and what is
// made for one. A kind that has pods answers for all programs, so that no place lists kinds.
// Sources: tailscale v1.104.5 cmd/k8s-operator; testdata/contract.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "renderer/kube/group_of.h"

namespace renderer::inline kube {

constexpr std::string_view kCustomGroup = "tailscale.com";
constexpr std::string_view kCustomVersion = "tailscale.com/v1alpha1";

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
    constexpr bool operator==(std::string_view other) const { return text_ == other; }

private:
    std::string_view text_;
};

inline constexpr std::string_view kByFunnel = "Funnel";
inline constexpr std::string_view kByLoadBalancer = "LoadBalancer";  // a Service for each pod

// What is made for an object of a kind: pods, and objects for them.
struct PodTraits {
    AnswerText parent_type;     // label::kParentType of these objects; "": they do not have it
    Answer are_proxies;         // they run the image of `proxyConfig`
    Answer forward_packets;     // and have firewall rules, unless they are in user space
    Answer are_devices;         // each is in the tailnet
    Answer serve_several;       // Services or Ingresses of users, which name them
    AnswerText public_by;       // how anyone on the internet can reach them; "": not at all
    Answer write_state;         // into their state Secrets, besides tailscaled's own
    Answer ask_for_keys;        // there, when theirs does not work
    Answer keep_operator_name;  // the operator gives them the same names
    AnswerText id, caption;     // in graphs: for programs, and for people
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

enum class Scope : std::uint8_t { Cluster, Namespaced };

struct Kind {
    std::string_view api_version;  // the one that is requested and written: "apps/v1"
    std::string_view name;         // "StatefulSet"
    std::string_view plural;       // as in URLs and Roles: "statefulsets"
    Scope scope = Scope::Cluster;
    KindRole role = {};
    std::string_view short_name = {};  // for kubectl, in the rendered CRD; "" = none

    [[nodiscard]] constexpr std::string_view group() const { return group_of(api_version); }
    [[nodiscard]] constexpr std::string_view version() const {
        return api_version.substr(api_version.find('/') + 1);
    }
    [[nodiscard]] constexpr bool is_custom() const { return api_version == kCustomVersion; }
    // Returns the name of its CustomResourceDefinition: "connectors.tailscale.com".
    [[nodiscard]] std::string crd_name() const;
};

}  // namespace renderer::inline kube
