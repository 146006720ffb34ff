#include "runtime/kube/watch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "renderer/core/text_of.h"
#include "runtime/testing/fake_kube.h"

namespace runtime {
namespace {

using renderer::Value;

constexpr Duration kSecond = std::chrono::seconds(1);

struct Item {
    std::string text;
    bool operator==(const Item&) const = default;
};

std::optional<Item> decode(const Value& object) {
    const auto text = renderer::text_of(object.find("text"));
    return text == "hidden" ? std::nullopt : std::optional<Item>(Item{std::string(text)});
}

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
        for (const auto& [key, item] : mirror.objects()) {
            out += fmt::format("{}={} ", key, item.text);
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
    std::vector<std::string> changes;
    Mirror<Item> mirror{decode, [this](const std::string& key) { changes.push_back(key); }};
    Watch watch{loop, client, log, chance, {.path = path_of(kConfigMaps, "ns")}, mirror};
};

TEST_F(WatchTest, ListsThenFollows) {
    put("a", "1");
    watch.start();
    EXPECT_FALSE(mirror.complete());
    loop.run_for(kSecond);
    EXPECT_TRUE(mirror.complete());
    put("b", "2");
    put("a", "3");
    loop.run_for(kSecond);
    EXPECT_EQ(shown(), "ns/a=3 ns/b=2 ");
    kube.erase(path("a"));
    loop.run_for(kSecond);
    EXPECT_EQ(shown(), "ns/b=2 ");
    EXPECT_EQ(changes, (std::vector<std::string>{"ns/a", "", "ns/b", "ns/a", "ns/a"}));
}

TEST_F(WatchTest, ListsInPages) {
    for (int i = 0; i < 250; ++i) {
        put(fmt::format("m{:03}", i), "x");
    }
    watch.start();
    loop.run_for(kSecond);
    EXPECT_EQ(mirror.objects().size(), 250U);
    EXPECT_EQ(network.log.size(), 11U) << "ten pages and a watch";
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

// As after etcd was restored from a backup.
TEST_F(WatchTest, AListCountsAlthoughVersionsWentBack) {
    const auto item = [](std::string_view version, std::string_view text) {
        return Value::map(
            {{"metadata",
              Value::map({{"name", "a"}, {"namespace", "ns"}, {"resourceVersion", version}})},
             {"text", text}});
    };
    const auto list = [this, &item](std::string_view version, std::string_view text) {
        mirror.begin_list();
        mirror.put(item(version, text));
        mirror.end_list();
    };
    list("500", "later");
    list("300", "restored");
    EXPECT_EQ(shown(), "ns/a=restored ");
    mirror.put(item("301", "ours"));
    mirror.put(item("300", "restored"));
    EXPECT_EQ(shown(), "ns/a=ours ") << "what we have written ourselves is newer";
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

TEST_F(WatchTest, OlderVersionsAreIgnored) {
    put("a", "1");
    watch.start();
    loop.run_for(kSecond);
    // As after a write of our own, whose answer is quicker than the watch.
    Value newer = kube.find(path("a"))->clone();
    newer.put("text", "9");
    newer.find("metadata")->put("resourceVersion", "1000");
    mirror.put(newer);
    put("a", "2");
    loop.run_for(kSecond);
    EXPECT_EQ(shown(), "ns/a=9 ");
}

TEST_F(WatchTest, WhatIsOfNoInterestIsNotKept) {
    put("a", "1");
    watch.start();
    loop.run_for(kSecond);
    put("a", "hidden");
    put("b", "hidden");
    loop.run_for(kSecond);
    EXPECT_EQ(shown(), "");
}

TEST_F(WatchTest, TheEndOfAnEarlierObjectIsNotThatOfALaterOne) {
    put("a", "1");
    watch.start();
    loop.run_for(kSecond);
    mirror.put(
        Value::map({{"metadata",
                     Value::map({{"name", "a"}, {"namespace", "ns"}, {"resourceVersion", "1000"}})},
                    {"text", "9"}}));
    kube.erase(path("a"));
    loop.run_for(kSecond);
    EXPECT_EQ(shown(), "ns/a=9 ");
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
    Mirror<Item> connectors(decode, [](const std::string&) {});
    Watch follow(loop, client, log, chance,
                 {.path = "/apis/tailscale.com/v1alpha1/connectors", .may_be_absent = true},
                 connectors);
    follow.start();
    loop.run_for(kSecond);
    EXPECT_TRUE(connectors.complete());
    kube.has_custom_resources = true;
    kube.put("/apis/tailscale.com/v1alpha1/connectors/office",
             Value::map({{"metadata", Value::map({{"name", "office"}})}, {"text", "1"}}));
    loop.run_for(600 * kSecond);
    EXPECT_NE(connectors.find("office"), nullptr);
    kube.has_custom_resources = false;
    kube.forget_history();
    loop.run_for(600 * kSecond);
    EXPECT_EQ(connectors.find("office"), nullptr);
}

TEST_F(WatchTest, ThatAKindOfKubernetesIsMissingIsAnError) {
    Mirror<Item> pods(decode, [](const std::string&) {});
    Watch follow(loop, client, log, chance, {.path = "/apis/tailscale.com/v1alpha1/pods"}, pods);
    follow.start();
    loop.run_for(60 * kSecond);
    EXPECT_FALSE(pods.complete());
}

}  // namespace
}  // namespace runtime
