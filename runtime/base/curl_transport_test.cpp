#include "runtime/base/curl_transport.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "runtime/base/http_server.h"
#include "runtime/base/listener.h"
#include "runtime/testing/fetch.h"

namespace runtime::inline base {
namespace {

// Uses real sockets on the loopback interface.
class CurlTransportTest : public testing::Test {
protected:
    CurlTransportTest() {
        auto listening = server.listen(0);
        EXPECT_TRUE(listening.has_value());
        port = *listening;
    }
    [[nodiscard]] std::string url(const std::string& path) const {
        return fmt::format("http://127.0.0.1:{}{}", port, path);
    }

    HttpReply fetch(HttpRequest request, std::function<void(std::string_view)> on_data = nullptr) {
        return fetch_on(loop, transport, std::move(request), std::move(on_data));
    }

    AsioLoop loop;
    HttpServer server{loop, [](std::string_view path) -> Page {
                          if (path == "/endless") {
                              return {200, std::string((64 << 20U) + 1, 'x')};
                          }
                          if (path == "/large") {
                              return {200, std::string(3 << 20U, 'x')};
                          }
                          return path == "/hello" ? Page{200, "hello\n"} : Page{404, "not found\n"};
                      }};
    CurlTransport transport{loop, "test"};
    std::uint16_t port = 0;
};

TEST_F(CurlTransportTest, BringsTheReply) {
    const HttpReply reply = fetch({.url = url("/hello?x=1")});
    EXPECT_EQ(reply.status, 200) << reply.problem;
    EXPECT_EQ(reply.body, "hello\n");
    EXPECT_EQ(reply.problem, "");
}

TEST_F(CurlTransportTest, AStatusOtherThan200IsAReply) {
    EXPECT_EQ(fetch({.url = url("/nothing")}).status, 404);
}

TEST_F(CurlTransportTest, AReplyOfMoreThan64MiBIsAProblem) {
    const HttpReply reply = fetch({.url = url("/endless")});
    EXPECT_EQ(reply.status, 0);
    EXPECT_NE(reply.problem, "");
}

TEST_F(CurlTransportTest, StreamsTheBody) {
    std::size_t bytes = 0;
    const HttpReply reply =
        fetch({.url = url("/large")}, [&](std::string_view data) { bytes += data.size(); });
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body, "");
    EXPECT_EQ(bytes, std::size_t{3} << 20U);
}

// A gateway that speaks only HTTP/1.1 needs one connection per watch.
TEST_F(CurlTransportTest, StreamsWithoutHttp2DoNotWaitForEachOther) {
    constexpr std::size_t kStreams = 40;
    constexpr std::string_view kHead = "HTTP/1.1 200 OK\r\n\r\n";
    std::vector<boost::asio::ip::tcp::socket> streams;
    Listener listener(loop, [&](boost::asio::ip::tcp::socket socket) {
        boost::asio::write(socket, boost::asio::buffer(kHead));
        streams.push_back(std::move(socket));
        if (streams.size() == kStreams) {
            loop.stop();
        }
    });
    const std::uint16_t streaming = listener.listen(0).value();
    loop.after(std::chrono::seconds(10), [&] { loop.stop(); });
    for (std::size_t i = 0; i < kStreams; ++i) {
        transport.send(
            {.url = fmt::format("http://127.0.0.1:{}/", streaming)}, [](const HttpReply&) {},
            [](std::string_view) {});
    }
    loop.run();
    EXPECT_EQ(streams.size(), kStreams);
}

TEST_F(CurlTransportTest, GoesThroughTheProxyOfTheEnvironment) {
    ::setenv("http_proxy", url("").c_str(), 1);
    const HttpReply through = fetch({.url = "http://nowhere.invalid/"});
    ::setenv("no_proxy", "nowhere.invalid", 1);
    const HttpReply direct = fetch({.url = "http://nowhere.invalid/"});
    ::unsetenv("http_proxy");
    ::unsetenv("no_proxy");
    EXPECT_EQ(through.status, 404) << "the proxy's reply";
    EXPECT_EQ(direct.status, 0);
    EXPECT_NE(direct.problem, "");
}

TEST_F(CurlTransportTest, NoOneThere) {
    HttpRequest request{.method = "POST", .url = "http://127.0.0.1:1/"};
    const HttpReply reply = fetch(request);
    EXPECT_EQ(reply.status, 0);
    EXPECT_EQ(reply.problem, "127.0.0.1:1: Couldn't connect to server");
    EXPECT_FALSE(reply.may_be_done) << "nothing was sent";
}

// Sends the same greeting to each client, and then nothing.
class BareServer {
public:
    BareServer(AsioLoop& loop, std::string_view greeting)
        : listener_(loop, [this, greeting](boost::asio::ip::tcp::socket socket) {
              boost::asio::write(socket, boost::asio::buffer(greeting));
              sockets_.push_back(std::move(socket));
          }) {}
    std::string name() { return fmt::format("127.0.0.1:{}", listener_.listen(0).value()); }

private:
    std::vector<boost::asio::ip::tcp::socket> sockets_;
    Listener listener_;
};

TEST_F(CurlTransportTest, ATimeOutWithoutAConnectionHasSentNothing) {
    BareServer silent(loop, "");
    const std::string name = silent.name();
    const HttpReply reply =
        fetch({.method = "POST", .url = "https://" + name + "/x", .timeout = Duration(200)});
    EXPECT_EQ(reply.problem, name + ": Timeout was reached");
    EXPECT_FALSE(reply.may_be_done);
}

TEST_F(CurlTransportTest, ATimeOutSaysTheSameEachTime) {
    BareServer silent(loop, "");
    const std::string name = silent.name();
    for (const Duration timeout : {Duration(100), Duration(150)}) {
        const HttpReply reply =
            fetch({.method = "POST", .url = "http://" + name + "/x", .timeout = timeout});
        EXPECT_EQ(reply.problem, name + ": Timeout was reached");
        EXPECT_TRUE(reply.may_be_done) << "it was sent";
    }
}

TEST_F(CurlTransportTest, ARefusedHandshakeSaysWhy) {
    BareServer plain(loop, "HTTP/1.1 400 Bad Request\r\n\r\n");
    const HttpReply reply = fetch({.method = "POST", .url = "https://" + plain.name() + "/"});
    EXPECT_NE(reply.problem.find("wrong version number"), std::string::npos) << reply.problem;
    EXPECT_FALSE(reply.may_be_done);
}

TEST_F(CurlTransportTest, TellsWhenToComeAgain) {
    const auto after = [this](const std::string& value) {
        const std::string greeting = "HTTP/1.1 429 Too Many Requests\r\nRetry-After: " + value +
                                     "\r\nContent-Length: 0\r\n\r\n";
        BareServer busy(loop, greeting);
        const HttpReply reply = fetch({.url = "http://" + busy.name() + "/"});
        EXPECT_EQ(reply.status, 429) << reply.problem;
        return reply.retry_after;
    };
    EXPECT_EQ(after("7"), std::chrono::seconds(7));
    EXPECT_GT(after("Thu, 31 Dec 2099 23:59:59 GMT"), std::chrono::hours(1));
    EXPECT_EQ(after("Fri, 31 Dec 1999 23:59:59 GMT"), std::nullopt) << "it is over";
    EXPECT_EQ(after("soon"), std::nullopt);
}

TEST_F(CurlTransportTest, ACancelledRequestIsNotAnswered) {
    bool answered = false;
    const RequestId id = transport.send(
        {.url = url("/hello")}, [&](const HttpReply&) { answered = true; }, nullptr);
    transport.cancel(id);
    EXPECT_EQ(fetch({.url = url("/hello")}).status, 200);
    EXPECT_FALSE(answered);
}

TEST_F(CurlTransportTest, OtherMethodsAreRefusedByOurServer) {
    EXPECT_EQ(fetch({.method = "DELETE", .url = url("/hello")}).status, 405);
}

TEST_F(CurlTransportTest, MayEndRightAfterACancellation) {
    auto ended = std::make_unique<CurlTransport>(loop, "test");
    const RequestId id = ended->send(
        {.url = url("/hello")}, [](const HttpReply&) {}, nullptr);
    ended->cancel(id);
    ended.reset();
    EXPECT_EQ(fetch({.url = url("/hello")}).status, 200);
}

}  // namespace
}  // namespace runtime::inline base
