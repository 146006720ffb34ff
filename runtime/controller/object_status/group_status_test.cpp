#include "runtime/controller/object_status/group_status.h"

#include <gtest/gtest.h>

#include "renderer/core/json.h"

namespace runtime::controller {
namespace {

std::string left_of(const std::string& kind, const std::string& spec, const std::string& status) {
    Parent parent;
    parent.kind = kind;
    parent.spec = std::move(*renderer::read_json(spec));
    const auto json = renderer::read_json(status);
    StatusChange change = group_unserved_status(parent);
    change.gone = {"docs.tail1a2b3.ts.net", ""};
    return renderer::write_json(changed_status(*json, change, 1, Time()));
}

TEST(GroupStatus, TakesItsNameOffAnIngress) {
    EXPECT_EQ(left_of("Ingress", R"({"ingressClassName":"tailscale"})",
                      R"({"loadBalancer":{"ingress":[{"hostname":"docs.tail1a2b3.ts.net"}]}})"),
              "{}");
}

TEST(GroupStatus, LeavesWhatAnotherControllerSaysOfAnIngress) {
    EXPECT_EQ(
        left_of("Ingress", R"({"ingressClassName":"nginx"})",
                R"({"loadBalancer":{"ingress":[{"hostname":"docs.example.com"},)"
                R"({"hostname":"docs.tail1a2b3.ts.net"},{"ip":"192.0.2.1"}]}})"),
        R"({"loadBalancer":{"ingress":[{"hostname":"docs.example.com"},{"ip":"192.0.2.1"}]}})");
}

TEST(GroupStatus, LeavesWhatAnotherLoadBalancerSaysOfAService) {
    const std::string status = R"({"loadBalancer":{"ingress":[{"ip":"192.0.2.1"}]}})";
    EXPECT_EQ(left_of("Service", R"({"type":"LoadBalancer"})", status), status);
    EXPECT_EQ(
        left_of("Service", R"({"type":"LoadBalancer","loadBalancerClass":"tailscale"})", status),
        "{}");
}

// The name that a pod reports is not used.
TEST(GroupStatus, ADomainIsWhatTheTailnetSays) {
    StateSecret state;
    state.device_id = "n1";
    state.device_fqdn = "front-0.evil.example.com.";
    AuthSecret auth;
    auth.device = "n1";
    auth.device_name = "front-0.tail1a2b3.ts.net";
    const Group group{.config = nullptr,
                      .set = nullptr,
                      .pods = {},
                      .states = {&state},
                      .auths = {nullptr, &auth}};
    Offer offer;
    offer.name = "svc:docs";
    const OfferedState offer_state{.offered = {.group = &group, .offer = &offer},
                                   .registration = {}};
    EXPECT_EQ(full_name(offer_state), "docs.tail1a2b3.ts.net");
}

}  // namespace
}  // namespace runtime::controller
