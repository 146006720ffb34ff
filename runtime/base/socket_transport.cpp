#include "runtime/base/socket_transport.h"

#include <fmt/format.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <charconv>
#include <limits>
#include <map>
#include <utility>

#include "renderer/base/ascii.h"
#include "runtime/base/keepalive.h"

namespace runtime::inline base {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using UnixStream = beast::basic_stream<asio::local::stream_protocol>;
using TlsStream = asio::ssl::stream<beast::tcp_stream>;

namespace {

constexpr std::size_t kLargestReplyBody = std::size_t{64} << 20U;
constexpr std::uint32_t kLargestReplyHead = 32 * 1024;
constexpr std::size_t kPiece = std::size_t{16} * 1024;

struct Server {
    bool is_tls = false;
    std::string host, port, target;
};

// Splits a URL that server_url() accepts, with an optional path.
std::optional<Server> read_url(std::string_view url) {
    Server out;
    const std::size_t scheme = url.find("://");
    if (scheme == std::string_view::npos) {
        return std::nullopt;
    }
    out.is_tls = url.substr(0, scheme) == "https";
    url.remove_prefix(scheme + 3);
    const std::size_t slash = url.find('/');
    out.target = slash == std::string_view::npos ? "/" : std::string(url.substr(slash));
    std::string_view authority = url.substr(0, slash);
    const std::size_t bracket = authority.find(']');
    const std::size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
    out.port = colon == std::string_view::npos ? (out.is_tls ? "443" : "80")
                                               : std::string(authority.substr(colon + 1));
    authority = authority.substr(0, colon);
    if (bracket != std::string_view::npos) {
        authority = authority.substr(1, authority.size() - 2);
    }
    out.host = authority;
    return out.host.empty() ? std::nullopt : std::optional(std::move(out));
}

std::string_view view(beast::string_view text) {
    return {text.data(), text.size()};
}

http::request<http::string_body> message_of(const HttpRequest& request, const Server& server) {
    http::request<http::string_body> out;
    out.method_string(request.method);
    out.target(server.target);
    out.version(11);
    const bool is_v6 = server.host.find(':') != std::string::npos;
    const bool has_default_port = server.port == (server.is_tls ? "443" : "80");
    out.set(http::field::host, (is_v6 ? "[" + server.host + "]" : server.host) +
                                   (has_default_port ? std::string() : ":" + server.port));
    out.keep_alive(false);
    for (const std::string& header : request.headers) {
        const std::size_t colon = header.find(':');
        const std::size_t value = header.find_first_not_of(' ', colon + 1);
        out.insert(header.substr(0, colon),
                   value == std::string::npos ? std::string() : header.substr(value));
    }
    out.body() = request.body;
    out.prepare_payload();
    return out;
}

}  // namespace

std::string_view header_of(const HttpReply& reply, std::string_view name) {
    for (const std::string_view header : reply.headers) {
        if (header.starts_with(name) && header.substr(name.size()).starts_with(": ")) {
            return header.substr(name.size() + 2);
        }
    }
    return {};
}

namespace {

// One request from the connection to the reply. The pending callbacks keep it alive.
class SocketExchange : public std::enable_shared_from_this<SocketExchange> {
public:
    SocketExchange(asio::io_context& context, HttpRequest request, std::string unix_path,
                   std::function<void(HttpReply)> done,
                   std::function<void(std::string_view)> on_data)
        : context_(context),
          request_(std::move(request)),
          deadline_(context, request_.timeout),
          unix_path_(std::move(unix_path)),
          done_(std::move(done)),
          on_data_(std::move(on_data)) {}

    void start() {
        auto server = read_url(request_.url);
        if (!server) {
            return fail_later("invalid URL");
        }
        server_ = std::move(*server);
        message_ = message_of(request_, server_);
        if (!unix_path_.empty()) {
            return start_unix();
        }
        beast::error_code error;
        const auto address = asio::ip::make_address(server_.host, error);
        if (error) {
            return resolve();
        }
        std::uint16_t port = 0;
        std::from_chars(server_.port.data(), server_.port.data() + server_.port.size(), port);
        start_tcp(std::vector{tcp::endpoint(address, port)});
    }

    // Closes everything. No callback is called any more.
    void end() {
        done_ = nullptr;
        on_data_ = nullptr;
        if (unix_ != nullptr) {
            unix_->close();
        }
        if (tcp_ != nullptr) {
            tcp_->close();
        }
        if (tls_ != nullptr) {
            beast::get_lowest_layer(*tls_).close();
        }
        if (resolver_ != nullptr) {
            resolver_->cancel();
        }
        beast::error_code ignored;
        deadline_.cancel(ignored);
    }

private:
    void start_unix() {
        if (unix_path_.size() >= sizeof(sockaddr_un::sun_path)) {
            return fail_later("the path of the socket is too long");
        }
        unix_ = std::make_unique<UnixStream>(context_);
        unix_->expires_after(request_.timeout);
        unix_->async_connect(asio::local::stream_protocol::endpoint(unix_path_),
                             [self = shared_from_this()](const beast::error_code& error) {
                                 error ? self->fail(error) : self->write(*self->unix_);
                             });
    }

    void resolve() {
        resolver_ = std::make_unique<tcp::resolver>(context_);
        deadline_.async_wait([self = shared_from_this()](const beast::error_code& error) {
            if (!error) {
                self->fail(beast::error::timeout);
            }
        });
        resolver_->async_resolve(
            server_.host, server_.port,
            [self = shared_from_this()](const beast::error_code& error,
                                        const tcp::resolver::results_type& results) {
                self->deadline_.cancel();
                error ? self->fail(error) : self->start_tcp({results.begin(), results.end()});
            });
    }

    void start_tcp(std::vector<tcp::endpoint> endpoints) {
        if (done_ == nullptr) {
            return;
        }
        endpoints_ = std::move(endpoints);
        if (server_.is_tls) {
            return start_tls();
        }
        tcp_ = std::make_unique<beast::tcp_stream>(context_);
        connect(*tcp_, [self = shared_from_this()] { self->write(*self->tcp_); });
    }

    void start_tls() {
        beast::error_code error;
        tls_context_.set_verify_mode(asio::ssl::verify_peer);
        request_.ca_file.empty() ? tls_context_.set_default_verify_paths(error)
                                 : tls_context_.load_verify_file(request_.ca_file, error);
        if (error) {
            return fail_later(
                fmt::format("cannot read \"{}\": {}", request_.ca_file, error.message()));
        }
        tls_ = std::make_unique<TlsStream>(context_, tls_context_);
        tls_->set_verify_callback(asio::ssl::host_name_verification(server_.host));
        SSL_set_tlsext_host_name(tls_->native_handle(), server_.host.c_str());
        connect(beast::get_lowest_layer(*tls_), [self = shared_from_this()] {
            self->tls_->async_handshake(
                asio::ssl::stream_base::client, [self](const beast::error_code& failure) {
                    failure ? self->fail(failure) : self->write(*self->tls_);
                });
        });
    }

    template <typename Next>
    void connect(beast::tcp_stream& stream, Next next) {
        stream.expires_at(deadline_.expiry());
        stream.async_connect(endpoints_,
                             [self = shared_from_this(), &stream, next = std::move(next)](
                                 const beast::error_code& error, const tcp::endpoint&) {
                                 if (error) {
                                     return self->fail(error);
                                 }
                                 keep_alive(stream.socket().native_handle());
                                 next();
                             });
    }

    template <typename Stream>
    void write(Stream& stream) {
        was_sent_ = true;
        http::async_write(
            stream, message_,
            [self = shared_from_this(), &stream](const beast::error_code& error, std::size_t) {
                error ? self->fail(error) : self->read_head(stream);
            });
    }

    template <typename Stream>
    void read_head(Stream& stream) {
        parser_.header_limit(kLargestReplyHead);
        parser_.body_limit(std::numeric_limits<std::uint64_t>::max());  // see take_body
        http::async_read_header(
            stream, buffer_, parser_,
            [self = shared_from_this(), &stream](const beast::error_code& error, std::size_t) {
                if (error || self->done_ == nullptr) {
                    return self->fail(error);
                }
                self->take_head();
                self->read_body(stream);
            });
    }

    void take_head() {
        const auto& head = parser_.get();
        reply_.status = static_cast<int>(head.result_int());
        for (const auto& field : head) {
            reply_.headers.push_back(fmt::format(
                "{}: {}", renderer::lower_case(view(field.name_string())), view(field.value())));
        }
        long seconds = 0;
        const std::string_view wait = header_of(reply_, "retry-after");
        const auto [end, bad] = std::from_chars(wait.data(), wait.data() + wait.size(), seconds);
        if (!wait.empty() && bad == std::errc() && seconds >= 0) {
            reply_.retry_after = std::chrono::seconds(seconds);
        }
    }

    template <typename Stream>
    void read_body(Stream& stream) {
        if (parser_.is_done()) {
            return finish();
        }
        auto& body = parser_.get().body();
        body.data = piece_;
        body.size = sizeof piece_;
        if (on_data_ != nullptr) {
            beast::get_lowest_layer(stream).expires_after(request_.timeout);
        }
        http::async_read_some(
            stream, buffer_, parser_,
            [self = shared_from_this(), &stream](beast::error_code error, std::size_t) {
                if (error == http::error::need_buffer) {
                    error = {};
                }
                self->take_body();
                if (self->done_ == nullptr || error) {
                    return self->fail(error);
                }
                self->read_body(stream);
            });
    }

    void take_body() {
        const std::size_t count = sizeof piece_ - parser_.get().body().size;
        const std::string_view bytes(piece_, count);
        if (bytes.empty() || done_ == nullptr) {
            return;
        }
        if (on_data_ != nullptr && reply_.status == 200) {
            const auto on_data = on_data_;
            return on_data(bytes);
        }
        reply_.body.append(bytes);
        if (reply_.body.size() > kLargestReplyBody) {
            fail_with("the reply is too long");
        }
    }

    void finish() {
        if (const auto done = std::exchange(done_, nullptr)) {
            end();
            done(std::move(reply_));
        }
    }

    void fail(const beast::error_code& error) {
        // A server that sends no Content-Length ends the body by closing the connection.
        if (error == http::error::end_of_stream && parser_.is_done()) {
            return finish();
        }
        fail_with(error == beast::error::timeout ? "timed out" : error.message());
    }

    void fail_with(std::string_view problem) {
        if (const auto done = std::exchange(done_, nullptr)) {
            HttpReply reply;
            const std::string& where = unix_path_.empty() ? server_.host : unix_path_;
            reply.problem = fmt::format("{}: {}", where, problem);
            reply.may_be_done = was_sent_ && request_.method != "GET";
            end();
            done(std::move(reply));
        }
    }

    void fail_later(std::string problem) {
        asio::post(context_, [self = shared_from_this(), problem = std::move(problem)] {
            self->fail_with(problem);
        });
    }

    asio::io_context& context_;
    HttpRequest request_;
    asio::steady_timer deadline_;
    std::string unix_path_;
    std::function<void(HttpReply)> done_;
    std::function<void(std::string_view)> on_data_;

    Server server_;
    std::vector<tcp::endpoint> endpoints_;
    http::request<http::string_body> message_;
    std::unique_ptr<tcp::resolver> resolver_;
    asio::ssl::context tls_context_{asio::ssl::context::tls_client};
    std::unique_ptr<UnixStream> unix_;
    std::unique_ptr<beast::tcp_stream> tcp_;
    std::unique_ptr<TlsStream> tls_;
    beast::flat_buffer buffer_{kLargestReplyHead + kPiece};
    http::response_parser<http::buffer_body> parser_;
    char piece_[kPiece];
    HttpReply reply_;
    bool was_sent_ = false;
};

}  // namespace

struct SocketTransport::State {
    State(AsioLoop& its_loop, std::string path) : loop(its_loop), unix_path(std::move(path)) {}

    AsioLoop& loop;
    std::string unix_path;
    RequestId next = 1;
    std::map<RequestId, std::shared_ptr<SocketExchange>> exchanges;
};

SocketTransport::SocketTransport(AsioLoop& loop, std::string unix_path)
    : state_(std::make_shared<State>(loop, std::move(unix_path))) {}

SocketTransport::~SocketTransport() {
    for (const auto& [id, exchange] : state_->exchanges) {
        exchange->end();
    }
}

RequestId SocketTransport::send(HttpRequest request, std::function<void(HttpReply)> done,
                                std::function<void(std::string_view)> on_data) {
    const RequestId id = state_->next++;
    const auto exchange = std::make_shared<SocketExchange>(
        state_->loop.context(), std::move(request), state_->unix_path,
        [state = std::weak_ptr(state_), id, done = std::move(done)](HttpReply reply) {
            if (const auto alive = state.lock()) {
                alive->exchanges.erase(id);
                done(std::move(reply));
            }
        },
        std::move(on_data));
    state_->exchanges.emplace(id, exchange);
    exchange->start();
    return id;
}

void SocketTransport::cancel(RequestId id) {
    if (const auto found = state_->exchanges.find(id); found != state_->exchanges.end()) {
        const auto exchange = found->second;
        state_->exchanges.erase(found);
        exchange->end();
    }
}

}  // namespace runtime::inline base
