// HTTP as a client needs it: a request goes out, a reply comes back, whole or piece by piece. A
// seam: tests answer themselves.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/loop.h"

namespace runtime {

// What a client proves itself with in the TLS handshake, and whom it trusts instead of `ca_file`:
// PEM texts.
struct Identity {
    std::string authorities = {}, certificate = {}, key = {};
};

struct HttpRequest {
    std::string method = "GET";
    std::string url = {};
    std::vector<std::string> headers = {};  // "Name: value"
    std::string body = {};
    // For the whole exchange; of a stream: for the time without a byte.
    Duration timeout = std::chrono::seconds(30);
    std::string ca_file = {};  // PEM; empty: what the system trusts
    Identity identity = {};
};

struct HttpReply {
    int status = 0;  // 0: no reply, see `problem`
    std::string body = {};
    std::optional<std::chrono::seconds> retry_after = {};
    // "name: value" lines, names in lower case; SocketTransport fills it, libcurl's leaves it out.
    std::vector<std::string> headers = {};
    std::string problem = {};
    // Without a reply: the server may have done what was asked.
    bool may_be_done = false;
};

// The value of a header of the reply, "" when it has none of that name (lower case).
std::string_view header_of(const HttpReply& reply, std::string_view name);

using RequestId = std::uint64_t;

class Transport {
public:
    Transport() = default;
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;
    virtual ~Transport() = default;

    // `done` is called once, later, unless the request is cancelled. With `on_data` the body of a
    // reply of status 200 goes there as it comes, and there is no limit to its size; without, more
    // than 64 MiB is a problem.
    virtual RequestId send(HttpRequest request, std::function<void(HttpReply)> done,
                           std::function<void(std::string_view)> on_data) = 0;
    virtual void cancel(RequestId id) = 0;
};

}  // namespace runtime
