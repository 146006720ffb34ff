// Which ProxyGroups the objects of one namespace may use.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "renderer/core/document.h"

namespace renderer {

struct GroupPolicyPlan {
    Origin origin;  // the first of the namespace's policies
    std::uint32_t bundle = 0;
    std::string ns;
    std::set<std::string> ingress, egress;  // names of ProxyGroups; empty: none is allowed
};

}  // namespace renderer
