// The JSON files of a proxy pod: tailscaled's configuration and the serve configuration, byte for
// byte in the encoding of Go's encoding/json as the operator writes it. Source: tailscale v1.96.5
// ipn/conf.go, ipn/serve.go, cmd/k8s-operator/{sts,ingress}.go.
#pragma once

#include <string>

#include "renderer/plan/model.h"

namespace renderer::generate {

// The redirect to HTTPS of an HTTP endpoint.
inline constexpr std::string_view kRedirect = "301:https://${HOST}${REQUEST_URI}";

// Returns tailscaled's configuration of one replica for any feature. The auth key is in
// /etc/tsauth/<pod>/authkey.
Value replica_config(const plan::Workload& workload, std::size_t ordinal);
std::string tailscaled_config(const plan::Workload& workload, const plan::ProxyPlan& proxy,
                              std::size_t ordinal, bool with_app_connector);

std::string serve_config(const plan::ProxyPlan& proxy);

// Returns the first 16 hex digits of the SHA-256 of the fields that the pods do not reload: the
// control server and `others`, a map.
std::string config_hash(const plan::Workload& workload, const Value& others);

}  // namespace renderer::generate
