#include "renderer/cli/progress.h"

#include <gtest/gtest.h>

#include <future>
#include <vector>

namespace renderer::cli {
namespace {

TEST(Progress, IsOneLineThatIsRewrittenAndTakenAway) {
    std::vector<std::string> written;
    std::promise<void> twice;
    {
        const Progress progress([] { return std::string("render"); }, std::chrono::milliseconds(1),
                                [&](std::string_view text) {
                                    written.emplace_back(text);
                                    if (written.size() == 2) {
                                        twice.set_value();
                                    }
                                });
        twice.get_future().wait();
    }
    ASSERT_GE(written.size(), 3U);
    EXPECT_EQ(written[0], "\r\033[Krender, 1 s");
    EXPECT_EQ(written[1], "\r\033[Krender, 2 s");
    EXPECT_EQ(written.back(), "\r\033[K");
}

TEST(Progress, SaysNothingOfAShortRun) {
    std::vector<std::string> written;
    {
        const Progress progress([] { return std::string("render"); }, std::chrono::hours(1),
                                [&](std::string_view text) { written.emplace_back(text); });
    }
    EXPECT_TRUE(written.empty());
}

}  // namespace
}  // namespace renderer::cli
