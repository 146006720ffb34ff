// What a group offers to the tailnet, as the renderer's ConfigMap says, and the certificates of
// these offers, decoded. Shapes: testdata/contract/ingress.md.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "renderer/core/value.h"

namespace runtime::controller {

// One Tailscale Service, as a group offers it.
struct Offer {
    std::string name;    // svc:HOST
    std::string parent;  // Kind/namespace/name, or ProxyGroup/name
    std::vector<std::string> ports, tags;
    std::string certificate;  // full name; empty: none

    // Of a group that serves the Kubernetes API: belongs to no one else.
    [[nodiscard]] bool is_exclusive() const { return parent.starts_with("ProxyGroup/"); }
    bool operator==(const Offer&) const = default;
};

struct GroupConfig {
    std::string name;  // of the group
    std::string uid;   // of the ConfigMap
    std::string contract;
    std::vector<Offer> offers;
    std::map<std::string, std::string> proxies;  // configuration, by pod
    std::string problem;                         // what in it cannot be read

    bool operator==(const GroupConfig&) const = default;
};

struct Certificate {
    std::string name, uid;
    std::string hash;  // of what is in it; empty: it is not filled

    bool operator==(const Certificate&) const = default;
};

// No value: of no interest.
std::optional<GroupConfig> decode_group(const renderer::Value& object);
std::optional<Certificate> decode_certificate(const renderer::Value& object);

}  // namespace runtime::controller
