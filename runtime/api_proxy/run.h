// The role `tailrender-proxy api`: the Kubernetes API for the tailnet, next to a tailscaled in the
// same pod.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "renderer/core/result.h"
#include "runtime/api_proxy/upstream.h"
#include "runtime/base/ip_prefix.h"

namespace runtime::api_proxy {

using Environment = std::function<std::optional<std::string>(const char* name)>;

struct Settings {
    UpstreamPlace api_server;  // without a token file in mode noauth
    std::string socket;        // tailscaled's
    AddressPort listen;        // on loopback, for tailscaled; never 127.0.0.1
    AddressPort local;         // /healthz, /readyz, /metrics
    Duration grace = std::chrono::seconds(25);
    std::string service = {};                  // "svc:NAME" to serve; empty: the device's own name
    std::vector<std::string> unrecorded = {};  // what enforceRecorder lets pass, by name
};

// Reads the settings. APISERVER_PROXY is true or noauth, as for the operator. The others have
// defaults: TS_SOCKET, TS_LOCAL_ADDR_PORT, KUBERNETES_SERVICE_HOST and _PORT,
// TAILRENDER_API_LISTEN, TAILRENDER_API_GRACE_SECONDS, TAILRENDER_API_SERVICE,
// TAILRENDER_API_UNRECORDED.
renderer::Result<Settings> read_settings(const Environment& environment);

// Returns the exit code of the process.
int run(const Environment& environment);

}  // namespace runtime::api_proxy
