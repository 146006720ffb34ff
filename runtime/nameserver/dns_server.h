// DNS over UDP and TCP (RFC 7766) on all addresses of both families. Who asks by TCP gets the
// replies in the order of the questions, and is cut off when he neither asks nor reads for a while,
// or when too many others come.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "renderer/core/result.h"
#include "runtime/base/asio_loop.h"
#include "runtime/nameserver/answer.h"

namespace runtime {

struct DnsLimits {
    Duration patience = std::chrono::seconds(10);  // for one question and its reply over TCP
    std::size_t connections = 200;                 // the one that was silent the longest goes first
};

class DnsServer {
public:
    // An empty reply is not sent. The loop outlives the server.
    using Reply = std::function<std::string(std::string_view packet, Carrier carrier)>;
    DnsServer(AsioLoop& loop, DnsLimits limits, const Reply& reply);
    ~DnsServer();
    DnsServer(const DnsServer&) = delete;
    DnsServer& operator=(const DnsServer&) = delete;

    // Port 0 takes a free one. The result is the port, the same for both protocols.
    renderer::Result<std::uint16_t> listen(std::uint16_t port);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace runtime
