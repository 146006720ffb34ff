#include "runtime/controller/object_status/tailnet_status.h"

#include "runtime/testing/status_test.h"

namespace runtime::controller {
namespace {

TEST_F(StatusTest, SaysWhetherATailnetCanBeUsed) {
    const std::string path = "/apis/tailscale.com/v1alpha1/tailnets/partner";
    kube.has_custom_resources = true;
    put(path, "partner", "", R"({"credentials":{"secretName":"partner"}})");
    start();
    run(kMinute);
    EXPECT_NE(status(path).find(R"("reason":"NotRendered")"), std::string::npos) << status(path);
    kube.put(FakeCluster::path("configmaps", "tailrender-tailnet-partner"),
             json(R"({"metadata":{"name":"tailrender-tailnet-partner","namespace":"tailscale",
                 "annotations":{"tailrender.dev/contract":"v1"}},
                 "data":{"loginUrl":"https://tailnet","secretName":"partner"}})"));
    run(kMinute);
    EXPECT_NE(status(path).find(R"("reason":"InvalidSecret")"), std::string::npos) << status(path);
    kube.put(FakeCluster::path("secrets", "partner"),
             json(R"({"metadata":{"name":"partner","namespace":"tailscale",
                 "labels":{"tailrender.dev/tailnet":"partner"}}})"));
    kube.set_datum(FakeCluster::path("secrets", "partner"), "client_id", "id");
    kube.set_datum(FakeCluster::path("secrets", "partner"), "client_secret", "tskey-client-wrong");
    run(2 * kMinute);
    EXPECT_NE(status(path).find(R"("reason":"InvalidOAuth")"), std::string::npos) << status(path);
    EXPECT_NE(status(path).find(R"(in Secret \"tailscale/partner\")"), std::string::npos)
        << status(path);
    kube.set_datum(FakeCluster::path("secrets", "partner"), "client_secret", "tskey-client-secret");
    run(2 * kMinute);
    EXPECT_NE(status(path).find(R"("reason":"TailnetValid")"), std::string::npos) << status(path);
    const std::size_t asked = network.log.size();
    run(10 * kMinute);
    for (std::size_t i = asked; i < network.log.size(); ++i) {
        EXPECT_NE(network.log[i].url.rfind("https://tailnet", 0), 0U) << network.log[i].url;
    }
    const std::size_t writes = kube.writes;
    run(kMinute * 60);
    EXPECT_EQ(kube.writes, writes) << "asked again, with the same answer";
    kube.erase(FakeCluster::path("secrets", "partner"));
    run(kMinute * 120);
    EXPECT_NE(status(path).find(R"("reason":"InvalidSecret")"), std::string::npos) << status(path);
}

}  // namespace
}  // namespace runtime::controller
