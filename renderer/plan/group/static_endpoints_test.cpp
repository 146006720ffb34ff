#include "renderer/plan/group/static_endpoints.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "renderer/plan/plan_testing.h"

namespace renderer::plan {
namespace {

// A configuration with its list in another order is another Secret, which the pods read again. The
// operator lists Nodes, which come in any order, and keeps the list that it wrote before.
TEST(StaticEndpointsPlan, KeepTheirOrderWhateverThatOfTheNodes) {
    constexpr std::string_view kInputs = R"(
apiVersion: tailscale.com/v1alpha1
kind: ProxyClass
metadata: {name: reachable}
spec: {staticEndpoints: {nodePort: {ports: [{port: 30500, endPort: 30503}], selector: {role: edge}}}}
---
apiVersion: tailscale.com/v1alpha1
kind: ProxyGroup
metadata: {name: edge}
spec: {type: egress, replicas: 2, proxyClass: reachable}
)";
    const auto node = [](std::string_view name, std::string_view addresses) {
        return fmt::format(
            "---\napiVersion: v1\nkind: Node\nmetadata: {{name: {}, labels: {{role: edge}}}}\n"
            "status: {{addresses: [{}]}}\n",
            name, addresses);
    };
    std::array nodes = {node("a", ""), node("b", "{type: ExternalIP, address: 203.0.113.9}"),
                        node("c", "{type: ExternalIP, address: '2001:db8::1'}"),
                        node("d", "{type: ExternalIP, address: 203.0.113.1}")};
    std::ranges::sort(nodes);
    do {
        const Planned run(fmt::format("{}{}", kInputs, fmt::join(nodes, "")));
        ASSERT_EQ(run.dump(), "");
        const auto& endpoints = std::get<ProxyGroupPlan>(run.workload().feature).endpoints;
        ASSERT_EQ(endpoints.size(), 2U);
        EXPECT_EQ(endpoints[0].addresses,
                  (std::vector<std::string>{"203.0.113.9:30500", "[2001:db8::1]:30500"}));
        EXPECT_EQ(endpoints[1].addresses,
                  (std::vector<std::string>{"203.0.113.9:30501", "[2001:db8::1]:30501"}));
    } while (std::ranges::next_permutation(nodes).found);
}

}  // namespace
}  // namespace renderer::plan
