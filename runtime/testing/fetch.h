// Sends one request on a real loop, for tests of HTTP clients and servers.
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "runtime/base/asio_loop.h"
#include "runtime/base/transport.h"

namespace runtime {

// Runs the loop until the request is answered.
inline HttpReply fetch_on(AsioLoop& loop, Transport& transport, HttpRequest request,
                          std::function<void(std::string_view)> on_data = nullptr) {
    HttpReply reply;
    transport.send(
        std::move(request),
        [&](HttpReply got) {
            reply = std::move(got);
            loop.stop();
        },
        std::move(on_data));
    loop.run();
    return reply;
}

}  // namespace runtime
