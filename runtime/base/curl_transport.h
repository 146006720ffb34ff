// HTTP by libcurl on our event loop. Connections are reused and, with HTTP/2, shared.
#pragma once

#include <memory>

#include "runtime/base/transport.h"

namespace runtime::inline base {

// Uses HTTPS_PROXY, https_proxy, http_proxy and NO_PROXY of the environment as libcurl does
// (CURLOPT_PROXY(3)).
class CurlTransport : public Transport {
public:
    // The loop must outlive the transport. `user_agent` is sent with every request.
    CurlTransport(Loop& loop, std::string user_agent);
    ~CurlTransport() override;

    RequestId send(HttpRequest request, std::function<void(HttpReply)> done,
                   std::function<void(std::string_view)> on_data) override;
    void cancel(RequestId id) override;

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace runtime::inline base
