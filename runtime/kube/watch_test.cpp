#include "runtime/kube/watch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>

#include "renderer/core/text_of.h"
#include "runtime/testing/fake_kube.h"

namespace runtime::kube {
namespace {

using renderer::Value;

constexpr Duration kWatchSecond = std::chrono::seconds(1);

// The reported objects, by name.
class Copy : public WatchSink {
public:
    void begin_list() override { unseen = objects; }
    void put(const Value& object) override {
        unseen.erase(name_of(object));
        objects[name_of(object)] = renderer::text_of(object.find("text"));
    }
    void erase(const Value& object) override { objects.erase(name_of(object)); }
    void end_list() override {
        for (const auto& [key, text] : unseen) {
            objects.erase(key);
        }
        complete = true;
    }

    std::map<std::string, std::string> objects, unseen;
    bool complete = false;

private:
    static std::string name_of(const Value& object) {
        return std::string(renderer::text_of(object.at({"metadata", "name"})));
    }
};

// A server that can be made to answer differently.
class Moody : public FakeServer {
public:
    explicit Moody(FakeKube& its_kube) : kube(&its_kube) {}
    HttpReply answer(const HttpRequest& request, const std::string& path,
                     const std::shared_ptr<Stream>& stream) override {
        const std::optional<HttpReply> reply = instead(path);
        return reply.has_value() ? *reply : kube->answer(request, path, stream);
    }
    std::function<std::optional<HttpReply>(std::string_view path)> instead = [](std::string_view) {
        return std::nullopt;
    };
    FakeKube* kube;
};

constexpr std::string_view kUnreadable = "{\"type\":\"ADDED\",\"object\":{\n";

class WatchTest : public testing::Test {
protected:
    WatchTest() { network.add("https://kube", server); }

    static std::string path(const std::string& name) { return path_of(kConfigMaps, "ns", name); }
    void put(const std::string& name, const std::string& text) {
        kube.put(path(name),
                 Value::map({{"metadata", Value::map({{"name", name}, {"namespace", "ns"}})},
                             {"text", text}}));
    }
    // Starts with one object, and clears the log of requests.
    void begin() {
        put("a", "1");
        watch.start();
        loop.run_for(kWatchSecond);
        put("a", "2");
        loop.run_for(kWatchSecond);
        network.log.clear();
    }
    [[nodiscard]] std::string version() const {
        return std::string(
            renderer::text_of(kube.find(path("a"))->at({"metadata", "resourceVersion"})));
    }
    // Returns the number of requests whose URL contains this.
    [[nodiscard]] std::size_t requests(std::string_view part) const {
        std::size_t count = 0;
        for (const auto& sent : network.log) {
            count += sent.url.find(part) == std::string::npos ? 0 : 1;
        }
        return count;
    }
    [[nodiscard]] std::size_t lists() const { return requests("limit=500"); }

    std::string shown() {
        std::string out;
        for (const auto& [name, text] : copy.objects) {
            out += fmt::format("{}={} ", name, text);
        }
        return out;
    }

    FakeLoop loop;
    FakeNetwork network{loop};
    FakeKube kube;
    Moody server{kube};
    FakeTransport transport{network};
    Client client{transport, {.server = "https://kube", .ca_file = "", .token_file = ""}};
    Log log{Log::Form::Text, LogLevel::Error};
    RandomSource random{1};
    Copy copy;
    Watch watch{loop, client, log, random, {.path = path_of(kConfigMaps, "ns")}, copy};
};

TEST_F(WatchTest, ListsThenFollows) {
    put("a", "1");
    watch.start();
    EXPECT_FALSE(copy.complete);
    loop.run_for(kWatchSecond);
    EXPECT_TRUE(copy.complete);
    put("b", "2");
    put("a", "3");
    loop.run_for(kWatchSecond);
    EXPECT_EQ(shown(), "a=3 b=2 ");
    kube.erase(path("a"));
    loop.run_for(kWatchSecond);
    EXPECT_EQ(shown(), "b=2 ");
}

TEST_F(WatchTest, AskedForOneNameItAsksForNoOther) {
    Copy one;
    Watch named(loop, client, log, random,
                {.path = path_of(kConfigMaps, "ns"), .query = "fieldSelector=metadata.name%3Da"},
                one);
    put("a", "1");
    put("b", "1");
    named.start();
    loop.run_for(kWatchSecond);
    put("b", "2");
    kube.break_watches("half a line");
    put("a", "2");
    loop.run_for(5 * kWatchSecond);
    EXPECT_EQ(one.objects, (std::map<std::string, std::string>{{"a", "2"}}));
    EXPECT_EQ(requests("limit=1"), 1U);
    EXPECT_EQ(requests("/configmaps"), requests("fieldSelector=metadata.name%3Da"));
}

TEST_F(WatchTest, ListsInPages) {
    for (int i = 0; i < 1200; ++i) {
        put(fmt::format("m{:04}", i), "x");
    }
    watch.start();
    loop.run_for(kWatchSecond);
    EXPECT_EQ(copy.objects.size(), 1200U);
    EXPECT_EQ(network.log.size(), 4U) << "three pages and a watch";
}

TEST_F(WatchTest, WhatHasChangedMeanwhileIsSeenAfterAFreshList) {
    put("a", "1");
    put("b", "1");
    watch.start();
    loop.run_for(kWatchSecond);
    kube.erase(path("a"));
    put("b", "2");
    kube.forget_history();  // the watch ends with 410 and cannot resume
    put("c", "3");
    loop.run_for(5 * kWatchSecond);
    EXPECT_EQ(shown(), "b=2 c=3 ");
}

TEST_F(WatchTest, AnEndedWatchGoesOnFromWhereItWas) {
    put("a", "1");
    watch.start();
    loop.run_for(kWatchSecond);
    put("a", "2");
    loop.run_for(kWatchSecond);
    network.log.clear();
    kube.drop_watches();
    put("b", "3");
    loop.run_for(5 * kWatchSecond);
    EXPECT_EQ(shown(), "a=2 b=3 ");
    for (const auto& sent : network.log) {
        EXPECT_NE(sent.url.find("watch=true"), std::string::npos) << "listed again: " << sent.url;
    }
}

TEST_F(WatchTest, ABrokenWatchGoesOnFromWhereItWas) {
    begin();
    const std::string last = version();
    kube.break_watches(R"({"type":"DELETED","object":{"metadata":{"na)");
    put("b", "3");
    loop.run_for(5 * kWatchSecond);
    EXPECT_EQ(shown(), "a=2 b=3 ");
    EXPECT_EQ(lists(), 0U);
    EXPECT_EQ(requests("&resourceVersion=" + last), 1U);
}

TEST_F(WatchTest, AFailedWatchDoesNotListAgain) {
    begin();
    for (const Fault fault : {Fault::Refused, Fault::Busy, Fault::Broken, Fault::Hung}) {
        int failures = 3;
        network.fault = [&failures, fault](const HttpRequest& request) {
            return request.url.find("watch=true") != std::string::npos && failures-- > 0
                       ? fault
                       : Fault::None;
        };
        network.log.clear();
        const std::string last = version();
        kube.drop_watches();
        loop.run_for(std::chrono::hours(1));
        EXPECT_LT(failures, 0);
        EXPECT_EQ(lists(), 0U);
        EXPECT_GE(requests("&resourceVersion=" + last), 4U);
        put("a", fmt::format("{}", static_cast<int>(fault)));
        loop.run_for(kWatchSecond);
        EXPECT_EQ(shown(), fmt::format("a={} ", static_cast<int>(fault)));
    }
}

TEST_F(WatchTest, AnErrorInTheStreamDoesNotListAgain) {
    begin();
    kube.break_watches(R"({"type":"ERROR","object":{"kind":"Status","code":500}})"
                       "\n");
    put("b", "3");
    loop.run_for(5 * kWatchSecond);
    EXPECT_EQ(shown(), "a=2 b=3 ");
    EXPECT_EQ(lists(), 0U);
}

TEST_F(WatchTest, ListsAgainWhenItsVersionHasExpired) {
    int refusals = 0;
    for (const int status : {410, 400}) {
        begin();
        refusals = 1;
        server.instead = [&refusals, status](std::string_view path) -> std::optional<HttpReply> {
            return path.find("watch=true") != std::string_view::npos && refusals-- > 0
                       ? std::optional(HttpReply{.status = status})
                       : std::nullopt;
        };
        kube.break_watches();
        kube.put(path("b"), kube.find(path("a"))->clone());
        kube.erase(path("b"));
        loop.run_for(5 * kWatchSecond);
        EXPECT_EQ(lists(), 1U);
        EXPECT_EQ(shown(), "a=2 ");
    }
}

TEST_F(WatchTest, AnEventThatCannotBeReadIsAskedForOnceMore) {
    begin();
    const std::string last = version();
    kube.break_watches(kUnreadable);
    put("b", "3");
    loop.run_for(5 * kWatchSecond);
    EXPECT_EQ(shown(), "a=2 b=3 ");
    EXPECT_EQ(lists(), 0U);
    EXPECT_EQ(requests("&resourceVersion=" + last), 1U);
    kube.break_watches(kUnreadable);
    loop.run_for(5 * kWatchSecond);
    EXPECT_EQ(lists(), 0U) << "another one";
    kube.break_watches(kUnreadable);
    loop.run_for(5 * kWatchSecond);
    EXPECT_EQ(lists(), 1U) << "the same";
    EXPECT_EQ(shown(), "a=2 b=3 ");
}

TEST_F(WatchTest, AnInvalidEventIsRefused) {
    begin();
    for (const std::string_view line :
         {R"({"type":"ERROR","object":{}})", R"({"type":"HELLO","object":{}})", R"([])",
          R"({"type":"ADDED","object":{"metadata":{"name":"x"}}})", R"({"type":"ADDED"})"}) {
        network.log.clear();
        kube.break_watches(std::string(line) + "\n");
        loop.run_for(120 * kWatchSecond);
        EXPECT_EQ(lists(), 0U) << line;
        kube.break_watches(std::string(line) + "\n");
        loop.run_for(120 * kWatchSecond);
        EXPECT_EQ(lists(), 1U) << line;
    }
    EXPECT_EQ(shown(), "a=2 ");
}

TEST_F(WatchTest, ABookmarkSaysWhereToGoOn) {
    begin();
    for (int i = 0; i < 10; ++i) {
        kube.put(path_of(kPods, "ns", "p"),
                 Value::map({{"metadata", Value::map({{"name", "p"}, {"namespace", "ns"}})}}));
    }
    const std::string now(renderer::text_of(
        kube.find(path_of(kPods, "ns", "p"))->at({"metadata", "resourceVersion"})));
    kube.break_watches(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":")" + now +
                       "\"}}}\n");
    loop.run_for(5 * kWatchSecond);
    EXPECT_EQ(requests("&resourceVersion=" + now), 1U);
    EXPECT_EQ(lists(), 0U);
}

// A watch from a version in the future would report nothing until the server has reached it.
TEST_F(WatchTest, ListsAgainAfterEtcdWasRestored) {
    begin();
    FakeKube restored;
    restored.put(path("c"),
                 Value::map({{"metadata", Value::map({{"name", "c"}, {"namespace", "ns"}})},
                             {"text", "9"}}));
    server.kube = &restored;
    kube.break_watches();
    loop.run_for(5 * kWatchSecond);
    EXPECT_EQ(shown(), "c=9 ");
    EXPECT_EQ(lists(), 1U);
}

TEST_F(WatchTest, APageThatIsCutIsAskedForAgain) {
    for (int i = 0; i < 1200; ++i) {
        put(fmt::format("m{:04}", i), "x");
    }
    int failures = 2;
    network.fault = [&failures](const HttpRequest& request) {
        return request.url.find("continue=") != std::string::npos && failures-- > 0 ? Fault::Cut
                                                                                    : Fault::None;
    };
    watch.start();
    loop.run_for(20 * kWatchSecond);
    EXPECT_EQ(copy.objects.size(), 1200U);
    EXPECT_EQ(lists(), 5U) << "three pages, one of them three times";
    EXPECT_TRUE(copy.complete);
}

TEST_F(WatchTest, ListsAgainWhenThePagesHaveExpired) {
    for (int i = 0; i < 600; ++i) {
        put(fmt::format("m{:04}", i), "x");
    }
    int refusals = 1;
    server.instead = [&refusals](std::string_view path) -> std::optional<HttpReply> {
        return path.find("continue=") != std::string_view::npos && refusals-- > 0
                   ? std::optional(HttpReply{.status = 410})
                   : std::nullopt;
    };
    watch.start();
    loop.run_for(Duration(100));
    EXPECT_EQ(lists(), 2U) << "not at once";
    kube.erase(path("m0001"));
    loop.run_for(5 * kWatchSecond);
    EXPECT_EQ(lists(), 4U);
    EXPECT_EQ(copy.objects.size(), 599U);
    EXPECT_TRUE(copy.complete);
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
    EXPECT_EQ(shown(), "a=1 ");
}

TEST_F(WatchTest, AsksLessAndLessOftenWhileTheStreamIsRefused) {
    network.fault = [](const HttpRequest& request) {
        return request.url.find("watch=true") == std::string::npos ? Fault::None : Fault::Refused;
    };
    watch.start();
    loop.run_for(600 * kWatchSecond);
    EXPECT_LT(network.log.size(), 120U);
    EXPECT_GT(network.log.size(), 30U);
}

TEST_F(WatchTest, FollowsAKindThatIsNotInstalledOnceItIs) {
    Copy connectors;
    Watch follow(loop, client, log, random,
                 {.path = "/apis/tailscale.com/v1alpha1/connectors", .may_be_absent = true},
                 connectors);
    follow.start();
    loop.run_for(kWatchSecond);
    EXPECT_TRUE(connectors.complete);
    kube.has_custom_resources = true;
    kube.put("/apis/tailscale.com/v1alpha1/connectors/office",
             Value::map({{"metadata", Value::map({{"name", "office"}})}, {"text", "1"}}));
    loop.run_for(600 * kWatchSecond);
    EXPECT_TRUE(connectors.objects.contains("office"));
    kube.has_custom_resources = false;
    kube.forget_history();
    loop.run_for(600 * kWatchSecond);
    EXPECT_FALSE(connectors.objects.contains("office"));
}

TEST_F(WatchTest, ThatAKindOfKubernetesIsMissingIsAnError) {
    Copy pods;
    Watch follow(loop, client, log, random, {.path = "/apis/tailscale.com/v1alpha1/pods"}, pods);
    follow.start();
    loop.run_for(60 * kWatchSecond);
    EXPECT_FALSE(pods.complete);
}

}  // namespace
}  // namespace runtime::kube
