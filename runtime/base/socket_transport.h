// HTTP/1.1 over a socket of its own for each request: to one server behind a Unix socket, or to
// http:// and https:// servers. For a process that asks seldom and stays small: libcurl, with what
// it links, keeps some 9 MB of a process resident, this a tenth of it. Not for many requests a
// second (no connection is kept), HTTP/2, proxies or client certificates.
#pragma once

#include <memory>
#include <string>

#include "runtime/base/asio_loop.h"
#include "runtime/base/transport.h"

namespace runtime {

class SocketTransport : public Transport {
public:
    // With a path every request goes to the server that listens on that Unix socket, whatever its
    // URL's host. The loop outlives the transport.
    explicit SocketTransport(AsioLoop& loop, std::string unix_path = {});
    ~SocketTransport() override;

    RequestId send(HttpRequest request, std::function<void(HttpReply)> done,
                   std::function<void(std::string_view)> on_data) override;
    void cancel(RequestId id) override;

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace runtime
