// What the controller knows of PeerRelays: the renderer's ConfigMap, and the Secrets with the
// configuration of their pods, which the controller makes of it; decoded and spelled. Shapes:
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
    std::string name;  // of the PeerRelay
    std::string uid;   // of the ConfigMap
    std::string contract;
    // By pod, then by key of its Secret: "cap-148.hujson".
    std::map<std::string, std::map<std::string, std::string>> configs;
    std::vector<Endpoint> fixed;  // static endpoints, for all replicas
    std::string problem;          // what in it cannot be read

    bool operator==(const RelayConfig&) const = default;
};

// "<pod>-config", made by the controller.
struct RelaySecret {
    std::string name, uid, pod;
    std::map<std::string, std::string> data;
    std::vector<std::string> addresses;  // of the load balancer, when it was written

    // What the pod has been told.
    [[nodiscard]] std::vector<Endpoint> endpoints() const;
    bool operator==(const RelaySecret&) const = default;
};

// No value: of no interest.
std::optional<RelayConfig> decode_relay(const renderer::Value& object);
std::optional<RelaySecret> decode_relay_secret(const renderer::Value& object);

// Of the StatefulSet, and of the Secret of a pod.
std::string relay_set_name(std::string_view relay);
std::string relay_secret_name(std::string_view pod);

// As a pod's Secret should be, beside its name and labels.
struct RelayContent {
    std::map<std::string, std::string> data;
    std::vector<std::string> addresses;
};
RelayContent relay_content(const RelayConfig& relay, std::string_view pod,
                           const std::vector<std::string>& addresses);
bool says(const RelaySecret& secret, const RelayContent& content);

// Without content.
renderer::Value relay_secret(std::string_view ns, std::string_view relay, std::string_view pod);
// Nothing else is in it then.
void put_content(renderer::Value& secret, const RelayContent& content);

}  // namespace runtime::controller
