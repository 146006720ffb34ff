#include "renderer/base/steps.h"

#include <gtest/gtest.h>

namespace renderer::inline base {
namespace {

TEST(Steps, SaysWhatAndHowMany) {
    Steps steps;
    EXPECT_EQ(steps.text(), "working");
    steps.begin("reading files", 12);
    steps.done();
    EXPECT_EQ(steps.text(), "reading files, 1 of 12");
    steps.enter("cluster home");
    steps.begin("rendering charts", 2);
    EXPECT_EQ(steps.text(), "cluster home: rendering charts, 0 of 2");
}

TEST(Steps, CountsTheSameStepsOfTwoThreadsTogether) {
    Steps steps;
    steps.begin("reading files", 2);
    steps.done();
    steps.begin("reading files", 3);
    EXPECT_EQ(steps.text(), "reading files, 1 of 5");
    for (int i = 0; i < 4; ++i) {
        steps.done();
    }
    steps.begin("reading files", 3);
    EXPECT_EQ(steps.text(), "reading files, 0 of 3");
}

}  // namespace
}  // namespace renderer::inline base
