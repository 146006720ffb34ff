// An HTTP client: sends a request and returns the reply, complete or in pieces. It is an interface
// so that tests can give the replies.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/loop.h"

namespace runtime::inline base {

// The client certificate and its key for the TLS handshake, and the authorities that are trusted
// instead of `ca_file`: PEM texts.
struct Identity {
    std::string authorities = {}, certificate = {}, key = {};
};

struct HttpRequest {
    std::string method = "GET";
    std::string url = {};
    std::vector<std::string> headers = {};  // "Name: value"
    std::string body = {};
    // For the whole exchange; for a stream, the longest time without a byte.
    Duration timeout = std::chrono::seconds(30);
    std::string ca_file = {};  // PEM; empty: what the system trusts
    Identity identity = {};
};

struct HttpReply {
    int status = 0;  // 0: no reply, see `problem`
    std::string body = {};
    std::optional<std::chrono::seconds> retry_after = {};
    // "name: value" lines with names in lower case. Only SocketTransport fills it; libcurl's does
    // not.
    std::vector<std::string> headers = {};
    std::string problem = {};
    // If there is no reply: the server may have executed the request.
    bool may_be_done = false;
};

// Returns the value of a header of the reply, or "" if there is none. `name` is in lower case.
std::string_view header_of(const HttpReply& reply, std::string_view name);

using RequestId = std::uint64_t;

class Transport {
public:
    Transport() = default;
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;
    virtual ~Transport() = default;

    // Calls `done` once, later, unless the request is cancelled. With `on_data`, the body of a
    // reply with status 200 is passed there as it arrives, without a limit on its size. Without it,
    // a body of more than 64 MiB is a problem.
    virtual RequestId send(HttpRequest request, std::function<void(HttpReply)> done,
                           std::function<void(std::string_view)> on_data) = 0;
    virtual void cancel(RequestId id) = 0;
};

}  // namespace runtime::inline base
