#include "runtime/api_proxy/stream.h"

#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>

#include "renderer/base/temporary_folder_testing.h"
#include "runtime/testing/self_signed.h"

namespace runtime::api_proxy {
namespace {

template <typename Read>
auto read_pem(const std::string& pem, Read read) {
    BIO* bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
    auto* out = read(bio, nullptr, nullptr, nullptr);
    BIO_free(bio);
    return out;
}

// A server whose records the test passes on in pieces.
class StreamTest : public testing::Test {
protected:
    StreamTest() {
        std::array<int, 2> ends = {};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
        client = Stream(ends[0]);
        wire = ends[1];
        const SelfSigned identity;
        auto trusted = TlsClient::create(identity.certificate, "127.0.0.1");
        EXPECT_TRUE(trusted.has_value());
        EXPECT_TRUE(client.start_tls(*trusted));

        context = SSL_CTX_new(TLS_server_method());
        X509* certificate = read_pem(identity.certificate, PEM_read_bio_X509);
        EVP_PKEY* key = read_pem(identity.key, PEM_read_bio_PrivateKey);
        SSL_CTX_use_certificate(context, certificate);
        SSL_CTX_use_PrivateKey(context, key);
        X509_free(certificate);
        EVP_PKEY_free(key);
        server = SSL_new(context);
        SSL_set_bio(server, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
        SSL_set_accept_state(server);
        for (int turn = 0; turn < 10 && client.shake_hands().state == Io::State::Again; ++turn) {
            hear();
            SSL_do_handshake(server);
            hand_over(written());
        }
        EXPECT_EQ(client.shake_hands().state, Io::State::Done);
        hear();
        EXPECT_EQ(SSL_do_handshake(server), 1);
        hand_over(written());
        EXPECT_EQ(read_client(), "again");  // TLS session tickets
    }
    ~StreamTest() override {
        SSL_free(server);
        SSL_CTX_free(context);
        ::close(wire);
    }

    // Takes what the client has sent.
    void hear() const {
        std::array<char, 4096> bytes;
        for (ssize_t count = 1; count > 0;) {
            count = ::recv(wire, bytes.data(), bytes.size(), MSG_DONTWAIT);
            BIO_write(SSL_get_rbio(server), bytes.data(),
                      static_cast<int>(std::max<ssize_t>(count, 0)));
        }
    }
    [[nodiscard]] std::string written() const {
        std::string out(std::size_t{64} * 1024, '\0');
        out.resize(static_cast<std::size_t>(
            std::max(0, BIO_read(SSL_get_wbio(server), out.data(), static_cast<int>(out.size())))));
        return out;
    }
    [[nodiscard]] std::string record_of(std::string_view text) const {
        EXPECT_EQ(SSL_write(server, text.data(), static_cast<int>(text.size())),
                  static_cast<int>(text.size()));
        return written();
    }
    void hand_over(std::string_view bytes) const {
        EXPECT_EQ(::send(wire, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
    }
    std::string read_client() {
        const Io io = client.read(piece);
        return io.state == Io::State::Again    ? "again"
               : io.state == Io::State::End    ? "end"
               : io.state == Io::State::Failed ? client.problem()
                                               : std::string(piece.data(), io.count);
    }
    [[nodiscard]] bool is_readable() const {
        pollfd one = {.fd = client.descriptor(), .events = POLLIN, .revents = 0};
        return ::poll(&one, 1, 0) == 1;
    }

    Stream client;
    int wire = -1;
    ssl_ctx_st* context = nullptr;
    ssl_st* server = nullptr;
    std::array<char, std::size_t{64} * 1024> piece;
};

TEST_F(StreamTest, ARecordThatComesInPiecesIsReadWhenItIsWhole) {
    const std::string record = record_of("hello");
    for (std::size_t at = 0; at + 1 < record.size(); ++at) {
        hand_over(record.substr(at, 1));
        ASSERT_EQ(read_client(), "again") << at;
        ASSERT_FALSE(is_readable());  // so the loop waits for more
    }
    hand_over(record.substr(record.size() - 1));
    EXPECT_EQ(read_client(), "hello");
    EXPECT_FALSE(client.holds_more());
}

TEST_F(StreamTest, RecordsThatCameTogetherAreHeldWhereTheSocketDoesNotTell) {
    std::string records;
    for (const char* text : {"one", "two", "three"}) {
        records += record_of(text);
    }
    hand_over(records);
    EXPECT_EQ(read_client(), "one");
    EXPECT_FALSE(is_readable());
    EXPECT_TRUE(client.holds_more());
    EXPECT_EQ(read_client(), "two");
    EXPECT_TRUE(client.holds_more());
    EXPECT_EQ(read_client(), "three");
    EXPECT_FALSE(client.holds_more());
    EXPECT_EQ(read_client(), "again");
}

TEST_F(StreamTest, PartOfARecordIsHeldUntilItsRestComes) {
    const std::string next = record_of("next");
    const std::string after = record_of("after");
    hand_over(next + after.substr(0, 3));
    EXPECT_EQ(read_client(), "next");
    EXPECT_TRUE(client.holds_more());
    EXPECT_EQ(read_client(), "again");
    EXPECT_FALSE(is_readable());
    hand_over(after.substr(3));
    EXPECT_TRUE(is_readable());
    EXPECT_EQ(read_client(), "after");
    EXPECT_FALSE(client.holds_more());
}

TEST_F(StreamTest, RecordsOfFullSizeAreReadToTheLast) {
    std::string text(std::size_t{100'000}, 'x');
    text.back() = '.';
    std::string wired;
    for (std::size_t at = 0; at < text.size(); at += 16384) {
        wired += record_of(std::string_view(text).substr(at, 16384));
    }
    hand_over(wired);
    std::string all;
    do {
        all += read_client();
    } while (client.holds_more() || is_readable());
    EXPECT_EQ(all, text);
}

TEST_F(StreamTest, AnEndThatCameWithTheLastBytesIsHeld) {
    const std::string last = record_of("last");
    SSL_shutdown(server);
    hand_over(last + written());
    EXPECT_EQ(read_client(), "last");
    EXPECT_TRUE(client.holds_more());
    EXPECT_EQ(read_client(), "end");
}

TEST_F(StreamTest, InTheClearTheSocketTellsOfAll) {
    std::array<int, 2> ends = {};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    Stream one(ends[0]);
    Stream other(ends[1]);
    ASSERT_EQ(one.write("hello").count, 5U);
    EXPECT_EQ(other.read(std::span(piece).first(2)).count, 2U);
    EXPECT_FALSE(other.holds_more());
}

TEST(LocalStream, DoesNotWaitWhileTheBacklogIsFull) {
    const renderer::TemporaryFolder folder;
    const std::string path = folder.path() + "/s";
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
    ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(::listen(listener, 0), 0);
    const Stream first = Stream::connect_local(path);
    EXPECT_TRUE(first.is_open());
    EXPECT_FALSE(Stream::connect_local(path).is_open());
    ::close(listener);
}

}  // namespace
}  // namespace runtime::api_proxy
