#include "runtime/base/asio_loop.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>

namespace runtime::inline base {
namespace {

TEST(AsioLoop, ACancelledTimerDoesNotFireThoughItsTimeHasCome) {
    AsioLoop loop;
    bool has_fired = false;
    TimerId second = 0;
    loop.after(Duration(0), [&] { loop.cancel(second); });
    second = loop.after(Duration(0), [&] { has_fired = true; });
    std::this_thread::sleep_for(Duration(5));
    loop.run();
    EXPECT_FALSE(has_fired);
}

TEST(AsioLoop, TheUptimeGrows) {
    AsioLoop loop;
    const Duration before = loop.uptime();
    loop.after(Duration(5), [] {});
    loop.run();
    EXPECT_GE(loop.uptime() - before, Duration(5));
}

// The two ends of a connection.
struct Pair {
    Pair() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0); }
    ~Pair() {
        ::close(ends[0]);
        ::close(ends[1]);
    }
    void say(std::string_view text) const {
        EXPECT_EQ(::send(ends[1], text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    }
    [[nodiscard]] char hear() const {
        char byte = 0;
        EXPECT_EQ(::recv(ends[0], &byte, 1, 0), 1);
        return byte;
    }
    std::array<int, 2> ends = {};
};

TEST(AsioLoop, TellsAgainAndAgainWhileThereIsSomethingToRead) {
    AsioLoop loop;
    const Pair pair;
    std::string heard;
    pair.say("abc");
    loop.watch(pair.ends[0], {.read = true}, [&](Interest ready) {
        EXPECT_TRUE(ready.read && !ready.write);
        heard += pair.hear();
        if (heard.size() == 3) {
            loop.watch(pair.ends[0], {}, nullptr);
        }
    });
    loop.run();  // ends, since there is nothing left to wait for
    EXPECT_EQ(heard, "abc");
    pair.say("d");
    loop.watch(pair.ends[0], {.read = true}, [&](Interest) {
        heard += pair.hear();
        loop.watch(pair.ends[0], {}, nullptr);
    });
    loop.run();
    EXPECT_EQ(heard, "abcd");
}

TEST(AsioLoop, TellsWhatIsWantedAndOfAnEndWhateverIsWanted) {
    AsioLoop loop;
    const Pair pair;
    std::string told;
    const auto note = [&](Interest ready) {
        told += ready.read ? "r" : "";
        told += ready.write ? "w" : "";
        loop.watch(pair.ends[0], {}, nullptr);
    };
    pair.say("a");
    loop.watch(pair.ends[0], {.write = true}, note);
    loop.run();
    loop.watch(pair.ends[0], {.read = true, .write = true}, note);
    loop.run();
    EXPECT_EQ(told, "wrw");
    static_cast<void>(pair.hear());
    ::shutdown(pair.ends[1], SHUT_RDWR);
    loop.watch(pair.ends[0], {.read = true}, note);
    loop.run();
    EXPECT_EQ(told, "wrwr");
}

TEST(AsioLoop, AnEventOfAReplacedWatchDoesNotReachTheNewOne) {
    AsioLoop loop;
    const Pair first;
    const Pair second;
    first.say("a");
    second.say("b");
    const Pair quiet;
    int calls = 0;
    // The callback that runs first replaces the other watch with a silent one.
    const auto replace = [&](int other) {
        ++calls;
        for (const Pair* pair : {&first, &second}) {
            loop.watch(pair->ends[0], {}, nullptr);
        }
        EXPECT_EQ(::dup2(quiet.ends[0], other), other);
        loop.watch(other, {.read = true}, [&](Interest) { ADD_FAILURE(); });
        loop.after(Duration(20), [&, other] { loop.watch(other, {}, nullptr); });
    };
    loop.watch(first.ends[0], {.read = true}, [&](Interest) { replace(second.ends[0]); });
    loop.watch(second.ends[0], {.read = true}, [&](Interest) { replace(first.ends[0]); });
    loop.run();
    EXPECT_EQ(calls, 1);
}

TEST(AsioLoop, AStopIsTheEndForWhatIsReadyToo) {
    AsioLoop loop;
    const Pair first;
    const Pair second;
    first.say("a");
    second.say("b");
    int calls = 0;
    for (const Pair* pair : {&first, &second}) {
        loop.watch(pair->ends[0], {.read = true}, [&, pair](Interest) {
            ++calls;
            loop.watch(pair->ends[0], {}, nullptr);
            loop.stop();
        });
    }
    loop.run();
    EXPECT_EQ(calls, 1);
    loop.run();
    EXPECT_EQ(calls, 2);
}

TEST(AsioLoop, ADescriptorThatWasClosedWhileWatchedMayBeWatchedAgain) {
    AsioLoop loop;
    const Pair pair;
    const Pair next;
    loop.watch(pair.ends[0], {.read = true}, [&](Interest) { ADD_FAILURE(); });
    ASSERT_EQ(::dup2(next.ends[0], pair.ends[0]), pair.ends[0]);
    next.say("a");
    bool is_told = false;
    loop.watch(pair.ends[0], {.read = true}, [&](Interest) {
        is_told = true;
        loop.watch(pair.ends[0], {}, nullptr);
    });
    loop.run();
    EXPECT_TRUE(is_told);
}

}  // namespace
}  // namespace runtime::inline base
