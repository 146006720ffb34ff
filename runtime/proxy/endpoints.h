// The HTTP servers of the pod. They serve /healthz, /metrics, /debug/ and the preStop hook if the
// environment enables them, as containerboot does. A Unix socket next to tailscaled's serves
// readiness for the exec probe.
// Source: tailscale v1.104.5 kube/health, kube/metrics, cmd/containerboot/egressservices.go.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "runtime/base/http_server.h"
#include "runtime/base/log.h"
#include "runtime/base/transport.h"
#include "runtime/localapi/client.h"
#include "runtime/proxy/drain.h"
#include "runtime/proxy/environment.h"
#include "runtime/proxy/followed_files.h"

namespace runtime::proxy {

inline constexpr std::string_view kPreShutdown = "/internal-egress-services-preshutdown";

// Returns the path of the Unix socket that serves readiness.
std::string ready_socket(const Environment& environment);

struct EndpointState {
    bool has_addresses = false;            // the device has addresses in the tailnet
    bool is_started = false;               // the pod takes traffic
    std::string not_ready = "starting";    // the reason; empty: it is ready
    std::function<std::string()> metrics;  // of this process
};

class Endpoints {
public:
    // All references outlive it. `transport` is for servers other than tailscaled.
    Endpoints(AsioLoop& loop, Log& log, localapi::LocalApi& api, Transport& transport,
              const Environment& environment, const FollowedFiles& files,
              const EndpointState& state);

    renderer::Result<renderer::Unit> start();
    // Stops all servers and logs which ones it stopped.
    void stop();

private:
    void answer(std::string_view path, const PageReply& reply);
    void answer_metrics(const PageReply& reply);
    void answer_debug(std::string_view path, const PageReply& reply);
    void answer_preshutdown(const PageReply& reply);
    [[nodiscard]] Page health() const;

    AsioLoop& loop_;
    Log& log_;
    localapi::LocalApi& api_;
    Transport& transport_;
    const Environment& environment_;
    const FollowedFiles& files_;
    const EndpointState& state_;
    Drain drain_;
    std::unique_ptr<HttpServer> local_, separate_health_, ready_;
};

}  // namespace runtime::proxy
