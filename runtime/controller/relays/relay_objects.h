// The objects of relays, decoded and encoded: the renderer's ConfigMap, and the Secrets with
// the configuration of their pods, which the controller makes from it. Shapes:
// testdata/contract/peer-relay.md.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"
#include "runtime/controller/relays/endpoints.h"

namespace runtime::controller {

struct RelayConfig {
    std::string name;  // of the object
    std::string uid;   // of the ConfigMap
    std::string contract;
    // By pod, then by key of its Secret: "cap-148.hujson".
    std::map<std::string, std::map<std::string, std::string>> configs;
    std::vector<Endpoint> fixed;  // static endpoints, for all replicas
    std::string problem;          // why it cannot be read

    bool operator==(const RelayConfig&) const = default;
};

// Secret "<pod>-config", which the controller creates.
struct RelaySecret {
    std::string name, uid, pod;
    std::map<std::string, std::string> data;
    std::vector<std::string> addresses;  // of the load balancer, when it was written

    // The endpoints in the pod's configuration.
    [[nodiscard]] std::vector<Endpoint> endpoints() const;
    bool operator==(const RelaySecret&) const = default;
};

// No value if the object is not relevant.
std::optional<RelayConfig> decode_relay(const renderer::Value& object);
std::optional<RelaySecret> decode_relay_secret(const renderer::Value& object);

// The name of the StatefulSet.
std::string relay_set_name(std::string_view relay);

// The desired content of a pod's Secret, without its name and labels.
struct RelayContent {
    std::map<std::string, std::string> data;
    std::vector<std::string> addresses;
};
RelayContent relay_content(const RelayConfig& relay, std::string_view pod,
                           const std::vector<std::string>& addresses);
bool says(const RelaySecret& secret, const RelayContent& content);

// Returns the Secret without content.
renderer::Value relay_secret(std::string_view ns, std::string_view relay, std::string_view pod);
// Replaces all content.
void put_content(renderer::Value& secret, const RelayContent& content);

}  // namespace runtime::controller
