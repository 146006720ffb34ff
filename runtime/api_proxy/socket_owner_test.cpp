#include "runtime/api_proxy/socket_owner.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace runtime::api_proxy {
namespace {

// A loopback connection within this process.
struct Pair {
    explicit Pair(std::uint32_t address = INADDR_LOOPBACK) {
        const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in at = {};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(address);
        socklen_t size = sizeof at;
        EXPECT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&at), size), 0);
        EXPECT_EQ(::listen(listener, 1), 0);
        EXPECT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&at), &size), 0);
        client = ::socket(AF_INET, SOCK_STREAM, 0);
        EXPECT_EQ(::connect(client, reinterpret_cast<sockaddr*>(&at), size), 0);
        accepted = ::accept(listener, nullptr, nullptr);
        ::close(listener);
    }
    ~Pair() {
        ::close(client);
        ::close(accepted);
    }
    int client = -1, accepted = -1;
};

TEST(SocketOwner, IsTheUserOfTheOtherEnd) {
    const Pair pair;
    EXPECT_EQ(owner_of_peer(pair.accepted), ::getuid());
}

// The kernel reports user id 0 then, which does not mean root.
TEST(SocketOwner, IsNoOneOnceTheOtherEndIsClosed) {
    Pair pair;
    ::close(pair.client);
    EXPECT_EQ(owner_of_peer(pair.accepted), std::nullopt);
    pair.client = -1;
}

TEST(SocketOwner, IsNoOneOfAnotherKindOfSocket) {
    std::array<int, 2> ends = {};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    EXPECT_EQ(owner_of_peer(ends[0]), std::nullopt);
    EXPECT_EQ(owner_of_peer(-1), std::nullopt);
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST(SocketOwner, OfAListenerNeedsAListener) {
    auto owner = owner_of_listener("/nowhere/tailscaled.sock");
    ASSERT_FALSE(owner);
    EXPECT_EQ(owner.error().diagnostic.message,
              "cannot reach tailscaled at \"/nowhere/tailscaled.sock\": No such file or directory");
    auto too_long = owner_of_listener(std::string(200, 'x'));
    ASSERT_FALSE(too_long);
    EXPECT_NE(too_long.error().diagnostic.message.find("File name too long"), std::string::npos);
}

}  // namespace
}  // namespace runtime::api_proxy
