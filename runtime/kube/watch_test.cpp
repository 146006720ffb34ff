#include "runtime/kube/watch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "renderer/core/text_of.h"
#include "runtime/testing/fake_kube.h"

namespace runtime {
namespace {

using renderer::Value;

constexpr Duration kSecond = std::chrono::seconds(1);

// What was told, by key of the object.
class Copy : public WatchSink {
public:
    void begin_list() override { unseen = objects; }
    void put(const Value& object) override {
        const std::string key = key_of(object);
        unseen.erase(key);
        objects[key] = renderer::text_of(object.find("text"));
    }
    void erase(const Value& object) override { objects.erase(key_of(object)); }
    void end_list() override {
        for (const auto& [key, text] : unseen) {
            objects.erase(key);
        }
        complete = true;
    }

    std::map<std::string, std::string> objects, unseen;
    bool complete = false;
};

class WatchTest : public testing::Test {
protected:
    WatchTest() { network.add("https://kube", kube); }

    static std::string path(const std::string& name) { return path_of(kConfigMaps, "ns", name); }
    void put(const std::string& name, const std::string& text) {
        kube.put(path(name),
                 Value::map({{"metadata", Value::map({{"name", name}, {"namespace", "ns"}})},
                             {"text", text}}));
    }
    std::string shown() {
        std::string out;
        for (const auto& [key, text] : copy.objects) {
            out += fmt::format("{}={} ", key, text);
        }
        return out;
    }

    FakeLoop loop;
    FakeNetwork network{loop};
    FakeKube kube;
    FakeTransport transport{network};
    KubeClient client{transport, {.server = "https://kube", .ca_file = "", .token_file = ""}};
    Log log{Log::Form::Text, LogLevel::Error};
    Chance chance{1};
    Copy copy;
    Watch watch{loop, client, log, chance, {.path = path_of(kConfigMaps, "ns")}, copy};
};

TEST_F(WatchTest, ListsThenFollows) {
    put("a", "1");
    watch.start();
    EXPECT_FALSE(copy.complete);
    loop.run_for(kSecond);
    EXPECT_TRUE(copy.complete);
    put("b", "2");
    put("a", "3");
    loop.run_for(kSecond);
    EXPECT_EQ(shown(), "ns/a=3 ns/b=2 ");
    kube.erase(path("a"));
    loop.run_for(kSecond);
    EXPECT_EQ(shown(), "ns/b=2 ");
}

TEST_F(WatchTest, ListsInPages) {
    for (int i = 0; i < 1200; ++i) {
        put(fmt::format("m{:04}", i), "x");
    }
    watch.start();
    loop.run_for(kSecond);
    EXPECT_EQ(copy.objects.size(), 1200U);
    EXPECT_EQ(network.log.size(), 4U) << "three pages and a watch";
}

TEST_F(WatchTest, WhatHasChangedMeanwhileIsSeenAfterAFreshList) {
    put("a", "1");
    put("b", "1");
    watch.start();
    loop.run_for(kSecond);
    kube.erase(path("a"));
    put("b", "2");
    kube.forget_history();  // the watch ends, and cannot go on: 410
    put("c", "3");
    loop.run_for(5 * kSecond);
    EXPECT_EQ(shown(), "ns/b=2 ns/c=3 ");
}

TEST_F(WatchTest, AnEndedWatchGoesOnFromWhereItWas) {
    put("a", "1");
    watch.start();
    loop.run_for(kSecond);
    put("a", "2");
    loop.run_for(kSecond);
    network.log.clear();
    kube.drop_watches();
    put("b", "3");
    loop.run_for(5 * kSecond);
    EXPECT_EQ(shown(), "ns/a=2 ns/b=3 ");
    for (const auto& sent : network.log) {
        EXPECT_NE(sent.url.find("watch=true"), std::string::npos) << "listed again: " << sent.url;
    }
}

TEST_F(WatchTest, TriesAgainLessAndLessOften) {
    network.fault = [](const HttpRequest&) { return Fault::Refused; };
    watch.start();
    loop.run_for(std::chrono::minutes(10));
    EXPECT_GE(network.log.size(), 20U);
    EXPECT_LE(network.log.size(), 60U);
    network.fault = [](const HttpRequest&) { return Fault::None; };
    put("a", "1");
    loop.run_for(std::chrono::minutes(1));
    EXPECT_EQ(shown(), "ns/a=1 ");
}

TEST_F(WatchTest, ListsLessAndLessOftenWhileTheStreamIsRefused) {
    network.fault = [](const HttpRequest& request) {
        return request.url.find("watch=true") == std::string::npos ? Fault::None : Fault::Refused;
    };
    watch.start();
    loop.run_for(600 * kSecond);
    EXPECT_LT(network.log.size(), 120U);
    EXPECT_GT(network.log.size(), 30U);
}

TEST_F(WatchTest, FollowsAKindThatIsNotInstalledOnceItIs) {
    Copy connectors;
    Watch follow(loop, client, log, chance,
                 {.path = "/apis/tailscale.com/v1alpha1/connectors", .may_be_absent = true},
                 connectors);
    follow.start();
    loop.run_for(kSecond);
    EXPECT_TRUE(connectors.complete);
    kube.has_custom_resources = true;
    kube.put("/apis/tailscale.com/v1alpha1/connectors/office",
             Value::map({{"metadata", Value::map({{"name", "office"}})}, {"text", "1"}}));
    loop.run_for(600 * kSecond);
    EXPECT_TRUE(connectors.objects.contains("office"));
    kube.has_custom_resources = false;
    kube.forget_history();
    loop.run_for(600 * kSecond);
    EXPECT_FALSE(connectors.objects.contains("office"));
}

TEST_F(WatchTest, ThatAKindOfKubernetesIsMissingIsAnError) {
    Copy pods;
    Watch follow(loop, client, log, chance, {.path = "/apis/tailscale.com/v1alpha1/pods"}, pods);
    follow.start();
    loop.run_for(60 * kSecond);
    EXPECT_FALSE(pods.complete);
}

}  // namespace
}  // namespace runtime
