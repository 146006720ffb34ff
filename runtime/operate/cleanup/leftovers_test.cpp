#include "runtime/operate/cleanup/leftovers.h"

#include "renderer/contract/annotations.h"
#include "renderer/core/json.h"
#include "runtime/testing/cleanup_test.h"

namespace runtime::operate {
namespace {

constexpr const char* kWeb = "/api/v1/namespaces/apps/services/web";
constexpr const char* kDocs = "/apis/networking.k8s.io/v1/namespaces/apps/ingresses/docs";
constexpr const char* kGroup = "/apis/tailscale.com/v1alpha1/proxygroups/front";
constexpr const char* kFront = "/apis/apps/v1/namespaces/tailscale/deployments/front";

class LeftoversTest : public CleanupTest {
protected:
    void put(const std::string& path, std::string_view json) {
        kube.put(path, std::move(*renderer::read_json(json)));
    }
    std::string finalizers(const std::string& path) {
        return renderer::write_json(*kube.find(path)->at({"metadata", "finalizers"}));
    }
    void put_held() {
        kube.has_custom_resources = true;
        put(kWeb, R"({"metadata":{"name":"web","namespace":"apps","finalizers":
            ["tailscale.com/finalizer","example.com/other",
             "front.tailscale.com/service-pg-finalizer"]}})");
        put(kDocs, R"({"metadata":{"name":"docs","namespace":"apps","finalizers":
            ["tailscale.com/ingress-pg-finalizer"]}})");
        put(kGroup, R"({"metadata":{"name":"front","finalizers":["tailscale.com/finalizer"]}})");
    }
    // Puts a Deployment that the chart's fullnameOverride has renamed.
    void put_running_operator() {
        put(kFront, R"({"metadata":{"name":"front"},"spec":{"replicas":1,"template":{"spec":
            {"containers":[{"name":"operator","env":[{"name":"PROXY_IMAGE","value":"x"},
            {"name":"OPERATOR_SECRET","value":"front"}]}]}}}})");
    }
    void put_accounts(std::string_view data) {
        put(accounts, R"({"metadata":{"name":"tailscale-acme-accounts","namespace":"tailscale",
            "finalizers":["tailscale.com/acme-account-protection"]},"data":)" +
                          std::string(data) + "}");
    }
    // Adds a proxy of another tailnet, which trusts the cluster, and a controller of another name.
    void join_by_trust() {
        partner.trusts_cluster = true;
        network.add("https://partner", partner);
        cluster.add_tailnet("partner", "https://partner", partner);
        kube.erase_datum(FakeCluster::path("secrets", "partner"), "client_secret");
        kube.set_datum(FakeCluster::path("secrets", "partner"), "audience", "partner");
        cluster.add_proxy("ts-far-bcdfg");
        cluster.annotate("ts-far-bcdfg", renderer::kTailnetAnnotation, "partner");
        {
            const ControllerProcess controller(loop, network, 1);
            loop.run_for(kMinute);
        }
        ASSERT_EQ(partner.devices.size(), 1U);
        kube.erase(kOperator);
        put(kFront, R"({"metadata":{"name":"front"},"spec":{"replicas":0,"template":{"spec":
            {"serviceAccountName":"front","volumes":[{"name":"oauth","secret":
            {"secretName":"front-oauth"}}],"containers":[{"name":"operator","args":["controller"],
            "env":[{"name":"OPERATOR_NAMESPACE"},
                   {"name":"OPERATOR_LOGIN_SERVER","value":"https://tailnet"}]}]}}}})");
    }
    [[nodiscard]] bool is_said(std::string_view line) const {
        return ("\n" + said).find("\n" + std::string(line) + "\n") != std::string::npos;
    }

    FakeTailnet partner{loop};
    const std::string accounts = FakeCluster::path("secrets", "tailscale-acme-accounts");
};

TEST_F(LeftoversTest, FinalizersOfTheOperatorHoldNothingAnyMore) {
    put_held();
    EXPECT_EQ(clean({.force = true}), "");
    for (const char* name : {"Service/apps/web", "Ingress/apps/docs", "ProxyGroup/front"}) {
        EXPECT_TRUE(is_said("would remove finalizers of " + std::string(name))) << said;
    }
    EXPECT_EQ(finalizers(kDocs), R"(["tailscale.com/ingress-pg-finalizer"])");
    EXPECT_EQ(clean({.yes = true, .force = true}), "");
    EXPECT_TRUE(is_said("removed finalizers of Service/apps/web")) << said;
    EXPECT_EQ(finalizers(kWeb), R"(["example.com/other"])");
    EXPECT_EQ(finalizers(kDocs), "[]");
    EXPECT_EQ(finalizers(kGroup), "[]");
    EXPECT_EQ(clean({.yes = true, .force = true}), "");
    EXPECT_EQ(said, "nothing left of the controller\n");
}

TEST_F(LeftoversTest, FinalizersOfAnOperatorElsewhereStay) {
    put_held();
    ns = "nope";
    const std::string said_of_it =
        clean({.yes = true, .force = true, .login_server = "https://tailnet"});
    EXPECT_NE(said_of_it.find("namespace \"nope\" has neither"), std::string::npos) << said_of_it;
    EXPECT_EQ(finalizers(kDocs), R"(["tailscale.com/ingress-pg-finalizer"])");
}

TEST_F(LeftoversTest, AnOperatorThatRunsKeepsWhatItNeeds) {
    put_held();
    put_accounts("{}");
    put_running_operator();
    EXPECT_EQ(clean({.yes = true, .force = true, .acme_accounts = true}), "");
    EXPECT_EQ(finalizers(kDocs), R"(["tailscale.com/ingress-pg-finalizer"])");
    EXPECT_NE(kube.find(accounts), nullptr);
    EXPECT_EQ(said.find("finalizers"), std::string::npos) << said;
}

TEST_F(LeftoversTest, AccountsAtTheAcmeServerStayUnlessAskedFor) {
    put_accounts(R"({"_default.acme-account.key.pem":"a2V5","two.acme-account.key.pem":"a2V5"})");
    const std::string leaves =
        "leaves Secret tailscale-acme-accounts, which has the private keys of 2 accounts at the "
        "ACME server: use --acme-accounts to remove it as well";
    EXPECT_EQ(clean({.force = true}), "");
    EXPECT_TRUE(is_said(leaves)) << said;
    EXPECT_EQ(clean({.yes = true, .force = true}), "");
    EXPECT_TRUE(is_said(leaves)) << said;
    EXPECT_NE(kube.find(accounts), nullptr);
    EXPECT_EQ(clean({.force = true, .acme_accounts = true}), "");
    EXPECT_TRUE(is_said("would remove Secret tailscale-acme-accounts")) << said;
    EXPECT_NE(kube.find(accounts), nullptr);
    EXPECT_EQ(clean({.yes = true, .force = true, .acme_accounts = true}), "");
    EXPECT_TRUE(is_said("removed Secret tailscale-acme-accounts")) << said;
    EXPECT_EQ(kube.find(accounts), nullptr) << "its finalizer does not hold it";
}

TEST_F(LeftoversTest, NothingIsLostWithoutAccounts) {
    put_accounts("{}");
    EXPECT_EQ(clean({.yes = true, .force = true}), "");
    EXPECT_EQ(kube.find(accounts), nullptr);
}

// cleanup has to ask for the audience that the controller knows from its own token.
TEST_F(LeftoversTest, SendsNoTokenThatTheClusterWouldTake) {
    join_by_trust();
    kube.own_audience = "partner";
    const std::size_t before = kube.token_requests.size();
    const std::string problem = clean({.yes = true, .force = true});
    EXPECT_NE(problem.find("\"partner\", which is that of the cluster's own API server"),
              std::string::npos)
        << problem;
    EXPECT_EQ(kube.token_requests.size(), before);
    EXPECT_EQ(partner.devices.size(), 1U);
}

// The chart's values may rename all these objects.
TEST_F(LeftoversTest, AsksAsTheControllerWhateverItsName) {
    join_by_trust();
    EXPECT_EQ(clean({.yes = true, .force = true}), "");
    EXPECT_EQ(asked_server, "https://tailnet");
    EXPECT_EQ(asked_secret, "front-oauth");
    EXPECT_TRUE(tailnet.devices.empty());
    EXPECT_TRUE(partner.devices.empty());
    EXPECT_EQ(kube.token_requests.back(), "front partner 600");
}

}  // namespace
}  // namespace runtime::operate
