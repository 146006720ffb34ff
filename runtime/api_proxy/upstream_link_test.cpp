#include "runtime/api_proxy/upstream_link.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <utility>

#include "renderer/base/temporary_folder_testing.h"
#include "runtime/api_proxy/ready_loop_testing.h"
#include "runtime/testing/self_signed.h"

namespace runtime::api_proxy {
namespace {

class NoResolver : public Resolver {
public:
    void resolve(const std::string&, std::function<void(Resolution)>) override {}
};

// A TLS server on loopback that takes one connection.
class TlsServer {
public:
    TlsServer() : listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in at{.sin_family = AF_INET,
                       .sin_port = 0,
                       .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)},
                       .sin_zero = {}};
        socklen_t size = sizeof at;
        EXPECT_EQ(::bind(listener_, reinterpret_cast<const sockaddr*>(&at), size), 0);
        EXPECT_EQ(::listen(listener_, 1), 0);
        EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size), 0);
        port_ = ntohs(at.sin_port);
        context_ = SSL_CTX_new(TLS_server_method());
        BIO* bio = BIO_new_mem_buf(identity_.certificate.data(), -1);
        X509* certificate = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
        BIO_free(bio);
        bio = BIO_new_mem_buf(identity_.key.data(), -1);
        EVP_PKEY* key = PEM_read_bio_PrivateKey(bio, nullptr, nullptr, nullptr);
        BIO_free(bio);
        SSL_CTX_use_certificate(context_, certificate);
        SSL_CTX_use_PrivateKey(context_, key);
        X509_free(certificate);
        EVP_PKEY_free(key);
        tls_ = SSL_new(context_);
        SSL_set_accept_state(tls_);
    }
    TlsServer(const TlsServer&) = delete;
    TlsServer& operator=(const TlsServer&) = delete;
    ~TlsServer() {
        SSL_free(tls_);
        SSL_CTX_free(context_);
        ::close(listener_);
    }

    [[nodiscard]] AddressPort address() const { return {*IpAddress::parse("127.0.0.1"), port_}; }
    [[nodiscard]] const std::string& certificate() const { return identity_.certificate; }
    // Goes on with the handshake as far as it can.
    void shake_hands() {
        if (!wire_.is_open()) {
            wire_ = Stream(::accept(listener_, nullptr, nullptr));
            SSL_set_fd(tls_, wire_.descriptor());
        }
        SSL_do_handshake(tls_);
    }
    void say(std::string_view bytes) {
        EXPECT_EQ(SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size())),
                  static_cast<int>(bytes.size()));
    }
    void say_bye() { SSL_shutdown(tls_); }
    void drop() { wire_.close(); }
    std::string heard() {
        std::array<char, 4096> bytes;
        const int count = SSL_read(tls_, bytes.data(), static_cast<int>(bytes.size()));
        return {bytes.data(), static_cast<std::size_t>(std::max(0, count))};
    }

private:
    SelfSigned identity_;
    int listener_;
    std::uint16_t port_ = 0;
    SSL_CTX* context_ = nullptr;
    SSL* tls_ = nullptr;
    Stream wire_;
};

class UpstreamLinkTest : public testing::Test {
protected:
    using Names = std::vector<std::string>;

    UpstreamLinkTest() {
        static_cast<void>(std::signal(SIGPIPE, SIG_IGN));  // OpenSSL writes with write()
        trust(server.certificate());
    }
    void trust(const std::string& certificate) const { std::ofstream(ca_file) << certificate; }
    void open() {
        link.connect({server.address()});
        link.settle();
        EXPECT_EQ(loop.watched.back(), "w");
        loop.tell();
        for (int turn = 0; turn < 10 && events.empty(); ++turn) {
            link.settle();
            server.shake_hands();
            loop.tell();
        }
        link.settle();
    }
    Names told() {
        loop.tell();
        return std::exchange(events, {});
    }

    const renderer::TemporaryFolder folder;
    const std::string ca_file = folder.path() + "/ca.crt";
    ReadyLoop loop;
    TlsServer server;
    NoResolver resolver;
    Upstream upstream{loop, resolver, {.host = "127.0.0.1", .ca_file = ca_file, .token_file = ""}};
    std::array<char, 65536> piece = {};
    bool wants_bytes = true;
    Names events;
    UpstreamLink link{
        loop,
        upstream,
        piece,
        {.opened = [this] { events.emplace_back("opened"); },
         .unreachable = [this](std::string_view why) { events.emplace_back(why); },
         .wants_bytes = [this] { return wants_bytes; },
         .received =
             [this](std::string_view bytes) { events.push_back(fmt::format("got {}", bytes)); },
         .ended = [this](bool is_clean) { events.emplace_back(is_clean ? "ended" : "broken"); },
         .sent = [this] { events.emplace_back("sent"); },
         .settled = [] {}}};
};

TEST_F(UpstreamLinkTest, WithoutAnAddressItIsUnreachable) {
    link.connect({});
    EXPECT_EQ(events, Names{"none of its addresses accepts connections"});
    EXPECT_FALSE(link.is_open());
}

TEST_F(UpstreamLinkTest, TriesTheNextAddress) {
    const AddressPort closed{*IpAddress::parse("127.0.0.1"), 1};
    link.connect({closed, closed});
    link.settle();
    for (int turn = 0; turn < 2; ++turn) {
        loop.tell();
        link.settle();
    }
    EXPECT_EQ(events, Names{"none of its addresses accepts connections"});
    events.clear();
    open();
    EXPECT_EQ(events, Names{"opened"});
    EXPECT_TRUE(link.is_open());
    EXPECT_FALSE(link.is_reused());
}

TEST_F(UpstreamLinkTest, TrustsOnlyItsAuthorities) {
    trust(SelfSigned().certificate);
    open();
    ASSERT_EQ(events.size(), 1U);
    EXPECT_NE(events.front().find("certificate"), std::string::npos) << events.front();
    EXPECT_FALSE(link.is_open());
}

TEST_F(UpstreamLinkTest, SendsAndReceives) {
    link.send("lost");  // it is not open
    open();
    EXPECT_EQ(told(), Names{"opened"});
    link.send("ask");
    EXPECT_FALSE(link.has_pending());
    EXPECT_EQ(server.heard(), "ask");
    server.say("one");
    server.say("two");
    EXPECT_EQ(told(), Names({"got one", "got two"})) << "TLS held the second";
    server.say("three");
    wants_bytes = false;
    EXPECT_EQ(told(), Names());
    wants_bytes = true;
    link.read();
    EXPECT_EQ(events, Names{"got three"});
}

TEST_F(UpstreamLinkTest, ReadsLaterOnce) {
    open();
    server.say("one");
    events.clear();
    link.read_later();
    link.read_later();
    EXPECT_EQ(events, Names());
    loop.run_for({});
    EXPECT_EQ(events, Names{"got one"});
}

TEST_F(UpstreamLinkTest, TellsHowItEnds) {
    open();
    server.say("bye");
    server.say_bye();
    EXPECT_EQ(told(), Names({"opened", "got bye", "ended"}));
    link.close();
    EXPECT_EQ(loop.watched.back(), "");
    EXPECT_FALSE(link.is_open());
}

TEST_F(UpstreamLinkTest, ANewConnectionThatCannotBeWrittenToMayStillBeRead) {
    open();
    events.clear();
    server.drop();
    for (int turn = 0; turn < 10; ++turn) {
        link.send("ask");
    }
    EXPECT_EQ(events, Names());
    EXPECT_FALSE(link.has_pending());
}

TEST_F(UpstreamLinkTest, AReusedConnectionThatCannotBeWrittenToHasEnded) {
    open();
    events.clear();
    link.reuse();
    server.drop();
    for (int turn = 0; turn < 10 && events.empty(); ++turn) {
        link.send("ask");
    }
    EXPECT_EQ(events, Names{"broken"});
}

}  // namespace
}  // namespace runtime::api_proxy
