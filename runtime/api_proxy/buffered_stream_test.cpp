#include "runtime/api_proxy/buffered_stream.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>

#include "runtime/api_proxy/ready_loop_testing.h"

namespace runtime::api_proxy {
namespace {

class BufferedStreamTest : public testing::Test {
protected:
    BufferedStreamTest() {
        std::array<int, 2> ends = {};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
        stream.open(Stream(ends[0]));
        other = Stream(ends[1]);
    }
    std::string received() {
        std::string out;
        std::array<char, 4096> piece;
        for (Io io = other.read(piece); io.state == Io::State::Done; io = other.read(piece)) {
            out.append(piece.data(), io.count);
        }
        return out;
    }

    ReadyLoop loop;
    std::string ready;
    BufferedStream stream{loop, [this](Interest what) { ready += what.write ? "w" : "r"; }};
    Stream other;
};

TEST_F(BufferedStreamTest, SendsAtOnceWhatTheOtherEndAccepts) {
    EXPECT_TRUE(stream.send("hello"));
    EXPECT_FALSE(stream.has_pending());
    EXPECT_EQ(received(), "hello");
}

TEST_F(BufferedStreamTest, KeepsTheRestInOrder) {
    const std::string much(std::size_t{4} * 1024 * 1024, 'x');
    EXPECT_TRUE(stream.send(much));
    EXPECT_TRUE(stream.has_pending());
    EXPECT_TRUE(stream.send("end"));
    std::string all;
    while (stream.has_pending()) {
        all += received();
        ASSERT_TRUE(stream.flush());
    }
    all += received();
    EXPECT_TRUE(all == much + "end");
}

TEST_F(BufferedStreamTest, TellsOfABrokenConnection) {
    const std::string much(std::size_t{4} * 1024 * 1024, 'x');
    EXPECT_TRUE(stream.send(much));
    other.close();
    EXPECT_FALSE(stream.flush());
    EXPECT_FALSE(stream.send("more"));
    EXPECT_FALSE(stream.has_pending());
}

TEST_F(BufferedStreamTest, WatchesOnlyWhatIsNew) {
    using Watched = std::vector<std::string>;
    stream.watch({.read = true});
    stream.watch({.read = true});
    stream.watch({.read = true, .write = true});
    EXPECT_EQ(loop.watched, Watched({"r", "rw"}));
    loop.tell({.write = true});
    EXPECT_EQ(ready, "w");
    stream.close();
    EXPECT_EQ(loop.watched, Watched({"r", "rw", ""}));
    EXPECT_FALSE(stream.stream().is_open());
    stream.close();
    EXPECT_EQ(loop.watched.size(), 3U) << "there is nothing to watch";
}

TEST_F(BufferedStreamTest, ANewStreamHasNothingOfThePrevious) {
    EXPECT_TRUE(stream.send(std::string(std::size_t{4} * 1024 * 1024, 'x')));
    stream.watch({.read = true});
    std::array<int, 2> ends = {};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    stream.open(Stream(ends[0]));
    other = Stream(ends[1]);
    EXPECT_FALSE(stream.has_pending());
    stream.watch({.read = true});
    EXPECT_EQ(loop.watched.back(), "r");
    EXPECT_TRUE(stream.send("hello"));
    EXPECT_EQ(received(), "hello");
}

}  // namespace
}  // namespace runtime::api_proxy
