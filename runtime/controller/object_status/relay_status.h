// The status of a relay: where its replicas are reached, and whether they can be. A pure function.
// The shape, the reasons and their order have the source of testdata/contract/peer-relay.md.
#pragma once

#include <string>
#include <vector>

#include "renderer/kube/kinds.h"
#include "runtime/controller/object_status/status_writer.h"
#include "runtime/controller/relays/endpoints.h"

namespace runtime::controller {

inline constexpr std::string_view kRelayKind = "PeerRelay";
inline constexpr std::string_view kRelayCondition = renderer::kind_of(kRelayKind).role.condition;

struct RelayState {
    std::string tailnet_problem = {};
    // Of each replica that its StatefulSet asks for, in their order.
    std::vector<std::vector<Endpoint>> endpoints = {};
    int joined = 0;           // how many of their devices have joined
    bool is_rendered = true;  // false: there is no StatefulSet
};

StatusChange relay_status(const Parent& relay, const RelayState& state);

}  // namespace runtime::controller
