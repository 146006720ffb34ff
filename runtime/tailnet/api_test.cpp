#include "runtime/tailnet/api.h"

#include <gtest/gtest.h>

#include "renderer/core/text_of.h"
#include "runtime/testing/api_test.h"

namespace runtime::tailnet {

using renderer::Value;

namespace {

// The guard is asked each time that the call is sent, not when it is made.
TEST_F(ApiTest, AsksTheGuardRightBeforeACallIsSent) {
    tailnet.devices["n1"] = {"n1", "a", "", "a", {"tag:k8s"}};
    bool is_busy = true;
    network.fault = [&is_busy](const HttpRequest& request) {
        return is_busy && request.method == "DELETE" ? Fault::Busy : Fault::None;
    };
    int asked = 0;
    std::string objection;
    Reply reply;
    api.delete_device("n1", keep(reply), [&](const Next& next) {
        ++asked;
        next(objection);
    });
    loop.run_for(std::chrono::milliseconds(200));
    EXPECT_EQ(asked, 1);
    objection = "it is back";
    is_busy = false;
    loop.run_for(std::chrono::minutes(5));
    EXPECT_EQ(asked, 2);
    EXPECT_EQ(answers, 1);
    EXPECT_EQ(reply.message, "it is back");
    EXPECT_TRUE(tailnet.devices.contains("n1"));
}

TEST_F(ApiTest, MintsAKeyThatServesOneDevice) {
    Reply reply;
    api.mint({.tags = {"tag:k8s", "tag:web"}, .description = "mark"}, keep(reply));
    loop.run_for(std::chrono::seconds(1));
    ASSERT_TRUE(reply.ok()) << reply.message;
    const auto& key = tailnet.keys.begin()->second;
    EXPECT_EQ(renderer::text_of(reply.body.find("key")), key.secret);
    EXPECT_EQ(key.tags, (std::vector<std::string>{"tag:k8s", "tag:web"}));
    EXPECT_EQ(key.description, "mark");
}

TEST_F(ApiTest, EachCallNamesTheScopeThatItLacks) {
    BusyServer forbids;
    forbids.status = 403;
    Reply reply;
    api.list_keys(keep(reply));
    loop.run_for(std::chrono::seconds(1));
    network.add("https://tailnet", forbids);
    const std::pair<const char*, std::function<void()>> calls[] = {
        {"auth_keys", [&] { api.mint({.tags = {"tag:k8s"}, .description = "mark"}, keep(reply)); }},
        {"auth_keys", [&] { api.list_keys(keep(reply)); }},
        {"auth_keys", [&] { api.get_key("k1", keep(reply)); }},
        {"auth_keys", [&] { api.revoke_key("k1", keep(reply)); }},
        {"devices:core", [&] { api.list_devices(Lane::Devices, keep(reply)); }},
        {"devices:core", [&] { api.get_device("n1", keep(reply)); }},
        {"devices:core", [&] { api.delete_device("n1", keep(reply)); }},
        {"devices:core", [&] { api.set_tags("n1", {"tag:k8s"}, keep(reply)); }},
        {"services", [&] { api.get_service("svc:a", keep(reply)); }},
        {"services", [&] { api.put_service("svc:a", Value::map(), keep(reply)); }},
        {"services", [&] { api.delete_service("svc:a", keep(reply)); }}};
    for (const auto& [scope, call] : calls) {
        call();
        loop.run_for(std::chrono::seconds(1));
        EXPECT_EQ(reply.message, "HTTP status 403: OAuth client \"id\" needs the scope \"" +
                                     std::string(scope) + "\"");
    }
}

TEST_F(ApiTest, RepeatsWhatMayBeRepeated) {
    Reply reply;
    int failures = 3;
    network.fault = [&](const HttpRequest& request) {
        const bool hit = request.url.find("/keys") != std::string::npos && failures > 0;
        return hit ? (--failures, Fault::LostReply) : Fault::None;
    };
    api.list_keys(keep(reply));
    loop.run_for(std::chrono::minutes(1));
    EXPECT_TRUE(reply.ok());
    EXPECT_EQ(requests("/keys"), 4U);
}

TEST_F(ApiTest, GivesUpAfterFourAttempts) {
    network.fault = [](const HttpRequest& request) {
        return request.url.find("/device/") != std::string::npos ? Fault::Broken : Fault::None;
    };
    Reply reply;
    api.delete_device("n1", keep(reply));
    loop.run_for(std::chrono::minutes(10));
    EXPECT_EQ(reply.code, 500);
    EXPECT_EQ(reply.message, "fault (HTTP status 500)");
    EXPECT_EQ(requests("/device/"), 4U);
}

TEST_F(ApiTest, NeverMintsTwiceForOneCall) {
    network.fault = [](const HttpRequest& request) {
        return request.method == "POST" && request.url.ends_with("/keys") ? Fault::LostReply
                                                                          : Fault::None;
    };
    Reply reply;
    api.mint({.tags = {"tag:k8s"}, .description = "mark"}, keep(reply));
    loop.run_for(std::chrono::minutes(10));
    EXPECT_EQ(tailnet.keys.size(), 1U);
    EXPECT_FALSE(reply.ok());
    EXPECT_TRUE(reply.may_be_done);
}

TEST_F(ApiTest, MintsAgainAfterA429WhichMintsNothing) {
    int failures = 2;
    network.fault = [&](const HttpRequest& request) {
        const bool hit = request.url.ends_with("/keys") && failures > 0;
        return hit ? (--failures, Fault::Busy) : Fault::None;
    };
    Reply reply;
    api.mint({.tags = {"tag:k8s"}, .description = "mark"}, keep(reply));
    loop.run_for(std::chrono::minutes(1));
    EXPECT_TRUE(reply.ok());
    EXPECT_EQ(tailnet.keys.size(), 1U);
}

Value service_of(std::string_view port, std::string_view tag) {
    return Value::map({{"name", "svc:docs"},
                       {"ports", Value::list({Value(port)})},
                       {"tags", Value::list({Value(tag)})}});
}

TEST_F(ApiTest, PutsReadsAndDeletesATailscaleService) {
    Reply reply;
    api.get_service("svc:docs", keep(reply));
    loop.run_for(std::chrono::seconds(1));
    EXPECT_TRUE(reply.not_found());
    api.put_service("svc:docs", service_of("tcp:443", "tag:k8s"), keep(reply));
    loop.run_for(std::chrono::seconds(1));
    ASSERT_TRUE(reply.ok()) << reply.message;
    api.get_service("svc:docs", keep(reply));
    loop.run_for(std::chrono::seconds(1));
    ASSERT_TRUE(reply.ok()) << reply.message;
    EXPECT_EQ(reply.body.find("addrs")->items()[0].text(), "100.100.0.1");
    api.put_service("svc:docs", reply.body, keep(reply));
    loop.run_for(std::chrono::seconds(1));
    EXPECT_TRUE(reply.ok()) << reply.message;
    api.delete_service("svc:docs", keep(reply));
    loop.run_for(std::chrono::seconds(1));
    EXPECT_TRUE(reply.ok()) << reply.message;
    EXPECT_TRUE(tailnet.services.empty());
}

TEST_F(ApiTest, TellsWhyAServiceIsRefused) {
    Reply reply;
    api.put_service("svc:docs", service_of("http", "tag:k8s"), keep(reply));
    loop.run_for(std::chrono::seconds(1));
    EXPECT_EQ(reply.message, "port \"http\" is invalid (HTTP status 400)");
    tailnet.unowned_tags = {"tag:k8s"};
    api.put_service("svc:docs", service_of("tcp:443", "tag:k8s"), keep(reply));
    loop.run_for(std::chrono::seconds(1));
    EXPECT_EQ(reply.message, "tag \"tag:k8s\" is invalid or not permitted (HTTP status 400)");
    EXPECT_EQ(requests("/vip-services/"), 2U) << "nothing is repeated that was refused";
}

TEST_F(ApiTest, RepeatsADeletionWhoseAnswerWasLost) {
    Reply reply;
    int failures = 1;
    network.fault = [&](const HttpRequest& request) {
        const bool hit = request.method == "DELETE" && failures > 0;
        return hit ? (--failures, Fault::LostReply) : Fault::None;
    };
    api.put_service("svc:docs", service_of("tcp:443", "tag:k8s"), keep(reply));
    loop.run_for(std::chrono::seconds(1));
    api.delete_service("svc:docs", keep(reply));
    loop.run_for(std::chrono::minutes(1));
    EXPECT_TRUE(reply.not_found()) << "done by the first attempt";
    EXPECT_TRUE(tailnet.services.empty());
}

TEST_F(ApiTest, ACalendarThatIsSetBackDelaysNothing) {
    Reply reply;
    api.list_keys(keep(reply));
    loop.run_for(std::chrono::seconds(1));
    loop.shift_calendar(-std::chrono::hours(1));
    api.list_keys(keep(reply));
    loop.run_for(std::chrono::seconds(1));
    EXPECT_EQ(answers, 2);
}

}  // namespace
}  // namespace runtime::tailnet
