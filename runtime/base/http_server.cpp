#include "runtime/base/http_server.h"

#include <fmt/format.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <utility>

namespace runtime {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;

namespace {

constexpr std::uint32_t kLargestHead = 8 * 1024;
constexpr std::chrono::seconds kPatience(10);

class Connection : public std::enable_shared_from_this<Connection> {
public:
    Connection(tcp::socket socket, std::function<Page(std::string_view)> answer)
        : stream_(std::move(socket)), answer_(std::move(answer)) {
        parser_.header_limit(kLargestHead);
        parser_.body_limit(0);
    }

    void start() {
        stream_.expires_after(kPatience);
        http::async_read(stream_, buffer_, parser_,
                         [self = shared_from_this()](const beast::error_code& error, std::size_t) {
                             if (!error) {
                                 self->reply();
                             }
                         });
    }

private:
    void reply() {
        const auto& request = parser_.get();
        const std::string_view target(request.target().data(), request.target().size());
        const Page page = request.method() == http::verb::get
                              ? answer_(target.substr(0, target.find('?')))
                              : Page{405, "only GET\n"};
        reply_.result(static_cast<unsigned>(page.status));
        reply_.version(request.version());
        reply_.set(http::field::content_type, "text/plain; version=0.0.4; charset=utf-8");
        reply_.keep_alive(false);
        reply_.body() = page.text;
        reply_.prepare_payload();
        http::async_write(stream_, reply_,
                          [self = shared_from_this()](const beast::error_code&, std::size_t) {
                              beast::error_code ignored;
                              self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
                          });
    }

    beast::tcp_stream stream_;
    std::function<Page(std::string_view)> answer_;
    beast::flat_buffer buffer_{kLargestHead};
    http::request_parser<http::empty_body> parser_;
    http::response<http::string_body> reply_;
};

}  // namespace

struct HttpServer::State : std::enable_shared_from_this<HttpServer::State> {
    State(asio::io_context& context, std::function<Page(std::string_view)> its_answer)
        : acceptor(context), pause(context), answer(std::move(its_answer)) {}

    void accept() {
        acceptor.async_accept(
            [self = shared_from_this()](const beast::error_code& error, tcp::socket socket) {
                if (!self->acceptor.is_open()) {
                    return;
                }
                if (error) {  // no descriptor is free, mostly
                    self->pause.expires_after(std::chrono::seconds(1));
                    self->pause.async_wait([self](const beast::error_code&) { self->accept(); });
                    return;
                }
                std::make_shared<Connection>(std::move(socket), self->answer)->start();
                self->accept();
            });
    }

    tcp::acceptor acceptor;
    asio::steady_timer pause;
    std::function<Page(std::string_view)> answer;
};

HttpServer::HttpServer(AsioLoop& loop, std::function<Page(std::string_view)> answer)
    : state_(std::make_shared<State>(loop.context(), std::move(answer))) {}

HttpServer::~HttpServer() {
    beast::error_code ignored;
    state_->acceptor.close(ignored);
    state_->pause.cancel(ignored);
}

renderer::Result<std::uint16_t> HttpServer::listen(std::uint16_t port) {
    beast::error_code error;
    auto& acceptor = state_->acceptor;
    // One socket for both families; a kernel without IPv6 gets one for IPv4.
    acceptor.open(tcp::v6(), error);
    const bool both = !error;
    if (both) {
        acceptor.set_option(asio::ip::v6_only(false), error);
    } else {
        acceptor.open(tcp::v4(), error);
    }
    if (!error) {
        acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    }
    if (!error) {
        acceptor.bind({both ? tcp::v6() : tcp::v4(), port}, error);
    }
    if (!error) {
        acceptor.listen(tcp::acceptor::max_listen_connections, error);
    }
    if (error) {
        return renderer::Error{
            {.rule = "cannot-listen",
             .where = fmt::format("port {}", port),
             .message = fmt::format("cannot listen on port {}: {}", port, error.message())}};
    }
    state_->accept();
    return acceptor.local_endpoint().port();
}

}  // namespace runtime
