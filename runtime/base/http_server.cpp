#include "runtime/base/http_server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <utility>

#include "runtime/base/listener.h"

namespace runtime::inline base {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::local::stream_protocol;
using Socket = asio::generic::stream_protocol::socket;
using Answer = std::function<void(std::string_view path, PageReply reply)>;

namespace {

constexpr std::uint32_t kLargestHead = 8 * 1024;
constexpr std::chrono::seconds kPatience(10);
constexpr std::size_t kMostConnections = 100;

class Connection : public std::enable_shared_from_this<Connection> {
public:
    Connection(Socket socket, std::shared_ptr<Connections> all, Answer answer)
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
                                 self->ask();
                             }
                         });
    }

private:
    void ask() {
        const auto& request = parser_.get();
        const std::string_view target(request.target().data(), request.target().size());
        if (request.method() != http::verb::get) {
            return reply({405, "only GET\n"});
        }
        answer_(target.substr(0, target.find('?')),
                [self = shared_from_this()](const Page& page) { self->reply(page); });
    }

    void reply(const Page& page) {
        reply_.result(static_cast<unsigned>(page.status));
        reply_.version(parser_.get().version());
        reply_.set(http::field::content_type, "text/plain; version=0.0.4; charset=utf-8");
        for (const std::string& header : page.headers) {
            const std::size_t colon = header.find(": ");
            reply_.set(header.substr(0, colon), header.substr(colon + 2));
        }
        reply_.keep_alive(false);
        reply_.body() = page.text;
        reply_.prepare_payload();
        stream_.expires_after(kPatience);
        http::async_write(stream_, reply_,
                          [self = shared_from_this()](const beast::error_code&, std::size_t) {
                              beast::error_code ignored;
                              self->stream_.socket().shutdown(Socket::shutdown_send, ignored);
                          });
    }

    beast::basic_stream<asio::generic::stream_protocol> stream_;
    Connections::Place place_;
    Answer answer_;
    beast::flat_buffer buffer_{kLargestHead};
    http::request_parser<http::empty_body> parser_;
    http::response<http::string_body> reply_;
};

}  // namespace

struct HttpServer::State {
    State(AsioLoop& its_loop, const std::function<void(Socket)>& its_take)
        : loop(its_loop), take(its_take), listener(its_loop, its_take) {}

    AsioLoop& loop;
    std::function<void(Socket)> take;
    Listener listener;
    std::shared_ptr<Acceptor<stream_protocol>> at_path;
};

HttpServer::HttpServer(AsioLoop& loop, Answer answer) {
    const std::function<void(Socket)> take =
        [answer = std::move(answer),
         all = std::make_shared<Connections>(kMostConnections)](Socket socket) {
            std::make_shared<Connection>(std::move(socket), all, answer)->start();
        };
    state_ = std::make_unique<State>(loop, take);
}

HttpServer::HttpServer(AsioLoop& loop, std::function<Page(std::string_view)> answer)
    : HttpServer(
          loop, Answer([answer = std::move(answer)](std::string_view path, const PageReply& reply) {
              reply(answer(path));
          })) {}

HttpServer::~HttpServer() {
    if (state_->at_path != nullptr) {
        state_->at_path->close();
    }
}

renderer::Result<std::uint16_t> HttpServer::listen(std::uint16_t port) {
    return state_->listener.listen(port);
}

renderer::Result<std::uint16_t> HttpServer::listen(const AddressPort& at) {
    return state_->listener.listen(at);
}

renderer::Result<renderer::Unit> HttpServer::listen_at(const std::string& path) {
    static_cast<void>(::unlink(path.c_str()));
    const auto at_path =
        std::make_shared<Acceptor<stream_protocol>>(state_->loop.context(), state_->take);
    auto& acceptor = at_path->acceptor;
    beast::error_code error;
    if (path.size() >= sizeof(sockaddr_un::sun_path)) {
        error = asio::error::name_too_long;
    } else {
        acceptor.open(stream_protocol(), error);
    }
    if (!error) {
        acceptor.bind(stream_protocol::endpoint(path), error);
    }
    if (!error) {
        acceptor.listen(stream_protocol::acceptor::max_listen_connections, error);
    }
    if (error) {
        return renderer::Error{
            {.rule = "cannot-listen",
             .where = path,
             .message = fmt::format("cannot listen on \"{}\": {}", path, error.message())}};
    }
    state_->at_path = at_path;
    at_path->accept();
    return renderer::Unit{};
}

}  // namespace runtime::inline base
