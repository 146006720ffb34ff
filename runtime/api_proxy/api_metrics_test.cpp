#include "runtime/api_proxy/api_metrics.h"

#include <gtest/gtest.h>

namespace runtime::api_proxy {
namespace {

TEST(ApiMetrics, NameEveryReason) {
    Counters counters;
    counters.requests = 7;
    counters.upgrades = 6;
    counters.faults.at(static_cast<std::size_t>(Fault::TwoLengths)) = 5;
    counters.foreign = 4;
    counters.unled = 8;
    counters.withdrawn = 3;
    counters.events = 2;
    counters.events_failed = 1;
    const std::string text = metrics(counters, 2);
    for (const std::string_view line :
         {"k8s_auth_proxy_requests_proxied 7\n", "tailrender_api_proxy_upgrades_total 6\n",
          "tailrender_api_proxy_refused_total{reason=\"two_lengths\"} 5\n",
          "tailrender_api_proxy_refused_total{reason=\"not_from_tailscaled\"} 4\n",
          "tailrender_api_proxy_refused_total{reason=\"not_serving\"} 8\n",
          "tailrender_api_proxy_refused_total{reason=\"caller_unknown\"} 0\n",
          "k8s_auth_proxy_api_request_event_recording_attempted 2\n",
          "tailrender_api_proxy_events_failed_total 1\n",
          "tailrender_api_proxy_withdrawn_total 3\n", "tailrender_api_proxy_connections 2\n"}) {
        EXPECT_NE(text.find(line), std::string::npos) << line;
    }
    for (const std::string_view name : kFaultNames) {
        EXPECT_NE(text.find("{reason=\"" + std::string(name) + "\"}"), std::string::npos) << name;
    }
}

TEST(Places, HaveALimitForEach) {
    Places places(2);
    EXPECT_TRUE(places.take("a"));
    EXPECT_TRUE(places.take("a"));
    EXPECT_FALSE(places.take("a"));
    EXPECT_TRUE(places.take("b"));
    places.give_back("a");
    EXPECT_TRUE(places.take("a"));
    EXPECT_FALSE(places.take("a"));
    places.give_back("unknown");
}

}  // namespace
}  // namespace runtime::api_proxy
