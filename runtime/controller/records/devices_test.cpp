#include "runtime/controller/records/devices.h"

#include <gtest/gtest.h>

#include "renderer/core/json.h"

namespace runtime::controller {
namespace {

TEST(DeviceLine, KnowsWhatALeavingDeviceWasFor) {
    StateSecret state;
    state.labels =
        "tailscale.com/parent-resource=web,tailscale.com/parent-resource-ns=apps,"
        "tailscale.com/parent-resource-type=ingress";
    const auto row = [&state] {
        return renderer::write_json(
            device_line({.pod_name = "ts-web-abcde-0", .state = &state}, ""));
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

}  // namespace
}  // namespace runtime::controller
