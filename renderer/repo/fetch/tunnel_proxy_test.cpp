#include "renderer/repo/fetch/tunnel_proxy.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <thread>
#include <utility>

#include "renderer/base/base64.h"
#include "renderer/base/descriptor.h"

namespace renderer::repo {
namespace {

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

// Answers one connection with what it received, `times` times (a multiple of 10'000, or fewer), and
// closes it.
class Echo {
public:
    explicit Echo(std::size_t times = 1)
        : times_(times), listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in own = loopback(0);
        socklen_t size = sizeof(own);
        auto* address = reinterpret_cast<sockaddr*>(&own);
        EXPECT_EQ(::bind(listener_.get(), address, size), 0);
        EXPECT_EQ(::listen(listener_.get(), 8), 0);
        EXPECT_EQ(::getsockname(listener_.get(), address, &size), 0);
        port = ntohs(own.sin_port);
        thread_ = std::thread([this] { serve(); });
    }
    Echo(const Echo&) = delete;
    Echo& operator=(const Echo&) = delete;
    ~Echo() {
        ::shutdown(listener_.get(), SHUT_RDWR);
        thread_.join();
    }

    std::uint16_t port = 0;

private:
    void serve() const {
        const Descriptor client(::accept(listener_.get(), nullptr, nullptr));
        std::array<char, 100> buffer{};
        const ssize_t count = ::recv(client.get(), buffer.data(), buffer.size(), 0);
        if (count <= 0) {
            return;
        }
        // Sends many at once: one call for each would take as long as the rest of this file.
        std::string block;
        const std::size_t in_block = std::min<std::size_t>(times_, 10'000);
        for (std::size_t i = 0; i < in_block; ++i) {
            block.append(buffer.data(), static_cast<std::size_t>(count));
        }
        for (std::size_t i = 0; i < times_ / in_block; ++i) {
            (void)::send(client.get(), block.data(), block.size(), MSG_NOSIGNAL);
        }
    }

    std::size_t times_;
    Descriptor listener_;
    std::thread thread_;
};

std::string password_of(const TunnelProxy& proxy) {
    const std::string url = proxy.url();
    const std::size_t begin = url.find("://") + 3;
    return url.substr(begin, url.find('@') - begin);
}

// Returns the response to the request and to "hello" after it.
std::string ask(const TunnelProxy& proxy, const std::string& line, const std::string& password) {
    const Descriptor client(::socket(AF_INET, SOCK_STREAM, 0));
    const sockaddr_in address = loopback(proxy.port());
    if (::connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) !=
        0) {
        return "no connection";
    }
    write_all(client.get(), fmt::format("{} HTTP/1.1\r\nproxy-Authorization: Basic {}\r\n\r\n",
                                        line, encode_base64(password)));
    std::string answer;
    std::array<char, 65536> buffer{};
    bool has_asked = false;
    for (ssize_t count = 1; count > 0;) {
        count = ::recv(client.get(), buffer.data(), buffer.size(), 0);
        answer.append(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        if (!has_asked && answer.ends_with("\r\n\r\n")) {
            has_asked = true;
            write_all(client.get(), "hello");
        }
    }
    return answer;
}

std::string connect(std::string_view host, std::uint16_t port) {
    return fmt::format("CONNECT {}:{}", host, port);
}

TEST(TunnelProxy, ConnectsToListedHosts) {
    const Echo echo(2);
    const TunnelProxy proxy({"127.1"}, 1000);
    EXPECT_EQ(ask(proxy, connect("127.1", echo.port), password_of(proxy)),
              "HTTP/1.1 200 OK\r\n\r\nhellohello");
    EXPECT_EQ(proxy.bytes(), 10U);
    EXPECT_EQ(proxy.refusal(), "");
}

TEST(TunnelProxy, RefusesWhatIsNotListed) {
    const Echo echo;
    const TunnelProxy proxy({"example.com"}, 1000);
    EXPECT_EQ(ask(proxy, connect("127.1", echo.port), password_of(proxy)),
              "HTTP/1.1 403 Forbidden\r\n\r\n");
    EXPECT_EQ(proxy.refusal(), "host 127.1, which --allow-network does not list");
}

TEST(TunnelProxy, RefusesAddressesThatAreNotPublic) {
    const Echo echo;
    const TunnelProxy proxy({}, 1000);
    EXPECT_EQ(ask(proxy, connect("127.1", echo.port), password_of(proxy)),
              "HTTP/1.1 403 Forbidden\r\n\r\n");
    EXPECT_EQ(ask(proxy, connect("[::1]", echo.port), password_of(proxy)),
              "HTTP/1.1 403 Forbidden\r\n\r\n");
    EXPECT_EQ(proxy.refusal(), "host 127.1 with the address 127.0.0.1, which is not public");
}

TEST(TunnelProxy, RefusesAllButTunnels) {
    const TunnelProxy proxy({}, 1000);
    EXPECT_EQ(ask(proxy, "GET http://example.com/", password_of(proxy)),
              "HTTP/1.1 403 Forbidden\r\n\r\n");
    EXPECT_EQ(proxy.refusal(), "http, which is not encrypted");
}

TEST(TunnelProxy, SaysWhyItCannotConnect) {
    std::uint16_t closed = 0;
    { closed = Echo().port; }
    const TunnelProxy proxy({"127.1"}, 1000);
    EXPECT_EQ(ask(proxy, connect("127.1", closed), password_of(proxy)),
              "HTTP/1.1 403 Forbidden\r\n\r\n");
    EXPECT_EQ(proxy.refusal(), "host 127.1: Connection refused");
}

TEST(TunnelProxy, ServesNoOtherProgram) {
    const Echo echo;
    const TunnelProxy proxy({"127.1"}, 1000);
    EXPECT_EQ(ask(proxy, connect("127.1", echo.port), "tailrender:guess"), "");
    EXPECT_EQ(proxy.refusal(), "");
}

TEST(TunnelProxy, EndsWhatBringsTooMuch) {
    const Echo echo(10'000'000);
    const TunnelProxy proxy({"127.1"}, std::size_t{2} << 20U);
    const std::string got = ask(proxy, connect("127.1", echo.port), password_of(proxy));
    EXPECT_LT(got.size(), std::size_t{3} << 20U);
    EXPECT_EQ(proxy.refusal(), "more than 2 MiB");
}

TEST(TunnelProxy, EndsWithItsTunnels) {
    const Descriptor client(::socket(AF_INET, SOCK_STREAM, 0));
    {
        const TunnelProxy proxy({}, 1000);
        const sockaddr_in address = loopback(proxy.port());
        ASSERT_EQ(
            ::connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)),
            0);
    }
    char byte = 0;
    EXPECT_LE(::recv(client.get(), &byte, 1, 0), 0);
}

}  // namespace
}  // namespace renderer::repo
