// Accepts TCP connections for the servers of this process. Include it only in .cpp files: it pulls
// in Boost's headers.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <list>
#include <memory>

#include "renderer/core/result.h"
#include "runtime/base/asio_loop.h"
#include "runtime/base/ip_prefix.h"

namespace runtime::inline base {

// Binds one socket to all addresses of both families, or of IPv4 if the kernel has no IPv6. Port 0
// picks a free port.
template <typename Socket>
boost::system::error_code bind_on_all_addresses(Socket& socket, std::uint16_t port) {
    using Protocol = typename Socket::protocol_type;
    boost::system::error_code error;
    socket.open(Protocol::v6(), error);
    const bool both = !error;
    if (both) {
        socket.set_option(boost::asio::ip::v6_only(false), error);
    } else {
        socket.open(Protocol::v4(), error);
    }
    if (!error && std::is_same_v<Protocol, boost::asio::ip::tcp>) {
        socket.set_option(boost::asio::socket_base::reuse_address(true), error);
    }
    if (!error) {
        socket.bind({both ? Protocol::v6() : Protocol::v4(), port}, error);
    }
    return error;
}

renderer::Error cannot_listen(std::uint16_t port, const boost::system::error_code& error);

// The open connections of a server. When there are too many, the one that was silent the longest is
// closed.
class Connections {
public:
    explicit Connections(std::size_t most) : most_(most) {}

    // The entry of one connection, which owns it.
    class Place {
    public:
        Place(std::shared_ptr<Connections> all, std::function<void()> close);
        ~Place();
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;
        void is_heard();

    private:
        friend Connections;
        std::shared_ptr<Connections> all_;
        std::function<void()> close_;
        std::list<Place*>::iterator at_;
        bool is_open_ = true;
    };
    void close_all();

private:
    void close_first();

    std::size_t most_;
    std::list<Place*> open_;  // longest silent first
};

// Accepts connections until it is closed. Pending callbacks keep it alive.
template <typename Protocol>
struct Acceptor : std::enable_shared_from_this<Acceptor<Protocol>> {
    using Socket = typename Protocol::socket;

    Acceptor(boost::asio::io_context& context, std::function<void(Socket)> its_take)
        : acceptor(context), pause(context), take(std::move(its_take)) {}

    void accept() {
        acceptor.async_accept([self = this->shared_from_this()](
                                  const boost::system::error_code& error, Socket socket) {
            if (!self->acceptor.is_open()) {
                return;
            }
            if (error) {  // usually there is no free descriptor
                self->pause.expires_after(std::chrono::seconds(1));
                self->pause.async_wait(
                    [self](const boost::system::error_code&) { self->accept(); });
                return;
            }
            self->take(std::move(socket));
            self->accept();
        });
    }

    void close() {
        boost::system::error_code ignored;
        acceptor.close(ignored);
        pause.cancel(ignored);
    }

    typename Protocol::acceptor acceptor;
    boost::asio::steady_timer pause;
    std::function<void(Socket)> take;
};

class Listener {
public:
    using Take = std::function<void(boost::asio::ip::tcp::socket)>;

    // The loop must outlive the listener.
    Listener(AsioLoop& loop, Take take);
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    // Listens on all addresses of both families. Returns the port.
    renderer::Result<std::uint16_t> listen(std::uint16_t port);
    // Listens on one address, or on all if it is 0.0.0.0 or [::]. Returns the port.
    renderer::Result<std::uint16_t> listen(const AddressPort& at);

private:
    renderer::Result<std::uint16_t> begin(std::uint16_t port, boost::system::error_code error);

    std::shared_ptr<Acceptor<boost::asio::ip::tcp>> state_;
};

}  // namespace runtime::inline base
