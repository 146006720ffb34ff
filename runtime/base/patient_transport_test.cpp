#include "runtime/base/patient_transport.h"

#include <gtest/gtest.h>

#include <optional>

#include "runtime/testing/fake_network.h"

namespace runtime::inline base {
namespace {

constexpr Duration kSecond = std::chrono::seconds(1);

class BusyServer : public FakeServer {
public:
    HttpReply answer(const HttpRequest&, const std::string&,
                     const std::shared_ptr<Stream>&) override {
        HttpReply reply;
        reply.status = refusals > 0 ? status : 200;
        reply.body = refusals > 0 ? "busy" : "done";
        if (refusals-- > 0) {
            reply.retry_after = retry_after;
        }
        return reply;
    }
    int status = 429;
    int refusals = 1;
    std::optional<std::chrono::seconds> retry_after = std::chrono::seconds(20);
};

class PatientTransportTest : public testing::Test {
protected:
    PatientTransportTest() { network.add("https://kube", server); }

    RequestId send(std::function<void(std::string_view)> on_data = nullptr) {
        return transport.send(
            {.url = "https://kube/x"},
            [this](const HttpReply& reply) { statuses.push_back(reply.status); },
            std::move(on_data));
    }

    FakeLoop loop;
    FakeNetwork network{loop};
    BusyServer server;
    FakeTransport inner{network};
    PatientTransport transport{loop, inner};
    std::vector<int> statuses;
};

TEST_F(PatientTransportTest, RetriesAfterTheDelayOfTheServerWhileOthersWait) {
    send();
    loop.run_for(kSecond);
    send();
    loop.run_for(18 * kSecond);
    EXPECT_EQ(network.log.size(), 1U);
    EXPECT_TRUE(statuses.empty());
    loop.run_for(2 * kSecond);
    EXPECT_EQ(network.log.size(), 3U);
    EXPECT_EQ(statuses, (std::vector<int>{200, 200}));
    send();
    loop.run_for(kSecond);
    EXPECT_EQ(statuses.size(), 3U) << "it is over";
}

TEST_F(PatientTransportTest, TheLongestDelayCounts) {
    network.latency = kSecond;
    server.refusals = 2;
    send();
    loop.run_for(kSecond);
    server.retry_after = std::chrono::seconds(3);
    send();
    loop.run_for(20 * kSecond);
    EXPECT_EQ(network.log.size(), 2U);
    loop.run_for(5 * kSecond);
    EXPECT_EQ(statuses, (std::vector<int>{200, 200}));
}

TEST_F(PatientTransportTest, NoOneWaitsLongerThanAMinute) {
    server.retry_after = std::chrono::hours(5);
    send();
    loop.run_for(61 * kSecond);
    EXPECT_EQ(statuses, (std::vector<int>{200}));
}

TEST_F(PatientTransportTest, A503IsAnAnswerAndMakesOthersWait) {
    server.status = 503;
    send();
    loop.run_for(kSecond);
    EXPECT_EQ(statuses, (std::vector<int>{503})) << "it may be done";
    send();
    loop.run_for(18 * kSecond);
    EXPECT_EQ(network.log.size(), 1U);
    loop.run_for(2 * kSecond);
    EXPECT_EQ(statuses, (std::vector<int>{503, 200}));
}

TEST_F(PatientTransportTest, A503ThatSaysNoTimeDelaysNothing) {
    server.status = 503;
    server.retry_after = {};
    send();
    loop.run_for(Duration(100));
    send();
    loop.run_for(Duration(100));
    EXPECT_EQ(statuses, (std::vector<int>{503, 200}));
}

TEST_F(PatientTransportTest, TriesFiveTimes) {
    server.refusals = 100;
    server.retry_after = {};
    send();
    loop.run_for(60 * kSecond);
    EXPECT_EQ(statuses, (std::vector<int>{429}));
    EXPECT_EQ(network.log.size(), 5U);
}

TEST_F(PatientTransportTest, AStreamBeginsLater) {
    std::string body;
    send([&body](std::string_view bytes) { body += bytes; });
    loop.run_for(21 * kSecond);
    EXPECT_EQ(body, "done");
    EXPECT_EQ(statuses, (std::vector<int>{200}));
}

TEST_F(PatientTransportTest, WhatIsCancelledIsNeitherSentNorAnswered) {
    send();
    loop.run_for(kSecond);
    transport.cancel(send());
    loop.run_for(60 * kSecond);
    const RequestId sent = send();
    transport.cancel(sent);
    transport.cancel(sent);
    loop.run_for(kSecond);
    EXPECT_EQ(statuses, (std::vector<int>{200}));
    EXPECT_EQ(network.log.size(), 3U);
}

TEST_F(PatientTransportTest, LeavesNothingBehind) {
    std::optional<PatientTransport> ended(std::in_place, loop, inner);
    int replies = 0;
    const auto send_one = [&] {
        ended->send(
            {.url = "https://kube/x"}, [&](const HttpReply&) { ++replies; }, nullptr);
    };
    send_one();
    loop.run_for(kSecond);
    send_one();
    EXPECT_EQ(network.log.size(), 1U) << "both wait";
    ended.reset();
    EXPECT_FALSE(loop.step(loop.uptime() + 60 * kSecond)) << "no timer is left";

    server.refusals = 0;
    ended.emplace(loop, inner);
    send_one();
    ended.reset();
    loop.run_for(kSecond);
    EXPECT_EQ(replies, 0);
}

}  // namespace
}  // namespace runtime::inline base
