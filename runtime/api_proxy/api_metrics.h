// The metrics of the API proxy in Prometheus' text format.
// Source of the first name: tailscale v1.96.5 k8s-operator/api-proxy/proxy.go.
#pragma once

#include <string>

#include "runtime/api_proxy/shared.h"

namespace runtime::api_proxy {

std::string metrics(const Counters& counters, std::size_t connections);

}  // namespace runtime::api_proxy
