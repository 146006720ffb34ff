#include "runtime/controller/object_status/egress_status.h"

#include <gtest/gtest.h>

#include "renderer/base/base64.h"
#include "renderer/core/json.h"

namespace runtime::controller {
namespace {

using renderer::Value;

Parent nas() {
    Parent service;
    service.kind = "Service";
    service.ns = "media";
    service.name = "nas";
    service.annotations = {{"tailscale.com/proxy-group", "out"},
                           {"tailscale.com/tailnet-ip", "100.64.12.7"}};
    service.spec = std::move(*renderer::read_json(
        R"({"type":"ExternalName","ports":[{"targetPort":445,"port":445,"protocol":"TCP"}]})"));
    return service;
}

std::optional<EgressReplica> replica(const std::string& addresses) {
    const std::string status =
        R"({"podIPv4":"10.1.2.3","services":{"media-nas":{"ports":[{"protocol":"TCP",)"
        R"("matchPort":10001,"targetPort":445}],)"
        R"("tailnetTargetIPs":)" +
        addresses + R"(,"tailnetTarget":{"ip":"100.64.12.7","fqdn":""}}}})";
    return decode_egress_replica(
        Value::map({{"data", Value::map({{"egress-services", renderer::encode_base64(status)}})}}));
}

Device joined() {
    Device device;
    device.state = DeviceState::Joined;
    return device;
}

std::string ready(const std::vector<Device>& devices,
                  const std::vector<const EgressReplica*>& replicas) {
    const Condition condition = egress_status(nas(), devices, replicas).conditions.at(2);
    return (condition.is_true ? "True " : "False ") + condition.reason + ": " + condition.message;
}

TEST(EgressStatus, CountsReplicasThatKnowTheTarget) {
    const auto knows = replica(R"(["100.64.12.7"])");
    const auto waits = replica("null");
    ASSERT_TRUE(knows.has_value() && waits.has_value());
    EXPECT_EQ(ready({joined(), joined()}, {&*knows, &*knows}),
              "True ReadyToRouteTraffic: 2 out of 2 replicas are ready to route traffic");
    EXPECT_EQ(ready({joined(), joined()}, {&*knows, &*waits}),
              "True PartiallyReadyToRouteTraffic: 1 out of 2 replicas are ready to route traffic");
    EXPECT_EQ(ready({joined(), joined()}, {nullptr, &*waits}),
              "False NotReadyToRouteTraffic: 0 out of 2 replicas are ready to route traffic");
    EXPECT_EQ(ready({Device()}, {&*knows}),
              "False ClusterResourcesNotReady: ClusterResourcesNotReady");
    EXPECT_EQ(ready({}, {}), "False ClusterResourcesNotReady: ClusterResourcesNotReady");
}

TEST(EgressStatus, AnotherTargetIsNotTheTarget) {
    auto other = replica(R"(["100.64.12.7"])");
    other->targets.at("media-nas").ip = "100.64.12.8";
    EXPECT_EQ(ready({joined()}, {&*other}).substr(0, 5), "False");
}

TEST(EgressStatus, OtherPortsAreNotThePorts) {
    const auto one = replica(R"(["100.64.12.7"])");
    auto more = one;
    more->targets.at("media-nas").ports.emplace("TCP", 139);
    auto other = one;
    other->targets.at("media-nas").ports = {{"UDP", 445}};
    auto none = one;
    none->targets.at("media-nas").ports.clear();
    EXPECT_EQ(ready({joined()}, {&*one}).substr(0, 4), "True");
    for (const auto* replica : {&more, &other, &none}) {
        EXPECT_EQ(ready({joined()}, {&**replica}),
                  "False NotReadyToRouteTraffic: 0 out of 1 replicas are ready to route traffic");
    }
}

// The hash is that of tailscale v1.96.5 for this Service.
TEST(EgressStatus, NamesTheConfigurationAsTheOperatorDoes) {
    const Condition configured = egress_status(nas(), {}, {}).conditions.at(1);
    EXPECT_EQ(configured.reason,
              "ConfiguredFor:ProxyGroup:out:Config:"
              "431a259eadea7c3ae03341db233bde9892ba4bf6d14920dbaac624e2c4541b41");
}

TEST(EgressStatus, OnlyWhatLeadsOutIsOfAnEgressGroup) {
    Parent service = nas();
    EXPECT_EQ(egress_group(service), "out");
    service.annotations.erase("tailscale.com/tailnet-ip");
    EXPECT_EQ(egress_group(service), "");
    EXPECT_EQ(no_egress_status().conditions_to_remove.size(), 3U);
}

}  // namespace
}  // namespace runtime::controller
