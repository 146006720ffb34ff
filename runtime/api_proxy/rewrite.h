// Rewrites the heads of requests and responses on their way through the proxy. Pure.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/api_proxy/caller.h"
#include "runtime/api_proxy/head.h"

namespace runtime::api_proxy {

// The identity that the API server sees: the caller, impersonated with the proxy's own token.
struct Impersonation {
    const Caller& caller;
    std::string_view token;
};

// Returns the head for the API server. With `as`, nothing that the client says about its identity
// is forwarded. Without it, the API server checks the client's credentials. In both cases
// hop-by-hop fields are removed, and `source` is the only statement of where the request comes
// from. If `is_recorded`, only WebSocket protocols that can be recorded are offered.
std::string upstream_head(const RequestHead& head, const std::optional<Impersonation>& as,
                          std::string_view source, bool is_recorded = false);

// Returns those of the WebSocket protocols, offered or selected, whose sessions can be recorded.
std::string recordable_protocols(std::string_view protocols);

// Returns the head for the client. `closes` means that the connection ends after this message.
std::string client_head(const ResponseHead& head, bool closes);

// A response of the proxy itself: a Kubernetes Status. The connection ends after it.
struct Refusal {
    int code = 500;
    std::string message;
};
std::string refusal_response(const Refusal& refusal, bool has_body);

}  // namespace runtime::api_proxy
