// Sockets in the namespaces of a test. A socket stays in the namespace in which it was created, so
// one process can be client, pod and server.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/base/ip_address.h"
#include "runtime/nft/namespaces_testing.h"

namespace runtime::nft {

struct Endpoint {
    sockaddr_storage address = {};
    socklen_t size = sizeof address;

    Endpoint() = default;
    Endpoint(const IpAddress& ip, std::uint16_t port) {
        auto& v4 = reinterpret_cast<sockaddr_in&>(address);
        auto& v6 = reinterpret_cast<sockaddr_in6&>(address);
        if (ip.is_v6()) {
            v6.sin6_family = AF_INET6;
            v6.sin6_port = htons(port);
            std::memcpy(&v6.sin6_addr, ip.bytes().data(), 16);
            size = sizeof v6;
        } else {
            v4.sin_family = AF_INET;
            v4.sin_port = htons(port);
            std::memcpy(&v4.sin_addr, ip.bytes().data(), 4);
            size = sizeof v4;
        }
    }
    [[nodiscard]] sockaddr* get() { return reinterpret_cast<sockaddr*>(&address); }
    [[nodiscard]] std::string ip() const {
        const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
        const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
        const bool is_v6 = address.ss_family == AF_INET6;
        return IpAddress::from_bytes(
                   is_v6 ? std::string_view(reinterpret_cast<const char*>(&v6.sin6_addr), 16)
                         : std::string_view(reinterpret_cast<const char*>(&v4.sin_addr), 4))
            ->text();
    }
};

inline Descriptor socket_in(const Namespace& where, bool is_tcp, const IpAddress& ip) {
    where.enter();
    Descriptor made(::socket(ip.is_v6() ? AF_INET6 : AF_INET,
                             (is_tcp ? SOCK_STREAM : SOCK_DGRAM) | SOCK_CLOEXEC | SOCK_NONBLOCK,
                             0));
    EXPECT_GE(made.get(), 0);
    const int on = 1;
    ::setsockopt(made.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    return made;
}

// A server that listens on one address.
struct Server {
    Server(const Namespace& where, bool tcp, const char* ip, std::uint16_t port)
        : name(fmt::format("{}:{}", ip, port)),
          is_tcp(tcp),
          socket(socket_in(where, tcp, *IpAddress::parse(ip))) {
        Endpoint endpoint(*IpAddress::parse(ip), port);
        EXPECT_EQ(::bind(socket.get(), endpoint.get(), endpoint.size), 0)
            << name << ": " << std::strerror(errno);
        if (tcp) {
            EXPECT_EQ(::listen(socket.get(), 64), 0);
        }
    }
    std::string name;
    bool is_tcp;
    Descriptor socket;
};

// Returns the index of the first socket that is ready within a second, or the number of sockets if
// none is.
inline std::size_t wait_for(const std::vector<int>& sockets, short events) {
    std::vector<pollfd> polled;
    polled.reserve(sockets.size());
    for (const int one : sockets) {
        polled.push_back({.fd = one, .events = events, .revents = 0});
    }
    ::poll(polled.data(), polled.size(), 1000);
    std::size_t ready = 0;
    while (ready < polled.size() && polled[ready].revents == 0) {
        ++ready;
    }
    return ready;
}

// A client's connection or flow of datagrams.
struct Client {
    Client(const Namespace& where, bool tcp, const char* to, std::uint16_t port)
        : is_tcp(tcp), socket(socket_in(where, tcp, *IpAddress::parse(to))) {
        Endpoint endpoint(*IpAddress::parse(to), port);
        const int result = ::connect(socket.get(), endpoint.get(), endpoint.size);
        EXPECT_TRUE(result == 0 || errno == EINPROGRESS) << to << ": " << std::strerror(errno);
    }
    bool is_tcp;
    Descriptor socket;
    Descriptor accepted = Descriptor();  // the server's side
};

// Sends a request and answers it on the server that receives it. Returns "10.0.0.9:80 from
// 10.0.0.1", or the problem.
inline std::string exchange(Client& client, const std::vector<const Server*>& servers) {
    std::vector<int> sockets;
    sockets.reserve(servers.size());
    for (const Server* server : servers) {
        sockets.push_back(server->socket.get());
    }
    if (!client.is_tcp && ::send(client.socket.get(), "ping", 4, 0) != 4) {
        return std::strerror(errno);
    }
    sockets.push_back(client.socket.get());
    std::size_t at = wait_for({sockets.begin(), sockets.end() - 1}, POLLIN);
    if (at == servers.size()) {
        int error = 0;
        socklen_t size = sizeof error;
        ::getsockopt(client.socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
        return error == 0 ? "nothing" : std::strerror(error);
    }
    Endpoint source;
    char buffer[16];
    if (client.is_tcp) {
        client.accepted =
            Descriptor(::accept4(sockets[at], source.get(), &source.size, SOCK_CLOEXEC));
        if (::send(client.accepted.get(), "pong", 4, MSG_NOSIGNAL) != 4) {
            return "no connection";
        }
    } else {
        ::recvfrom(sockets[at], buffer, sizeof buffer, 0, source.get(), &source.size);
        ::sendto(sockets[at], "pong", 4, 0, source.get(), source.size);
    }
    if (wait_for({client.socket.get()}, POLLIN) == 1 ||
        ::recv(client.socket.get(), buffer, sizeof buffer, 0) != 4) {
        return "no answer";
    }
    return fmt::format("{} from {}", servers[at]->name, source.ip());
}

inline int segment_size(const Descriptor& socket) {
    int size = 0;
    socklen_t length = sizeof size;
    ::getsockopt(socket.get(), IPPROTO_TCP, TCP_MAXSEG, &size, &length);
    return size;
}

}  // namespace runtime::nft
