// The pod that serves the Kubernetes API (testdata/contract/proxy.md): to the controller it is a
// proxy.
#include "runtime/controller/contract.h"
#include "runtime/testing/controller_test.h"

namespace runtime {
namespace {

using renderer::text_of;

TEST_F(ControllerTest, TheApiProxyIsLookedAfterLikeAProxy) {
    const std::string set = FakeCluster::path("statefulsets", "kube-apiserver-proxy");
    const std::string ledger = FakeCluster::path("configmaps", "tailrender-devices");
    const auto lines = [&] {
        return std::string(text_of(kube.find(ledger)->at({"data", "devices.jsonl"})));
    };
    cluster.add_api_proxy();
    start();
    run(kMinute);
    expect_converged({"kube-apiserver-proxy-0"});
    EXPECT_EQ(tailnet.devices.begin()->second.tags, std::vector<std::string>{"tag:k8s-operator"});
    const std::string parent = R"("parent":"Deployment/tailscale/operator")";
    EXPECT_NE(lines().find(parent), std::string::npos) << lines();
    kube.erase(set);
    run(kMinute);
    EXPECT_NE(lines().find(parent), std::string::npos) << lines();
    EXPECT_NE(lines().find(R"("state":"leaving")"), std::string::npos) << lines();
    run(10 * kMinute);
    expect_converged({});
}

TEST_F(ControllerTest, TheApiProxyComesOnceTheOperatorsDeviceIsOutOfTheWay) {
    const std::string old = FakeCluster::path("secrets", "operator");
    kube.put(old,
             renderer::Value::map({{"metadata", renderer::Value::map({{"name", "operator"}})}}));
    kube.set_datum(old, "_current-profile", "profile-1");
    kube.set_datum(old, "profile-1", R"({"Config":{"NodeID":"nOPERATOR"}})");
    cluster.add_api_proxy();
    start();
    run(10 * kMinute);
    EXPECT_TRUE(tailnet.devices.empty());
    EXPECT_EQ(kube.find(FakeCluster::path("secrets", "kube-apiserver-proxy-0-auth")), nullptr);
    kube.erase(old);
    run(5 * kMinute);
    expect_converged({"kube-apiserver-proxy-0"});
}

}  // namespace
}  // namespace runtime
