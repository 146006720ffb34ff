// The requests of a controller that has nothing to do, or that does not know enough yet.
#include <algorithm>
#include <map>
#include <string>

#include "runtime/testing/controller_test.h"

namespace runtime::controller {
namespace {

constexpr int kHours = 24;

// The requests besides the watches, which these servers never end: lists of kinds that are not
// installed, six an hour, and the tailnet's keys, one an hour.
int most_requests(const FakeNetwork::Sent& sent) {
    if (sent.url.starts_with("https://kube/apis/tailscale.com/")) {
        return 6 * kHours;
    }
    return sent.url.ends_with("/keys") || sent.url.ends_with("/oauth/token") ? kHours : 0;
}

class QuietTest : public ControllerTest {
protected:
    void expect_quiet() {
        const std::size_t writes = kube.writes;
        const std::size_t keys = tailnet.keys.size();
        network.log.clear();
        run(std::chrono::hours(kHours));
        EXPECT_EQ(kube.writes, writes);
        EXPECT_EQ(tailnet.keys.size(), keys);
        std::map<std::string, int> counts;
        for (const auto& sent : network.log) {
            EXPECT_LE(++counts[sent.url], most_requests(sent)) << sent.method << " " << sent.url;
        }
        start(2);  // a new process finds everything as it should be
        run(kMinute);
        EXPECT_EQ(kube.writes, writes);
        EXPECT_EQ(tailnet.keys.size(), keys);
    }
};

TEST_F(QuietTest, WritesAndRequestsNothingWithoutAChange) {
    cluster.add_proxy("a", 3);
    cluster.add_proxy("b");
    start();
    run(kMinute);
    expect_converged({"a-0", "a-1", "a-2", "b-0"});
    expect_quiet();
}

TEST_F(QuietTest, WritesAndAsksNothingWithPodsThatKeepWhatTheyKnow) {
    cluster.keep_device = true;
    cluster.add_proxy("a", 3);
    start();
    run(kMinute);
    cluster.restart_pod("a-0");
    run(kMinute);
    expect_converged({"a-0", "a-1", "a-2"});
    expect_quiet();
}

// The controller asks the tailnet only once about the pod's report.
TEST_F(QuietTest, WritesAndAsksNothingWithAPodThatSaysWhatIsNotSo) {
    cluster.add_proxy("a");
    start();
    run(2 * kMinute);
    kube.set_datum(secret("a-0"), "device_ips", R"(["10.0.0.53"])");
    run(2 * kMinute);
    expect_quiet();
}

TEST_F(ControllerTest, IsReadyOnceItHasSeenTheWholeCluster) {
    network.fault = [](const HttpRequest& request) {
        return request.url.find("/ingresses") != std::string::npos ? Fault::Broken : Fault::None;
    };
    start();
    run(kMinute);
    EXPECT_FALSE(process->controller.is_ready());
    network.fault = [](const HttpRequest&) { return Fault::None; };
    run(kMinute);
    EXPECT_TRUE(process->controller.is_ready());
}

TEST_F(ControllerTest, DeletesAWaitingPodOnceWhileTheWatchIsAway) {
    cluster.add_proxy("a");
    start();
    run(kMinute);
    tailnet.devices.clear();  // a user has deleted it
    cluster.restart_pod("a-0");
    while (tailnet.keys.size() < 2) {
        run(Duration(10));
    }
    bool is_away = true;
    network.fault = [&is_away](const HttpRequest& request) {
        return is_away && request.method == "GET" && request.url.find("/pods?") != std::string::npos
                   ? Fault::Busy
                   : Fault::None;
    };
    kube.drop_watches();
    network.log.clear();
    run(20 * kSecond);
    EXPECT_EQ(std::count_if(network.log.begin(), network.log.end(),
                            [](const auto& sent) {
                                return sent.method == "DELETE" &&
                                       sent.url.find("/pods/") != std::string::npos;
                            }),
              1);
    is_away = false;
    run(kMinute);
    expect_converged({"a-0"});
}

}  // namespace
}  // namespace runtime::controller
