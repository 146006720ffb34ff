#include "runtime/base/jobs.h"

#include <gtest/gtest.h>

namespace runtime {
namespace {

TEST(Jobs, RunInOrder) {
    std::string trace;
    std::string problem = "none";
    Next waiting;
    run_in_order({[&](const Next& next) {
                      trace += "a";
                      waiting = next;
                  },
                  [&](const Next& next) {
                      trace += "b";
                      next({});
                  }},
                 [&](std::string its_problem) { problem = std::move(its_problem); });
    EXPECT_EQ(trace, "a");
    EXPECT_EQ(problem, "none");
    waiting({});
    EXPECT_EQ(trace, "ab");
    EXPECT_EQ(problem, "");
}

TEST(Jobs, EndWithTheFirstProblem) {
    std::string trace;
    std::string problem;
    run_in_order({[&](const Next& next) { next("no"); },
                  [&](const Next& next) {
                      trace += "b";
                      next({});
                  }},
                 [&](std::string its_problem) { problem = std::move(its_problem); });
    EXPECT_EQ(trace, "");
    EXPECT_EQ(problem, "no");
}

}  // namespace
}  // namespace runtime
