// What a program that downloads for a stranger's tree reaches the network through: a proxy on
// 127.0.0.1 that knows CONNECT alone, so the program itself speaks TLS with whom it asked for. The
// proxy looks up names, and judges the addresses that it connects to: a redirect, or a name that
// has become that of another address, gets no further than the first request.
// Source: RFC 9110 sections 9.3.6 and 11.7.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "renderer/base/descriptor.h"
#include "renderer/repo/fetch/network_address.h"

namespace renderer {

class TunnelProxy {
public:
    // `most_bytes`: that all tunnels together may bring.
    TunnelProxy(HostList hosts, std::size_t most_bytes);
    TunnelProxy(const TunnelProxy&) = delete;
    TunnelProxy& operator=(const TunnelProxy&) = delete;
    ~TunnelProxy();  // ends all tunnels

    // 0: it could not be started.
    [[nodiscard]] std::uint16_t port() const { return port_; }

    // As HTTPS_PROXY takes it, with a password that no one else knows.
    [[nodiscard]] std::string url() const;

    // Why the first tunnel was not made or was ended, "" when none was.
    [[nodiscard]] std::string refusal() const;

    [[nodiscard]] std::size_t bytes() const { return bytes_; }

private:
    void accept_all();
    void serve(int client);
    [[nodiscard]] bool is_ours(std::string_view request) const;
    // Why there is no connection; "": `upstream` is it.
    std::string connect(std::string_view request, int& upstream);
    std::string connect_to(const std::string& host, const std::string& port, int& upstream);
    // False: the proxy ends, or it takes longer than kPatience.
    bool wait_for(int fd, short events) const;
    void relay(int client, int upstream);
    void refuse(std::string reason);

    const HostList hosts_;
    const std::size_t most_bytes_;
    std::string password_;
    std::uint16_t port_ = 0;
    Descriptor listener_;
    std::array<int, 2> life_ = {-1, -1};  // a pipe: once the second end is closed the first is read
    std::atomic<std::size_t> bytes_ = 0;
    mutable std::mutex mutex_;
    std::string refusal_;
    std::thread acceptor_;
    std::list<std::thread> tunnels_;  // of the acceptor
};

}  // namespace renderer
