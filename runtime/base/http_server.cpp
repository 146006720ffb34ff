#include "runtime/base/http_server.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <utility>

#include "runtime/base/listener.h"

namespace runtime {

namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::asio::ip::tcp;

namespace {

constexpr std::uint32_t kLargestHead = 8 * 1024;
constexpr std::chrono::seconds kPatience(10);
constexpr std::size_t kMostConnections = 100;

class Connection : public std::enable_shared_from_this<Connection> {
public:
    Connection(tcp::socket socket, std::shared_ptr<Connections> all,
               std::function<Page(std::string_view)> answer)
        : stream_(std::move(socket)),
          place_(std::move(all), [this] { stream_.close(); }),
          answer_(std::move(answer)) {
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
    Connections::Place place_;
    std::function<Page(std::string_view)> answer_;
    beast::flat_buffer buffer_{kLargestHead};
    http::request_parser<http::empty_body> parser_;
    http::response<http::string_body> reply_;
};

}  // namespace

struct HttpServer::State {
    Listener listener;
};

HttpServer::HttpServer(AsioLoop& loop, std::function<Page(std::string_view)> answer)
    : state_(new State{
          {loop, [answer = std::move(answer),
                  all = std::make_shared<Connections>(kMostConnections)](tcp::socket socket) {
               std::make_shared<Connection>(std::move(socket), all, answer)->start();
           }}}) {}

HttpServer::~HttpServer() = default;

renderer::Result<std::uint16_t> HttpServer::listen(std::uint16_t port) {
    return state_->listener.listen(port);
}

}  // namespace runtime
