#include "runtime/api_proxy/client_link.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <vector>

#include "runtime/api_proxy/ready_loop_testing.h"

namespace runtime::api_proxy {
namespace {

class ClientLinkTest : public testing::Test {
protected:
    using Names = std::vector<std::string>;

    static std::array<int, 2> sockets() {
        std::array<int, 2> out = {};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, out.data()), 0);
        return out;
    }
    void say(std::string_view bytes) { EXPECT_EQ(client.write(bytes).count, bytes.size()); }
    Names told() {
        loop.tell();
        return std::exchange(events, {});
    }

    ReadyLoop loop;
    std::array<int, 2> ends = sockets();
    std::array<char, 8> piece = {};
    bool wants_bytes = true;
    Names events;
    Stream client{ends[1]};
    ClientLink link{loop,
                    Stream(ends[0]),
                    piece,
                    {.wants_bytes = [this] { return wants_bytes; },
                     .received = [this] { events.push_back("got " + std::string(link.unread())); },
                     .ended = [this] { events.emplace_back("ended"); },
                     .broken = [this] { events.emplace_back("broken"); },
                     .sent = [this] { events.emplace_back("sent"); },
                     .settled = [this] { events.emplace_back("settled"); }}};
};

TEST_F(ClientLinkTest, ReadsAllThatIsThereInPieces) {
    link.settle();
    say("one");
    EXPECT_EQ(told(), Names({"got one", "settled"}));
    say("123456789");
    EXPECT_EQ(told(), Names({"got one12345678", "got one123456789", "settled"}));
    EXPECT_EQ(link.take(3), "one");
    link.drop(2);
    EXPECT_EQ(link.unread(), "3456789");
    EXPECT_EQ(link.take(7), "3456789");
    EXPECT_EQ(link.unread(), "");
}

TEST_F(ClientLinkTest, ReadsNothingThatIsNotWanted) {
    wants_bytes = false;
    link.settle();
    EXPECT_TRUE(loop.watched.empty());
    wants_bytes = true;
    link.settle();
    EXPECT_EQ(loop.watched, Names{"r"});
    say("one");
    wants_bytes = false;
    EXPECT_EQ(told(), Names{"settled"});
}

TEST_F(ClientLinkTest, TellsWhenWhatWasPendingIsSent) {
    wants_bytes = false;
    EXPECT_TRUE(link.send("hello"));
    link.settle();
    EXPECT_TRUE(loop.watched.empty());
    EXPECT_TRUE(link.send(std::string(std::size_t{4} << 20U, 'x')));
    EXPECT_TRUE(link.has_pending());
    link.settle();
    EXPECT_EQ(loop.watched, Names{"w"});
    std::array<char, 65536> taken;
    while (client.read(taken).state == Io::State::Done) {
    }
    EXPECT_EQ(told(), Names({"sent", "settled"}));
}

TEST_F(ClientLinkTest, TellsOfTheEnd) {
    link.settle();
    say("bye");
    client.end_sending();
    EXPECT_EQ(told(), Names({"got bye", "settled"}));
    EXPECT_FALSE(link.has_ended());
    EXPECT_EQ(told(), Names({"ended", "settled"}));
    EXPECT_TRUE(link.has_ended());
}

TEST_F(ClientLinkTest, TellsOfABrokenConnection) {
    EXPECT_TRUE(link.send(std::string(std::size_t{4} << 20U, 'x')));
    link.settle();
    client.close();
    EXPECT_EQ(told(), Names({"broken", "settled"}));
    link.close();
    EXPECT_EQ(loop.watched.back(), "");
    EXPECT_FALSE(link.has_pending());
}

}  // namespace
}  // namespace runtime::api_proxy
