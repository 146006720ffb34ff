#include "runtime/controller/controller_metrics.h"

#include "runtime/base/prometheus.h"

namespace runtime::controller {

namespace {

constexpr std::string_view kApiLabel = "api";

void add_devices(const Controller::Counts& counts, MetricsText& out) {
    out.begin("tailrender_devices", "Replicas of proxies by the state of their device.", "gauge");
    for (int state = 0; state < kDeviceStates; ++state) {
        out.sample({{"state", name_of(static_cast<DeviceState>(state))}},
                   counts.devices.at(static_cast<std::size_t>(state)));
    }
}

void add_blocked(const Controller::Counts& counts, MetricsText& out) {
    out.begin("tailrender_removal_blocked",
              "1 if too many disappeared at once, so that they are not removed.", "gauge");
    out.sample({{"of", "proxies"}}, counts.blocks_proxies ? 1 : 0);
    out.sample({{"of", "services"}}, counts.blocks_services ? 1 : 0);
}

void add_traffic(const MeteredTransport& traffic, MetricsText& out) {
    const auto per_api = [&](std::string_view name, std::string_view help,
                             std::uint64_t Traffic::*field) {
        out.begin(name, help, "counter");
        out.sample({{kApiLabel, "kubernetes"}}, traffic.kubernetes().*field);
        out.sample({{kApiLabel, "tailnet"}}, traffic.tailnet().*field);
    };
    per_api("tailrender_api_requests_total", "Requests.", &Traffic::requests);
    per_api("tailrender_api_failures_total", "Requests without a response, or with 429 or 5xx.",
            &Traffic::failures);
    per_api("tailrender_api_refusals_total",
            "Requests with 401 or 403: wrong credentials, or a missing permission.",
            &Traffic::refusals);
    out.begin("tailrender_api_request_seconds", "Duration of requests.", "summary");
    const auto latency = [&out](std::string_view api, const Traffic& one) {
        out.summary_sample({{kApiLabel, api}}, std::chrono::duration<double>(one.took).count(),
                           one.answered);
    };
    latency("kubernetes", traffic.kubernetes());
    latency("tailnet", traffic.tailnet());
}

}  // namespace

std::string metrics(const Controller::Counts& counts, bool leads, const MeteredTransport& traffic) {
    MetricsText out;
    out.gauge("tailrender_leader", "1 if this instance holds the Lease.", leads ? 1 : 0);
    out.gauge("tailrender_replicas", "Desired replicas of proxies.", counts.replicas);
    add_devices(counts, out);
    out.gauge("tailrender_steps_running", "Replicas with a step in progress.", counts.busy);
    out.counter("tailrender_retries_total", "Failed steps that are retried.", counts.retries);
    out.counter("tailrender_keys_minted_total", "Auth keys created by this process.",
                counts.keys_minted);
    out.gauge("tailrender_keys_expiring", "Unused auth keys that expire within a day.",
              counts.keys_expiring);
    add_blocked(counts, out);
    add_traffic(traffic, out);
    return out.text();
}

}  // namespace runtime::controller
