#include "runtime/controller/controller_metrics.h"

#include <fmt/format.h>

namespace runtime::controller {

namespace {

std::string header(std::string_view name, std::string_view help, std::string_view type) {
    return fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
}

std::string gauge(std::string_view name, std::string_view help, std::size_t value) {
    return header(name, help, "gauge") + fmt::format("{} {}\n", name, value);
}

std::string counter(std::string_view name, std::string_view help, std::uint64_t value) {
    return header(name, help, "counter") + fmt::format("{} {}\n", name, value);
}

std::string devices(const Controller::Counts& counts) {
    constexpr std::string_view kName = "tailrender_devices";
    std::string text = header(kName, "Replicas of proxies by the state of their device.", "gauge");
    for (int state = 0; state < kDeviceStates; ++state) {
        text +=
            fmt::format("{}{{state=\"{}\"}} {}\n", kName, name_of(static_cast<DeviceState>(state)),
                        counts.devices.at(static_cast<std::size_t>(state)));
    }
    return text;
}

std::string blocked(const Controller::Counts& counts) {
    constexpr std::string_view kName = "tailrender_removal_blocked";
    return header(kName, "1 if too many disappeared at once, so that they are not removed.",
                  "gauge") +
           fmt::format("{0}{{of=\"proxies\"}} {1}\n{0}{{of=\"services\"}} {2}\n", kName,
                       counts.blocks_proxies ? 1 : 0, counts.blocks_services ? 1 : 0);
}

std::string per_api(std::string_view name, std::string_view help, std::string_view type,
                    const MeteredTransport& traffic, std::uint64_t Traffic::*field) {
    return header(name, help, type) +
           fmt::format("{0}{{api=\"kubernetes\"}} {1}\n{0}{{api=\"tailnet\"}} {2}\n", name,
                       traffic.kubernetes().*field, traffic.tailnet().*field);
}

std::string latency(const MeteredTransport& traffic) {
    static constexpr std::string_view kName = "tailrender_api_request_seconds";
    std::string text = header(kName, "Duration of requests.", "summary");
    const auto add = [&text](std::string_view api, const Traffic& one) {
        text += fmt::format("{0}_sum{{api=\"{1}\"}} {2:.3f}\n{0}_count{{api=\"{1}\"}} {3}\n", kName,
                            api, std::chrono::duration<double>(one.took).count(), one.answered);
    };
    add("kubernetes", traffic.kubernetes());
    add("tailnet", traffic.tailnet());
    return text;
}

}  // namespace

std::string metrics(const Controller::Counts& counts, bool leads, const MeteredTransport& traffic) {
    return gauge("tailrender_leader", "1 if this instance holds the Lease.", leads ? 1 : 0) +
           gauge("tailrender_replicas", "Desired replicas of proxies.", counts.replicas) +
           devices(counts) +
           gauge("tailrender_steps_running", "Replicas with a step in progress.", counts.busy) +
           counter("tailrender_retries_total", "Failed steps that are retried.", counts.retries) +
           counter("tailrender_keys_minted_total", "Auth keys created by this process.",
                   counts.keys_minted) +
           gauge("tailrender_keys_expiring", "Unused auth keys that expire within a day.",
                 counts.keys_expiring) +
           blocked(counts) +
           per_api("tailrender_api_requests_total", "Requests.", "counter", traffic,
                   &Traffic::requests) +
           per_api("tailrender_api_failures_total",
                   "Requests without a response, or with 429 or 5xx.", "counter", traffic,
                   &Traffic::failures) +
           per_api("tailrender_api_refusals_total",
                   "Requests with 401 or 403: wrong credentials, or a missing permission.",
                   "counter", traffic, &Traffic::refusals) +
           latency(traffic);
}

}  // namespace runtime::controller
