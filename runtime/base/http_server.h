// A small HTTP server for /healthz, /readyz and /metrics. It serves GET only, one request per
// connection, and reads nothing after the head. When there are too many connections, the oldest is
// closed. An answer may be given later.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/result.h"
#include "runtime/base/asio_loop.h"
#include "runtime/base/ip_prefix.h"

namespace runtime::inline base {

struct Page {
    int status = 200;
    std::string text;
    std::vector<std::string> headers = {};  // "Name: value"
};

using PageReply = std::function<void(Page)>;  // called once

class HttpServer {
public:
    // `answer` is called with the path of each request. The loop must outlive the server.
    HttpServer(AsioLoop& loop, std::function<Page(std::string_view path)> answer);
    HttpServer(AsioLoop& loop, std::function<void(std::string_view path, PageReply reply)> answer);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    // Listens on all addresses of both families. Port 0 picks a free port. Returns the port.
    renderer::Result<std::uint16_t> listen(std::uint16_t port);
    // Listens on one address, or on all if it is 0.0.0.0 or [::].
    renderer::Result<std::uint16_t> listen(const AddressPort& at);
    // Listens on a Unix socket. A file at the path is replaced.
    renderer::Result<renderer::Unit> listen_at(const std::string& path);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace runtime::inline base
