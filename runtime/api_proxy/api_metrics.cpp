#include "runtime/api_proxy/api_metrics.h"

#include <fmt/format.h>

namespace runtime::api_proxy {

namespace {

std::string header(std::string_view name, std::string_view help, std::string_view type) {
    return fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
}

std::string counter(std::string_view name, std::string_view help, std::uint64_t value) {
    return header(name, help, "counter") + fmt::format("{} {}\n", name, value);
}

}  // namespace

std::string metrics(const Counters& counters, std::size_t connections) {
    std::string out =
        counter("k8s_auth_proxy_requests_proxied", "Requests sent to the API server.",
                counters.requests) +
        counter("tailrender_api_proxy_upgrades_total",
                "Requests that became a session (exec, attach, port-forward).", counters.upgrades) +
        header("tailrender_api_proxy_connections", "Open connections.", "gauge") +
        fmt::format("tailrender_api_proxy_connections {}\n", connections);
    static constexpr std::string_view kRefused = "tailrender_api_proxy_refused_total";
    out += header(kRefused, "Requests and connections that were refused, by reason.", "counter");
    const auto refused = [&out](std::string_view reason, std::uint64_t value) {
        out += fmt::format("{}{{reason=\"{}\"}} {}\n", kRefused, reason, value);
    };
    for (std::size_t at = 0; at < kFaultNames.size(); ++at) {
        refused(kFaultNames.at(at), counters.faults.at(at));
    }
    refused("not_from_tailscaled", counters.foreign);
    refused("not_serving", counters.unled);
    refused("caller_unknown", counters.unknown);
    refused("caller_denied", counters.denied);
    refused("too_many_connections", counters.crowded);
    refused("api_server_unreachable", counters.unreached);
    out +=
        counter("k8s_auth_proxy_session_recordings_attempted",
                "Sessions whose recording was attempted.", counters.recordings) +
        counter("k8s_auth_proxy_session_recordings_uploaded",
                "Recordings that a recorder has stored completely.", counters.recordings_uploaded) +
        counter("tailrender_api_proxy_recordings_failed_total",
                "Recordings that no recorder accepted, or that are incomplete.",
                counters.recordings_failed) +
        counter("k8s_auth_proxy_api_request_event_recording_attempted",
                "Requests whose recording was attempted.", counters.events) +
        counter("tailrender_api_proxy_events_failed_total", "Requests that could not be recorded.",
                counters.events_failed);
    return out + counter("tailrender_api_proxy_withdrawn_total",
                         "Running requests and sessions that ended with their caller's grant.",
                         counters.withdrawn);
}

}  // namespace runtime::api_proxy
