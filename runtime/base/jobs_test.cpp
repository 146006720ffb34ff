#include "runtime/base/jobs.h"

#include <gtest/gtest.h>

namespace runtime::inline base {
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

TEST(Jobs, RunSideBySideUntilOneFails) {
    std::string trace;
    std::string problem = "none";
    std::vector<Next> waiting;
    std::vector<Job> jobs;
    for (const char* name : {"a", "b", "c", "d"}) {
        jobs.push_back([&trace, &waiting, name](const Next& next) {
            trace += name;
            waiting.push_back(next);
        });
    }
    run_side_by_side(jobs, 2, [&](std::string its_problem) { problem = std::move(its_problem); });
    EXPECT_EQ(trace, "ab");
    waiting[1]({});
    EXPECT_EQ(trace, "abc");
    waiting[0]("no");
    EXPECT_EQ(problem, "none") << "c still runs";
    waiting[2]("neither");
    EXPECT_EQ(trace, "abc");
    EXPECT_EQ(problem, "no");
    run_side_by_side({}, 2, [&](std::string its_problem) { problem = std::move(its_problem); });
    EXPECT_EQ(problem, "");
}

}  // namespace
}  // namespace runtime::inline base
