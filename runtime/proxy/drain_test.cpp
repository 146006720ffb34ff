#include "runtime/proxy/drain.h"

#include <gtest/gtest.h>

#include "runtime/testing/fake_loop.h"
#include "runtime/testing/scripted_transport.h"

namespace runtime::proxy {
namespace {

class DrainTest : public testing::Test {
protected:
    // Returns when the wait was over; no value: it still lasts.
    std::optional<Duration> wait(const EgressServices& services, int pings) {
        std::optional<Duration> over;
        drain.wait(services, pings, [&] { over = loop.uptime(); });
        loop.run_for(std::chrono::minutes(5));
        return over;
    }
    EgressServices one_service() {
        return {
            {"ns1-db", {.health_endpoint = "http://db:9002/healthz", .target_ip = "100.64.0.9"}}};
    }

    FakeLoop loop;
    std::function<HttpReply()> answer;
    ScriptedTransport transport{loop, [this](const HttpRequest&) { return answer(); }};
    Log log{Log::Form::Text, LogLevel::Error};
    Drain drain{loop, transport, log, {.ipv4 = "10.1.2.3", .ipv6 = "fd00::3"}};
};

TEST_F(DrainTest, WaitsUntilNoReplyIsOurs) {
    int ours = 3;
    answer = [&]() -> HttpReply {
        return {.status = 200,
                .headers = {ours-- > 0 ? "pod-ipv4: 10.1.2.3" : "pod-ipv4: 10.1.2.4"}};
    };
    EXPECT_EQ(wait(one_service(), 6), std::chrono::seconds(3 + 10));
    EXPECT_EQ(transport.asked.size(), 3U + 6U);
}

TEST_F(DrainTest, KnowsItselfByEitherFamily) {
    bool is_first = true;
    answer = [&]() -> HttpReply {
        return {.status = 200,
                .headers = {std::exchange(is_first, false) ? "pod-ipv6: fd00::3"
                                                           : "pod-ipv6: fd00::4"}};
    };
    EXPECT_EQ(wait(one_service(), 2), std::chrono::seconds(1 + 10));
}

TEST_F(DrainTest, TakesAnEndpointThatNoOneAnswersForAsDrained) {
    answer = []() -> HttpReply { return {.problem = "Connection refused"}; };
    EXPECT_EQ(wait(one_service(), 3), std::chrono::seconds(10));
}

TEST_F(DrainTest, GoesOnWhileRepliesAreOurs) {
    answer = []() -> HttpReply { return {.status = 200, .headers = {"pod-ipv4: 10.1.2.3"}}; };
    EXPECT_EQ(wait(one_service(), 3), std::nullopt);
}

TEST_F(DrainTest, CannotAskServicesWithoutAnEndpoint) {
    EXPECT_EQ(wait({{"a", {}}, {"b", {}}}, 3), std::chrono::seconds(10));
    EXPECT_TRUE(transport.asked.empty());
}

TEST(ReadPings, TakesANumberOrNothing) {
    EXPECT_EQ(*read_pings("6"), 6);
    EXPECT_EQ(*read_pings(""), 0);
    EXPECT_EQ(*read_pings("-1"), 0);
    auto wrong = read_pings("6 ");
    EXPECT_EQ(wrong ? "" : wrong.error().diagnostic.message,
              "error parsing hep pings as int: \"6 \"");
}

}  // namespace
}  // namespace runtime::proxy
