// A small HTTP server for people and machines that ask how the process is: /healthz, /readyz,
// /metrics. GET only, one request per connection, nothing read beyond its head; of too many
// connections the one that was silent the longest is closed. An answer may take its time.
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

namespace runtime {

struct Page {
    int status = 200;
    std::string text;
    std::vector<std::string> headers = {};  // "Name: value"
};

using PageReply = std::function<void(Page)>;  // called once

class HttpServer {
public:
    // `answer` is asked for each path; the loop outlives the server.
    HttpServer(AsioLoop& loop, std::function<Page(std::string_view path)> answer);
    HttpServer(AsioLoop& loop, std::function<void(std::string_view path, PageReply reply)> answer);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    // On all addresses of both families. Port 0 takes a free one. The result is the port.
    renderer::Result<std::uint16_t> listen(std::uint16_t port);
    // On one address, or on all when it is 0.0.0.0 or [::].
    renderer::Result<std::uint16_t> listen(const AddressPort& at);
    // On a Unix socket, which replaces whatever is at the path.
    renderer::Result<renderer::Unit> listen_at(const std::string& path);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace runtime
