#include "runtime/controller/devices.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/controller/parent_status.h"

namespace runtime {
namespace {

std::string table_of(int count) {
    ProxySet set;
    set.name = "ts-web-abcde";
    set.parent = "Service/a-namespace-of-some-length/a-service-of-some-length";
    set.tags = "tag:k8s,tag:web";
    set.replicas = count;
    set.hostnames.resize(static_cast<std::size_t>(count), "a-namespace-of-some-length-a-service");
    StateSecret state;
    state.device_id = "nK8sDeviceCNTRL";
    state.device_fqdn = "a-namespace-of-some-length-a-service.tail1a2b3.ts.net.";
    state.device_ips = R"(["100.100.100.100","fd7a:115c:a1e0:ab12:4843:cd96:6264:6464"])";
    std::map<std::string, Replica> replicas;
    for (int i = 0; i < count; ++i) {
        const auto entry = replicas.try_emplace(fmt::format("ts-web-abcde-{:04}", i)).first;
        entry->second.pod_name = entry->first;
        entry->second.ordinal = i;
        entry->second.set = &set;
        entry->second.state = &state;
    }
    return devices_table(replicas, [](std::string_view) { return std::string(); });
}

TEST(DevicesTable, KeepsToTheRoomOfAConfigMap) {
    const std::string all = table_of(4000);
    ASSERT_GT(all.size(), 1'048'576U);
    const std::string some = lines_that_fit(all);
    EXPECT_LT(some.size(), 900'100U);
    EXPECT_GT(some.size(), 899'000U);
    const auto lines = std::ranges::count(some, '\n') - 1;
    EXPECT_TRUE(some.ends_with(fmt::format("}}\n{{\"omitted\":{}}}\n", 4000 - lines)))
        << some.substr(some.size() - 100);
    EXPECT_TRUE(all.starts_with(some.substr(0, some.rfind('{'))));
}

TEST(DevicesTable, KnowsWhatALeavingDeviceWasFor) {
    StateSecret state;
    state.labels =
        "tailscale.com/parent-resource=web,tailscale.com/parent-resource-ns=apps,"
        "tailscale.com/parent-resource-type=ingress";
    const auto row = [&state] {
        return devices_table({{"ts-web-abcde-0", {.pod_name = "ts-web-abcde-0", .state = &state}}},
                             [](std::string_view) { return std::string(); });
    };
    EXPECT_TRUE(row().starts_with(R"({"pod":"ts-web-abcde-0","parent":"Ingress/apps/web",)"))
        << row();
    state.labels =
        "tailscale.com/parent-resource=out,tailscale.com/parent-resource-type=proxygroup";
    EXPECT_TRUE(row().starts_with(R"({"pod":"ts-web-abcde-0","parent":"ProxyGroup/out",)"))
        << row();
    state.labels = {};
    EXPECT_TRUE(row().starts_with(R"({"pod":"ts-web-abcde-0","parent":"",)")) << row();
}

TEST(DevicesTable, IsWholeWhenItFits) {
    const std::string all = table_of(100);
    EXPECT_EQ(lines_that_fit(all), all);
    EXPECT_EQ(lines_that_fit(""), "");
}

}  // namespace
}  // namespace runtime
