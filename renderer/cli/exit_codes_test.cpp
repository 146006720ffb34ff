#include "renderer/cli/exit_codes.h"

#include <gtest/gtest.h>

namespace renderer::cli {
namespace {

TEST(ExitCodes, AMistakeCountsMoreThanAnErrorAGateAndADifference) {
    for (const int code : {0, kErrors, kUsage, kDifferent, kGate}) {
        EXPECT_EQ(exit_code_of(code, code), code);
        EXPECT_EQ(exit_code_of(code, 0), code);
        EXPECT_EQ(exit_code_of(kUsage, code), kUsage);
    }
    EXPECT_EQ(exit_code_of(kErrors, kGate), kErrors);
    EXPECT_EQ(exit_code_of(kGate, kErrors), kErrors);
    EXPECT_EQ(exit_code_of(kDifferent, kGate), kGate);
    EXPECT_EQ(exit_code_of(kDifferent, kErrors), kErrors);
}

}  // namespace
}  // namespace renderer::cli
