#include "runtime/api_proxy/api_metrics.h"

#include "runtime/base/prometheus.h"

namespace runtime::api_proxy {

std::string metrics(const Counters& counters, std::size_t connections) {
    MetricsText out;
    out.counter("k8s_auth_proxy_requests_proxied", "Requests sent to the API server.",
                counters.requests);
    out.counter("tailrender_api_proxy_upgrades_total",
                "Requests that became a session (exec, attach, port-forward).", counters.upgrades);
    out.gauge("tailrender_api_proxy_connections", "Open connections.", connections);
    out.begin("tailrender_api_proxy_refused_total",
              "Requests and connections that were refused, by reason.", "counter");
    const auto refused = [&out](std::string_view reason, std::uint64_t value) {
        out.sample({{"reason", reason}}, value);
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
    out.counter("k8s_auth_proxy_session_recordings_attempted",
                "Sessions whose recording was attempted.", counters.recordings);
    out.counter("k8s_auth_proxy_session_recordings_uploaded",
                "Recordings that a recorder has stored completely.", counters.recordings_uploaded);
    out.counter("tailrender_api_proxy_recordings_failed_total",
                "Recordings that no recorder accepted, or that are incomplete.",
                counters.recordings_failed);
    out.counter("k8s_auth_proxy_api_request_event_recording_attempted",
                "Requests whose recording was attempted.", counters.events);
    out.counter("tailrender_api_proxy_events_failed_total", "Requests that could not be recorded.",
                counters.events_failed);
    out.counter("tailrender_api_proxy_withdrawn_total",
                "Running requests and sessions that ended with their caller's grant.",
                counters.withdrawn);
    return out.text();
}

}  // namespace runtime::api_proxy
