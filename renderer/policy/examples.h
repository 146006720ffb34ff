// Rules of a policy that are the user's choice: who may use the Kubernetes API as which group, and
// which addresses egress proxies may reach. They are examples, since the tree does not say who the
// users are. Sources: tailscale.com/kb/1324/grants, kb/1437/kubernetes-operator-api-server-proxy,
// kb/1438/kubernetes-operator-cluster-egress, kb/1484/kubernetes-operator-deploying-tsrecorder,
// kb/1591/peer-relays, kb/1281/app-connectors, kb/1337/policy-syntax (tests).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/source_map.h"
#include "renderer/plan/model.h"

namespace renderer::policy {

struct Examples {
    std::vector<std::string> notes;   // lines
    std::vector<std::string> grants;  // lines, of whole entries
    std::vector<std::string> tests;
};

// Adds what suits a cluster's devices in a tailnet; "" is the controller's own.
void add_examples(const plan::Plan& plan, const SourceMap& sources, std::string_view tailnet,
                  Examples& examples);

// Returns the lines of the examples, none if there are none. Those after the first line of code are
// valid sections of a policy.
std::vector<std::string> example_lines(const Examples& examples);

}  // namespace renderer::policy
