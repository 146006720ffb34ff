// A tailnet that trusts the cluster: which tokens are sent to it, and which are not sent anywhere.
#include "runtime/controller/keys/tailnet_identity.h"

#include <fmt/format.h>

#include "renderer/contract/annotations.h"
#include "renderer/core/text_of.h"
#include "runtime/testing/status_test.h"

namespace runtime::controller {
namespace {

using renderer::text_of;
using renderer::Value;

class TailnetIdentity : public StatusTest {
protected:
    // Adds a tailnet whose Secret has the audience, and no client secret.
    void add(const std::string& url, const std::string& audience) {
        network.add(url, partner);
        partner.trusts_cluster = true;
        cluster.add_tailnet("partner", url, partner);
        kube.erase_datum(secret("partner"), "client_secret");
        kube.set_datum(secret("partner"), "audience", audience);
        kube.has_custom_resources = true;
        put(kPath, "partner", "", R"({"credentials":{"secretName":"partner"}})");
        cluster.add_proxy("a");
        cluster.annotate("a", renderer::kTailnetAnnotation, "partner");
    }
    std::string told() {
        for (const std::string& path : kube.paths_below("/api/v1/namespaces/tailscale/events")) {
            const Value& event = *kube.find(path);
            if (text_of(event.at({"involvedObject", "name"})) == "tailrender-tailnet-partner") {
                return std::string(text_of(event.find("message")));
            }
        }
        return {};
    }

    static constexpr const char* kPath = "/apis/tailscale.com/v1alpha1/tailnets/partner";
    FakeTailnet partner{loop};
};

TEST_F(TailnetIdentity, ATokenOfItsAccountIsExchanged) {
    add("https://partner", "https://partner/clients/7");
    start();
    run(kMinute);
    EXPECT_EQ(partner.devices.size(), 1U);
    EXPECT_EQ(kube.token_requests,
              std::vector<std::string>{"operator https://partner/clients/7 600"});
    EXPECT_EQ(partner.exchanges,
              std::vector<std::string>{
                  "grant_type=client_credentials&client_id=id-of-partner&jwt=jwt-1"});
    EXPECT_NE(status(kPath).find(R"("reason":"TailnetValid")"), std::string::npos);
}

TEST_F(TailnetIdentity, EachAccessTokenIsOfANewTokenAndReplacedBeforeItEnds) {
    add("https://partner", "partner");
    start();
    run(50 * kMinute);
    EXPECT_EQ(kube.token_requests.size(), 1U) << "not each time that the Secret is read";
    EXPECT_EQ(partner.tokens, 1U);
    run(11 * kMinute);
    EXPECT_EQ(partner.tokens, 2U) << "the tailnet's keys are asked for each hour";
    ASSERT_EQ(partner.exchanges.size(), 2U);
    EXPECT_TRUE(partner.exchanges[1].ends_with("&jwt=jwt-2"));
    for (const auto& sent : network.log) {
        EXPECT_EQ(sent.url.find("jwt-"), std::string::npos) << sent.url;
    }
}

TEST_F(TailnetIdentity, AnAudienceWinsOverTheSecretOfAClient) {
    add("https://partner", "partner");
    kube.set_datum(secret("partner"), "client_secret", partner.wanted_secret);
    start();
    run(kMinute);
    EXPECT_EQ(partner.exchanges.size(), 1U);
    EXPECT_EQ(partner.devices.size(), 1U);
    kube.erase_datum(secret("partner"), "audience");
    cluster.add_proxy("b");
    cluster.annotate("b", renderer::kTailnetAnnotation, "partner");
    run(3 * kMinute);
    EXPECT_EQ(partner.exchanges.size(), 1U) << "the secret counts again";
    EXPECT_EQ(partner.tokens, 2U);
    EXPECT_EQ(partner.devices.size(), 2U);
}

TEST_F(TailnetIdentity, SaysWhatItsSecretLacks) {
    add("https://partner", "partner");
    kube.erase_datum(secret("partner"), "audience");
    start();
    run(kMinute);
    EXPECT_NE(status(kPath).find(
                  R"(Secret \"partner\" must contain either a client_secret or an audience field)"),
              std::string::npos)
        << status(kPath);
    EXPECT_NE(status(kPath).find(R"("reason":"InvalidSecret")"), std::string::npos);
    kube.erase_datum(secret("partner"), "client_id");
    run(3 * kMinute);
    EXPECT_NE(status(kPath).find(R"(Secret \"partner\" is missing the client_id field)"),
              std::string::npos)
        << status(kPath);
}

TEST_F(TailnetIdentity, SaysWhatKeepsItFromAToken) {
    kube.may_request_tokens = false;
    add("https://partner", "partner");
    start();
    run(kMinute);
    EXPECT_NE(status(kPath).find(R"(no token of ServiceAccount \"operator\": serviceaccounts)"),
              std::string::npos)
        << status(kPath);
    EXPECT_TRUE(partner.exchanges.empty());
    kube.may_request_tokens = true;
    partner.trusts_cluster = false;
    run(2 * kMinute);
    EXPECT_NE(
        status(kPath).find(
            R"(the tailnet refuses OAuth client \"id-of-partner\": API token invalid (HTTP )"
            R"(status 401): check the federated identity that the tailnet trusts for it, and )"
            R"(client_id and audience in Secret \"tailscale/partner\")"),
        std::string::npos)
        << status(kPath);
    partner.trusts_cluster = true;
    run(2 * kMinute);
    EXPECT_EQ(partner.devices.size(), 1U);
}

// A user who may write ConfigMaps and Secrets has a server, and wants a token that is valid
// elsewhere: at the API server, in another tailnet, at a cloud.
TEST_F(TailnetIdentity, ATokenThatIsOfUseElsewhereIsNotEvenMade) {
    for (const char* audience :
         {"https://kubernetes.default.svc", "api.tailscale.com/kCLIENT", "sts.amazonaws.com",
          "https://partner.example.com", "https://tailnet"}) {
        SCOPED_TRACE(audience);
        add("https://partner", audience);
        start();
        run(10 * kMinute);
        EXPECT_EQ(kube.token_requests, std::vector<std::string>());
        EXPECT_EQ(partner.exchanges, std::vector<std::string>());
        EXPECT_TRUE(told().starts_with(
            fmt::format("Secret \"partner\" has the audience \"{}\", ", audience)))
            << told();
        kube.erase(kube.paths_below("/api/v1/namespaces/tailscale/events").front());
    }
}

// A user who may only write ConfigMaps has no Secret with the label of their tailnet.
TEST_F(TailnetIdentity, ASecretThatDoesNotSayWhoseItIsCausesNoToken) {
    add("https://partner", "partner");
    Value object = kube.find(secret("partner"))->clone();
    object.find("metadata")->erase("labels");
    kube.put(secret("partner"), std::move(object));
    start();
    run(10 * kMinute);
    EXPECT_EQ(kube.token_requests, std::vector<std::string>());
    EXPECT_TRUE(told().starts_with("Secret \"partner\" is not labelled for tailnet")) << told();
}

TEST(UnsafeAudience, IsOneThatIsOfUseElsewhere) {
    constexpr std::string_view kOwn = "http://10.0.0.1:8080";
    const Account account{
        .ns = "tailscale", .name = "operator", .audiences = {"https://kubernetes.default.svc"}};
    const struct {
        const char* audience;
        const char* server;
        bool is_safe;
    } rows[] = {
        {"anything", "http://10.0.0.1:8080", true},
        {"https://kubernetes.default.svc", "http://10.0.0.1:8080", false},
        {"https://kubernetes.default.svc", "https://kubernetes.default.svc", false},
        {"api.tailscale.com/kCLIENT", "https://controlplane.tailscale.com", true},
        {"api.tailscale.com/kCLIENT", "https://tailscale.com.example.com", false},
        {"api.tailscale.com/kCLIENT", "https://eviltailscale.com", false},
        {"api.tailscale.com/kCLIENT", "https://example.com/x.tailscale.com", false},
        {"api.tailscale.com/kCLIENT", "https://example.com%2f.tailscale.com", false},
        {"api.tailscale.com/kCLIENT", "https://example.com:443.tailscale.com", false},
        {"login.example.com", "https://login.example.com", true},
        {"https://login.example.com", "https://login.example.com", true},
        {"https://login.example.com/7", "https://login.example.com/base", true},
        {"login.example.com:8443/7", "https://login.example.com:8443", true},
        {"login.example.com", "https://login.example.com:8443", false},
        {"login.example.com.evil.example", "https://login.example.com", false},
        {"sts.example.com", "https://login.example.com", false},
        {"[::1]", "https://[::1]", false},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(fmt::format("{} at {}", row.audience, row.server));
        EXPECT_EQ(unsafe_audience(row.audience, row.server, kOwn, account).empty(), row.is_safe);
    }
}

}  // namespace
}  // namespace runtime::controller
