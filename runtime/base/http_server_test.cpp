#include "runtime/base/http_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <vector>

#include "renderer/base/temporary_folder_testing.h"
#include "runtime/base/curl_transport.h"
#include "runtime/testing/fetch.h"

namespace runtime::inline base {
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

// Otherwise the loop would be busy with a connection that cannot be accepted.
TEST_F(HttpServerTest, PausesWhileNoDescriptorIsFree) {
    const renderer::TemporaryFolder folder;
    const std::string path = folder.path() + "/s";
    ASSERT_TRUE(server.listen_at(path));
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    silent.push_back(socket(AF_UNIX, SOCK_STREAM, 0));
    ASSERT_EQ(connect(silent.back(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);

    rlimit usual{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &usual), 0);
    const rlimit none{.rlim_cur = 0, .rlim_max = usual.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    int turns = 0;
    while (turns < 100 && loop.context().poll_one() > 0) {
        ++turns;
    }
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &usual), 0);
    EXPECT_GT(turns, 0);
    EXPECT_LT(turns, 100);
}

}  // namespace
}  // namespace runtime::inline base
