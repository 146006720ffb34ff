// Parses the serve config in a file: fills in the domain of the device's certificate, and finds
// what this process needs from it. Pure.
// Source: tailscale v1.104.5 cmd/containerboot/serve.go, kube/certs, ipn/serve.go.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/result.h"

namespace runtime::proxy {

// Used as the domain when the tailnet issues no certificates.

struct ServeConfig {
    std::string text;                        // JSON for tailscaled
    bool has_https = false;                  // the device itself serves HTTPS
    std::vector<std::string> services = {};  // "svc:name", sorted
    std::vector<std::string> domains = {};   // of certificates that Services need, sorted
};

// `domain` replaces ${TS_CERT_DOMAIN}.
renderer::Result<ServeConfig> read_serve_config(std::string_view text, std::string_view domain);

}  // namespace runtime::proxy
