#include "runtime/localapi/bus_watch.h"

#include <gtest/gtest.h>

#include "runtime/testing/fake_loop.h"
#include "runtime/testing/open_transport.h"

namespace runtime::localapi {
namespace {

// tailscaled drops messages for slow readers without reporting it.
TEST(BusWatch, ReconnectsFromTimeToTime) {
    FakeLoop loop;
    OpenTransport transport;
    LocalApi api(transport);
    RandomSource random{1};
    TailnetView view;
    BusWatch bus(loop, api, random, view,
                 {.on_message = [](const BusMessage&) {},
                  .on_trouble = [](const std::string&) {},
                  .on_failure = [](const std::string& problem) { ADD_FAILURE() << problem; }});
    bus.open(false);
    loop.run_for(std::chrono::minutes(9));
    EXPECT_EQ(transport.urls.size(), 1U);
    loop.run_for(std::chrono::minutes(2));
    EXPECT_EQ(transport.urls.size(), 2U);
    EXPECT_EQ(transport.canceled.back(), 1U);
}

}  // namespace
}  // namespace runtime::localapi
