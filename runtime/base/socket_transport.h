// HTTP/1.1 with one socket per request: to one server behind a Unix socket, or to http:// and
// https:// servers. It is for a process that sends few requests and has to stay small: libcurl and
// its libraries keep about 9 MB resident, this takes a tenth of that. It does not support
// connection reuse, HTTP/2, proxies or client certificates.
#pragma once

#include <memory>
#include <string>

#include "runtime/base/asio_loop.h"
#include "runtime/base/transport.h"

namespace runtime::inline base {

class SocketTransport : public Transport {
public:
    // If `unix_path` is set, every request goes to the server on that Unix socket, whatever the
    // host of its URL. The loop must outlive the transport.
    explicit SocketTransport(AsioLoop& loop, std::string unix_path = {});
    ~SocketTransport() override;

    RequestId send(HttpRequest request, std::function<void(HttpReply)> done,
                   std::function<void(std::string_view)> on_data) override;
    void cancel(RequestId id) override;

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace runtime::inline base
