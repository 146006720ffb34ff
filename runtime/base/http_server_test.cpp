#include "runtime/base/http_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "runtime/base/curl_transport.h"
#include "runtime/testing/fetch.h"

namespace runtime {
namespace {

class HttpServerTest : public testing::Test {
protected:
    HttpServerTest() : port(server.listen(0).value()) {}
    ~HttpServerTest() override {
        for (const int descriptor : silent) {
            close(descriptor);
        }
    }
    HttpServerTest(const HttpServerTest&) = delete;
    HttpServerTest& operator=(const HttpServerTest&) = delete;

    void connect_silently() {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        silent.push_back(socket(AF_INET, SOCK_STREAM, 0));
        ASSERT_EQ(connect(silent.back(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    }
    static bool is_closed(int descriptor) {
        char byte = 0;
        return recv(descriptor, &byte, 1, MSG_DONTWAIT) == 0;
    }

    AsioLoop loop;
    HttpServer server{loop, [](std::string_view) { return Page{200, "ok\n"}; }};
    std::uint16_t port;
    std::vector<int> silent;  // connections that send nothing
};

TEST_F(HttpServerTest, AnswersBesideManySilentConnections) {
    for (int i = 0; i < 150; ++i) {
        connect_silently();
    }
    CurlTransport transport(loop, "test");
    HttpRequest request;
    request.url = fmt::format("http://127.0.0.1:{}/readyz", port);
    EXPECT_EQ(fetch_on(loop, transport, request).status, 200);
    EXPECT_EQ(std::count_if(silent.begin(), silent.end(), is_closed), 51);
    EXPECT_TRUE(is_closed(silent.front())) << "the one that was silent the longest";
    EXPECT_FALSE(is_closed(silent.back()));
}

}  // namespace
}  // namespace runtime
