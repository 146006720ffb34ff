#include "runtime/base/prometheus.h"

#include <gtest/gtest.h>

namespace {

TEST(MetricsText, WritesMetricsWithAndWithoutLabels) {
    runtime::MetricsText metrics;
    metrics.gauge("ready", "Whether it is ready.", 1);
    metrics.begin("refused_total", "Refused requests.", "counter");
    metrics.sample({{"reason", "a \"b\"\\\n"}, {"protocol", "udp"}}, 2);
    metrics.begin("request_seconds", "Duration of requests.", "summary");
    metrics.summary_sample({{"api", "tailnet"}}, 1.25, 3);
    EXPECT_EQ(metrics.text(),
              "# HELP ready Whether it is ready.\n"
              "# TYPE ready gauge\n"
              "ready 1\n"
              "# HELP refused_total Refused requests.\n"
              "# TYPE refused_total counter\n"
              "refused_total{reason=\"a \\\"b\\\"\\\\\\n\",protocol=\"udp\"} 2\n"
              "# HELP request_seconds Duration of requests.\n"
              "# TYPE request_seconds summary\n"
              "request_seconds_sum{api=\"tailnet\"} 1.250\n"
              "request_seconds_count{api=\"tailnet\"} 3\n");
}

}  // namespace
