// The network access of a program that downloads for an untrusted tree: a proxy on 127.0.0.1 that
// supports only CONNECT, so the program itself speaks TLS with the host that it requested. The
// proxy resolves names and checks every address that it connects to. So a redirect, or a name that
// now resolves to another address, is checked like the first request.
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

namespace renderer::repo {

class TunnelProxy {
public:
    // `most_bytes` limits what all tunnels together may download.
    TunnelProxy(HostList hosts, std::size_t most_bytes);
    TunnelProxy(const TunnelProxy&) = delete;
    TunnelProxy& operator=(const TunnelProxy&) = delete;
    ~TunnelProxy();  // closes all tunnels

    // 0 if it could not be started.
    [[nodiscard]] std::uint16_t port() const { return port_; }

    // Returns the value for HTTPS_PROXY, with a password that other programs do not have.
    [[nodiscard]] std::string url() const;

    // Returns why the first tunnel was refused or closed, "" if none was.
    [[nodiscard]] std::string refusal() const;

    [[nodiscard]] std::size_t bytes() const { return bytes_; }

private:
    void accept_all();
    void serve(int client);
    [[nodiscard]] bool is_ours(std::string_view request) const;
    // Returns why there is no connection, or "" and sets `upstream`.
    std::string connect(std::string_view request, int& upstream);
    std::string connect_to(const std::string& host, const std::string& port, int& upstream);
    // Returns false if the proxy is being destroyed, or after kPatience.
    bool wait_for(int fd, short events) const;
    void relay(int client, int upstream);
    void refuse(std::string reason);

    const HostList hosts_;
    const std::size_t most_bytes_;
    std::string password_;
    std::uint16_t port_ = 0;
    Descriptor listener_;
    std::array<int, 2> life_ = {-1, -1};  // a pipe; closing the second end makes the first readable
    std::atomic<std::size_t> bytes_ = 0;
    mutable std::mutex mutex_;
    std::string refusal_;
    std::thread acceptor_;
    std::list<std::thread> tunnels_;  // owned by the acceptor
};

}  // namespace renderer::repo
