#include "runtime/controller/controller_metrics.h"

#include <gtest/gtest.h>

#include "runtime/testing/fake_kube.h"

namespace runtime::controller {
namespace {

TEST(Metrics, CountWhatGoesThroughTheTransport) {
    FakeLoop loop;
    FakeNetwork network(loop);
    FakeKube kube;
    network.add("https://kube", kube);
    network.latency = Duration(250);
    FakeTransport inner(network);
    MeteredTransport transport(loop, inner, "https://kube");
    int done = 0;
    const auto ask = [&](const std::string& url) {
        HttpRequest request;
        request.url = url;
        transport.send(
            std::move(request), [&done](const HttpReply&) { ++done; }, nullptr);
        loop.run_for(std::chrono::seconds(1));
    };
    ask("https://kube/api/v1/pods");
    network.fault = [](const HttpRequest&) { return Fault::Busy; };
    ask("https://kube/api/v1/pods");
    EXPECT_EQ(done, 2);
    EXPECT_EQ(transport.kubernetes().requests, 2U);
    EXPECT_EQ(transport.kubernetes().failures, 1U);
    EXPECT_EQ(transport.kubernetes().answered, 2U);
    EXPECT_GE(transport.kubernetes().took, Duration(250));
    EXPECT_EQ(transport.tailnet().requests, 0U);
    struct Strict : FakeServer {
        HttpReply answer(const HttpRequest&, const std::string& path,
                         const std::shared_ptr<Stream>&) override {
            return {.status = path == "/token" ? 401 : 403};
        }
    } strict;
    network.fault = [](const HttpRequest&) { return Fault::None; };
    network.add("https://tailnet", strict);
    ask("https://tailnet/token");
    ask("https://tailnet/keys");
    EXPECT_EQ(transport.tailnet().refusals, 2U);
    EXPECT_EQ(transport.tailnet().failures, 0U);

    Controller::Counts counts;
    counts.devices = {1, 2, 3, 4};
    counts.keys_minted = 7;
    counts.blocks_services = true;
    const std::string text = metrics(counts, true, transport);
    for (const char* line :
         {"tailrender_leader 1\n", "tailrender_devices{state=\"joined\"} 2\n",
          "tailrender_keys_minted_total 7\n", "tailrender_removal_blocked{of=\"proxies\"} 0\n",
          "tailrender_removal_blocked{of=\"services\"} 1\n",
          "tailrender_api_requests_total{api=\"kubernetes\"} 2\n",
          "tailrender_api_failures_total{api=\"kubernetes\"} 1\n",
          "tailrender_api_refusals_total{api=\"kubernetes\"} 0\n",
          "tailrender_api_refusals_total{api=\"tailnet\"} 2\n",
          "tailrender_api_request_seconds_count{api=\"kubernetes\"} 2\n"}) {
        EXPECT_NE(text.find(line), std::string::npos) << line << text;
    }
}

}  // namespace
}  // namespace runtime::controller
