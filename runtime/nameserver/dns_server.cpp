#include "runtime/nameserver/dns_server.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <utility>

#include "runtime/base/listener.h"

namespace runtime::nameserver {

namespace asio = boost::asio;
using asio::ip::tcp;
using asio::ip::udp;
using boost::system::error_code;

namespace {

constexpr std::size_t kLargest = 65535;

class TcpClient : public std::enable_shared_from_this<TcpClient> {
public:
    TcpClient(tcp::socket socket, std::shared_ptr<Connections> all, Duration patience,
              DnsServer::Reply reply)
        : stream_(std::move(socket)),
          place_(std::move(all), [this] { stream_.close(); }),
          patience_(patience),
          reply_(std::move(reply)) {}

    void read_length() {
        stream_.expires_after(patience_);
        asio::async_read(stream_, asio::buffer(length_),
                         [self = shared_from_this()](const error_code& error, std::size_t) {
                             const std::size_t size = self->length_[0] * 256U + self->length_[1];
                             if (!error && size > 0) {
                                 self->read_packet(size);
                             }
                         });
    }

private:
    void read_packet(std::size_t size) {
        packet_.resize(size);
        asio::async_read(stream_, asio::buffer(packet_),
                         [self = shared_from_this()](const error_code& error, std::size_t) {
                             if (!error) {
                                 self->write();
                             }
                         });
    }

    void write() {
        place_.is_heard();
        packet_ = reply_(packet_, Carrier::Tcp);
        if (packet_.empty()) {
            return;
        }
        length_[0] = static_cast<std::uint8_t>(packet_.size() >> 8U);
        length_[1] = static_cast<std::uint8_t>(packet_.size() & 0xFFU);
        const std::array<asio::const_buffer, 2> both{asio::buffer(length_), asio::buffer(packet_)};
        asio::async_write(stream_, both,
                          [self = shared_from_this()](const error_code& error, std::size_t) {
                              if (!error) {
                                  self->read_length();
                              }
                          });
    }

    boost::beast::tcp_stream stream_;
    Connections::Place place_;
    Duration patience_;
    DnsServer::Reply reply_;
    std::array<std::uint8_t, 2> length_{};
    std::string packet_;
};

class UdpSide : public std::enable_shared_from_this<UdpSide> {
public:
    UdpSide(asio::io_context& context, DnsServer::Reply reply)
        : socket_(context), reply_(std::move(reply)) {}

    udp::socket& socket() { return socket_; }

    void receive() {
        socket_.async_receive_from(
            asio::buffer(buffer_), from_,
            [self = shared_from_this()](const error_code& error, std::size_t size) {
                if (!self->socket_.is_open()) {
                    return;
                }
                if (!error) {
                    self->send(std::string_view(self->buffer_.data(), size));
                }
                self->receive();
            });
    }

private:
    // A reply that the kernel does not accept at once is lost, as UDP packets may be.
    void send(std::string_view packet) {
        const std::string reply = reply_(packet, Carrier::Udp);
        if (!reply.empty()) {
            error_code ignored;
            socket_.send_to(asio::buffer(reply), from_, 0, ignored);
        }
    }

    udp::socket socket_;
    udp::endpoint from_;
    DnsServer::Reply reply_;
    std::array<char, kLargest> buffer_;
};

}  // namespace

struct DnsServer::State {
    State(AsioLoop& loop, DnsLimits limits, const Reply& reply)
        : clients(std::make_shared<Connections>(limits.connections)),
          udp(std::make_shared<UdpSide>(loop.context(), reply)),
          listener(loop, [this, limits, reply](tcp::socket socket) {
              std::make_shared<TcpClient>(std::move(socket), clients, limits.patience, reply)
                  ->read_length();
          }) {}
    ~State() {
        error_code ignored;
        udp->socket().close(ignored);
        clients->close_all();
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    std::shared_ptr<Connections> clients;
    std::shared_ptr<UdpSide> udp;
    Listener listener;
};

DnsServer::DnsServer(AsioLoop& loop, DnsLimits limits, const Reply& reply)
    : state_(std::make_unique<State>(loop, limits, reply)) {}
DnsServer::~DnsServer() = default;

renderer::Result<std::uint16_t> DnsServer::listen(std::uint16_t port) {
    const std::uint16_t taken = TRY(state_->listener.listen(port));
    udp::socket& socket = state_->udp->socket();
    error_code error = bind_on_all_addresses(socket, taken);
    if (!error) {
        socket.non_blocking(true, error);
    }
    if (error) {
        return cannot_listen(taken, error);
    }
    state_->udp->receive();
    return taken;
}

}  // namespace runtime::nameserver
