// DNS over UDP and TCP (RFC 7766) on all addresses of both families. A TCP client gets the replies
// in the order of its queries. It is disconnected if it neither sends nor reads for a while, or if
// there are too many clients and it was silent the longest.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "renderer/core/result.h"
#include "runtime/base/asio_loop.h"
#include "runtime/nameserver/answer.h"

namespace runtime::nameserver {

struct DnsLimits {
    Duration patience = std::chrono::seconds(10);  // for one query and its reply over TCP
    std::size_t connections = 200;                 // beyond these, the longest silent is closed
};

class DnsServer {
public:
    // An empty reply is not sent. The loop must outlive the server.
    using Reply = std::function<std::string(std::string_view packet, Carrier carrier)>;
    DnsServer(AsioLoop& loop, DnsLimits limits, const Reply& reply);
    ~DnsServer();
    DnsServer(const DnsServer&) = delete;
    DnsServer& operator=(const DnsServer&) = delete;

    // Port 0 picks a free port. Returns the port, which is the same for both protocols.
    renderer::Result<std::uint16_t> listen(std::uint16_t port);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace runtime::nameserver
