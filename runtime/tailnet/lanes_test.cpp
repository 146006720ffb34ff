#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "runtime/tailnet/api.h"
#include "runtime/testing/api_test.h"

namespace runtime::tailnet {
namespace {

TEST_F(ApiTest, KeepsToItsBudget) {
    Reply reply;
    for (int i = 0; i < 400; ++i) {
        api.list_keys(keep(reply));
    }
    loop.run_for(std::chrono::seconds(1));
    EXPECT_GE(answers, 200);
    EXPECT_LE(answers, 210) << "200 without a pause, then 10 a second";
    loop.run_for(std::chrono::seconds(9));
    EXPECT_LE(answers, 300);
    loop.run_for(std::chrono::seconds(11));
    EXPECT_EQ(answers, 400);
}

TEST_F(ApiTest, TwentyRequestsAreUnderWayAtOnce) {
    Reply reply;
    network.latency = std::chrono::seconds(1);
    for (int i = 0; i < 50; ++i) {
        api.list_keys(keep(reply));
    }
    loop.run_for(std::chrono::seconds(3));  // two seconds for the token
    EXPECT_EQ(requests("/keys"), 20U);
    loop.run_for(std::chrono::seconds(4));
    EXPECT_EQ(requests("/keys"), 50U);
}

TEST_F(ApiTest, A429MakesAllRequestsWaitOnce) {
    int refusals = 20;
    network.fault = [&](const HttpRequest& request) {
        const bool hit = request.url.ends_with("/keys") && refusals > 0;
        return hit ? (--refusals, Fault::Busy) : Fault::None;
    };
    Reply reply;
    for (int i = 0; i < 50; ++i) {
        api.list_keys(keep(reply));
    }
    loop.run_for(Duration(250));  // the delay is at least this long
    EXPECT_EQ(requests("/keys"), 20U) << "those that were under way";
    loop.run_for(std::chrono::seconds(2));
    EXPECT_GT(requests("/keys"), 35U) << "twenty refusals are one delay";
    EXPECT_LE(requests("/keys"), 40U) << "10 a second, as after a burst";
    loop.run_for(std::chrono::seconds(6));
    EXPECT_EQ(answers, 50);
    EXPECT_TRUE(reply.ok());
}

TEST_F(ApiTest, CallsThatNoOneAnswersHoldUpOthersForATime) {
    network.fault = [](const HttpRequest& request) {
        return request.url.find("/device/") != std::string::npos ? Fault::Hung : Fault::None;
    };
    Reply hung;
    Reply reply;
    for (int i = 0; i < 40; ++i) {
        api.get_device("n" + std::to_string(i), keep(hung));
    }
    api.list_keys(keep(reply));
    loop.run_for(std::chrono::minutes(20));
    EXPECT_EQ(answers, 41);
    EXPECT_EQ(hung.message, "Timeout was reached");
    EXPECT_TRUE(reply.ok()) << reply.message;
}

// Uses up the burst, so that only ten calls per second are left.
class LanesTest : public ApiTest {
protected:
    LanesTest() {
        Reply reply;
        for (int i = 0; i < 200; ++i) {
            api.list_keys(keep(reply));
        }
        loop.run_for(Duration(50));
        EXPECT_EQ(answers, 200);
        answers = 0;
    }
    void sweep(int count) {
        for (int i = 0; i < count; ++i) {
            api.get_key("k", note("sweep"));
        }
    }
    void mint(bool urgent) {
        api.mint({.tags = {"tag:k8s"}, .description = "mark", .urgent = urgent},
                 note(urgent ? "urgent" : "key"));
    }
    Done note(const std::string& what) {
        return [this, what](const Reply&) { order.push_back(what); };
    }
    // Returns how many of the first `among` answers are of this kind.
    [[nodiscard]] std::ptrdiff_t count(std::string_view what, std::size_t among) const {
        const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(among, order.size()));
        return std::count(order.begin(), end, what);
    }

    std::vector<std::string> order;
};

TEST_F(LanesTest, AKeyWaitsForNothingElse) {
    sweep(40);
    for (int i = 0; i < 40; ++i) {
        api.delete_device("n", note("removal"));
        api.get_device("n", note("note"));
    }
    mint(false);
    loop.run_for(Duration(400));
    EXPECT_EQ(count("key", 2), 1) << "at once, or after the one whose turn it is";
    loop.run_for(std::chrono::seconds(20));
    EXPECT_EQ(order.size(), 121U);
}

TEST_F(LanesTest, AKeyForAProxyThatRunsComesFirst) {
    for (int i = 0; i < 20; ++i) {
        mint(false);
    }
    mint(true);
    loop.run_for(std::chrono::seconds(5));
    EXPECT_EQ(order.size(), 21U);
    EXPECT_EQ(count("urgent", 2), 1);
}

TEST_F(LanesTest, ChangesOfDevicesComeBeforeRemovalsAndRemovalsBeforeSweeps) {
    sweep(20);
    for (int i = 0; i < 20; ++i) {
        api.revoke_key("k", note("removal"));
    }
    for (int i = 0; i < 20; ++i) {
        api.set_tags("n", {"tag:k8s"}, note("note"));
    }
    loop.run_for(std::chrono::seconds(10));
    EXPECT_EQ(order.size(), 60U);
    EXPECT_GE(count("note", 23), 20);
    EXPECT_GE(count("removal", 46), 20);
}

TEST_F(LanesTest, EveryLaneMakesProgress) {
    mint(false);
    sweep(2);
    api.delete_device("n", note("removal"));
    for (int i = 0; i < 100; ++i) {
        mint(true);
    }
    loop.run_for(std::chrono::seconds(20));
    EXPECT_EQ(order.size(), 104U);
    EXPECT_EQ(count("urgent", 45), 41) << "each tenth is the one that has waited longest";
}

TEST_F(LanesTest, ACallerMaySayTheLane) {
    sweep(20);
    api.revoke_key("k", Lane::Keys, note("first"));
    api.get_device("n", Lane::Keys, note("first"));
    api.delete_device("n", Lane::Keys, note("first"));
    api.list_devices(Lane::Keys, note("first"));
    loop.run_for(std::chrono::seconds(4));
    EXPECT_EQ(order.size(), 24U);
    EXPECT_EQ(count("first", 5), 4);
}

TEST_F(ApiTest, RequestsWithoutAnAnswerLeaveRoomForKeys) {
    network.fault = [](const HttpRequest& request) {
        return request.url.find("/device/") != std::string::npos ? Fault::Hung : Fault::None;
    };
    Reply hung;
    Reply reply;
    for (int i = 0; i < 40; ++i) {
        api.delete_device("n" + std::to_string(i), keep(hung));
    }
    loop.run_for(std::chrono::seconds(1));
    EXPECT_EQ(requests("/device/"), 20U);
    api.mint({.tags = {"tag:k8s"}, .description = "mark"}, keep(reply));
    loop.run_for(std::chrono::seconds(1));
    EXPECT_TRUE(reply.ok()) << reply.message;
}

}  // namespace
}  // namespace runtime::tailnet
