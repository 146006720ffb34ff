#include "runtime/api_proxy/callers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/testing/fake_loop.h"
#include "runtime/testing/scripted_transport.h"

namespace runtime::api_proxy {
namespace {

using std::chrono::seconds;

class CallersTest : public testing::Test {
protected:
    // Returns the answer, after time has passed.
    std::string ask(std::string_view source = "100.64.0.7:1000") {
        std::string out = "nothing";
        callers.find(AddressPort::parse(source).value(), seconds(5),
                     [&](const CallerAnswer& answer) {
                         out = answer.caller != nullptr
                                   ? answer.caller->user
                                   : (answer.is_known ? "known: " : "unknown: ") + answer.problem;
                     });
        loop.run_for(Duration(1));
        return out;
    }

    FakeLoop loop;
    HttpReply reply{
        .status = 200,
        .body = R"({"Node":{"Name":"n.","Addresses":["100.64.0.7/32"],"Tags":["tag:a"]}})"};
    ScriptedTransport transport{loop, [this](const HttpRequest&) { return reply; }};
    localapi::LocalApi api{transport};
    Callers callers{loop, api};
};

TEST_F(CallersTest, AnAnswerCountsForFiveSeconds) {
    EXPECT_EQ(ask(), "n");
    EXPECT_EQ(ask("100.64.0.7:2000"), "n");
    EXPECT_EQ(transport.asked,
              std::vector<std::string>{
                  "GET http://local-tailscaled.sock/localapi/v0/whois?addr=100.64.0.7%3A1000"});
    loop.run_for(seconds(5));
    reply.status = 404;
    EXPECT_EQ(ask(), "known: the tailnet has no device with the address 100.64.0.7");
    EXPECT_EQ(transport.asked.size(), 2U);
}

TEST_F(CallersTest, OnlyARecentAnswerIsKnown) {
    const AddressPort source = AddressPort::parse("100.64.0.7:1000").value();
    const auto known = [&] {
        const CallerAnswer* answer = callers.known(source, seconds(5));
        return answer == nullptr ? "" : answer->caller->user;
    };
    EXPECT_EQ(known(), "");
    ask();
    EXPECT_EQ(known(), "n");
    loop.run_for(seconds(5));
    EXPECT_EQ(known(), "");
    // An answer that is still awaited would be newer.
    ask();
    callers.find(source, Duration(-1), [](const CallerAnswer&) {});
    EXPECT_EQ(known(), "");
    loop.run_for(Duration(1));
    EXPECT_EQ(known(), "n");
    reply = {.problem = "away"};
    callers.find(source, Duration(-1), [](const CallerAnswer&) {});
    loop.run_for(Duration(1));
    EXPECT_EQ(known(), "");
}

TEST_F(CallersTest, WhatFailedIsAskedAgain) {
    reply = {.problem = "away"};
    EXPECT_EQ(ask(), "unknown: tailscaled does not answer: away");
    reply = {.status = 403, .body = "no"};
    EXPECT_EQ(ask(), "unknown: tailscaled does not answer: HTTP status 403: no");
    reply = {.status = 200, .body = "{}"};
    EXPECT_EQ(ask(), "known: tailscaled's answer holds no device");
    EXPECT_EQ(transport.asked.size(), 3U);
}

TEST_F(CallersTest, AFailureForgetsWhatWasKnown) {
    EXPECT_EQ(ask(), "n");
    loop.run_for(seconds(6));
    reply = {.problem = "away"};
    EXPECT_EQ(ask(), "unknown: tailscaled does not answer: away");
    EXPECT_EQ(ask(), "unknown: tailscaled does not answer: away");
}

TEST_F(CallersTest, QuestionsAtOneTimeAreOneQuestion) {
    int answers = 0;
    for (int i = 0; i < 3; ++i) {
        callers.find(AddressPort::parse("100.64.0.7:1").value(), seconds(5),
                     [&](const CallerAnswer& answer) { answers += answer.caller != nullptr; });
    }
    loop.run_for(seconds(1));
    EXPECT_EQ(answers, 3);
    EXPECT_EQ(transport.asked.size(), 1U);
}

TEST_F(CallersTest, AsksForIpv6InBrackets) {
    EXPECT_EQ(ask("[fd7a::7]:443"),
              "known: fd7a::7 is not an address of the device that tailscaled "
              "names");
    EXPECT_EQ(transport.asked.front(),
              "GET http://local-tailscaled.sock/localapi/v0/whois?addr=%5Bfd7a%3A%3A7%5D%3A443");
}

}  // namespace
}  // namespace runtime::api_proxy
