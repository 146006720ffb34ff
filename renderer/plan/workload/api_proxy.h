// The Kubernetes API for the tailnet (`apiServerProxyConfig.mode`): what the operator serves in its
// own process, under its own device, is a StatefulSet here, with the same hostname and tags. It
// belongs to the installation: whoever renders the controller renders it. Source of the rules:
// tailscale v1.104.5 cmd/k8s-operator/operator.go, cmd/k8s-operator/api-server-proxy.go.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"

namespace renderer::plan {

struct Settings;
struct Workload;

// None: the mode is off.
std::optional<Workload> plan_api_proxy(const Settings& settings, Diagnostics& diagnostics);

// What the tailnet policy has to say so that someone can use the Kubernetes API of devices with
// these tags: lines of a policy file. Tags are owned by those of the OAuth client, which mints
// their keys. `service`: "svc:NAME", the Tailscale Service that they serve, for which grants of a
// capability do not count, but those for the device behind it; "": their own name.
std::string api_proxy_policy(const std::vector<std::string>& tags, const Settings& settings,
                             bool impersonates, std::string_view service);

}  // namespace renderer::plan
