#include "runtime/api_proxy/proxy_header.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace runtime::api_proxy {
namespace {

using namespace std::string_literals;

const std::string kSignature = "\r\n\r\n\0\r\nQUIT\n"s;
const std::string kV4 =
    kSignature + "\x21\x11\0\x0C"s + "\x64\x40\0\x07\x64\x40\0\x01\xD4\x31\x01\xBB"s;

std::string read_header(std::string_view bytes) {
    const ProxyHeader header = parse_proxy_header(bytes);
    if (header.fault) {
        return std::string(name_of(*header.fault));
    }
    return header.size == 0 ? "more"
                            : fmt::format("{} {} {}", header.size, header.source->address.text(),
                                          header.source->port);
}

// Returns a header with an IPv6 source.
std::string v6(const std::string& address) {
    return kSignature + "\x21\x21\0\x24"s + address + std::string(16, 'd') + "\x12\x34\x01\xBB"s;
}

TEST(ProxyHeaderTest, NamesTheSource) {
    EXPECT_EQ(read_header(kV4 + "GET"), "28 100.64.0.7 54321");
    EXPECT_EQ(read_header(v6("\xFD\x7A"s + std::string(13, '\0') + "\x05")), "52 fd7a::5 4660");
    EXPECT_EQ(read_header(v6(std::string(10, '\0') + "\xFF\xFF\x64\x40\0\x07"s)),
              "52 100.64.0.7 4660");
    // The header has an extension.
    EXPECT_EQ(read_header(kSignature + "\x21\x11\0\x10"s + kV4.substr(16) + "\x04\0\x01x"s),
              "32 100.64.0.7 54321");
}

TEST(ProxyHeaderTest, MayComeInPieces) {
    for (std::size_t size = 0; size < kV4.size(); ++size) {
        EXPECT_EQ(read_header(kV4.substr(0, size)), "more") << size;
    }
}

TEST(ProxyHeaderTest, IsRefusedWhenItNamesNoPeer) {
    const auto changed = [](std::size_t at, char byte) {
        std::string bytes = kV4;
        bytes[at] = byte;
        return bytes;
    };
    EXPECT_EQ(read_header("GET / HTTP/1.1\r\n"), "proxy_header");
    EXPECT_EQ(read_header("PROXY TCP4 100.64.0.7 100.64.0.1 54321 443\r\n"), "proxy_header");
    EXPECT_EQ(read_header("\r\n\r\nGET"), "proxy_header");
    EXPECT_EQ(read_header(changed(12, '\x20')), "proxy_header") << "LOCAL";
    EXPECT_EQ(read_header(changed(12, '\x11')), "proxy_header") << "version 1";
    EXPECT_EQ(read_header(changed(12, '\x22')), "proxy_header") << "unknown command";
    EXPECT_EQ(read_header(changed(13, '\0')), "proxy_header") << "unspecified";
    EXPECT_EQ(read_header(changed(13, '\x12')), "proxy_header") << "UDP";
    EXPECT_EQ(read_header(changed(13, '\x31')), "proxy_header") << "a Unix socket";
    EXPECT_EQ(read_header(changed(15, '\x0B')), "proxy_header") << "too short";
    EXPECT_EQ(read_header(changed(14, '\x7F')), "proxy_header") << "too long";
    EXPECT_EQ(read_header(changed(16, '\x7F')), "proxy_header") << "loopback";
    EXPECT_EQ(read_header(changed(16, '\0')), "proxy_header") << "unspecified address";
    EXPECT_EQ(read_header(changed(16, '\xE0')), "proxy_header") << "multicast";
    EXPECT_EQ(read_header(v6(std::string(16, '\0'))), "proxy_header");
    EXPECT_EQ(read_header(v6(std::string(15, '\0') + "\x01")), "proxy_header");
    EXPECT_EQ(read_header(v6("\xFF\x02"s + std::string(14, '\0'))), "proxy_header");
    EXPECT_EQ(read_header(v6(std::string(10, '\0') + "\xFF\xFF\x7F\0\0\x01"s)), "proxy_header");
    std::string no_port = kV4;
    no_port[24] = no_port[25] = '\0';
    EXPECT_EQ(read_header(no_port), "proxy_header");
}

}  // namespace
}  // namespace runtime::api_proxy
