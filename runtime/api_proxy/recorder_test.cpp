#include "runtime/api_proxy/recorder.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "renderer/base/temporary_folder_testing.h"
#include "runtime/api_proxy/ready_loop_testing.h"

namespace runtime::api_proxy {
namespace {

using std::chrono::seconds;

// Has tailscaled and a recorder at the other end of a socket.
class RecorderTest : public testing::Test {
protected:
    RecorderTest() {
        sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
        EXPECT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        EXPECT_EQ(::listen(listener, 2), 0);
        recorder = Recorder::start(
            loop, path, {"100.64.0.3:80"},
            {.started = [this](const std::string& problem) { started = "started" + problem; },
             .broken = [this](const std::string& problem) { broken = problem; },
             .moved = {}});
        loop.run_for(Duration(1));
        accept();
        EXPECT_TRUE(received().starts_with("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
    }
    ~RecorderTest() override { ::close(listener); }

    void accept() {
        other = Stream(::accept(listener, nullptr, nullptr));
        loop.tell();
        answer("HTTP/1.1 101 Switching Protocols\r\n\r\n");
    }
    // A recorder that only speaks HTTP/1.1 refuses, and is dialed again.
    void start_over_http1() {
        answer("HTTP/1.1 400 Bad Request\r\n\r\n");
        accept();
        answer("HTTP/1.1 100 Continue\r\n\r\n");
        ASSERT_EQ(started, "started");
    }
    void answer(std::string_view bytes) {
        static_cast<void>(received());
        EXPECT_EQ(other.write(bytes).count, bytes.size());
        loop.tell();
        loop.tell();
    }
    std::string received() {
        std::string out;
        std::array<char, 4096> piece;
        for (Io io = other.read(piece); io.count > 0; io = other.read(piece)) {
            out.append(piece.data(), io.count);
        }
        return out;
    }

    const renderer::TemporaryFolder folder;
    const std::string path = folder.path() + "/tailscaled.sock";
    int listener = -1;
    ReadyLoop loop;
    Stream other;
    std::string started, broken;
    std::shared_ptr<Recorder> recorder;
};

TEST_F(RecorderTest, SilenceIsNoStall) {
    start_over_http1();
    recorder->write("one\n");
    loop.tell();
    EXPECT_EQ(received(), "4\r\none\n\r\n");
    loop.run_for(seconds(60));
    // The recorder has had no time to accept it.
    recorder->write("two\n");
    loop.run_for(seconds(29));
    EXPECT_EQ(broken, "");
    loop.tell();
    EXPECT_EQ(received(), "4\r\ntwo\n\r\n");
}

TEST_F(RecorderTest, WhoTakesNothingForThirtySecondsIsGivenUp) {
    start_over_http1();
    recorder->write("one\n");
    loop.run_for(seconds(20));
    recorder->write("two\n");
    loop.run_for(seconds(9));
    EXPECT_EQ(broken, "");
    loop.run_for(seconds(2));
    EXPECT_EQ(broken, "recorder 100.64.0.3:80: it does not answer");
}

TEST_F(RecorderTest, KeepsWhatIsNotTakenYet) {
    start_over_http1();
    const std::string lines(std::size_t{4} * 1024 * 1024, 'x');
    recorder->write(lines);
    std::string all;
    for (int turn = 0; turn < 10000 && recorder->waiting() > 0; ++turn) {
        loop.tell();
        all += received();
    }
    EXPECT_EQ(all, "400000\r\n" + lines + "\r\n");
    EXPECT_EQ(broken, "");
}

}  // namespace
}  // namespace runtime::api_proxy
