#include "renderer/repo/fetch/network_address.h"

#include <gtest/gtest.h>
#include <netdb.h>
#include <sys/socket.h>

namespace renderer::repo {
namespace {

// Parses a numeric address without a DNS lookup.
const sockaddr& numeric(const std::string& text) {
    static addrinfo* found = nullptr;
    const addrinfo hints = {.ai_flags = AI_NUMERICHOST,
                            .ai_family = AF_UNSPEC,
                            .ai_socktype = SOCK_STREAM,
                            .ai_protocol = 0,
                            .ai_addrlen = 0,
                            .ai_addr = nullptr,
                            .ai_canonname = nullptr,
                            .ai_next = nullptr};
    if (found != nullptr) {
        ::freeaddrinfo(found);
        found = nullptr;
    }
    static const sockaddr kNone{};
    return ::getaddrinfo(text.c_str(), nullptr, &hints, &found) == 0 ? *found->ai_addr : kNone;
}

TEST(NetworkAddress, IsPublic) {
    for (const char* address :
         {"1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "169.253.0.1",
          "172.15.0.1", "172.32.0.1", "192.167.0.1", "223.255.255.255", "2606:4700::1111",
          "::ffff:1.1.1.1"}) {
        EXPECT_TRUE(is_public(numeric(address))) << address;
    }
    for (const char* address : {"0.0.0.0",
                                "10.1.2.3",
                                "100.64.0.1",
                                "100.127.255.255",
                                "127.0.0.1",
                                "127.255.0.1",
                                "127.1",
                                "2130706433",
                                "0x7f.1",
                                "169.254.169.254",
                                "172.16.0.1",
                                "172.31.255.255",
                                "192.168.1.1",
                                "224.0.0.1",
                                "240.0.0.1",
                                "255.255.255.255",
                                "::",
                                "::1",
                                "fe80::1",
                                "fc00::1",
                                "fd7a:115c:a1e0::1",
                                "ff02::1",
                                "::ffff:127.0.0.1",
                                "::ffff:10.0.0.1",
                                "64:ff9b::a00:1",
                                "2002:a00:1::",
                                "no address"}) {
        EXPECT_FALSE(is_public(numeric(address))) << address;
    }
}

TEST(NetworkAddress, IsShownAsDigits) {
    EXPECT_EQ(text_of_address(numeric("127.1")), "127.0.0.1");
    EXPECT_EQ(text_of_address(numeric("FE80::0:1")), "fe80::1");
}

TEST(NetworkAddress, IsOfThisMachine) {
    for (const char* host :
         {"localhost", "LOCALHOST", "127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1"}) {
        EXPECT_TRUE(is_own_machine(host)) << host;
    }
    for (const char* host : {"example.com", "localhost.example.com", "10.0.0.1", "::2", ""}) {
        EXPECT_FALSE(is_own_machine(host)) << host;
    }
}

TEST(NetworkAddress, IsListedWithoutCase) {
    EXPECT_TRUE(lists_host({"a.example", "ghcr.io"}, "GHCR.io"));
    EXPECT_FALSE(lists_host({"ghcr.io"}, "x.ghcr.io"));
    EXPECT_FALSE(lists_host({"ghcr.io"}, "ghcr.i"));
    EXPECT_FALSE(lists_host({}, ""));
}

}  // namespace
}  // namespace renderer::repo
