#include "runtime/nameserver/nameserver.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "renderer/base/temporary_folder_testing.h"

namespace runtime::nameserver {
namespace {

using namespace std::string_literals;
namespace fs = std::filesystem;

constexpr Duration kPatience(200);

// Returns a query for an address of `<label>.ts.net`.
std::string query(std::string_view label, char id = 1) {
    std::string packet = "\x00?\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00"s;
    packet[1] = id;
    packet.push_back(static_cast<char>(label.size()));
    return packet.append(label).append("\x02ts\x03net\x00\x00\x01\x00\x01"s);
}

std::string framed(const std::string& packet) {
    std::string out;
    append_u16(out, static_cast<std::uint16_t>(packet.size()));
    return out + packet;
}

// Uses real sockets on the loopback interface, and a directory that looks like a mounted ConfigMap.
class NameserverTest : public testing::Test {
protected:
    NameserverTest() = default;
    ~NameserverTest() override {
        for (const int descriptor : descriptors) {
            close(descriptor);
        }
    }
    NameserverTest(const NameserverTest&) = delete;
    NameserverTest& operator=(const NameserverTest&) = delete;

    // Replaces the file as the kubelet does: a new directory, and one rename.
    void mount(std::string_view text) {
        const fs::path version = folder / fmt::format("..v{}", ++versions);
        fs::create_directory(version);
        std::ofstream(version / "records.json") << text;
        fs::create_symlink(version.filename(), folder / "..data_tmp");
        fs::rename(folder / "..data_tmp", folder / "..data");
        if (versions == 1) {
            fs::create_symlink("..data/records.json", folder / "records.json");
        }
    }
    static std::string records(std::string_view label) {
        return fmt::format(R"({{"version":"v1alpha1","ip4":{{"{}.ts.net":["10.0.0.1"]}}}})", label);
    }
    void start(DnsLimits limits = {.patience = kPatience}) {
        nameserver.emplace(loop, log, folder.string(), limits);
        auto taken = nameserver->start(0);
        ASSERT_TRUE(taken.has_value()) << taken.error().diagnostic.message;
        port = *taken;
    }

    int connect_to(int family, int kind) {
        const int descriptor = socket(family, kind | SOCK_NONBLOCK, 0);
        descriptors.push_back(descriptor);
        sockaddr_in four{};
        four.sin_family = AF_INET;
        four.sin_port = htons(port);
        four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        sockaddr_in6 six{};
        six.sin6_family = AF_INET6;
        six.sin6_port = htons(port);
        six.sin6_addr = in6addr_loopback;
        const auto* address = family == AF_INET ? reinterpret_cast<const sockaddr*>(&four)
                                                : reinterpret_cast<const sockaddr*>(&six);
        EXPECT_TRUE(connect(descriptor, address, family == AF_INET ? sizeof four : sizeof six) ==
                        0 ||
                    errno == EINPROGRESS);
        return descriptor;
    }

    // Returns what is received until `size` bytes have arrived, the other side closes, or a
    // timeout.
    std::string receive(int descriptor, std::size_t size) {
        std::string got;
        const TimerId timer = loop.after(std::chrono::seconds(20), [&] { loop.stop(); });
        loop.watch(descriptor, {.read = true}, [&](Interest) {
            char buffer[4096];
            const ssize_t count = recv(descriptor, buffer, sizeof buffer, 0);
            got.append(buffer, count > 0 ? static_cast<std::size_t>(count) : 0);
            closed = count <= 0;
            if (closed || got.size() >= size) {
                loop.stop();
            }
        });
        loop.run();
        loop.watch(descriptor, {}, nullptr);
        loop.cancel(timer);
        return got;
    }
    static void send_all(int descriptor, const std::string& bytes) {
        EXPECT_EQ(send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(bytes.size()));
    }

    // Returns the code of the answer over UDP.
    int rcode(std::string_view label) {
        const int descriptor = connect_to(AF_INET, SOCK_DGRAM);
        send_all(descriptor, query(label));
        const std::string reply = receive(descriptor, 1);
        return reply.size() < 12 ? -1 : reply[3] & 0xF;
    }
    // Runs the loop until this code is received.
    bool becomes(std::string_view label, int code) {
        for (int i = 0; i < 1000; ++i) {
            if (rcode(label) == code) {
                return true;
            }
            usleep(10'000);
        }
        return false;
    }

    const renderer::TemporaryFolder temporary;
    const fs::path folder = temporary.path();
    int versions = 0;
    AsioLoop loop;
    Log log{Log::Form::Text, LogLevel::Error};
    std::optional<Nameserver> nameserver;
    std::uint16_t port = 0;
    std::vector<int> descriptors;
    bool closed = false;
};

TEST_F(NameserverTest, AnswersByEveryWay) {
    mount(records("db"));
    start();
    for (const int family : {AF_INET, AF_INET6}) {
        const int udp = connect_to(family, SOCK_DGRAM);
        send_all(udp, query("db"));
        EXPECT_EQ(receive(udp, 1).size(), query("db").size() + 16);
        const int tcp = connect_to(family, SOCK_STREAM);
        send_all(tcp, framed(query("db")));
        EXPECT_EQ(receive(tcp, 1).size(), query("db").size() + 18);
    }
}

TEST_F(NameserverTest, TakesOverNewRecords) {
    mount(records("old"));
    start();
    EXPECT_EQ(rcode("old"), 0);
    EXPECT_EQ(rcode("new"), 3);
    mount(records("new"));
    EXPECT_TRUE(becomes("new", 0));
    EXPECT_EQ(rcode("old"), 3);
}

TEST_F(NameserverTest, KeepsTheLastGoodRecords) {
    mount(records("db"));
    start();
    mount("{");
    const auto is_broken = [&] {
        return nameserver->metrics().find("tailrender_dns_records_broken 1") != std::string::npos;
    };
    while (!is_broken()) {
        EXPECT_EQ(rcode("db"), 0);
    }
    EXPECT_TRUE(nameserver->is_ready());
    EXPECT_EQ(rcode("db"), 0);
    mount(records("other"));
    EXPECT_TRUE(becomes("other", 0));
    EXPECT_FALSE(is_broken());
}

TEST_F(NameserverTest, IsReadyWithItsFirstRecords) {
    mount("");
    start();
    EXPECT_FALSE(nameserver->is_ready());
    EXPECT_EQ(rcode("db"), 2);
    mount(records("db"));
    EXPECT_TRUE(becomes("db", 0));
    EXPECT_TRUE(nameserver->is_ready());
}

TEST_F(NameserverTest, StartsWithoutAFileAndNotWithoutAFolder) {
    start();
    EXPECT_EQ(rcode("db"), 2);
    Nameserver none(loop, log, folder.string() + "/none");
    auto started = none.start(0);
    ASSERT_FALSE(started.has_value());
    EXPECT_EQ(started.error().diagnostic.message,
              "cannot watch \"" + folder.string() + "/none\": No such file or directory");
}

TEST_F(NameserverTest, SaysThatItsPortIsTaken) {
    mount(records("db"));
    start();
    Nameserver second(loop, log, folder.string());
    auto started = second.start(port);
    ASSERT_FALSE(started.has_value());
    EXPECT_EQ(started.error().diagnostic.message,
              fmt::format("cannot listen on port {}: Address already in use", port));
}

TEST_F(NameserverTest, AnswersManyQuestionsInOneGo) {
    mount(records("db"));
    start();
    const int tcp = connect_to(AF_INET, SOCK_STREAM);
    std::string questions;
    for (char id = 1; id <= 100; ++id) {
        questions += framed(query("db", id));
    }
    const std::size_t size = framed(query("db")).size() + 16;
    send_all(tcp, questions);
    const std::string replies = receive(tcp, 100 * size);
    ASSERT_EQ(replies.size(), 100 * size);
    for (char id = 1; id <= 100; ++id) {
        EXPECT_EQ(replies[static_cast<std::size_t>(id - 1) * size + 3], id);
    }
}

TEST_F(NameserverTest, CutsOffWhoIsSilentOrSlow) {
    mount(records("db"));
    start();
    for (const std::string& begun : {""s, "\x00"s, framed(query("db")).substr(0, 20)}) {
        const int tcp = connect_to(AF_INET, SOCK_STREAM);
        send_all(tcp, begun);
        const Time before = loop.now();
        EXPECT_EQ(receive(tcp, 1), "");
        EXPECT_TRUE(closed);
        EXPECT_GE(loop.now() - before, kPatience / 2);
    }
}

TEST_F(NameserverTest, CutsOffWhoSendsNoQuery) {
    mount(records("db"));
    start({.patience = std::chrono::minutes(5)});
    std::string reply = query("db");
    reply[2] = '\x81';
    for (const std::string& bytes : {"\x00\x00"s, framed("x"), framed(reply)}) {
        const int tcp = connect_to(AF_INET, SOCK_STREAM);
        send_all(tcp, bytes);
        EXPECT_EQ(receive(tcp, 1), "");
        EXPECT_TRUE(closed);
    }
}

TEST_F(NameserverTest, TheMostSilentMakesRoom) {
    mount(records("db"));
    start({.patience = std::chrono::minutes(5), .connections = 2});
    const auto ask = [&](int tcp) {
        closed = false;
        send_all(tcp, framed(query("db")));
        return !receive(tcp, 1).empty();
    };
    const int first = connect_to(AF_INET, SOCK_STREAM);
    EXPECT_TRUE(ask(first));
    const int second = connect_to(AF_INET, SOCK_STREAM);
    EXPECT_TRUE(ask(second));
    EXPECT_TRUE(ask(first));
    const int third = connect_to(AF_INET, SOCK_STREAM);
    EXPECT_TRUE(ask(third));
    EXPECT_EQ(receive(second, 1), "");
    EXPECT_TRUE(closed);
    EXPECT_TRUE(ask(first));
    EXPECT_TRUE(ask(third));
}

TEST_F(NameserverTest, CountsWhatItSays) {
    mount(records("db"));
    start();
    EXPECT_EQ(rcode("db"), 0);
    EXPECT_EQ(rcode("none"), 3);
    EXPECT_EQ(rcode("none"), 3);
    const std::string metrics = nameserver->metrics();
    for (const std::string_view line :
         {"tailrender_dns_replies_total{protocol=\"udp\",rcode=\"NOERROR\"} 1\n",
          "tailrender_dns_replies_total{protocol=\"udp\",rcode=\"NXDOMAIN\"} 2\n",
          "tailrender_dns_truncated_total 0\n", "tailrender_dns_names 1\n",
          "tailrender_dns_records_broken 0\n"}) {
        EXPECT_NE(metrics.find(line), std::string::npos) << line << metrics;
    }
}

}  // namespace
}  // namespace runtime::nameserver
