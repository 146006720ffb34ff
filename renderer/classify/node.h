// A Node, as a fact about the cluster: the addresses at which the internet reaches it. Source:
// Kubernetes API, v1 Node.
#pragma once

#include <string_view>
#include <vector>

#include "renderer/core/document.h"

namespace renderer::classify {

struct NodeInput {
    const Document* doc = nullptr;
    std::string_view name;
    const Value* labels = nullptr;               // a map, or nullptr
    std::vector<std::string_view> external_ips;  // in the order of status.addresses
};

NodeInput decode_node(const Document& doc);

}  // namespace renderer::classify
