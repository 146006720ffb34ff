#include "runtime/proxy/object_watch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "renderer/core/text_of.h"
#include "runtime/testing/fake_loop.h"
#include "runtime/testing/open_transport.h"

namespace runtime::proxy {
namespace {

constexpr Duration kSecond = std::chrono::seconds(1);

std::string event(std::string_view type, std::string_view name, std::string_view text) {
    return fmt::format(
        R"({{"type":"{}","object":{{"metadata":{{"name":"{}"}},"data":{{"key":"{}"}}}}}})"
        "\n",
        type, name, text);
}

class ObjectWatchTest : public testing::Test {
protected:
    FakeLoop loop;
    OpenTransport transport;
    kube::Client client{transport, {.server = "https://kube", .ca_file = "", .token_file = ""}};
    Log log{Log::Form::Text, LogLevel::Error};
    RandomSource random{1};
    std::vector<std::string> told;
    int refusals = 0;
    ObjectWatch watch{loop,
                      client,
                      log,
                      random,
                      kube::kConfigMaps,
                      "ns",
                      "mine",
                      {.on_object =
                           [this](const renderer::Value& object) {
                               told.emplace_back(renderer::text_of(object.at({"data", "key"})));
                           },
                       .on_refusal = [this] { ++refusals; }}};

    // Runs until it has sent the next request.
    void wait_for_next() {
        const std::size_t before = transport.urls.size();
        while (transport.urls.size() == before && loop.uptime() < std::chrono::hours(1)) {
            loop.run_for(std::chrono::milliseconds(100));
        }
        EXPECT_EQ(transport.urls.size(), before + 1);
    }
};

TEST_F(ObjectWatchTest, WatchesOneNameWithoutListing) {
    watch.start();
    ASSERT_EQ(transport.urls.size(), 1U);
    EXPECT_TRUE(
        transport.urls[0].starts_with("https://kube/api/v1/namespaces/ns/"
                                      "configmaps?watch=true&fieldSelector=metadata.name%3Dmine&"
                                      "timeoutSeconds="))
        << transport.urls[0];
}

TEST_F(ObjectWatchTest, ReportsEventsThatArriveInPieces) {
    watch.start();
    const std::string first = event("ADDED", "mine", "a");
    transport.say(first.substr(0, 20));
    EXPECT_EQ(told.size(), 0U);
    transport.say(first.substr(20) + event("MODIFIED", "mine", "b") +
                  event("DELETED", "mine", "b") + event("ADDED", "other", "c"));
    EXPECT_EQ(told, (std::vector<std::string>{"a", "b"}));
}

TEST_F(ObjectWatchTest, BeginsAgainAfterItsTimeout) {
    watch.start();
    transport.say(event("ADDED", "mine", "a"));
    loop.run_for(300 * kSecond);
    transport.end(200);
    loop.run_for({});
    EXPECT_EQ(transport.urls.size(), 2U);
}

// Each watch begins with the object itself, so an event does not show that the server lets the
// watch live.
TEST_F(ObjectWatchTest, WaitsWhereEachEndsAtOnce) {
    watch.start();
    for (int i = 0; i < 20; ++i) {
        transport.say(event("ADDED", "mine", "a"));
        transport.end(200);
        wait_for_next();
    }
    EXPECT_GT(loop.uptime(), 300 * kSecond);
}

TEST_F(ObjectWatchTest, WaitsLongerAfterEachFailure) {
    watch.start();
    for (int i = 0; i < 20; ++i) {
        transport.end(i % 2 == 0 ? 500 : 200);  // also after a success without an event
        wait_for_next();
    }
    EXPECT_GT(loop.uptime(), 300 * kSecond);
}

TEST_F(ObjectWatchTest, BeginsAgainAfterAnInvalidEvent) {
    for (const std::string_view line :
         {"not JSON\n", "{}\n", "{\"type\":\"ERROR\",\"object\":{\"code\":410}}\n"}) {
        SCOPED_TRACE(line);
        const std::size_t before = transport.urls.size();
        watch.start();
        transport.say(line);
        EXPECT_EQ(transport.canceled.size(), before / 2 + 1);
        loop.run_for(60 * kSecond);
        EXPECT_EQ(transport.urls.size(), before + 2);
    }
}

TEST_F(ObjectWatchTest, AsksSeldomWhereItMayNot) {
    watch.start();
    transport.end(403, R"({"message": "forbidden"})");
    EXPECT_EQ(refusals, 1);
    loop.run_for(599 * kSecond);
    EXPECT_EQ(transport.urls.size(), 1U);
    loop.run_for(2 * kSecond);
    EXPECT_EQ(transport.urls.size(), 2U);
}

// An API server that has just started refuses like this.
TEST_F(ObjectWatchTest, KeepsWhatItKnowsWhenItIsRefusedLater) {
    watch.start();
    transport.say(event("ADDED", "mine", "a"));
    transport.end(403, R"({"message": "forbidden"})");
    EXPECT_EQ(refusals, 0);
    for (int i = 0; i < 5; ++i) {
        wait_for_next();
        EXPECT_EQ(refusals, 0);
        transport.end(403, R"({"message": "forbidden"})");
    }
    EXPECT_EQ(refusals, 1) << "it stays so";
}

}  // namespace
}  // namespace runtime::proxy
