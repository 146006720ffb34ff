// Requests over broken connections, with slow names and with wrong certificates.
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "runtime/base/curl_transport.h"
#include "runtime/base/listener.h"
#include "runtime/testing/fetch.h"
#include "runtime/testing/self_signed.h"

// The lookup of a name in `.slow.invalid` takes a while.
extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints,
                           addrinfo** found) {
    if (node != nullptr && std::string_view(node).ends_with(".slow.invalid")) {
        std::this_thread::sleep_for(std::chrono::seconds(3));
        return EAI_AGAIN;
    }
    static const auto real =
        reinterpret_cast<decltype(&getaddrinfo)>(::dlsym(RTLD_NEXT, "getaddrinfo"));
    return real(node, service, hints, found);
}

namespace runtime::inline base {
namespace {

using boost::asio::ip::tcp;

// Remembers the last watched descriptor.
class SeeingLoop : public AsioLoop {
public:
    void watch(int descriptor, Interest interest, std::function<void(Interest)> ready) override {
        last = descriptor;
        AsioLoop::watch(descriptor, interest, std::move(ready));
    }
    int last = -1;
};

class CurlConnectionTest : public testing::Test {
protected:
    HttpReply fetch(HttpRequest request) { return fetch_on(loop, transport, std::move(request)); }

    SeeingLoop loop;
    CurlTransport transport{loop, "test"};
};

// Answers GET and keeps the connection open. Reads any other request and closes the connection.
class FickleServer {
public:
    explicit FickleServer(AsioLoop& loop)
        : listener_(loop, [this](tcp::socket socket) {
              serve(std::make_shared<Client>(Client{std::move(socket), {}}));
          }) {}
    std::string url() { return fmt::format("http://127.0.0.1:{}/", listener_.listen(0).value()); }
    int changes = 0;

private:
    struct Client {
        tcp::socket socket;
        std::string text;
    };

    void serve(const std::shared_ptr<Client>& client) {
        boost::asio::async_read_until(
            client->socket, boost::asio::dynamic_buffer(client->text), "\r\n\r\n",
            [this, client](const boost::system::error_code& error, std::size_t) {
                if (error) {
                    return;
                }
                if (!client->text.starts_with("GET")) {
                    ++changes;
                    return;
                }
                client->text.clear();
                boost::asio::write(client->socket, boost::asio::buffer(std::string_view(
                                                       "HTTP/1.1 200 OK\r\nContent-Length: "
                                                       "0\r\n\r\n")));
                serve(client);
            });
    }

    Listener listener_;
};

TEST_F(CurlConnectionTest, AChangeOnAConnectionThatEndsIsSentOnce) {
    FickleServer server(loop);
    const std::string url = server.url();
    for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
        const int before = server.changes;
        ASSERT_EQ(fetch({.url = url}).status, 200);
        const HttpReply reply = fetch({.method = method, .url = url, .body = "{}"});
        EXPECT_EQ(server.changes - before, 1) << method;
        EXPECT_EQ(reply.status, 0);
        EXPECT_TRUE(reply.may_be_done);
        EXPECT_NE(reply.problem.find("Server returned nothing"), std::string::npos)
            << reply.problem;
    }
}

TEST_F(CurlConnectionTest, ALongBodyArrivesWhole) {
    std::string got;
    tcp::socket client(loop.context());
    Listener listener(loop, [&](tcp::socket socket) {
        client = std::move(socket);
        boost::asio::async_read_until(client, boost::asio::dynamic_buffer(got), "end",
                                      [&](const boost::system::error_code&, std::size_t) {
                                          boost::asio::write(
                                              client, boost::asio::buffer(std::string_view(
                                                          "HTTP/1.1 201 Created\r\nContent-Length: "
                                                          "0\r\n\r\n")));
                                      });
    });
    const std::string body = std::string(300'000, 'x') + "end";
    const HttpReply reply =
        fetch({.method = "POST",
               .url = fmt::format("http://127.0.0.1:{}/", listener.listen(0).value()),
               .body = body});
    EXPECT_EQ(reply.status, 201) << reply.problem;
    EXPECT_TRUE(got.ends_with("\r\n\r\n" + body));
}

TEST_F(CurlConnectionTest, AResolverThatHangsHoldsUpNothing) {
    Duration longest{0};
    Duration last = loop.uptime();
    std::function<void()> tick = [&] {
        longest = std::max(longest, loop.uptime() - last);
        last = loop.uptime();
        loop.after(Duration(20), tick);
    };
    tick();
    const HttpReply reply = fetch({.url = "http://api.slow.invalid/", .timeout = Duration(200)});
    EXPECT_EQ(reply.status, 0);
    tick();
    EXPECT_LT(longest, Duration(1500));
}

TEST_F(CurlConnectionTest, AConnectionThatNoOneAcknowledgesEnds) {
    FickleServer server(loop);
    ASSERT_EQ(fetch({.url = server.url()}).status, 200);
    unsigned longest = 0;
    socklen_t size = sizeof longest;
    ASSERT_EQ(::getsockopt(loop.last, IPPROTO_TCP, TCP_USER_TIMEOUT, &longest, &size), 0);
    EXPECT_EQ(longest, 20'000U);
}

// Serves one request per connection.
class TlsServer {
public:
    TlsServer(AsioLoop& loop, const SelfSigned& identity)
        : context_(boost::asio::ssl::context::tls_server), listener_(loop, [this](tcp::socket raw) {
              serve(std::make_shared<Client>(Client{{std::move(raw), context_}, {}}));
          }) {
        context_.use_certificate(boost::asio::buffer(identity.certificate),
                                 boost::asio::ssl::context::pem);
        context_.use_private_key(boost::asio::buffer(identity.key), boost::asio::ssl::context::pem);
    }
    std::string url() { return fmt::format("https://127.0.0.1:{}/", listener_.listen(0).value()); }

private:
    struct Client {
        boost::asio::ssl::stream<tcp::socket> stream;
        std::string text;
    };

    static void serve(const std::shared_ptr<Client>& client) {
        client->stream.async_handshake(
            boost::asio::ssl::stream_base::server, [client](boost::system::error_code error) {
                if (error) {
                    return;
                }
                boost::asio::async_read_until(
                    client->stream, boost::asio::dynamic_buffer(client->text), "\r\n\r\n",
                    [client](boost::system::error_code, std::size_t) {
                        boost::asio::write(client->stream,
                                           boost::asio::buffer(std::string_view(
                                               "HTTP/1.1 200 OK\r\nConnection: close\r\n"
                                               "Content-Length: 0\r\n\r\n")));
                    });
            });
    }

    boost::asio::ssl::context context_;
    Listener listener_;
};

TEST_F(CurlConnectionTest, AuthoritiesThatAreReplacedInTheirFileCount) {
    const auto file = std::filesystem::temp_directory_path() /
                      fmt::format("curl-connection-test-{}.pem", ::getpid());
    const SelfSigned old;
    const SelfSigned next;
    TlsServer before(loop, old);
    TlsServer after(loop, next);
    const std::string url = after.url();
    std::ofstream(file) << old.certificate;
    EXPECT_EQ(fetch({.url = before.url(), .ca_file = file}).status, 200);
    EXPECT_EQ(fetch({.url = url, .ca_file = file}).status, 0);
    std::ofstream(file) << next.certificate;
    const HttpReply reply = fetch({.url = url, .ca_file = file});
    EXPECT_EQ(reply.status, 200) << reply.problem;
    std::filesystem::remove(file);
}

TEST_F(CurlConnectionTest, OnlyTheGivenAuthoritiesAreTrusted) {
    const SelfSigned ours;
    TlsServer server(loop, ours);
    const std::string url = server.url();
    EXPECT_EQ(fetch({.url = url, .identity = {.authorities = ours.certificate}}).status, 200);
    const HttpReply reply =
        fetch({.url = url, .identity = {.authorities = SelfSigned().certificate}});
    EXPECT_EQ(reply.status, 0);
    EXPECT_NE(reply.problem.find("SSL certificate problem"), std::string::npos) << reply.problem;
}

}  // namespace
}  // namespace runtime::inline base
