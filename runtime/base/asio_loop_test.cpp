#include "runtime/base/asio_loop.h"

#include <gtest/gtest.h>

#include <thread>

namespace runtime {
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

}  // namespace
}  // namespace runtime
