#include "runtime/base/socket_transport.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "renderer/base/temporary_folder_testing.h"
#include "runtime/base/http_server.h"
#include "runtime/testing/fetch.h"

namespace runtime::inline base {
namespace {

class SocketTransportTest : public testing::Test {
protected:
    SocketTransportTest()
        : server(loop, [this](std::string_view path) -> Page {
              asked = path;
              return {path == "/missing" ? 404 : 200, "x=" + std::string(path), {"Etag: \"7\""}};
          }) {}

    AsioLoop loop;
    std::string asked;
    HttpServer server;
    const renderer::TemporaryFolder temporary;
    const std::string folder = temporary.path();
};

TEST_F(SocketTransportTest, SpeaksOverAUnixSocketWhateverTheHost) {
    ASSERT_TRUE(server.listen_at(folder + "/s"));
    SocketTransport transport(loop, folder + "/s");
    const HttpReply reply =
        fetch_on(loop, transport, {.url = "http://local-tailscaled.sock/localapi/v0/prefs?a=b"});
    EXPECT_EQ(reply.status, 200) << reply.problem;
    EXPECT_EQ(reply.body, "x=/localapi/v0/prefs");
    EXPECT_EQ(header_of(reply, "etag"), "\"7\"");
    EXPECT_EQ(header_of(reply, "tag"), "");
}

TEST_F(SocketTransportTest, SpeaksOverTcp) {
    const auto port = server.listen(*AddressPort::parse("127.0.0.1:0"));
    ASSERT_TRUE(port);
    SocketTransport transport(loop);
    const HttpReply reply =
        fetch_on(loop, transport, {.url = fmt::format("http://127.0.0.1:{}/missing", *port)});
    EXPECT_EQ(reply.status, 404) << reply.problem;
    EXPECT_EQ(asked, "/missing");
    const HttpReply by_name =
        fetch_on(loop, transport, {.url = fmt::format("http://localhost:{}", *port)});
    EXPECT_EQ(by_name.status, 200) << by_name.problem;
    EXPECT_EQ(asked, "/");
}

TEST_F(SocketTransportTest, GivesAStreamAsItComes) {
    ASSERT_TRUE(server.listen_at(folder + "/s"));
    SocketTransport transport(loop, folder + "/s");
    std::string got;
    const HttpReply reply = fetch_on(loop, transport, {.url = "http://x/stream"},
                                     [&](std::string_view bytes) { got += bytes; });
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body, "");
    EXPECT_EQ(got, "x=/stream");
}

TEST_F(SocketTransportTest, NamesWhatWentWrong) {
    SocketTransport nowhere(loop, folder + "/none");
    const HttpReply reply = fetch_on(loop, nowhere, {.url = "http://x/"});
    EXPECT_EQ(reply.status, 0);
    EXPECT_EQ(reply.problem, folder + "/none: No such file or directory");
    EXPECT_FALSE(reply.may_be_done);

    SocketTransport transport(loop);
    EXPECT_EQ(fetch_on(loop, transport, {.url = "nonsense"}).problem, ": invalid URL");
    const HttpReply refused = fetch_on(loop, transport, {.url = "http://127.0.0.1:1/"});
    EXPECT_EQ(refused.problem, "127.0.0.1: Connection refused");
    SocketTransport too_long(loop, std::string(200, 'x'));
    EXPECT_TRUE(fetch_on(loop, too_long, {.url = "http://x/"})
                    .problem.ends_with("the path of the socket is too long"));
    const HttpReply no_ca =
        fetch_on(loop, transport,
                 {.method = "POST", .url = "https://127.0.0.1:1/", .ca_file = folder + "/none"});
    EXPECT_NE(no_ca.problem.find("cannot read"), std::string::npos) << no_ca.problem;
}

TEST_F(SocketTransportTest, FailsAfterTheTimeout) {
    std::vector<PageReply> unsaid;
    HttpServer silent(loop,
                      [&](std::string_view, const PageReply& reply) { unsaid.push_back(reply); });
    ASSERT_TRUE(silent.listen_at(folder + "/s"));
    SocketTransport transport(loop, folder + "/s");
    const HttpReply get =
        fetch_on(loop, transport, {.url = "http://x/", .timeout = std::chrono::milliseconds(50)});
    EXPECT_EQ(get.problem, folder + "/s: timed out");
    EXPECT_FALSE(get.may_be_done);
}

TEST_F(SocketTransportTest, SaysNothingOfACancelledRequest) {
    ASSERT_TRUE(server.listen_at(folder + "/s"));
    SocketTransport transport(loop, folder + "/s");
    bool was_told = false;
    const RequestId id = transport.send(
        {.url = "http://x/"}, [&](const HttpReply&) { was_told = true; }, nullptr);
    transport.cancel(id);
    fetch_on(loop, transport, {.url = "http://x/"});
    EXPECT_FALSE(was_told);
}

// curl_connection_test.cpp makes the lookup of this name slow.
TEST_F(SocketTransportTest, DoesNotWaitForASlowLookup) {
    SocketTransport transport(loop);
    const HttpReply reply =
        fetch_on(loop, transport,
                 {.url = "http://api.slow.invalid/", .timeout = std::chrono::milliseconds(50)});
    EXPECT_EQ(reply.problem, "api.slow.invalid: timed out");
}

}  // namespace
}  // namespace runtime::inline base
