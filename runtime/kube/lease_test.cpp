#include "runtime/kube/lease.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "renderer/core/text_of.h"
#include "runtime/testing/fake_kube.h"

namespace runtime::kube {
namespace {

constexpr Duration kSecond = std::chrono::seconds(1);

struct Instance {
    Instance(FakeLoop& world, FakeNetwork& network, std::string name)
        : loop(world),
          transport(network),
          lease(loop, kube, log, "ns", "controller", std::move(name)) {
        lease.start([this] { ++led; }, [this] { ++lost; });
    }

    ProcessLoop loop;
    FakeTransport transport;
    Client kube{transport, {.server = "https://kube", .ca_file = "", .token_file = ""}};
    Log log{Log::Form::Text, LogLevel::Error};
    int led = 0;
    int lost = 0;
    Lease lease;
};

class LeaseTest : public testing::Test {
protected:
    LeaseTest() { network.add("https://kube", kube); }
    std::string holder() {
        const renderer::Value* lease = kube.find(path_of(kLeases, "ns", "controller"));
        return std::string(
            lease == nullptr ? "" : renderer::text_of(lease->at({"spec", "holderIdentity"})));
    }

    FakeLoop loop;
    FakeNetwork network{loop};
    FakeKube kube;
};

TEST_F(LeaseTest, OneLeads) {
    Instance a(loop, network, "a");
    Instance b(loop, network, "b");
    loop.run_for(std::chrono::minutes(10));
    EXPECT_EQ(a.led + b.led, 1);
    EXPECT_EQ(a.lost + b.lost, 0);
    EXPECT_EQ(holder(), a.lease.leads() ? "a" : "b");
}

TEST_F(LeaseTest, TheNextOneTakesOverWithinTheLeaseTime) {
    auto a = std::make_unique<Instance>(loop, network, "a");
    loop.run_for(kSecond);
    Instance b(loop, network, "b");
    loop.run_for(20 * kSecond);
    ASSERT_FALSE(b.lease.leads());
    a.reset();  // as by kill -9
    loop.run_for(kLeaseDuration - 6 * kSecond);
    EXPECT_FALSE(b.lease.leads()) << "too early: its time is not over";
    loop.run_for(8 * kSecond);
    EXPECT_TRUE(b.lease.leads());
    EXPECT_EQ(
        kube.find(path_of(kLeases, "ns", "controller"))->at({"spec", "leaseTransitions"})->as_int(),
        1);
}

// A waiting instance sees a renewal at most kLeaseRetry late, and checks exactly when the time is
// over.
TEST(Lease, TheNextOneIsThereWhenTheTimeIsOver) {
    for (Duration offset(0); offset < 3 * kSecond; offset += Duration(250)) {
        FakeLoop loop;
        FakeNetwork network(loop);
        FakeKube kube;
        network.add("https://kube", kube);
        auto a = std::make_unique<Instance>(loop, network, "a");
        loop.run_for(kSecond + offset);
        Instance b(loop, network, "b");
        loop.run_for(20 * kSecond);
        while (network.log.back().method != "PUT") {
            loop.run_for(Duration(10));
        }
        a.reset();
        loop.run_for(kLeaseDuration + kLeaseRetry + Duration(100));
        EXPECT_TRUE(b.lease.leads()) << offset.count();
    }
}

TEST_F(LeaseTest, AReleasedLeaseIsTakenAtOnce) {
    Instance a(loop, network, "a");
    loop.run_for(kSecond);
    Instance b(loop, network, "b");
    loop.run_for(kSecond);
    bool released = false;
    a.lease.release(a.kube, [&] { released = true; });
    loop.run_for(3 * kSecond);
    EXPECT_TRUE(released);
    EXPECT_TRUE(b.lease.leads());
}

TEST_F(LeaseTest, ARenewalUnderWayDoesNotPreventTheRelease) {
    Instance a(loop, network, "a");
    loop.run_for(kSecond);
    network.latency = Duration(200);
    while (network.log.back().method != "PUT") {
        loop.run_for(Duration(10));
    }
    loop.run_for(Duration(50));
    bool released = false;
    a.lease.release(a.kube, [&] { released = true; });
    loop.run_for(3 * kSecond);
    EXPECT_TRUE(released);
    EXPECT_EQ(holder(), "");
}

TEST_F(LeaseTest, NoOneElsesLeaseIsGivenBack) {
    Instance a(loop, network, "a");
    loop.run_for(kSecond);
    renderer::Value lease = kube.find(path_of(kLeases, "ns", "controller"))->clone();
    lease.find("spec")->put("holderIdentity", "b");
    kube.put(path_of(kLeases, "ns", "controller"), std::move(lease));
    bool released = false;
    a.lease.release(a.kube, [&] { released = true; });
    loop.run_for(kSecond);
    EXPECT_TRUE(released);
    EXPECT_EQ(holder(), "b");
}

TEST_F(LeaseTest, ItsTimeRunsFromTheSending) {
    Instance a(loop, network, "a");
    loop.run_for(30 * kSecond);
    network.log.clear();
    network.latency = 3 * kSecond;  // in each direction
    while (network.log.empty()) {
        loop.run_for(Duration(100));
    }
    const Duration sent = loop.uptime();
    network.fault = [](const HttpRequest&) { return Fault::Hung; };
    loop.run_for(sent + kLeaseDeadline - kSecond - loop.uptime());
    EXPECT_TRUE(a.lease.leads());
    loop.run_for(kSecond + Duration(100));
    EXPECT_FALSE(a.lease.leads());
}

TEST_F(LeaseTest, SlowRepliesAreNoLoss) {
    Instance a(loop, network, "a");
    loop.run_for(30 * kSecond);
    network.latency = Duration(2'400);  // in each direction
    loop.run_for(std::chrono::minutes(2));
    EXPECT_EQ(a.lost, 0);
}

TEST_F(LeaseTest, WithoutAServerItIsLostBeforeOthersMayHaveIt) {
    Instance a(loop, network, "a");
    loop.run_for(30 * kSecond);
    network.fault = [](const HttpRequest&) { return Fault::Refused; };
    loop.run_for(kLeaseDuration);
    EXPECT_FALSE(a.lease.leads());
    EXPECT_EQ(a.lost, 1);
    loop.run_for(std::chrono::minutes(5));
    EXPECT_EQ(a.led, 1) << "lost for good";
}

TEST_F(LeaseTest, AServerThatHangsIsNoServer) {
    Instance a(loop, network, "a");
    loop.run_for(30 * kSecond);
    network.fault = [](const HttpRequest&) { return Fault::Hung; };
    loop.run_for(kLeaseDuration);
    EXPECT_EQ(a.lost, 1);
}

TEST_F(LeaseTest, AShortFailureIsNoLoss) {
    Instance a(loop, network, "a");
    loop.run_for(30 * kSecond);
    network.fault = [](const HttpRequest&) { return Fault::Broken; };
    loop.run_for(6 * kSecond);
    network.fault = [](const HttpRequest&) { return Fault::None; };
    loop.run_for(std::chrono::minutes(1));
    EXPECT_TRUE(a.lease.leads());
    EXPECT_EQ(a.lost, 0);
}

TEST_F(LeaseTest, ARenewalWhoseReplyGotLostIsNoLoss) {
    Instance a(loop, network, "a");
    loop.run_for(30 * kSecond);
    bool lost = false;
    network.fault = [&lost](const HttpRequest& request) {
        return request.method == "PUT" && !std::exchange(lost, true) ? Fault::LostReply
                                                                     : Fault::None;
    };
    loop.run_for(std::chrono::minutes(1));
    EXPECT_TRUE(lost);
    EXPECT_TRUE(a.lease.leads());
    EXPECT_EQ(a.lost, 0);
}

TEST_F(LeaseTest, ALabelOnTheLeaseIsNoLossAndStays) {
    Instance a(loop, network, "a");
    loop.run_for(30 * kSecond);
    const std::string path = path_of(kLeases, "ns", "controller");
    renderer::Value lease = kube.find(path)->clone();
    lease.find("metadata")->put("labels", renderer::Value::map({{"team", "net"}}));
    kube.put(path, std::move(lease));
    loop.run_for(std::chrono::minutes(1));
    EXPECT_TRUE(a.lease.leads());
    EXPECT_EQ(a.lost, 0);
    EXPECT_EQ(renderer::text_of(kube.find(path)->at({"metadata", "labels", "team"})), "net");
}

TEST_F(LeaseTest, ALeaseThatSomeoneDeletesIsMadeAgain) {
    Instance a(loop, network, "a");
    loop.run_for(30 * kSecond);
    kube.erase(path_of(kLeases, "ns", "controller"));
    loop.run_for(std::chrono::minutes(1));
    EXPECT_TRUE(a.lease.leads());
    EXPECT_EQ(a.lost, 0);
    EXPECT_EQ(holder(), "a");
}

TEST_F(LeaseTest, TheCalendarIsNotWhatItGoesBy) {
    auto a = std::make_unique<Instance>(loop, network, "a");
    loop.run_for(kSecond);
    Instance b(loop, network, "b");
    loop.run_for(20 * kSecond);
    loop.shift_calendar(std::chrono::hours(1));
    loop.run_for(20 * kSecond);
    EXPECT_TRUE(a->lease.leads());
    loop.shift_calendar(-std::chrono::hours(2));
    loop.run_for(20 * kSecond);
    EXPECT_TRUE(a->lease.leads());
    a.reset();
    loop.run_for(kLeaseDuration + 3 * kSecond);
    EXPECT_TRUE(b.lease.leads());
}

TEST_F(LeaseTest, ALeaseThatSomeoneElseWritesIsLost) {
    Instance a(loop, network, "a");
    loop.run_for(30 * kSecond);
    renderer::Value lease = kube.find(path_of(kLeases, "ns", "controller"))->clone();
    lease.find("spec")->put("holderIdentity", "b");
    kube.put(path_of(kLeases, "ns", "controller"), std::move(lease));
    loop.run_for(6 * kSecond);
    EXPECT_EQ(a.lost, 1);
}

}  // namespace
}  // namespace runtime::kube
