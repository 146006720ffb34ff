#include "renderer/repo/fetch/tunnel_proxy.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/base/base64.h"
#include "renderer/base/sha256.h"

namespace renderer::repo {

namespace {

constexpr std::string_view kUser = "tailrender";
constexpr std::size_t kMaxHead = 8192;
constexpr std::size_t kMostTunnels = 100;
constexpr int kPause = 10;         // ms
constexpr int kPatience = 20'000;  // ms, for each step of a connection that is not established yet

std::string new_password() {
    std::array<char, 32> random{};
    if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) {
        return {};
    }
    return sha256_hex(std::string_view(random.data(), random.size()));
}

// Returns a listening socket; `port` is 0 on failure.
int listen_on_loopback(std::uint16_t& port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(own);
    auto* address = reinterpret_cast<sockaddr*>(&own);
    if (fd >= 0 && ::bind(fd, address, size) == 0 && ::listen(fd, SOMAXCONN) == 0 &&
        ::getsockname(fd, address, &size) == 0) {
        port = ntohs(own.sin_port);
    }
    return fd;
}

struct FreeAddresses {
    void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Addresses look_up(const std::string& host, const std::string& port) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV | AI_ADDRCONFIG;
    addrinfo* found = nullptr;
    return Addresses(::getaddrinfo(host.c_str(), port.c_str(), &hints, &found) == 0 ? found
                                                                                    : nullptr);
}

// True if the request has this header; its name may be in any case.
bool has_header(std::string_view head, std::string_view name, std::string_view value) {
    while (!head.empty()) {
        const std::size_t end = head.find("\r\n");
        const std::string_view line = head.substr(0, end);
        const std::size_t colon = line.find(": ");
        if (colon != std::string_view::npos && lower_case(line.substr(0, colon)) == name &&
            line.substr(colon + 2) == value) {
            return true;
        }
        head.remove_prefix(end == std::string_view::npos ? head.size() : end + 2);
    }
    return false;
}

struct Target {
    std::string host, port;  // "" if the request is invalid
};

// Parses "CONNECT host:443 HTTP/1.1".
Target target_of(std::string_view head) {
    constexpr std::string_view kMethod = "CONNECT ";
    const std::string_view line = head.substr(0, head.find("\r\n"));
    if (!line.starts_with(kMethod)) {
        return {};
    }
    std::string_view place = line.substr(kMethod.size());
    place = place.substr(0, place.find(' '));
    const std::size_t colon = place.rfind(':');
    if (colon == std::string_view::npos) {
        return {};
    }
    std::string_view host = place.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) {
        host = host.substr(1, host.size() - 2);
    }
    return {std::string(host), std::string(place.substr(colon + 1))};
}

}  // namespace

TunnelProxy::TunnelProxy(HostList hosts, std::size_t most_bytes)
    : hosts_(std::move(hosts)),
      most_bytes_(most_bytes),
      password_(new_password()),
      listener_(listen_on_loopback(port_)) {
    if (password_.empty() || ::pipe2(life_.data(), O_CLOEXEC) != 0) {
        port_ = 0;
    }
    if (port_ != 0) {
        acceptor_ = std::thread([this] { accept_all(); });
    }
}

TunnelProxy::~TunnelProxy() {
    if (life_[1] >= 0) {
        ::close(life_[1]);
    }
    if (acceptor_.joinable()) {
        acceptor_.join();
    }
    for (std::thread& tunnel : tunnels_) {
        tunnel.join();
    }
    if (life_[0] >= 0) {
        ::close(life_[0]);
    }
}

std::string TunnelProxy::url() const {
    return fmt::format("http://{}:{}@127.0.0.1:{}", kUser, password_, port_);
}

std::string TunnelProxy::refusal() const {
    const std::scoped_lock lock(mutex_);
    return refusal_;
}

void TunnelProxy::refuse(std::string reason) {
    const std::scoped_lock lock(mutex_);
    if (refusal_.empty()) {
        refusal_ = std::move(reason);
    }
}

bool TunnelProxy::wait_for(int fd, short events) const {
    std::array<pollfd, 2> both = {{{.fd = fd, .events = events, .revents = 0},
                                   {.fd = life_[0], .events = POLLIN, .revents = 0}}};
    int ready = 0;
    while ((ready = ::poll(both.data(), both.size(), kPatience)) < 0 && errno == EINTR) {
    }
    return ready > 0 && both[1].revents == 0;
}

void TunnelProxy::accept_all() {
    std::array<pollfd, 2> both = {{{.fd = listener_.get(), .events = POLLIN, .revents = 0},
                                   {.fd = life_[0], .events = POLLIN, .revents = 0}}};
    while (both[1].revents == 0 && tunnels_.size() < kMostTunnels) {
        if (::poll(both.data(), both.size(), -1) < 0 && errno != EINTR) {
            return;
        }
        if (both[0].revents != 0) {
            const int client =
                ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
            if (client < 0) {
                (void)::poll(nullptr, 0, kPause);  // there may be no free descriptor
                continue;
            }
            try {
                tunnels_.emplace_back([this, client] { serve(client); });
            } catch (const std::system_error&) {
                ::close(client);  // no thread could be started
            }
        }
    }
}

void TunnelProxy::serve(int client) {
    const Descriptor owned(client);
    std::string head;
    while (head.find("\r\n\r\n") == std::string::npos) {
        std::array<char, 1024> buffer{};
        if (head.size() > kMaxHead || !wait_for(client, POLLIN)) {
            return;
        }
        const ssize_t count = ::recv(client, buffer.data(), buffer.size(), 0);
        if (count <= 0) {
            return;
        }
        head.append(buffer.data(), static_cast<std::size_t>(count));
    }
    if (!is_ours(head)) {
        return;
    }
    int fd = -1;
    std::string reason = connect(head, fd);
    const Descriptor upstream(fd);
    const bool is_refused = !reason.empty();
    if (is_refused) {
        refuse(std::move(reason));  // before the client can exit
    }
    const std::string_view answer =
        is_refused ? "HTTP/1.1 403 Forbidden\r\n\r\n" : "HTTP/1.1 200 OK\r\n\r\n";
    (void)::send(client, answer.data(), answer.size(), MSG_NOSIGNAL);
    if (!is_refused) {
        relay(client, fd);
    }
}

bool TunnelProxy::is_ours(std::string_view request) const {
    const std::string credential = encode_base64(fmt::format("{}:{}", kUser, password_));
    return has_header(request, "proxy-authorization", "Basic " + credential);
}

std::string TunnelProxy::connect(std::string_view request, int& upstream) {
    const Target target = target_of(request);
    if (target.host.empty()) {
        return "http, which is not encrypted";
    }
    if (!hosts_.empty() && !lists_host(hosts_, target.host)) {
        return fmt::format("host {}, which --allow-network does not list", target.host);
    }
    return connect_to(target.host, target.port, upstream);
}

std::string TunnelProxy::connect_to(const std::string& host, const std::string& port,
                                    int& upstream) {
    const Addresses found = look_up(host, port);
    std::string reason = fmt::format("host {}, which has no address", host);
    for (const addrinfo* one = found.get(); one != nullptr; one = one->ai_next) {
        if (hosts_.empty() && !is_public(*one->ai_addr)) {
            reason = fmt::format("host {} with the address {}, which is not public", host,
                                 text_of_address(*one->ai_addr));
            continue;
        }
        const int fd =
            ::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, one->ai_protocol);
        Descriptor socket(fd);
        int error = 0;
        socklen_t size = sizeof(error);
        if (fd < 0 || (::connect(fd, one->ai_addr, one->ai_addrlen) != 0 && errno != EINPROGRESS)) {
            reason = fmt::format("host {}: {}", host, std::strerror(errno));
            continue;
        }
        if (!wait_for(fd, POLLOUT) || ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0 ||
            error != 0) {
            reason =
                fmt::format("host {}: {}", host, std::strerror(error == 0 ? ETIMEDOUT : error));
            continue;
        }
        upstream = socket.release();
        return {};
    }
    return reason;
}

namespace {

// One direction of a tunnel.
struct Flow {
    int from, to;
    std::string waiting = {};  // read, but not yet written
    bool is_open = true;

    // Returns false if the connection has failed.
    bool read() {
        std::array<char, 65536> buffer{};
        const ssize_t count = ::recv(from, buffer.data(), buffer.size(), 0);
        if (count == 0) {
            is_open = false;
            ::shutdown(to, SHUT_WR);
        } else if (count > 0) {
            waiting.assign(buffer.data(), static_cast<std::size_t>(count));
        }
        return count >= 0 || errno == EAGAIN || errno == EINTR;
    }

    bool write() {
        const ssize_t sent = ::send(to, waiting.data(), waiting.size(), MSG_NOSIGNAL);
        waiting.erase(0, static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
        return sent >= 0 || errno == EAGAIN || errno == EINTR;
    }
};

}  // namespace

void TunnelProxy::relay(int client, int upstream) {
    Flow up = {client, upstream};
    Flow down = {upstream, client};
    while (up.is_open || down.is_open) {
        const auto events = [](const Flow& reads, const Flow& writes) {
            const int in = reads.is_open && reads.waiting.empty() ? POLLIN : 0;
            return static_cast<short>(in | (writes.waiting.empty() ? 0 : POLLOUT));
        };
        std::array<pollfd, 3> all = {{{.fd = client, .events = events(up, down), .revents = 0},
                                      {.fd = upstream, .events = events(down, up), .revents = 0},
                                      {.fd = life_[0], .events = POLLIN, .revents = 0}}};
        for (pollfd& one : all) {
            one.fd = one.events == 0 ? -1 : one.fd;  // else poll reports it as closed again
        }
        if ((::poll(all.data(), all.size(), -1) < 0 && errno != EINTR) || all[2].revents != 0) {
            return;
        }
        for (auto [flow, ready] :
             {std::pair(&up, all[0].revents), std::pair(&down, all[1].revents)}) {
            const bool reads = ready != 0 && flow->is_open && flow->waiting.empty();
            if (reads && !flow->read()) {
                return;
            }
            bytes_ += reads && flow == &down ? flow->waiting.size() : 0;
            if (!flow->waiting.empty() && !flow->write()) {
                return;
            }
        }
        if (bytes_ > most_bytes_) {
            refuse(fmt::format("more than {} MiB", most_bytes_ >> 20U));
            return;
        }
    }
}

}  // namespace renderer::repo
