// Accepts TCP connections on all addresses of both families, for the servers of this process. Only
// for .cpp files: it brings Boost's headers.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <functional>
#include <list>
#include <memory>

#include "renderer/core/result.h"
#include "runtime/base/asio_loop.h"
#include "runtime/base/ip_prefix.h"

namespace runtime {

// One socket for both families; a kernel without IPv6 gets one for IPv4. Port 0 takes a free one.
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

// The open connections of a server: when there are too many, the one that was silent the longest is
// closed.
class Connections {
public:
    explicit Connections(std::size_t most) : most_(most) {}

    // Of one connection, and no longer there than that.
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
    std::list<Place*> open_;  // the one that was silent the longest comes first
};

class Listener {
public:
    using Take = std::function<void(boost::asio::ip::tcp::socket)>;

    // The loop outlives the listener.
    Listener(AsioLoop& loop, Take take);
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    // The result is the port.
    renderer::Result<std::uint16_t> listen(std::uint16_t port);
    // On one address only, unless it is 0.0.0.0 or [::].
    renderer::Result<std::uint16_t> listen(const AddressPort& at);

private:
    struct State;
    renderer::Result<std::uint16_t> begin(std::uint16_t port, boost::system::error_code error);

    std::shared_ptr<State> state_;
};

}  // namespace runtime
