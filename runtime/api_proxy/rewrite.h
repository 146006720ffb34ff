// What becomes of a head on its way through: pure.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/api_proxy/caller.h"
#include "runtime/api_proxy/head.h"

namespace runtime::api_proxy {

// As whom the API server is asked: with our own token, in place of the caller.
struct Impersonation {
    const Caller& caller;
    std::string_view token;
};

// The head that goes to the API server. With `as`, nothing that the client says about who it is
// gets through; without, its credentials are what the API server judges. In both, what is meant for
// the next hop only ends here, and `source` is the only word on where the request comes from.
// `is_recorded`: of the protocols of a WebSocket only those are offered that can be recorded.
std::string upstream_head(const RequestHead& head, const std::optional<Impersonation>& as,
                          std::string_view source, bool is_recorded = false);

// Of protocols that a WebSocket offers, or of the one that it speaks: those whose sessions can be
// recorded.
std::string recordable_protocols(std::string_view protocols);

// The head that goes to the client. `closes`: the connection ends after this message.
std::string client_head(const ResponseHead& head, bool closes);

// A whole response of ours: a Status of Kubernetes, after which the connection ends.
struct Refusal {
    int code = 500;
    std::string message;
};
std::string refusal_response(const Refusal& refusal, bool has_body);

}  // namespace runtime::api_proxy
