// What a group offers to the tailnet, from the renderer's ConfigMap, and the certificates of these
// offers, decoded. Shapes: testdata/contract/ingress.md.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "renderer/contract/group_offer.h"
#include "renderer/core/value.h"

namespace runtime::controller {

using Offer = renderer::GroupOffer;

struct GroupConfig {
    std::string name;  // of the group
    std::string uid;   // of the ConfigMap
    std::string contract;
    std::vector<Offer> offers;
    std::map<std::string, std::string> proxies;  // configuration, by pod
    std::string problem;                         // why it cannot be read

    bool operator==(const GroupConfig&) const = default;
};

struct Certificate {
    std::string name, uid;
    std::string hash;  // of its content; empty: not filled

    bool operator==(const Certificate&) const = default;
};

// No value if the object is not relevant.
std::optional<GroupConfig> decode_group(const renderer::Value& object);
std::optional<Certificate> decode_certificate(const renderer::Value& object);

}  // namespace runtime::controller
